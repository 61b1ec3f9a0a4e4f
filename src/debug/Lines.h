//===- Lines.h - Lines of the source and the instructions behind them ---------===//
//
// An instruction stands in a line, and that in a function that was called in another
// line: its trace. Calls are inlined, so that a trace is all there is of a call stack.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/machine/Variables.h"

namespace gluonc::debug {

struct Line {
  const diag::SourceFile *file = nullptr;
  uint32_t number = 0;
  bool operator==(const Line &) const = default;
  std::string text() const;
};

/// Outermost first; empty where the place is not known.
using Trace = llvm::SmallVector<Line, 2>;

Trace traceOf(diag::Span span, llvm::ArrayRef<diag::Span> callers);
/// Of the function that has the variable, without a line of its own.
Trace callersOf(const sim::Variable &variable);

/// "kernel.py:12".
std::string placeText(Line line);
/// The function that a line belongs to, by the `def` around it.
std::string functionAround(Line line);

/// The traces of a program.
class Lines {
public:
  explicit Lines(const sim::Program &program);

  const Trace &traceAt(uint32_t place) const { return traces[place]; }
  /// The first line from `wanted` on, in the same file, that has instructions; nullopt behind all.
  std::optional<Line> firstWithCode(Line wanted) const;
  /// Of the kernel.
  const diag::SourceFile *mainFile() const;
  /// A file with instructions, by a path or its name alone; null if there is none.
  const diag::SourceFile *findFile(llvm::StringRef path) const;

private:
  std::vector<Trace> traces;
  const sim::Program &program;
};

} // namespace gluonc::debug
