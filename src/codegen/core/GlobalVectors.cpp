#include "codegen/core/GlobalVectors.h"

#include "ir/tt/AxisInfo.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;

namespace gluonc::codegen {

layout::RegisterVectors globalVectors(Emitter &emitter, mlir::RankedTensorType type, unsigned bytes,
                                      mlir::Value mask, function_ref<int64_t(unsigned axis)> run) {
  const LinearLayout &layout = emitter.types.layoutOf(type);
  unsigned axis = layout::orderOf(layout)[0];
  unsigned limit =
      std::max(1u, std::min(128u, emitter.state.target.maxGlobalAccessBits()) / (8 * bytes));
  limit = std::min(limit, 1u << layout::contiguousLog2(layout, axis));
  // The analysis of the function is made for the first access that can use it.
  if (limit > 1)
    limit = std::min<int64_t>(limit, run(axis));
  if (limit > 1 && mask)
    limit = std::min<int64_t>(limit, emitter.values.axes().maskRun(mask, axis));
  return layout::vectorizeAlong(layout, Dim::axis(axis), Log2_32(limit));
}

Value *vectorMask(Emitter &emitter, mlir::Value mask, uint32_t reg) {
  if (!mask)
    return nullptr;
  Value *bit = emitter.get(mask)[reg];
  ConstantInt *known = dyn_cast<ConstantInt>(bit);
  return known && known->isOne() ? nullptr : bit;
}

Registers selectRegisters(const Registers &registers, ArrayRef<uint32_t> which) {
  Registers chosen;
  for (uint32_t reg : which)
    chosen.push_back(registers[reg]);
  return chosen;
}

} // namespace gluonc::codegen
