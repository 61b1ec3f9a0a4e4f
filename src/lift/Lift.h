//===- Lift.h - ttg as the source of a Gluon file ------------------------------===//
//
// Prints a module whose layouts have been chosen as one Python file of Gluon. The file
// says what the module says, operation by operation and in its order, so that it
// compiles to the same code: where hand tuning begins.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Source.h"
#include "target/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace gluonc::lift {

/// What the source calls one argument of the kernel's `tt.func`.
struct Argument {
  /// An expression over the parameters: `x`, `sizes[0]`.
  std::string text;
  /// Whether its integers, or those that it points to, have no sign.
  bool isUnsigned = false;
  /// Whether the signature says that it is divisible by 16.
  bool isDivisible = false;
};

struct Request {
  const target::Target &target;
  /// Lines of the comment at the top, without `#`.
  std::vector<std::string> head;
  /// `@gluon.jit` of the kernel, with what it says of specialization.
  std::string decorator;
  /// `x`, `BLOCK: gl.constexpr`: the parameters of the kernel as they are declared.
  std::vector<std::string> parameters;
  /// One for each argument of the kernel.
  std::vector<Argument> arguments;
  /// The files that the module's locations are in: values keep the names that they have there.
  const diag::SourceManager &sources;
};

/// The text of the file. `module` is verified ttg with one kernel, in which every tensor has a
/// layout. Nullopt after an error about an operation that has no spelling, by MLIR's diagnostics.
std::optional<std::string> liftModule(mlir::ModuleOp module, const Request &request);

} // namespace gluonc::lift
