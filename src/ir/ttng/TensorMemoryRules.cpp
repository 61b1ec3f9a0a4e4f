#include "ir/ttng/TensorMemoryRules.h"

#include "ir/Encoding.h"
#include "ir/Views.h"

#include "llvm/Support/MathExtras.h"

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

/// Whether steps of 2^first to 2^last elements along an axis go on along rows or columns, each
/// twice as far as the one before, so that places add up.
static bool addsUp(const layout::LinearLayout &inverse, layout::Dim axis, unsigned first,
                   unsigned last) {
  for (layout::Dim along : {layout::Dim::Row, layout::Dim::Col}) {
    const layout::Dim other = along == layout::Dim::Row ? layout::Dim::Col : layout::Dim::Row;
    const int64_t unit = inverse.basis(axis, first, along);
    bool fits = unit != 0;
    for (unsigned bit = first; fits && bit <= last; ++bit)
      fits = inverse.basis(axis, bit, along) == unit << (bit - first) &&
             !inverse.basis(axis, bit, other) && !inverse.basis(axis, bit, layout::Dim::Block);
    if (fits)
      return true;
  }
  return false;
}

std::string whyNoWindow(ttg::MemDescType source, int64_t dim, int64_t begin, int64_t size) {
  const layout::LinearLayout *memory = linearOrNull(source);
  const int64_t ring = int64_t(ringDims(source));
  std::optional<layout::LinearLayout> inverse =
      memory && dim >= ring ? memory->pseudoInvert() : std::nullopt;
  if (!inverse)
    return "";
  const layout::Dim axis = layout::Dim::axis(unsigned(dim - ring));
  for (int64_t step = size; step < source.getShape()[dim]; step *= 2)
    if (inverse->basis(axis, llvm::Log2_64(step), layout::Dim::Block))
      return "it would be in other CTAs";
  const unsigned perColumn = tmem::columnBits / elementBits(source.getElementType());
  int64_t column = 0;
  for (uint64_t rest = uint64_t(begin); rest; rest &= rest - 1)
    column ^= inverse->basis(axis, unsigned(llvm::countr_zero(rest)), layout::Dim::Col);
  if (column % perColumn)
    return "it would begin within a column of 32 bits";
  const unsigned last = llvm::Log2_64((uint64_t(begin) ^ uint64_t(begin + size - 1)) | 1);
  if (begin % size && !addsUp(*inverse, axis, unsigned(llvm::countr_zero(uint64_t(begin))), last))
    return "it begins at no multiple of its length, and the elements do not lie in a row";
  return "";
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
