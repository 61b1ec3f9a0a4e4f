#include "ir/ttng/AsyncUnitRules.h"

#include "ir/Encoding.h"
#include "ir/Views.h"
#include "layout/plan/MatrixDescriptor.h"
#include "layout/plan/TensorBlock.h"
#include "target/nvidia/BoxCopies.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;

namespace gluonc::ttng {

namespace tma = target::nvidia::tma;
namespace wgmma = target::nvidia::wgmma;

namespace {

std::string format(const llvm::Twine &text) { return text.str(); }

/// 64x32
std::string sizes(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

} // namespace

//===----------------------------------------------------------------------===//
// The copy engine
//===----------------------------------------------------------------------===//

std::string whyNoDescriptor(const Descriptor &descriptor) {
  auto encoding = dyn_cast_or_null<ttg::NVMMASharedEncodingAttr>(descriptor.layout);
  if (!encoding)
    return "needs an NVMMASharedLayout";
  Type element = descriptor.elementType;
  layout::TensorBlock block;
  block.shape.assign(descriptor.shape.begin(), descriptor.shape.end());
  block.layout = encoding.getValue();
  block.elementBits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  block.isFloat = isa<FloatType>(element);
  block.isIm2Col = descriptor.im2col;
  return layout::whyNoBlock(block);
}

/// Bytes by which the start of a subslice lies behind that of its source.
static std::optional<int64_t> offsetOf(ttg::MemDescSubsliceOp op) {
  auto type = cast<ttg::MemDescType>(op.getSrc().getType());
  const LinearLayout *linear = linearOrNull(type);
  std::optional<LinearLayout> inverse = linear ? linear->pseudoInvert() : std::nullopt;
  if (!inverse)
    return std::nullopt;
  size_t rank = linear->outDims().size(), ring = op.getOffsets().size() - rank;
  llvm::SmallVector<layout::Coord> place;
  for (size_t d = 0; d < rank; ++d)
    place.push_back({Dim::axis(d), uint32_t(op.getOffsets()[ring + d])});
  uint64_t at = inverse->applyPacked(inverse->packIn(place));
  int64_t elements = inverse->outComponent(at, Dim::Offset);
  if (ring)
    elements += op.getOffsets()[0] * (int64_t{1} << linear->inLog2(Dim::Offset));
  return elements * elementBytes(type.getElementType());
}

/// A power of two that divides the distance of `buffer` from the start of its allocation; nullopt
/// where that is not in the text.
static std::optional<int64_t> alignmentOf(Value buffer) {
  // An allocation itself lies wherever its layout and its views want.
  int64_t alignment = 1 << 20;
  auto moveBy = [&](int64_t bytes) { alignment = std::gcd(alignment, bytes ? bytes : alignment); };
  while (Operation *op = buffer.getDefiningOp()) {
    if (isa<ttg::LocalAllocOp>(op))
      return alignment;
    if (auto index = dyn_cast<ttg::MemDescIndexOp>(op)) {
      const LinearLayout *linear = linearOrNull(index.getType());
      if (!linear)
        return std::nullopt;
      int64_t bytes = (int64_t{1} << linear->inLog2(Dim::Offset)) *
                      elementBytes(index.getType().getElementType());
      llvm::APInt known;
      moveBy(matchPattern(index.getIndex(), m_ConstantInt(&known)) ? known.getSExtValue() * bytes
                                                                   : bytes);
    } else if (auto slice = dyn_cast<ttg::MemDescSubsliceOp>(op)) {
      std::optional<int64_t> bytes = offsetOf(slice);
      if (!bytes)
        return std::nullopt;
      moveBy(*bytes);
    } else if (!isa<ttg::MemDescTransOp, ttg::MemDescReshapeOp, ttg::MemDescReinterpretOp>(op)) {
      return std::nullopt;
    }
    buffer = op->getOperand(0);
  }
  return std::nullopt;
}

std::string whyNoCopyTarget(Value buffer) {
  std::optional<int64_t> alignment = alignmentOf(buffer);
  if (!alignment || *alignment % tma::sharedAlignment == 0)
    return "";
  return format("a copy begins at a multiple of " + llvm::Twine(tma::sharedAlignment) +
                " bytes of shared memory, but this part of a buffer may begin at an odd multiple "
                "of " +
                llvm::Twine(*alignment));
}

std::string whyNoNamedRows(const Descriptor &descriptor, ttg::MemDescType buffer) {
  if (descriptor.shape.size() != 2 || descriptor.shape[0] != 1) // rows_c1
    return "the descriptor's block must be one row, [1, columns], but it is " +
           sizes(descriptor.shape);
  llvm::ArrayRef<int64_t> shape = buffer.getShape();
  if (ringDims(buffer) || shape.size() != 2 || shape[1] != descriptor.shape[1] ||
      signless(descriptor.elementType) != buffer.getElementType()) // rows_c1
    return format("the buffer must have rows of " + llvm::Twine(descriptor.shape[1]) +
                  " columns and the descriptor's element type, but it is " + sizes(shape));
  auto layout = dyn_cast_or_null<ttg::NVMMASharedEncodingAttr>(buffer.getEncoding());
  if (!layout || buffer.getEncoding() != descriptor.layout) // rows_c2
    return "descriptor and buffer must have one layout, an NVMMASharedLayout";
  if (layout.getValue().fp4Padded || layout.getValue().transposed) // rows_c2
    return "rows that are named cannot have an fp4_padded or transposed layout";
  if (shape[0] < tma::minRowsOfNamed) // rows_c3
    return format("the buffer must have " + llvm::Twine(tma::minRowsOfNamed) +
                  " rows or more, but it has " + llvm::Twine(shape[0]));
  unsigned bits = buffer.getElementType().getIntOrFloatBitWidth();
  if (bits > tma::maxNamedElementBits) // rows_c3
    return format("elements must have at most " + llvm::Twine(tma::maxNamedElementBits) +
                  " bits, but they have " + llvm::Twine(bits));
  int64_t columns = layout::shapePerCta(layout::Layout(layout.getValue()), shape)[1];
  int64_t bytes = columns * bits / 8;
  if (bytes < tma::minNamedRowBytes) // rows_c3
    return format("each CTA must have " + llvm::Twine(tma::minNamedRowBytes) +
                  " bytes of a row or more, but " + llvm::Twine(columns) + " columns of " +
                  llvm::Twine(bits) + " bits have " + llvm::Twine(bytes));
  return "";
}

/// Whether `dim` decides any of these bits of the row.
static bool movesRows(const LinearLayout &layout, Dim dim, uint64_t bits) {
  return layout.hasIn(dim) &&
         llvm::any_of(layout.packedBases(dim), [&](uint64_t row) { return (row & bits) != 0; });
}

/// Whether each thread has whole groups of four neighbouring rows, and these in order.
static bool holdsFours(const LinearLayout &layout) {
  llvm::ArrayRef<uint64_t> registers = layout.packedBases(Dim::Register);
  return llvm::is_contained(registers, uint64_t{1}) && llvm::is_contained(registers, uint64_t{2}) &&
         llvm::all_of(registers, [](uint64_t row) { return row <= 2 || row % 4 == 0; }) &&
         !movesRows(layout, Dim::Warp, tma::namedRows - 1) &&
         !movesRows(layout, Dim::Block, tma::namedRows - 1);
}

std::string whyNoRowOffsets(RankedTensorType offsets, ttg::MemDescType buffer) {
  int64_t rows = buffer.getShape()[0];
  if (offsets.getRank() != 1 || offsets.getDimSize(0) != rows) // rows_c1
    return format("there must be one offset for each of the " + llvm::Twine(rows) +
                  " rows, but their shape is " + sizes(offsets.getShape()));
  const LinearLayout *linear = linearOrNull(offsets);
  if (!linear) // A layout that is still open.
    return "";
  if (!holdsFours(*linear)) // rows_c4
    return format("each thread must hold " + llvm::Twine(tma::namedRows) +
                  " neighbouring offsets, as with gl.SliceLayout(0, gl.BlockedLayout([1, 4], [32, "
                  "1], [1, gl.num_warps()], [1, 0]))");
  if (movesRows(*linear, Dim::Lane, ~0u)) // rows_c4
    return "all threads of a warp must hold the same offsets, as with gl.SliceLayout(0, "
           "gl.BlockedLayout([1, 4], [32, 1], [1, gl.num_warps()], [1, 0]))";
  layout::Layout memory = toLayout(buffer.getEncoding());
  layout::BasisList bases = memory.cga();
  int64_t share = layout::shapePerCta(memory, buffer.getShape())[0];
  unsigned bits = linear->hasIn(Dim::Block) ? linear->inLog2(Dim::Block) : 0;
  for (unsigned bit = 0; bit < std::max<size_t>(bits, bases.size()); ++bit) {
    int64_t begin = bit < bases.size() ? bases[bit][0] * share : 0;
    if ((bit < bits ? linear->packedBasis(Dim::Block, bit) : 0) !=
        uint64_t(begin & (rows - 1))) // rows_c5
      return "each CTA must hold the offsets of its rows: their layout must share them among CTAs "
             "as the buffer's layout shares rows";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

/// Whether CTAs share the dims of an operand as they share those of the result: each has the rows
/// (or columns) of its part of the result, and all of K.
static bool isSharedLike(const LinearLayout &operand, const LinearLayout &d, unsigned outer) {
  unsigned bits = operand.hasIn(Dim::Block) ? operand.inLog2(Dim::Block) : 0;
  if (bits != (d.hasIn(Dim::Block) ? d.inLog2(Dim::Block) : 0))
    return false;
  for (unsigned bit = 0; bit < bits; ++bit)
    if (operand.basis(Dim::Block, bit, Dim::axis(1 - outer)) ||
        operand.basis(Dim::Block, bit, Dim::axis(outer)) !=
            d.basis(Dim::Block, bit, Dim::axis(outer)))
      return false;
  return true;
}

static const char *const sharedUnlike =
    "must be split among the CTAs as the accumulator is, and not along K";

/// An operand in a buffer, of which one instruction takes `length` rows or columns.
static std::string whyNoBuffer(ttg::MemDescType type, const LinearLayout &d, unsigned outer,
                               int64_t length, bool sanitized) {
  const LinearLayout *memory = linearOrNull(type);
  if (!memory || memory->outDims().size() != 2)
    return "has a layout that wgmma cannot read";
  if (!isSharedLike(*memory, d, outer))
    return sharedUnlike;
  if (sanitized)
    return "";
  unsigned bits = type.getElementType().getIntOrFloatBitWidth();
  std::optional<layout::MatrixDescriptor> found = layout::describeMatrix(
      *memory, outer, 1 - outer, bits / 8, unsigned(length), target::nvidia::matrixDepth(bits));
  if (!found)
    return format("has a layout that wgmma cannot read: it takes rows of 16, 32, 64 or 128 bytes, "
                  "swizzled as in an NVMMASharedLayout of " +
                  llvm::Twine(bits) + "-bit elements");
  if (!wgmma::transposes(bits) && !found->contiguousK)
    return format("has elements of " + llvm::Twine(bits) +
                  " bits, which wgmma reads only if they are contiguous along K (only those of 16 "
                  "bits it can transpose)");
  return "";
}

/// A in registers: words along K as the result's layout spreads the rows.
static std::string whyNoRegisters(RankedTensorType type, const LinearLayout &d,
                                  ttg::NvidiaMmaEncodingAttr mma) {
  const LinearLayout *found = linearOrNull(type);
  int64_t kWidth = target::nvidia::matrixWordBits / type.getElementType().getIntOrFloatBitWidth();
  layout::DotOperandLayout wanted{0, layout::Layout(mma.getValue()), kWidth};
  std::string needed = format("in registers must have DotOperandLayout(0, <the layout of the "
                              "accumulator>, " +
                              llvm::Twine(kWidth) + ")");
  if (!found || wanted.validate() ||
      layout::checkShape(layout::Layout(wanted), type.getShape()).has_value())
    return needed;
  LinearLayout expected = wanted.toLinear(type.getShape());
  for (Dim in : {Dim::Lane, Dim::Warp})
    if (found->packedBases(in) != expected.packedBases(in))
      return needed;
  // Registers may be in any order.
  llvm::SmallVector<uint64_t> has(found->packedBases(Dim::Register)),
      wants(expected.packedBases(Dim::Register));
  llvm::sort(has);
  llvm::sort(wants);
  if (has != wants)
    return needed;
  return isSharedLike(*found, d, 0) ? "" : sharedUnlike;
}

std::string whyNoWarpGroupDot(Type a, Type b, RankedTensorType d, bool sanitized) {
  auto mma = dyn_cast_or_null<ttg::NvidiaMmaEncodingAttr>(d.getEncoding());
  if (!mma || !mma.getValue().isWarpGroup())
    return "the accumulator must have an NVMMADistributedLayout of version 3";
  const layout::NVMMADistributedLayout &layout = mma.getValue();
  if (layout.instrM() != wgmma::rowsPerWarp)
    return format("instructions have " + llvm::Twine(wgmma::rowsPerWarp) +
                  " rows for each warp, but instr_shape says " + llvm::Twine(layout.instrM()));
  if (layout.warpsPerCta[0] % wgmma::warps)
    return format("groups of four warps share the rows, but warps_per_cta is [" +
                  llvm::Twine(layout.warpsPerCta[0]) + ", " + llvm::Twine(layout.warpsPerCta[1]) +
                  "]");
  layout::Ints share = layout::shapePerCta(layout::Layout(layout), d.getShape());
  int64_t columns = layout.instrN();
  if (share[0] % wgmma::rows)
    return format("M of each CTA must be a multiple of " + llvm::Twine(wgmma::rows) +
                  ", but the accumulator has " + sizes(share));
  if (share[1] < columns)
    return format("instr_shape says that instructions have " + llvm::Twine(columns) +
                  " columns, but the accumulator has " + sizes(share));
  auto buffer = dyn_cast<ttg::MemDescType>(a);
  auto tensor = dyn_cast<RankedTensorType>(a);
  Type element = buffer ? buffer.getElementType() : tensor.getElementType();
  int64_t depth = target::nvidia::matrixDepth(element.getIntOrFloatBitWidth());
  int64_t k = buffer ? buffer.getShape()[1] : tensor.getShape()[1];
  if (k % depth)
    return format("`a` must have K a multiple of " + llvm::Twine(depth) + " for elements of " +
                  llvm::Twine(element.getIntOrFloatBitWidth()) + " bits, got " + llvm::Twine(k));
  const LinearLayout *result = linearOrNull(d);
  if (!result)
    return "the accumulator has no such layout";
  std::string ofA = buffer ? whyNoBuffer(buffer, *result, 0, wgmma::rows, sanitized)
                           : whyNoRegisters(tensor, *result, mma);
  if (!ofA.empty())
    return "`a` " + ofA;
  std::string ofB = whyNoBuffer(cast<ttg::MemDescType>(b), *result, 1, columns, sanitized);
  return ofB.empty() ? "" : "`b` " + ofB;
}

std::optional<target::nvidia::MatrixElement> matrixElement(Type type) {
  using target::nvidia::MatrixElement;
  return llvm::TypeSwitch<Type, std::optional<MatrixElement>>(type)
      .Case([](Float16Type) { return MatrixElement::F16; })
      .Case([](BFloat16Type) { return MatrixElement::BF16; })
      .Case([](Float32Type) { return MatrixElement::F32; })
      .Case([](Float64Type) { return MatrixElement::F64; })
      .Case([](Float8E4M3FNType) { return MatrixElement::E4M3; })
      .Case([](Float8E5M2Type) { return MatrixElement::E5M2; })
      .Case([](IntegerType integer) -> std::optional<MatrixElement> {
        if (integer.getWidth() == 8)
          return MatrixElement::I8;
        if (integer.getWidth() == 32)
          return MatrixElement::I32;
        return std::nullopt;
      })
      .Default(std::nullopt);
}

bool hasReduction(tt::DescriptorReduceKind kind, Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  unsigned width = integer ? integer.getWidth() : 0;
  bool bits = width == 32 || (width == 64 && !integer.isSigned());
  switch (kind) {
  case tt::DescriptorReduceKind::ADD:
    return isa<Float16Type, BFloat16Type, Float32Type>(element) || bits;
  case tt::DescriptorReduceKind::MIN:
  case tt::DescriptorReduceKind::MAX:
    return isa<Float16Type, BFloat16Type>(element) || width == 32 || width == 64;
  case tt::DescriptorReduceKind::INC:
  case tt::DescriptorReduceKind::DEC:
    return width == 32 && !integer.isSigned();
  default:
    return bits;
  }
}

} // namespace gluonc::ttng
