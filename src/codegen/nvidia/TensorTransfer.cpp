#include "codegen/nvidia/TensorTransfer.h"

#include "ir/Encoding.h"
#include "target/nvidia/TensorMemory.h"

using namespace llvm;

namespace gluonc::codegen::nvidia {

namespace tmem = target::nvidia::tmem;

namespace {

uint32_t intAttr(mlir::Operation *op, StringRef name) {
  auto value = op->getAttrOfType<mlir::IntegerAttr>(name);
  return value ? uint32_t(value.getInt()) : 0;
}

/// Registers that a thread may have where `op` is executed.
unsigned maxRegisters(mlir::Operation *op) {
  constexpr unsigned most = 256;
  for (mlir::Region *region = op->getParentRegion(); region; region = region->getParentRegion()) {
    mlir::Operation *parent = region->getParentOp();
    ttg::WarpSpecializeOp specialize = dyn_cast<ttg::WarpSpecializeOp>(parent);
    unsigned group = 0;
    if (isa<ttg::WarpSpecializePartitionsOp>(parent)) {
      specialize = cast<ttg::WarpSpecializeOp>(parent->getParentOp());
      group = 1 + region->getRegionNumber();
    }
    if (specialize && specialize.getActualRegisters())
      return (*specialize.getActualRegisters())[group];
  }
  unsigned given = intAttr(op->getParentOfType<mlir::ModuleOp>(), ttg::maxRegistersAttr);
  return given ? given : most;
}

} // namespace

std::optional<Transfer> planTransfer(Emitter &emitter, mlir::Operation *op,
                                     mlir::RankedTensorType tensor, mlir::Value view) {
  auto buffer = cast<ttg::MemDescType>(view.getType());
  const layout::LinearLayout *memory = linearOrNull(buffer);
  if (!memory || emitter.threads.group.first % tmem::warps ||
      emitter.threads.group.count % tmem::warps)
    return std::nullopt;
  const unsigned bits = elementBits(buffer.getElementType());
  const layout::LinearLayout &registers = emitter.types.layoutOf(tensor);
  constexpr unsigned mostWords = 128;
  unsigned words = std::min(mostWords, bit_floor(maxRegisters(op) / 2));
  auto access = layout::planTensorMemoryAccess(registers, *memory, bits, words);
  // Half of all registers at once leaves no room for what comes next.
  if (access && access->words() == mostWords && access->messages.size() > 1)
    access = layout::planTensorMemoryAccess(registers, *memory, bits, mostWords / 2);
  if (!access)
    return std::nullopt;
  Builder &builder = emitter.builder;
  Value *warp = emitter.threads.warpId();
  Value *quarter = builder.CreateAnd(warp, builder.getInt32(tmem::warps - 1));
  Value *address = builder.CreateAdd(
      emitter.get(view)[0],
      builder.CreateMul(quarter, builder.getInt32(tmem::rowsPerWarp << tmem::rowShift)));
  if (any_of(access->groupOffsets, [](uint32_t offset) { return offset != 0; })) {
    Value *group = builder.CreateLShr(warp, Log2_32(tmem::warps));
    address = builder.CreateAdd(address, applyLinear(builder, group, access->groupOffsets));
  }
  return Transfer{std::move(*access), address};
}

std::string shapeText(const layout::TensorMemoryAccess &access, StringRef packing) {
  return (layout::textOf(access.shape) + ".x" + Twine(access.repeat()) +
          (access.packs ? packing : ""))
      .str();
}

std::string halfText(const layout::TensorMemoryAccess &access) {
  return access.shape == layout::TensorMemoryShape::S16x32bx2
             ? ", " + std::to_string(access.secondHalf)
             : "";
}

std::string registerList(unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text + "}";
}

} // namespace gluonc::codegen::nvidia
