//===- Sanitizer.h - What a kernel is checked for beside its results ------------===//
//
// A module says it by an attribute, which holds one of Triton's names. The simulator
// looks for faults always; the attribute makes it give the verdicts, and the numbers, that Triton's
// sanitizer of that name gives.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace gluonc {

enum class Sanitizer : uint8_t {
  None,
  /// Of concurrency: shared and tensor memory begin as NaN, which may be read.
  Consan,
  /// Of floating point: payloads in place of numbers (numeric/FloatPayload.h).
  Fpsan,
  /// Of accesses to global memory, and of instructions.
  Gsan,
  Iisan,
};

inline constexpr llvm::StringLiteral sanitizerAttr = "gluon.sanitizer";

/// "consan"; nullopt for a name that none has. "" is None.
inline std::optional<Sanitizer> parseSanitizer(llvm::StringRef name) {
  if (name == "fpsan:homomorphic")
    return Sanitizer::Fpsan;
  constexpr llvm::StringLiteral names[] = {"", "consan", "fpsan", "gsan", "iisan"};
  const auto *at = llvm::find(names, name);
  if (at == std::end(names))
    return std::nullopt;
  return static_cast<Sanitizer>(at - names);
}

/// Behind "fpsan": a narrower payload is the low bits of a wider one; sums of parts are kept.
inline constexpr llvm::StringLiteral homomorphicSuffix = ":homomorphic";

inline Sanitizer sanitizerOf(mlir::ModuleOp module) {
  auto name = module->getAttrOfType<mlir::StringAttr>(sanitizerAttr);
  return name ? parseSanitizer(name.getValue()).value_or(Sanitizer::None) : Sanitizer::None;
}

inline bool truncatesPayloads(mlir::ModuleOp module) {
  auto name = module->getAttrOfType<mlir::StringAttr>(sanitizerAttr);
  return name && name.getValue().ends_with(homomorphicSuffix);
}

/// Whether `op` is in a module whose floats are payloads.
inline bool isSanitizedFloat(mlir::Operation *op) {
  auto module = op->getParentOfType<mlir::ModuleOp>();
  return module && sanitizerOf(module) == Sanitizer::Fpsan;
}

} // namespace gluonc
