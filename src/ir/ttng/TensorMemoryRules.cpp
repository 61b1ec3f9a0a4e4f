#include "ir/ttng/TensorMemoryRules.h"

#include "ir/Encoding.h"
#include "ir/Views.h"
#include "ir/ttng/AsyncUnitRules.h"
#include "layout/plan/MatrixDescriptor.h"

using namespace mlir;
namespace tmem = gluonc::target::nvidia::tmem;
namespace tcgen05 = gluonc::target::nvidia::tcgen05;

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

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {

/// Whether the instruction reads an operand in shared memory, and whether it is transposed.
std::optional<bool> readsOperand(ttg::MemDescType type, unsigned outerAxis, unsigned outer,
                                 unsigned depth) {
  const layout::LinearLayout *memory = linearOrNull(type);
  std::optional<layout::MatrixDescriptor> descriptor;
  if (memory)
    descriptor = layout::describeMatrix(*memory, outerAxis, 1 - outerAxis,
                                        elementBytes(type.getElementType()), outer, depth);
  return descriptor ? std::optional(!descriptor->contiguousK) : std::nullopt;
}

std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

const layout::TensorMemoryLayout *tensorLayout(ttg::MemDescType type) {
  auto encoding = dyn_cast_or_null<TensorMemoryEncodingAttr>(type.getEncoding());
  return encoding ? &encoding.getValue() : nullptr;
}

} // namespace

std::optional<TensorProduct> tensorProduct(ttg::MemDescType a, ttg::MemDescType b,
                                           ttg::MemDescType d, std::string &why) {
  auto no = [&](std::string reason) {
    why = std::move(reason);
    return std::nullopt;
  };
  for (auto [type, name] : {std::pair(a, "`a`"), {b, "`b`"}, {d, "`acc`"}})
    if (type.getRank() != 2 || ringDims(type))
      return no(std::string(name) + " must be one matrix, got shape of " +
                std::to_string(type.getRank()) + " dimensions");
  const layout::TensorMemoryLayout *sum = tensorLayout(d), *left = tensorLayout(a);
  if (!d.isTensorMemory() || !sum)
    return no("`acc` must be in tensor memory, in a TensorMemoryLayout");
  if (!b.isShared())
    return no("`b` must be in shared memory");
  if (!a.isShared() && !(a.isTensorMemory() && left))
    return no("`a` must be in shared memory, or in tensor memory in a TensorMemoryLayout");
  ArrayRef<int64_t> m = a.getShape(), n = b.getShape(), sums = d.getShape();
  if (m[0] != sums[0] || n[1] != sums[1] || m[1] != n[0])
    return no("shapes must be [M, K], [K, N] and [M, N]");
  auto aElement = matrixElement(a.getElementType()), bElement = matrixElement(b.getElementType()),
       dElement = matrixElement(d.getElementType());
  std::optional<tcgen05::Kind> kind;
  if (aElement && bElement && dElement)
    kind = tcgen05::kindOf(*aElement, *bElement, *dElement);
  if (!kind)
    return no("there is no instruction for " + typeText(a.getElementType()) + " * " +
              typeText(b.getElementType()) + " -> " + typeText(d.getElementType()));
  const unsigned sumBits = elementBits(d.getElementType());
  if (sum->colStride != int64_t(tmem::columnBits / sumBits) || sum->fp4Padded)
    return no("`acc` must have a column for each element: col_stride = " +
              std::to_string(tmem::columnBits / sumBits));
  if (sum->twoCtas || !sum->cga.empty())
    return no("products of two CTAs are not supported yet");
  TensorProduct product;
  product.rows = unsigned(sum->block[0]);
  product.columns = unsigned(std::min<int64_t>(sum->block[1], sums[1]));
  const unsigned aBits = elementBits(a.getElementType());
  product.depth = target::nvidia::matrixDepth(aBits);
  if (!tcgen05::hasColumns(*kind, product.rows, product.columns))
    return no("there is no instruction of " + std::to_string(product.columns) +
              " columns; a block has 8 to " + std::to_string(tcgen05::maxColumns));
  if (m[0] % product.rows || m[1] % product.depth)
    return no("M must be a multiple of the block's " + std::to_string(product.rows) +
              " rows and K of " + std::to_string(product.depth));
  product.form = {*kind, *aElement, *bElement, *dElement};
  product.form.rows = product.rows;
  product.form.columns = product.columns;
  const bool isWide = aBits == tmem::columnBits;
  if (a.isShared()) {
    std::optional<bool> transposed = readsOperand(a, 0, product.rows, product.depth);
    if (!transposed || (*transposed && isWide))
      return no("`a` must lie in shared memory as tensor cores read it: an NVMMASharedLayout" +
                std::string(isWide ? " that is contiguous along K" : ""));
    product.form.transposesA = *transposed;
  } else if (left->colStride != 1 || left->fp4Padded || left->block[0] != sum->block[0]) {
    return no("`a` in tensor memory must have col_stride = 1 and as many rows in a block as `acc`");
  }
  std::optional<bool> transposed = readsOperand(b, 1, product.columns, product.depth);
  if (!transposed || (*transposed && isWide))
    return no("`b` must lie in shared memory as tensor cores read it: an NVMMASharedLayout" +
              std::string(isWide ? " that is contiguous along K" : ""));
  product.form.transposesB = *transposed;
  return product;
}

} // namespace gluonc::ttng
