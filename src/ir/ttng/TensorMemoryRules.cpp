#include "ir/ttng/TensorMemoryRules.h"

#include "ir/Encoding.h"
#include "ir/Views.h"

using namespace mlir;
namespace tmem = gluonc::target::nvidia::tmem;

namespace gluonc::ttng {

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

int64_t columnsOfBuffer(ttg::MemDescType type) {
  const layout::LinearLayout *memory = linearOrNull(type);
  return memory ? layout::tensorMemoryColumns(*memory, elementBits(type.getElementType())) : 0;
}

std::optional<TensorMemoryFootprint> tensorMemoryFootprint(ttg::MemDescType type) {
  const layout::LinearLayout *memory = linearOrNull(type);
  if (!memory)
    return std::nullopt;
  const int64_t buffers = ShapedType::getNumElements(type.getShape().take_front(ringDims(type)));
  return TensorMemoryFootprint{buffers * columnsOfBuffer(type),
                               layout::leavesHalfOfTensorMemory(*memory)};
}

std::string whyNoTensorMemory(ttg::MemDescType type) {
  const unsigned bits = type.getElementType().isIntOrFloat()
                            ? type.getElementType().getIntOrFloatBitWidth()
                            : tmem::columnBits + 1;
  if (bits % 8 || bits > tmem::columnBits)
    return "tensor memory holds elements of 8, 16 and 32 bits";
  std::optional<TensorMemoryFootprint> footprint = tensorMemoryFootprint(type);
  if (footprint && footprint->columns > int64_t(tmem::columns))
    return "it takes " + std::to_string(footprint->columns) +
           " columns of tensor memory, which has " + std::to_string(tmem::columns);
  return "";
}

/// Columns of a view; nullopt where others lie between them.
static std::optional<int64_t> columnsOfView(ttg::MemDescType type) {
  const layout::LinearLayout *memory = linearOrNull(type);
  std::optional<TensorMemoryFootprint> footprint = tensorMemoryFootprint(type);
  if (!isSubslice(type) || !memory || !footprint)
    return footprint ? std::optional(footprint->columns) : std::nullopt;
  std::optional<layout::LinearLayout> inverse = memory->pseudoInvert();
  if (!inverse || ringDims(type))
    return std::nullopt;
  const unsigned perColumn = tmem::columnBits / elementBits(type.getElementType());
  int64_t last = 0, used = 1;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    for (int64_t step = 1; step < size; step *= 2) {
      const layout::Dim axis = layout::Dim::axis(unsigned(dim));
      const int64_t column =
          inverse->basis(axis, llvm::Log2_64(step), layout::Dim::Col) / perColumn;
      last += column;
      used *= column ? 2 : 1;
    }
  return used == last + 1 ? std::optional(used) : std::nullopt;
}

std::string whyNoReinterpretation(ttg::MemDescType source, ttg::MemDescType result) {
  if (std::string problem = whyNoTensorMemory(result); !problem.empty())
    return problem;
  std::optional<int64_t> has = columnsOfView(source), needs = columnsOfView(result);
  if (!has || isSubslice(result))
    return "cannot reinterpret a subslice with gaps";
  if (needs && *needs > *has)
    return "the result needs " + std::to_string(*needs) + " columns, but the source has " +
           std::to_string(*has);
  const layout::LinearLayout *from = linearOrNull(source), *to = linearOrNull(result);
  if (from && to && layout::leavesHalfOfTensorMemory(*from) &&
      !layout::leavesHalfOfTensorMemory(*to))
    return "the result needs all rows, of which the source has half";
  return "";
}

std::string whyNoTensorMemoryAccess(RankedTensorType tensor, ttg::MemDescType buffer) {
  const layout::LinearLayout *registers = linearOrNull(tensor), *memory = linearOrNull(buffer);
  if (!registers || !memory)
    return "";
  // As many words as an instruction can have: fewer never need another layout.
  if (layout::planTensorMemoryAccess(registers->removeZeroBases(layout::Dim::Register), *memory,
                                     elementBits(buffer.getElementType()), tmem::rows))
    return "";
  return "no instruction moves a tensor in this layout from or to tensor memory; "
         "`get_reg_layout()` of the buffer names one that does";
}

std::optional<layout::DistributedLinearLayout> tensorMemoryRegisters(ttg::MemDescType type,
                                                                     llvm::StringRef variant,
                                                                     int64_t warps,
                                                                     std::string &why) {
  std::optional<layout::Layout> layout = layoutOf(type.getEncoding());
  if (!layout || !layout->isTensorMemory() || ringDims(type)) {
    why = "it takes one buffer in tensor memory";
    return std::nullopt;
  }
  return layout::tensorMemoryRegisters(layout->toLinear(type.getShape()), type.getShape(),
                                       elementBits(type.getElementType()), variant, warps, why);
}

} // namespace gluonc::ttng
