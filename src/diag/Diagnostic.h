//===- Diagnostic.h - Registered kinds, diagnostics, sinks ------------------===//
//
// Reporting reads
//
//   sink.report(Kind::LayoutMismatch, span, lhsLayout, rhsLayout)
//       .label(lhsSpan, "{0} comes from here", lhsLayout)
//       .hint("wrap one side in `gl.convert_layout`");
//
// The text belongs to the kind (Kinds.def); arguments are strings, integers or
// anything with an `operator<<` onto llvm::raw_ostream. The diagnostic reaches
// the sink at the end of the full expression.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Source.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace gluonc::diag {

/// Remarks say, where they are asked for, what the compiler decided and why.
enum class Severity { Error, Warning, Remark };

llvm::StringRef nameOf(Severity severity);

enum class Kind {
#define GL_DIAG(number, name, severity, text) name,
#include "diag/Kinds.def"
};

struct KindInfo {
  /// Shown as GL<number>.
  unsigned number;
  llvm::StringRef name;
  Severity severity;
  llvm::StringRef text;
};
const KindInfo &info(Kind kind);
llvm::ArrayRef<KindInfo> allKinds();

/// A secondary place with its own text; a label without a file is a note.
struct Label {
  Span span;
  std::string text;
};

struct Facts;

struct Diagnostic {
  Kind kind;
  Severity severity;
  Span span;
  std::string message;
  std::vector<Label> labels;
  std::vector<std::string> hints;
  /// What the kind's text was filled with.
  std::vector<std::string> arguments;
  /// The same for programs that read it (Facts.h); null where there is no more than the text.
  std::shared_ptr<const Facts> facts = nullptr;
};

template <typename T> std::string toText(const T &value) {
  if constexpr (std::is_convertible_v<T, llvm::StringRef>) {
    return llvm::StringRef(value).str();
  } else {
    std::string text;
    llvm::raw_string_ostream(text) << value;
    return text;
  }
}

/// Replaces {0}, {1}, … in `text` by `arguments`.
std::string format(llvm::StringRef text, llvm::ArrayRef<std::string> arguments);

/// A diagnostic of this kind, with the arguments of the kind's text.
Diagnostic make(Kind kind, Span span, std::vector<std::string> arguments);

class Sink;

/// A diagnostic under construction; handed to its sink when destroyed.
class [[nodiscard]] Builder {
public:
  Builder(Sink &sink, Diagnostic diagnostic) : sink(&sink), diagnostic(std::move(diagnostic)) {}
  Builder(Builder &&other) : sink(other.sink), diagnostic(std::move(other.diagnostic)) {
    other.sink = nullptr;
  }
  ~Builder();

  template <typename... Args>
  Builder &&label(Span span, llvm::StringRef text, const Args &...args) && {
    diagnostic.labels.push_back({span, format(text, {toText(args)...})});
    return std::move(*this);
  }
  template <typename... Args> Builder &&note(llvm::StringRef text, const Args &...args) && {
    return std::move(*this).label(Span(), text, args...);
  }
  template <typename... Args> Builder &&hint(llvm::StringRef text, const Args &...args) && {
    diagnostic.hints.push_back(format(text, {toText(args)...}));
    return std::move(*this);
  }
  /// For a report with no labels or hints: `std::move(b).end()` silences nodiscard.
  void end() && {}

private:
  Sink *sink;
  Diagnostic diagnostic;
};

/// Receives diagnostics. One sink serves one compilation on one thread.
class Sink {
public:
  virtual ~Sink() = default;

  template <typename... Args> Builder report(Kind kind, Span span, const Args &...args) {
    return Builder(*this, make(kind, span, {toText(args)...}));
  }
  unsigned errorCount() const { return errors; }
  bool hasErrors() const { return errors != 0; }

  /// Counts and forwards a finished diagnostic.
  void submit(Diagnostic diagnostic);

protected:
  virtual void handle(Diagnostic diagnostic) = 0;

private:
  unsigned errors = 0;
};

/// Keeps every diagnostic, for callers that render or inspect them later.
class Collector : public Sink {
public:
  std::vector<Diagnostic> diagnostics;

protected:
  void handle(Diagnostic diagnostic) override { diagnostics.push_back(std::move(diagnostic)); }
};

} // namespace gluonc::diag
