//===- VerifyAmd.cpp - Rules of the amdg operations ---------------------------===//
//
// Labels are those of the descriptions in AMDGOps.td.
//
//===----------------------------------------------------------------------===//
#include "ir/Encoding.h"
#include "ir/Owners.h"
#include "ir/Views.h"
#include "ir/amdg/AmdOps.h"
#include "layout/named/AmdOperands.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::amdg;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static LogicalResult verifyBufferElements(Operation *op, Type values) {
  if (getElementTypeOrSelf(values).getIntOrFloatBitWidth() % 8 != 0) // buffer_c2
    return op->emitOpError("elements must be whole bytes, got ") << getElementTypeOrSelf(values);
  return success();
}

LogicalResult BufferLoadOp::verify() {
  if (getOther() && !getMask()) // buffer_load_c1
    return emitOpError("other needs a mask");
  return verifyBufferElements(*this, getType());
}

LogicalResult BufferStoreOp::verify() { return verifyBufferElements(*this, getValue().getType()); }

LogicalResult BufferAtomicRMWOp::verify() {
  using tt::RMWOp;
  Type element = getElementTypeOrSelf(getValue().getType());
  RMWOp kind = getAtomicRmwOp();
  bool isFloat = isa<FloatType>(element), takesBoth = false;
  switch (kind) {
  case RMWOp::MAX:
  case RMWOp::MIN:
  case RMWOp::XCHG:
    takesBoth = true;
    break;
  case RMWOp::FADD:
  case RMWOp::AND:
  case RMWOp::OR:
  case RMWOp::XOR:
  case RMWOp::ADD:
  case RMWOp::UMAX:
  case RMWOp::UMIN:
    break;
  }
  if (!takesBoth && isFloat != (kind == RMWOp::FADD)) // buffer_atomic_c1
    return emitOpError("cannot ") << tt::stringifyRMWOp(kind) << " elements of type " << element;
  unsigned bits = elementBits(element), least = kind == RMWOp::FADD ? 16 : 32;
  if (bits < least) // buffer_atomic_c2
    return emitOpError("cannot ") << tt::stringifyRMWOp(kind) << " elements of " << bits << " bits";
  return success();
}

//===----------------------------------------------------------------------===//
// Conversions with scales
//===----------------------------------------------------------------------===//

/// scaled_c2 and scaled_c4, for elements that are `elements`.
static LogicalResult verifyScales(Operation *op, RankedTensorType elements, RankedTensorType scales,
                                  int64_t axis) {
  bool fits = scales.getRank() == elements.getRank();
  for (int64_t d = 0; fits && d < elements.getRank(); ++d)
    fits = d == axis
               ? scales.getShape()[d] > 0 && elements.getShape()[d] % scales.getShape()[d] == 0
               : elements.getShape()[d] == scales.getShape()[d];
  if (!fits) // scaled_c2
    return op->emitOpError("needs a scale for each run of elements along the axis, got ") << scales;
  const layout::LinearLayout *all = linearOrNull(elements), *held = linearOrNull(scales);
  int64_t block = elements.getShape()[axis] / scales.getShape()[axis];
  if (all && held && !layout::holdsScales(*all, *held, axis, block)) // scaled_c4
    return op->emitOpError("scales must lie in the threads that have the elements");
  return success();
}

/// scaled_c1 and scaled_c3: `wide` is `packed`, twice as large along the axis.
static LogicalResult verifyPacked(Operation *op, RankedTensorType packed, RankedTensorType wide,
                                  int64_t axis) {
  bool fits = packed.getRank() == wide.getRank() && axis >= 0 && axis < packed.getRank();
  for (int64_t d = 0; fits && d < packed.getRank(); ++d)
    fits = wide.getShape()[d] == packed.getShape()[d] * (d == axis ? 2 : 1);
  if (!fits) // scaled_c1
    return op->emitOpError("there must be two numbers for each byte along the axis");
  const layout::LinearLayout *from = linearOrNull(packed), *to = linearOrNull(wide);
  if (from && to && !sameOwners(unpacked(*from, axis), *to)) // scaled_c3
    return op->emitOpError("both numbers of a byte must lie in its thread");
  return success();
}

