#include "ir/amdg/MatrixElement.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace gluonc::amdg {

std::optional<target::amd::MatrixElement> matrixElement(Type type) {
  using target::amd::MatrixElement;
  return llvm::TypeSwitch<Type, std::optional<MatrixElement>>(type)
      .Case([](Float16Type) { return MatrixElement::F16; })
      .Case([](BFloat16Type) { return MatrixElement::BF16; })
      .Case([](Float32Type) { return MatrixElement::F32; })
      .Case([](Float64Type) { return MatrixElement::F64; })
      .Case([](Float8E4M3FNType) { return MatrixElement::E4M3; })
      .Case([](Float8E5M2Type) { return MatrixElement::E5M2; })
      .Case([](Float8E4M3FNUZType) { return MatrixElement::E4M3Fnuz; })
      .Case([](Float8E5M2FNUZType) { return MatrixElement::E5M2Fnuz; })
      .Default([](Type other) -> std::optional<MatrixElement> {
        if (other.isInteger(8))
          return MatrixElement::I8;
        return other.isInteger(32) ? std::optional(MatrixElement::I32) : std::nullopt;
      });
}

} // namespace gluonc::amdg
