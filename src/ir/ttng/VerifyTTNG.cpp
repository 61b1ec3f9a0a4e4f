//===- VerifyTTNG.cpp - Rules of the ttng operations -------------------------===//
//
// Labels are those of the descriptions in TTNGOps.td.
//
//===----------------------------------------------------------------------===//
#include "ir/Encoding.h"
#include "ir/Report.h"
#include "ir/Sanitizer.h"
#include "ir/Views.h"
#include "ir/tt/CachePolicy.h"
#include "ir/ttng/AsyncUnitRules.h"
#include "layout/plan/TensorBlock.h"
#include "target/nvidia/Barriers.h"
#include "target/nvidia/BoxCopies.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::ttng;
namespace nvidia = gluonc::target::nvidia;
namespace tma = nvidia::tma;
namespace wgmma = nvidia::wgmma;

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static LogicalResult verifyBarrier(Operation *op, ttg::MemDescType type) {
  int ctas = ttg::numCtasOf(op);
  bool fits = type.isShared() && type.getElementType().isInteger(64) && type.getRank() == 1;
  if (fits) {
    int64_t size = type.getShape()[0];
    fits = size >= 1 && size <= ctas && layout::isPowerOf2(size);
  }
  if (!fits) // barrier_c1
    return op->emitOpError("a barrier is a one-dimensional buffer of i64 with one element per CTA, "
                           "got ")
           << type;
  if (!type.getMutableMemory()) // barrier_c1
    return op->emitOpError("a barrier must be mutable");
  return success();
}

static LogicalResult verifyCount(Operation *op, int64_t count) {
  if (count < 1 || count > nvidia::maxArrivals) // barrier_c2
    return op->emitOpError("count must be 1 to ") << nvidia::maxArrivals << ", got " << count;
  return success();
}

static LogicalResult verifyFromCta(Operation *op, ttg::MemDescType barrier,
                                   std::optional<uint32_t> fromCta) {
  if (!fromCta)
    return success();
  uint32_t ctas = ttg::numCtasOf(op);
  if (*fromCta >= ctas) // barrier_c3
    return op->emitOpError("fromCTA must be between 0 and ") << ctas - 1;
  if (barrier.getShape()[0] != int64_t(ctas)) // barrier_c3
    return op->emitOpError("fromCTA needs a barrier with one element per CTA");
  return success();
}

LogicalResult InitBarrierOp::verify() {
  return success(succeeded(verifyBarrier(*this, getAlloc().getType())) &&
                 succeeded(verifyCount(*this, int32_t(getCount()))));
}

LogicalResult InvalBarrierOp::verify() { return verifyBarrier(*this, getAlloc().getType()); }

LogicalResult BarrierExpectOp::verify() {
  int64_t bytes = int32_t(getSize());
  if (bytes < 0 || bytes > nvidia::maxPendingBytes) // barrier_c4
    return emitOpError("bytes must be 0 to ") << nvidia::maxPendingBytes << ", got " << bytes;
  return success(succeeded(verifyBarrier(*this, getAlloc().getType())) &&
                 succeeded(verifyFromCta(*this, getAlloc().getType(), getFromCTA())));
}

LogicalResult WaitBarrierOp::verify() { return verifyBarrier(*this, getAlloc().getType()); }

LogicalResult ArriveBarrierOp::verify() {
  if (getPerWarp() && ttg::numCtasOf(*this) > 1) // barrier_c5
    return emitOpError("cannot be of each warp where clusters have several CTAs");
  return success(succeeded(verifyBarrier(*this, getAlloc().getType())) &&
                 succeeded(verifyCount(*this, int32_t(getCount()))) &&
                 succeeded(verifyFromCta(*this, getAlloc().getType(), getFromCTA())));
}

