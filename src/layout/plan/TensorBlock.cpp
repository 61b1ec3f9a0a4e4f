#include "layout/plan/TensorBlock.h"

#include "layout/named/Layout.h"
#include "layout/named/Parts.h"
#include "target/nvidia/BoxCopies.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace gluonc::layout {

namespace tma = target::nvidia::tma;
using llvm::formatv;

static constexpr int64_t mostElements = 1 << 20;
/// After as many rows a swizzle repeats.
static constexpr int64_t patternRows = 8;

/// 64x32
static std::string sizes(llvm::ArrayRef<int64_t> shape) {
  return llvm::join(llvm::map_range(shape, [](int64_t size) { return std::to_string(size); }), "x");
}

std::string whyNoBlock(const TensorBlock &block) {
  const NVMMASharedLayout &layout = block.layout;
  size_t rank = block.shape.size();
  unsigned bits = block.elementBits;
  if (rank < 1 || rank > TensorDescription::maxRank)
    return formatv("has 1 to {0} dimensions, not {1}", TensorDescription::maxRank, rank);
  if (block.isIm2Col && rank != 2)
    return formatv("of im2col has blocks of pixels and channels, not of {0} dimensions", rank);
  // Triton's words behind the colon.
  if (layout.rank() != rank)
    return formatv("has blocks of {0} dimensions, but its layout has rank {1}: layout rank must "
                   "match block shape rank",
                   rank, layout.rank());
  if (!llvm::all_of(block.shape, isPowerOf2))
    return formatv("has blocks of powers of two, not of {0}", sizes(block.shape));
  int64_t elements = 1;
  for (int64_t length : block.shape)
    if (llvm::MulOverflow(elements, length, elements) || elements > mostElements)
      return formatv("has blocks of at most {0} elements, not of {1}", mostElements,
                     sizes(block.shape));
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return "needs numbers of 8, 16, 32 or 64 bits as elements";
  if (layout.elementBitWidth != bits)
    return formatv("of {0}-bit elements cannot have a layout of {1}-bit ones", bits,
                   layout.elementBitWidth);
  if (layout.transposed)
    return "cannot have a transposed layout: the copy engine keeps the order of the dimensions";
  int64_t inner = shapePerCta(Layout(layout), block.shape).back();
  int64_t bytes = inner * (bits / 8) * (layout.fp4Padded ? 2 : 1);
  if (bytes < tma::unitBytes)
    return formatv("needs at least {0} bytes in the last dimension of a block, but {1} elements of "
                   "{2} bits have {3}",
                   tma::unitBytes, inner, bits, bytes);
  if (layout.swizzleByteWidth > bytes)
    return formatv("needs rows of at least {0} bytes for the layout's swizzle, but {1} elements of "
                   "{2} bits have {3}",
                   layout.swizzleByteWidth, inner, bits, bytes);
  return "";
}

BasisList sharesOfBox(llvm::ArrayRef<int64_t> shape, unsigned elementBits, int64_t ctas) {
  BasisList bases;
  size_t rank = shape.size(), splits = rank > 1 ? rank - 1 : rank;
  Ints share(shape);
  auto hasRoom = [&] {
    int64_t half = product(share) / 2;
    return rank > 1 ? half / share.back() >= patternRows
                    : half * int64_t(elementBits) / 8 >= tma::sharedAlignment;
  };
  for (size_t dim = 0; dim < splits; ++dim)
    for (int64_t step = 1; ctas > 1 && share[dim] > 1 && hasRoom();
         step *= 2, share[dim] /= 2, ctas /= 2) {
      Ints basis(rank, 0);
      basis[dim] = step;
      bases.push_back(std::move(basis));
    }
  for (; ctas > 1; ctas /= 2)
    bases.push_back(Ints(rank, 0));
  return bases;
}

bool isFilledBy(const NVMMASharedLayout &buffer, const NVMMASharedLayout &descriptor,
                llvm::ArrayRef<int64_t> shape) {
  NVMMASharedLayout alike = descriptor;
  alike.cga = buffer.cga;
  if (!(alike == buffer) || buffer.checkShape(shape))
    return false;
  Ints whole = buffer.messageShape(shape), part = descriptor.messageShape(shape);
  bool isSplit = false;
  // A message is one piece of the buffer: dims in front of one that is split have one element.
  for (size_t dim = shape.size(); dim-- != 0;) {
    bool splits = part[dim] < whole[dim];
    if (part[dim] > whole[dim] || (isSplit && part[dim] != 1) ||
        (splits && dim + 1 == shape.size() && dim != 0))
      return false;
    isSplit |= splits;
  }
  return true;
}

/// Of im2col: pixels lie in the dims between the first and the last one.
static std::string whyNoPixels(const TensorDescription &tensor) {
  if (tensor.rank < tma::minIm2ColRank)
    return formatv("a tensor descriptor of im2col has {0} to {1} dimensions, not {2}",
                   tma::minIm2ColRank, TensorDescription::maxRank, tensor.rank);
  if (uint32_t step = tensor.elementStrides[tensor.rank - 1]; step != 1)
    return formatv("element stride {0} of the last dim, the channels, has to be 1", step);
  int64_t limit = tma::maxCornerOffset[tensor.rank - tma::minIm2ColRank];
  for (const auto &corner : {tensor.lowerCorner, tensor.upperCorner})
    for (int32_t offset : llvm::ArrayRef(corner).take_front(tensor.rank - 2))
      if (offset < -limit - 1 || offset > limit)
        return formatv("offset {0} of a corner of the pixel box is not in {1} to {2}", offset,
                       -limit - 1, limit);
  return "";
}

std::string checkDescriptor(const TensorDescription &tensor, const TensorBlock &block) {
  if (tensor.rank < 1 || tensor.rank > TensorDescription::maxRank)
    return formatv("a tensor descriptor has 1 to {0} dimensions, not {1}",
                   TensorDescription::maxRank, tensor.rank);
  if (std::string why = block.isIm2Col ? whyNoPixels(tensor) : ""; !why.empty())
    return why;
  if (!block.isIm2Col && block.shape.size() != tensor.rank)
    return formatv("a tensor descriptor has blocks of {0} dimensions, but its tensor has {1}",
                   block.shape.size(), tensor.rank);
  if (std::string why = whyNoBlock(block); !why.empty())
    return "a tensor descriptor " + why;
  if (std::string why =
          tma::whyNotAddressable(tensor, block.elementBits / 8,
                                 block.layout.fp4Padded ? tma::paddedUnitBytes : tma::unitBytes);
      !why.empty())
    return why;
  if (tensor.nanPadding && !block.isFloat)
    return "only floats can be padded with NaN";
  if (tensor.roundToTf32 && (!block.isFloat || block.elementBits != 32))
    return "only float32 can be rounded to tf32";
  return "";
}

} // namespace gluonc::layout
