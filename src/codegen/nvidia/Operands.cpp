#include "codegen/nvidia/Operands.h"

#include "target/nvidia/Chips.h"

using gluonc::layout::Dim;

namespace gluonc::codegen::nvidia {

bool hasLanes(const Fragment &fragment, unsigned inner, uint32_t step) {
  for (unsigned bit = 0; bit < llvm::Log2_32(target::nvidia::warpSize); ++bit) {
    uint32_t along = bit < 2 ? step << bit : 0, across = bit < 2 ? 0 : 1u << (bit - 2);
    if (fragment.basis(Dim::Lane, bit, inner) != along ||
        fragment.basis(Dim::Lane, bit, 1 - inner) != across)
      return false;
  }
  return true;
}

std::string operandList(unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text + "}";
}

} // namespace gluonc::codegen::nvidia