LogicalResult AsyncCopyMbarrierArriveOp::verify() {
  return verifyBarrier(*this, getBarrier().getType());
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

static LogicalResult verifyCluster(Operation *op) {
  if (ttg::numCtasOf(op) < 2) // cluster_c1
    return op->emitOpError("needs a cluster of several CTAs; this kernel has num_ctas = 1");
  return success();
}

LogicalResult FenceMBarrierInitReleaseClusterOp::verify() { return verifyCluster(*this); }
LogicalResult ClusterBarrierOp::verify() { return verifyCluster(*this); }
LogicalResult ClusterArriveOp::verify() { return verifyCluster(*this); }
LogicalResult ClusterWaitOp::verify() { return verifyCluster(*this); }

LogicalResult AsyncSharedStoreOp::verify() {
  auto tensor = cast<RankedTensorType>(getSrc().getType());
  ttg::MemDescType buffer = getDst().getType();
  if (failed(verifyCluster(*this)) || failed(verifyBarrier(*this, getMbarrier().getType())))
    return failure();
  if (!buffer.isShared() || tensor.getShape() != buffer.getShape() || ringDims(buffer) ||
      tensor.getElementType() != buffer.getElementType()) // async_shared_store_c1
    return emitOpError("tensor and buffer must agree in shape and element type");
  if (!buffer.getMutableMemory()) // async_shared_store_c2
    return emitOpError("cannot store to an immutable buffer");
  return success();
}

//===----------------------------------------------------------------------===//
// Work of clusters that have not begun
//===----------------------------------------------------------------------===//

static LogicalResult verifyAnswer(Operation *op, ttg::MemDescType type) {
  bool fits = type.isShared() && type.getElementType().isInteger(64) &&
              type.getShape() == ArrayRef<int64_t>{2} && !ringDims(type);
  if (const layout::LinearLayout *memory = fits ? linearOrNull(type) : nullptr)
    fits = memory->sublayoutIsZero({layout::Dim::Block}, {layout::Dim::axis(0)});
  if (!fits) // clc_c1
    return op->emitOpError("an answer is a buffer of two i64 in shared memory, of which each CTA "
                           "has a whole one, got ")
           << type;
  return success();
}

LogicalResult CLCTryCancelOp::verify() {
  if (failed(verifyAnswer(*this, getResult().getType())) ||
      failed(verifyBarrier(*this, getMbarrier().getType())))
    return failure();
  if (!getResult().getType().getMutableMemory()) // clc_c2
    return emitOpError("cannot store to an immutable buffer");
  if (getMbarrier().getType().getShape()[0] != ttg::numCtasOf(*this)) // clc_try_cancel_c1
    return emitOpError("needs a barrier with one element per CTA, got ") << getMbarrier().getType();
  return success();
}

LogicalResult CLCLoadResultOp::verify() { return verifyAnswer(*this, getSrc().getType()); }

//===----------------------------------------------------------------------===//
// The copy engine
//===----------------------------------------------------------------------===//

static LogicalResult verifyCoordinates(Operation *op, const Descriptor &descriptor, size_t coords,
                                       size_t offsets) {
  if (descriptor.im2col) {
    if (coords < tma::minIm2ColRank || coords > tma::maxRank) // tma_c1
      return op->emitOpError("an im2col copy takes ")
             << tma::minIm2ColRank << " to " << tma::maxRank << " coordinates, got " << coords;
    if (offsets != coords - 2) // tma_c2
      return op->emitOpError("an im2col copy of a tensor with ")
             << coords << " dims takes " << coords - 2 << " offsets, got " << offsets;
    return success();
  }
  if (descriptor.shape.size() > tma::maxRank) // tma_c1
    return op->emitOpError("blocks have 1 to ")
           << tma::maxRank << " dims, got " << descriptor.shape.size();
  if (coords != descriptor.shape.size()) // tma_c1
    return op->emitOpError("expected ")
           << descriptor.shape.size() << " coordinates, one per dim of the block, got " << coords;
  if (offsets) // tma_c2
    return op->emitOpError("offsets are for im2col copies only");
  return success();
}

/// Whether a block of the descriptor is what the buffer holds. Buffers may have fewer dims: those
/// of size 1 in front may be missing.
static LogicalResult verifyBlock(Operation *op, const Descriptor &descriptor, Value where) {
  auto layout = dyn_cast_or_null<ttg::NVMMASharedEncodingAttr>(descriptor.layout);
  if (!layout) // tma_c3
    return op->emitOpError("the descriptor must have an NVMMASharedLayout");
  ArrayRef<int64_t> block = descriptor.shape;
  ttg::MemDescType buffer = cast<ttg::MemDescType>(where.getType());
  while (block.size() > buffer.getShape().size() && block.front() == 1)
    block = block.drop_front();
  if (block != buffer.getShape() || ringDims(buffer) ||
      signless(descriptor.elementType) != buffer.getElementType()) // tma_c4
    return op->emitOpError("the buffer must have the descriptor's block shape and element type, "
                           "got ")
           << buffer;
  bool reduced = block.size() != descriptor.shape.size();
  auto encoding = dyn_cast<ttg::NVMMASharedEncodingAttr>(buffer.getEncoding());
  if (!reduced && encoding != layout &&
      (descriptor.im2col || !encoding ||
       !layout::isFilledBy(encoding.getValue(), layout.getValue(), block))) // tma_c3
    return op->emitOpError("the layouts of descriptor and buffer must be equal, but for how CTAs "
                           "share blocks of which messages fill their parts, got ")
           << Attribute(layout) << " and " << buffer.getEncoding();
  if (!encoding) // tma_c3
    return op->emitOpError("the buffer must have an NVMMASharedLayout");
  if (std::string problem = whyNoCopyTarget(where); !problem.empty()) // tma_c6
    return op->emitOpError(problem);
  return success();
}

LogicalResult AsyncTMACopyGlobalToLocalOp::verify() {
  Descriptor descriptor = descriptorOf(getDesc().getType());
  if (failed(verifyBarrier(*this, getBarrier().getType())) ||
      failed(verifyCoordinates(*this, descriptor, getCoord().size(), getOffsets().size())))
    return failure();
  if (!getResult().getType().getMutableMemory()) // tma_c5
    return emitOpError("cannot store to an immutable buffer");
  if (failed(tt::verifyCachePolicy(*this, tt::CacheUse::BoxCopy)))
    return failure();
  return verifyBlock(*this, descriptor, getResult());
}

/// The copy engine reads the memory of the CTA that sends it, where a part cut out of a buffer lies
/// only if no CTA begins behind the part's end.
static LogicalResult verifyOrigin(Operation *op, ttg::MemDescType buffer) {
  const layout::LinearLayout &allocation = toLinear(buffer);
  for (unsigned bit = 0; bit < allocation.inLog2(layout::Dim::Block); ++bit) {
    uint64_t begin = allocation.packedBasis(layout::Dim::Block, bit);
    for (auto [dim, size] :
         llvm::enumerate(buffer.getShape().take_back(allocation.outDims().size())))
      if (allocation.outComponent(begin, layout::Dim::axis(dim)) >= size) // tma_c7
        return report(diag::Kind::SourceInOtherCta, op->getLoc(), dim);
  }
  return success();
}

static LogicalResult verifySource(Operation *op, const Descriptor &descriptor, Value where) {
  if (failed(verifyBlock(op, descriptor, where)))
    return failure();
  auto buffer = cast<ttg::MemDescType>(where.getType());
  if (cast<ttg::NVMMASharedEncodingAttr>(buffer.getEncoding()).getValue().fp4Padded) // tma_c8
    return op->emitOpError("only loads may have an fp4_padded layout");
  return verifyOrigin(op, buffer);
}

LogicalResult AsyncTMACopyLocalToGlobalOp::verify() {
  Descriptor descriptor = descriptorOf(getDesc().getType());
  if (failed(verifyCoordinates(*this, descriptor, getCoord().size(), 0)))
    return failure();
  if (Attribute policy = getCachePolicyAttr()) {
    std::string problem = tt::whyNoCachePolicy(tt::CacheUse::BoxCopy, policy);
    if (!problem.empty()) // cache_policy_c1
      return emitOpError(problem);
  }
  return verifySource(*this, descriptor, getSrc());
}

LogicalResult AsyncTMAReduceOp::verify() {
  Descriptor descriptor = descriptorOf(getDesc().getType());
  if (failed(verifyCoordinates(*this, descriptor, getCoord().size(), 0)) ||
      failed(verifySource(*this, descriptor, getSrc())))
    return failure();
  if (!hasReduction(getKind(), descriptor.elementType)) // async_tma_reduce_c1
    return emitOpError("the copy engine has no '")
           << tt::stringifyDescriptorReduceKind(getKind()) << "' for " << descriptor.elementType;
  return success();
}

static LogicalResult verifyRows(Operation *op, Type desc, Value offsets, Value where) {
  auto buffer = cast<ttg::MemDescType>(where.getType());
  std::string problem = whyNoNamedRows(descriptorOf(desc), buffer);
  if (problem.empty())
    problem = whyNoRowOffsets(cast<RankedTensorType>(offsets.getType()), buffer);
  if (problem.empty()) // tma_c6
    problem = whyNoCopyTarget(where);
  if (!problem.empty())
    return op->emitOpError(problem);
  return success();
}

LogicalResult AsyncTMAGatherOp::verify() {
  if (failed(verifyBarrier(*this, getBarrier().getType())))
    return failure();
  if (!getResult().getType().getMutableMemory()) // tma_c5
    return emitOpError("cannot store to an immutable buffer");
  return verifyRows(*this, getDesc().getType(), getXOffsets(), getResult());
}

LogicalResult AsyncTMAScatterOp::verify() {
  return success(succeeded(verifyRows(*this, getDesc().getType(), getXOffsets(), getSrc())) &&
                 succeeded(verifyOrigin(*this, getSrc().getType())));
}

LogicalResult tt::MakeTensorDescOp::verify() {
  ArrayRef<int64_t> block = getType().getShape();
  if (block.size() > tma::maxRank || getShape().size() != block.size() ||
      getStrides().size() != block.size()) // make_tensor_descriptor_c1
    return emitOpError("needs one size and one stride per dim of the block, 1 to ")
           << tma::maxRank << " of them";
  Type element = ttng::signless(getType().getElementType());
  if (ttng::signless(tt::pointeeTypeOf(getBase().getType())) !=
      element) // make_tensor_descriptor_c2
    return emitOpError("the pointer's element type must be the descriptor's, ") << element;
  if (getPadding() == tt::PaddingOption::PAD_NAN &&
      !isa<FloatType>(element)) // make_tensor_descriptor_c3
    return emitOpError("only floats can be padded with NaN, got ") << element;
  return success();
}

LogicalResult ttng::TensormapCreateOp::verify() {
  size_t rank = getBoxDim().size();
  if (rank < 1 || rank > tma::maxRank || getGlobalDim().size() != rank ||
      getElementStride().size() != rank ||
      getGlobalStride().size() != rank - 1) // tensormap_create_c1
    return emitOpError("needs 1 to ")
           << tma::maxRank
           << " box lengths, as many extents and element strides, and one stride less";
  auto isCode = [](uint32_t code, uint32_t last) { return code <= last; };
  if (!isCode(getElemType(), tma::lastElementCode) ||
      !isCode(getInterleaveLayout(), tma::lastInterleaveCode) ||
      !isCode(getSwizzleMode(), tma::lastSwizzleCode) ||
      !isCode(getFillMode(), tma::lastFillCode)) // tensormap_create_c2
    return emitOpError("has a code that the copy engine does not know");
  return success();
}

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

/// Element types that wgmma multiplies and accumulates.
static bool hasInstruction(Type a, Type b, Type d) {
  auto aElement = matrixElement(a), bElement = matrixElement(b), dElement = matrixElement(d);
  return aElement && bElement && dElement && wgmma::multiplies(*aElement, *bElement, *dElement);
}

static std::pair<ArrayRef<int64_t>, Type> blockOf(Type type) {
  if (auto buffer = dyn_cast<ttg::MemDescType>(type))
    return {buffer.getShape(), buffer.getElementType()};
  auto tensor = cast<RankedTensorType>(type);
  return {tensor.getShape(), tensor.getElementType()};
}

LogicalResult WarpGroupDotOp::verify() {
  auto [a, aElement] = blockOf(getA().getType());
  auto [b, bElement] = blockOf(getB().getType());
  auto [d, dElement] = blockOf(getD().getType());
  if (a.size() != 2 || b.size() != 2 || d.size() != 2 || a[0] != d[0] || b[1] != d[1] ||
      a[1] != b[0]) // warp_group_dot_c1
    return emitOpError("shapes must be [M, K], [K, N] and [M, N]");
  int warps = ttg::numWarpsOf(*this);
  if (warps % wgmma::warps) // warp_group_dot_c2
    return emitOpError("needs warps in fours, got ") << warps;
  if (!hasInstruction(aElement, bElement, dElement)) // warp_group_dot_c3
    return emitOpError("there is no such instruction for ")
           << aElement << " * " << bElement << " -> " << dElement;
  if ((getUnsignedA() && !aElement.isInteger(8)) ||
      (getUnsignedB() && !bElement.isInteger(8))) // warp_group_dot_c4
    return emitOpError("only integers are unsigned, got ") << aElement << " * " << bElement;
  if (aElement.isF32() && getInputPrecision() != tt::InputPrecision::TF32) // warp_group_dot_c3
    return emitOpError("multiplies f32 as tf32 only, got inputPrecision = ")
           << tt::stringifyInputPrecision(getInputPrecision());
  std::string problem = whyNoWarpGroupDot(getA().getType(), getB().getType(), getD().getType(),
                                          isSanitizedFloat(*this));
  if (!problem.empty()) // warp_group_dot_c5
    return emitOpError(problem);
  return success();
}

LogicalResult WarpGroupDotWaitOp::verify() {
  if (getInputs().empty()) // warp_group_dot_wait_c1
    return emitOpError("needs at least one input");
  return success();
}
