//===- VerifyTTG.cpp - Rules of the ttg operations ---------------------------===//
//
// Labels are those of the descriptions in TTGOps.td.
//
//===----------------------------------------------------------------------===//
#include "ir/AsmConstraints.h"
#include "ir/Encoding.h"
#include "ir/Owners.h"
#include "ir/Views.h"
#include "ir/tt/CachePolicy.h"
#include "ir/ttng/TensorMemoryRules.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::ttg;

LogicalResult ConvertLayoutOp::verify() {
  RankedTensorType source = getSrc().getType(), result = getType();
  if (source.getShape() != result.getShape()) // convert_layout_c1
    return emitOpError("operand and result must have equal shapes");
  if (source.getElementType() != result.getElementType()) // convert_layout_c2
    return emitOpError("operand and result must have equal element types");
  return success();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// The encoding of a ring speaks of one of its buffers only.
static LogicalResult verifySingle(Operation *op, MemDescType buffer) {
  if (!buffer.isShared())
    return op->emitOpError("takes a buffer in shared memory, got ") << buffer;
  if (ringDims(buffer))
    return op->emitOpError("takes one buffer, not a ring of them: ") << buffer;
  return success();
}

/// A tensor and the buffer that it is copied to or from.
static LogicalResult verifyCopy(Operation *op, RankedTensorType tensor, MemDescType buffer) {
  if (failed(verifySingle(op, buffer)))
    return failure();
  if (tensor.getShape() != buffer.getShape() || tensor.getElementType() != buffer.getElementType())
    return op->emitOpError("tensor and buffer must agree in shape and element type");
  return success();
}

LogicalResult ttg::GlobalScratchAllocOp::verify() {
  if (int32_t(getNbytes()) > 0 && llvm::isPowerOf2_32(getAlignment())) // global_scratch_alloc_c1
    return success();
  return emitOpError("needs a positive size and an alignment that is a power of two");
}

LogicalResult LocalAllocOp::verify() {
  MemDescType type = getType();
  if (!type.isShared()) // local_alloc_c1
    return emitOpError("result must be in shared memory");
  if (type.getShape() != type.getAllocShape()) // local_alloc_c2
    return emitOpError("result must be a whole buffer");
  if (!getSrc() && !type.getMutableMemory()) // local_alloc_c3
    return emitOpError("a buffer without initial value must be mutable");
  Type element = type.getElementType();
  if (!isa<tt::PointerType>(element) &&
      (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0)) // local_alloc_c5
    return emitOpError("elements must be whole bytes, got ") << element;
  if (getSrc()) // local_alloc_c4
    return verifyCopy(*this, cast<RankedTensorType>(getSrc().getType()), type);
  return success();
}

LogicalResult LocalLoadOp::verify() { // local_load_c1
  return verifyCopy(*this, getType(), getSrc().getType());
}

LogicalResult LocalStoreOp::verify() {
  if (failed(verifyCopy(*this, getSrc().getType(), getDst().getType()))) // local_store_c1
    return failure();
  if (!getDst().getType().getMutableMemory()) // local_store_c2
    return emitOpError("cannot store to an immutable buffer");
  return success();
}

/// indexed_c1 to indexed_c3 and indexed_c5; masks follow the values by their type constraint.
static LogicalResult verifyIndexed(Operation *op, MemDescType buffer, RankedTensorType indices,
                                   RankedTensorType values, int64_t axis) {
  if (failed(verifySingle(op, buffer))) // indexed_c5
    return failure();
  if (indices.getShape() != values.getShape() || indices.getEncoding() != values.getEncoding())
    return op->emitOpError("indices and values must agree in shape and encoding"); // indexed_c1
  if (values.getElementType() != buffer.getElementType())
    return op->emitOpError("values must have the buffer's element type"); // indexed_c2
  int64_t rank = values.getRank();
  bool fits = buffer.getRank() == rank && axis >= 0 && axis < rank;
  for (int64_t d = 0; fits && d < rank; ++d)
    fits = d == axis || values.getShape()[d] <= buffer.getShape()[d];
  if (!fits) // indexed_c3
    return op->emitOpError("indices must have the buffer's rank and fit it outside of the axis");
  return success();
}

/// indexed_c4.
static LogicalResult verifyMutable(Operation *op, MemDescType buffer) {
  if (!buffer.getMutableMemory())
    return op->emitOpError("cannot store to an immutable buffer");
  return success();
}

LogicalResult LocalGatherOp::verify() {
  return verifyIndexed(*this, getSrc().getType(), cast<RankedTensorType>(getIndices().getType()),
                       cast<RankedTensorType>(getType()), getAxisAttr().getInt());
}

LogicalResult LocalScatterOp::verify() {
  if (failed(verifyMutable(*this, getDst().getType())))
    return failure();
  return verifyIndexed(*this, getDst().getType(), cast<RankedTensorType>(getIndices().getType()),
                       cast<RankedTensorType>(getValues().getType()), getAxisAttr().getInt());
}

LogicalResult LocalAtomicScatterRMWOp::verify() {
  if (failed(verifyMutable(*this, getDst().getType())))
    return failure();
  return verifyIndexed(*this, getDst().getType(), cast<RankedTensorType>(getIndices().getType()),
                       cast<RankedTensorType>(getValues().getType()), getAxisAttr().getInt());
}

LogicalResult Fp4ToFpOp::verify() {
  RankedTensorType source = getSrc().getType(), result = getType();
  int64_t axis = getAxisAttr().getInt();
  if (!result.getElementType().isF16() && !result.getElementType().isBF16()) // fp4_to_fp_c1
    return emitOpError("result must hold f16 or bf16");
  bool fits = source.getRank() == result.getRank() && axis >= 0 && axis < source.getRank();
  for (int64_t d = 0; fits && d < source.getRank(); ++d)
    fits = result.getShape()[d] == source.getShape()[d] * (d == axis ? 2 : 1);
  if (!fits) // fp4_to_fp_c2
    return emitOpError("result must be the operand's type, twice as large along the axis");
  const layout::LinearLayout *from = linearOrNull(source), *to = linearOrNull(result);
  if (from && to && !sameOwners(unpacked(*from, axis), *to)) // fp4_to_fp_c3
    return emitOpError("both numbers of a byte must lie in its thread");
  return success();
}

LogicalResult AsyncCopyGlobalToLocalOp::verify() {
  auto pointers = cast<RankedTensorType>(getSrc().getType());
  auto values = cast<RankedTensorType>(tt::pointeeTypeOf(pointers));
  if (failed(verifyCopy(*this, values, getResult().getType()))) // async_copy_c1
    return failure();
  if (!getResult().getType().getMutableMemory()) // async_copy_c2
    return emitOpError("cannot store to an immutable buffer");
  return tt::verifyCachePolicy(*this, tt::CacheUse::AsyncCopy);
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

LogicalResult InlineAsmOp::verify() {
  auto results = threadAsmTypes(getResultTypes()), operands = threadAsmTypes(getArgs().getTypes());
  if (!results || !operands) // thread_asm_c1
    return emitOpError("needs the layouts of its tensors");
  bool hasBuffer = llvm::any_of(getArgs().getTypes(), llvm::IsaPred<MemDescType>);
  if (hasBuffer && getPure()) // thread_asm_c2
    return emitOpError("is not pure where it takes buffers");
  std::string why;
  if (!readAsmConstraints(getAsmString(), getConstraints(), *results, *operands, /*pack=*/1, why))
    return emitOpError(why); // thread_asm_c3
  return success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// view_c1, and view_c2 where the element type stays.
static LogicalResult verifyView(Operation *op, MemDescType source, MemDescType result,
                                bool sameElement = true) {
  if (source.getMemorySpace() != result.getMemorySpace() ||
      source.getMutableMemory() != result.getMutableMemory()) // view_c1
    return op->emitOpError("a view has the memory space and mutability of its source");
  if (sameElement && source.getElementType() != result.getElementType()) // view_c2
    return op->emitOpError("a view has the element type of its source");
  return success();
}

LogicalResult MemDescIndexOp::verify() {
  MemDescType source = getSrc().getType(), result = getType();
  if (failed(verifyView(*this, source, result)))
    return failure();
  if (source.getShape().empty() || result.getShape() != source.getShape().drop_front())
    return emitOpError(
        "result must have the source's shape without the first dimension"); // memdesc_index_c1
  if (source.getEncoding() != result.getEncoding())                         // memdesc_index_c2
    return emitOpError("source and result must have equal encodings");
  if (isSubslice(source)) // memdesc_index_c3
    return emitOpError("cannot index a subslice");
  return success();
}

/// memdesc_subslice_c4: offsets along a cut dim may only touch one offset bit each, so that adding
/// one commutes with the swizzle.
static LogicalResult verifyCut(MemDescSubsliceOp op, MemDescType source, MemDescType result) {
  const layout::LinearLayout *linear = linearOrNull(source);
  std::optional<layout::LinearLayout> inverse = linear ? linear->pseudoInvert() : std::nullopt;
  if (!inverse)
    return success();
  size_t leading = ringDims(source);
  for (size_t d = leading; d < source.getShape().size(); ++d) {
    layout::Dim axis = layout::Dim::axis(d - leading);
    for (int64_t step = result.getShape()[d]; step < source.getShape()[d]; step *= 2) {
      uint64_t place = inverse->applyPacked(inverse->packIn({{axis, uint32_t(step)}}));
      if (llvm::popcount(inverse->outComponent(place, layout::Dim::Offset)) > 1)
        return op.emitOpError("cannot cut along the swizzling pattern");
    }
  }
  return success();
}

LogicalResult MemDescSubsliceOp::verify() {
  MemDescType source = getSrc().getType(), result = getType();
  if (failed(verifyView(*this, source, result)))
    return failure();
  if (!source.isShared()) // memdesc_subslice_c5
    return emitOpError("takes a buffer in shared memory, got ") << source;
  ArrayRef<int64_t> from = source.getShape(), to = result.getShape();
  ArrayRef<int32_t> offsets = getOffsets();
  if (from.size() != to.size() || offsets.size() != from.size() ||
      source.getEncoding() != result.getEncoding() ||
      source.getAllocShape() != result.getAllocShape()) // memdesc_subslice_c1
    return emitOpError("source and result must agree in rank, encoding and alloc shape");
  for (size_t d = 0; d < from.size(); ++d) {
    if (offsets[d] < 0 || to[d] < 1 || offsets[d] + to[d] > from[d]) // memdesc_subslice_c2
      return emitOpError("the window leaves the source in dimension ") << d;
    bool countsBuffers = d < ringDims(source);
    if (!countsBuffers && offsets[d] % to[d] != 0) // memdesc_subslice_c3
      return emitOpError("offset must be a multiple of the window in dimension ") << d;
  }
  return verifyCut(*this, source, result); // memdesc_subslice_c4
}

LogicalResult MemDescTransOp::verify() {
  MemDescType source = getSrc().getType(), result = getType();
  if (failed(verifyView(*this, source, result)) || failed(verifySingle(*this, source)))
    return failure(); // memdesc_trans_c4
  ArrayRef<int32_t> order = getOrder();
  if (!isPermutation(order, source.getShape().size())) // memdesc_trans_c1
    return emitOpError("order must be a permutation of the source's dimensions");
  bool agree = result.getShape().size() == order.size();
  for (size_t i = 0; agree && i < order.size(); ++i)
    agree = result.getShape()[i] == source.getShape()[order[i]];
  if (!agree) // memdesc_trans_c2
    return emitOpError("result must have the source's shape permuted by order");
  const layout::LinearLayout *from = linearOrNull(source), *to = linearOrNull(result);
  if (from && to && from->outDims().size() == order.size() &&
      !sameOwners(permuted(*from, order), *to))
    return emitOpError("elements must stay in place: the layouts do not agree"); // memdesc_trans_c3
  return success();
}

LogicalResult MemDescReshapeOp::verify() {
  MemDescType source = getSrc().getType(), result = getType();
  if (failed(verifyView(*this, source, result)) || failed(verifySingle(*this, source)))
    return failure(); // memdesc_reshape_c4
  if (ShapedType::getNumElements(source.getShape()) !=
      ShapedType::getNumElements(result.getShape())) // memdesc_reshape_c1
    return emitOpError("source and result must have equal numbers of elements");
  if (isSubslice(source)) // memdesc_reshape_c2
    return emitOpError("cannot reshape a subslice");
  const layout::LinearLayout *from = linearOrNull(source), *to = linearOrNull(result);
  if (from && to && from->totalOutLog2() == to->totalOutLog2() &&
      !sameOwners(rowMajor(*from), rowMajor(*to))) // memdesc_reshape_c3
    return emitOpError("elements must stay in place: the layouts do not agree");
  return success();
}

LogicalResult MemDescReinterpretOp::verify() {
  MemDescType source = getSrc().getType(), result = getType();
  if (failed(verifyView(*this, source, result, /*sameElement=*/false)))
    return failure();
  if (source.isTensorMemory()) {
    std::string problem = ttng::whyNoReinterpretation(source, result); // memdesc_reinterpret_c4
    return problem.empty() ? success() : emitOpError(problem);
  }
  if (!isContiguous(source) || isSubslice(result)) // memdesc_reinterpret_c1
    return emitOpError("cannot reinterpret a subslice with gaps");
  std::optional<int64_t> from = reachableBytes(getSrc()), to = footprint(result);
  if (from && to && *to > *from) // memdesc_reinterpret_c2
    return emitOpError("result needs ") << *to << " bytes, but the source has " << *from;
  if (paddingOf(source) != paddingOf(result)) // memdesc_reinterpret_c3
    return emitOpError("source and result must have equal paddings");
  return success();
}
