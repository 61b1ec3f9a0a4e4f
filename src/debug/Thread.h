//===- Thread.h - A thread of the program, as a debugger sees it -----------------===//
#pragma once

#include "debug/Lines.h"
#include "sim/machine/Variables.h"

#include <map>

namespace gluonc::debug {

/// A partition of a CTA of a cluster; -1 is the default partition.
struct ThreadId {
  int partition = -1;
  uint32_t cta = 0;
  auto operator<=>(const ThreadId &) const = default;
};

/// Where a thread is and which variables it has seen bound.
class Thread {
public:
  /// The outermost line of its trace that the thread comes to by an instruction; see Debugger.h.
  /// Nullopt where it stays in all of them.
  std::optional<size_t> arrivesAt(const sim::Instruction &instruction, const Trace &trace) const;
  void execute(const sim::Instruction &instruction, const Trace &trace);

  const Trace &trace() const { return last; }
  /// Whether an instruction is the first of an operation, as far as the thread executes it.
  bool begins(const sim::Instruction &instruction) const {
    return instruction.place != lastPlace && !sim::variablesAt(instruction);
  }
  /// Those of a frame, by its trace without its own line.
  std::vector<const sim::Variable *> variables(llvm::ArrayRef<Line> callers) const;
  /// Null where none has the name.
  const sim::Variable *find(llvm::StringRef name, llvm::ArrayRef<Line> callers) const;

private:
  using Frame = std::map<std::string, const sim::Variable *, std::less<>>;

  Trace last;
  uint32_t lastPlace = ~uint32_t(0);
  std::vector<std::pair<Trace, Frame>> frames;
};

} // namespace gluonc::debug
