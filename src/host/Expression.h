//===- Expression.h - Expressions over host tensors -------------------------===//
//
// The VALUE of `gluonc run … NAME=VALUE`, its `--grid` and its `--expect`. Three
// kinds of names meet in them: tensors (earlier arguments), host functions that
// make or reduce tensors (`randn`, `allclose`, …), and everything that the
// kernel's module knows. The first two are evaluated here; whatever holds
// neither goes to sema's compile-time evaluator as text. Where the two mix, as in
// `gl.cdiv(x.numel(), BLOCK)`, the parts that speak of tensors are evaluated
// first and stand in the text under names of their own.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "host/Array.h"
#include "sema/eval/Evaluator.h"

#include <variant>

namespace gluonc::host {

using HostValue = std::variant<sema::Value, Array>;

/// Names that expressions may use, in the order in which they were bound.
class HostScope {
public:
  HostScope(sema::Program &program, sema::Module &module) : program(program), module(module) {}

  void bind(llvm::StringRef name, const HostValue &value);
  const Array *findTensor(llvm::StringRef name) const;

  sema::Program &program;
  sema::Module &module;
  std::vector<sema::NamedValue> values;
  std::vector<std::pair<std::string, Array>> tensors;
  /// Seed of the next random tensor that names none: 0 for the first, then 1, …
  uint64_t nextSeed = 0;
  /// Random floats hold odd values here and there (Random.h).
  bool oddValues = false;
};

/// `origin` names the text in diagnostics. Nullopt after a report.
std::optional<HostValue> evaluate(HostScope &scope, llvm::StringRef text, llvm::StringRef origin,
                                  diag::Sink &sink);

/// `TensorDescriptor.from_tensor(x, [64, 64], layout)`, as hosts of kernels write it.
struct DescribedTensor {
  Tensor tensor;
  Shape block;
  /// None where nobody says, as for kernels of Triton.
  sema::Value layout;
  bool padsWithNan = false, roundsToTf32 = false;
};
/// What a kernel may be given. Nullopt after a report.
std::optional<std::variant<sema::Value, Array, DescribedTensor>>
evaluateArgument(HostScope &scope, llvm::StringRef text, llvm::StringRef origin, diag::Sink &sink);

struct Expectation {
  bool holds = false;
  /// What the comparisons inside found, e.g. where the first difference is.
  std::vector<std::string> details;
};
/// Whether every element of `text` is true. `tolerance` is for `allclose` calls that give none.
std::optional<Expectation> checkExpectation(HostScope &scope, llvm::StringRef text,
                                            std::optional<Tolerance> tolerance, diag::Sink &sink);

} // namespace gluonc::host