LogicalResult ScaledUpcastFp4Op::verify() {
  int64_t axis = getAxisAttr().getInt();
  if (failed(verifyPacked(*this, getInput().getType(), getOutput().getType(), axis)))
    return failure();
  return verifyScales(*this, getOutput().getType(), getScale().getType(), axis);
}

/// Shape and encoding.
static bool isSameFrame(RankedTensorType lhs, RankedTensorType rhs) {
  return lhs.getShape() == rhs.getShape() && lhs.getEncoding() == rhs.getEncoding();
}

LogicalResult ScaledUpcastFp8Op::verify() {
  if (!isSameFrame(getInput().getType(), getOutput().getType()) ||
      !isSameFrame(getScale().getType(), getOutput().getType())) // scaled_c1
    return emitOpError("input, scales and output must agree in shape and encoding");
  return success();
}

LogicalResult ScaledDowncastFp4Op::verify() {
  int64_t axis = getAxisAttr().getInt();
  if (failed(verifyPacked(*this, getOutput().getType(), getInput().getType(), axis)))
    return failure();
  return verifyScales(*this, getInput().getType(), getScale().getType(), axis);
}

LogicalResult ScaledDowncastFp8Op::verify() {
  int64_t axis = getAxisAttr().getInt();
  if (!isSameFrame(getInput().getType(), getOutput().getType()) || axis < 0 ||
      axis >= getInput().getType().getRank()) // scaled_c1
    return emitOpError("input and output must agree in shape and encoding");
  return verifyScales(*this, getInput().getType(), getScale().getType(), axis);
}

LogicalResult ExtractSliceOp::verify() {
  auto whole = cast<RankedTensorType>(getSource().getType()),
       part = cast<RankedTensorType>(getResult().getType());
  ArrayRef<int64_t> offsets = getStaticOffsets();
  bool fits = whole.getElementType() == part.getElementType() &&
              whole.getRank() == part.getRank() && int64_t(offsets.size()) == whole.getRank();
  for (int64_t d = 0; fits && d < whole.getRank(); ++d)
    fits = offsets[d] >= 0 && offsets[d] <= whole.getShape()[d] - part.getShape()[d];
  if (!fits) // part_c1
    return emitOpError("the part must lie within the whole, and have its element type");
  const layout::LinearLayout *all = linearOrNull(whole), *held = linearOrNull(part);
  if (all && held && !layout::holdsPart(*all, *held, offsets)) // part_c2
    return emitOpError("each thread must hold its elements of the part already");
  return success();
}

//===----------------------------------------------------------------------===//
// Loads that repack
//===----------------------------------------------------------------------===//

LogicalResult LocalLoadPackedTransposedOp::verify() {
  auto result = cast<RankedTensorType>(getType());
  ttg::MemDescType source = getSrc().getType();
  std::optional<layout::Layout> layout =
      result.getEncoding() ? layoutOf(result.getEncoding()) : std::nullopt;
  const auto *operand = layout ? layout->as<layout::DotOperandLayout>() : nullptr;
  int64_t rank = result.getRank();
  if (!operand || (rank != 2 && rank != 3)) // repack_c2
    return emitOpError("gives an operand of a product, of two or three dims");
  llvm::SmallVector<int64_t> wanted(source.getShape());
  bool fits = source.isShared() && !ringDims(source) && source.getElementType().isInteger(8) &&
              source.getRank() == rank;
  if (fits) {
    size_t k = operand->kDim(), other = operand->operandIndex == 0 ? rank - 2 : rank - 1;
    fits = wanted[k] % 2 == 0;
    wanted[k] /= 2;
    wanted[other] *= 2;
  }
  if (!fits || result.getShape() != ArrayRef<int64_t>(wanted)) // repack_c1
    return emitOpError("there must be half as many bytes along K, and twice as many along M or N");
  return success();
}

void LocalLoadPackedTransposedOp::getAccesses(llvm::SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getSrc(), MemoryAccess::Read});
}
