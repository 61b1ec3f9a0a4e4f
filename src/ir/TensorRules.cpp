//===- TensorRules.cpp - Rules that every tensor and buffer obeys ------------===//
//
// Checked once per function over the distinct types in it, because a kernel has
// thousands of values of a dozen types.
//
//   tensor_c1   there is an encoding, and it is a distributed one; none is needed where the
//   compiler
//               chooses layouts (OpenLayouts.h)
//   tensor_c2   it has the tensor's rank; all sizes are powers of two
//   tensor_c3   it spreads over the module's lanes, warps and CTAs
//   memdesc_c1  the encoding of a buffer in shared memory is a shared one
//   memdesc_c2  it has the buffer's rank, or one less for a ring of buffers, and fits the sizes
//   memdesc_c3  it spreads over the module's CTAs
//   descriptor_c1  the copy engine knows such descriptors (AsyncUnitRules.h, TensorMover.h)
//
//===----------------------------------------------------------------------===//
#include "ir/Encoding.h"
#include "ir/OpenLayouts.h"
#include "ir/amdg/TensorMover.h"
#include "ir/ttng/AsyncUnitRules.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace gluonc;

namespace {

struct TensorRules {
  int warps, lanes, ctas;
  bool isForAmd, mayBeOpen;
  llvm::DenseSet<Type> seen;

  explicit TensorRules(Operation *op)
      : warps(ttg::numWarpsOf(op)), lanes(ttg::threadsPerWarpOf(op)), ctas(ttg::numCtasOf(op)),
        isForAmd(amdg::isForAmd(op)), mayBeOpen(choosesLayouts(op)) {}

  LogicalResult check(Type type, Location where) {
    if (!seen.insert(type).second)
      return success();
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      return checkTensor(tensor, where);
    if (auto buffer = dyn_cast<ttg::MemDescType>(type))
      return checkBuffer(buffer, where);
    if (ttng::Descriptor descriptor = ttng::descriptorOf(type))
      return checkDescriptor(descriptor, type, where);
    return success();
  }

  LogicalResult checkTensor(RankedTensorType type, Location where) {
    if (!type.getEncoding() && mayBeOpen)
      return checkSizes(type, where);
    if (!type.getEncoding())
      return emitError(where) << "tensor type " << type << " has no encoding"; // tensor_c1
    std::optional<layout::Layout> layout = layoutOf(type.getEncoding());
    if (!layout)
      return success();
    if (!layout->isDistributed()) // tensor_c1
      return emitError(where) << "encoding of tensor type " << type << " is not distributed";
    if (layout->isPlaceholder())
      return checkSizes(type, where);
    if (layout::Problem problem = layout::checkShape(*layout, type.getShape())) // tensor_c2
      return emitError(where) << "tensor type " << type << ": " << *problem;
    if (layout::Problem problem = layout::checkFits(*layout, warps, lanes, ctas)) // tensor_c3
      return emitError(where) << "tensor type " << type << ": " << *problem;
    return success();
  }

  /// tensor_c2 for layouts that are not known yet.
  LogicalResult checkSizes(RankedTensorType type, Location where) {
    if (!llvm::all_of(type.getShape(), layout::isPowerOf2))
      return emitError(where) << "tensor type " << type << ": sizes must be powers of two";
    return success();
  }

  LogicalResult checkDescriptor(const ttng::Descriptor &descriptor, Type type, Location where) {
    // Older compilers leave the layout out where no copy uses the descriptor.
    if (!descriptor.layout)
      return success();
    std::string problem =
        isForAmd ? amdg::whyNoDescriptor(descriptor) : ttng::whyNoDescriptor(descriptor);
    if (!problem.empty()) // descriptor_c1
      return emitError(where) << "type " << type << ": a tensor descriptor " << problem;
    return success();
  }

  LogicalResult checkBuffer(ttg::MemDescType type, Location where) {
    std::optional<layout::Layout> layout = layoutOf(type.getEncoding());
    if (!(type.isShared() || type.isTensorMemory()) || !layout)
      return success();
    if (type.isShared() && !layout->isShared()) // memdesc_c1
      return emitError(where) << "encoding of buffer type " << type << " is not a shared one";
    if (type.isTensorMemory() && !layout->isTensorMemory()) // memdesc_c1
      return emitError(where) << "encoding of buffer type " << type
                              << " is not one of tensor memory";
    ArrayRef<int64_t> alloc = type.getAllocShape();
    int64_t rank = layout->rank().value_or(0);
    if (rank > int64_t(alloc.size()) || rank + 1 < int64_t(alloc.size()) ||
        alloc.size() < type.getShape().size()) // memdesc_c2
      return emitError(where) << "buffer type " << type << ": the encoding has rank " << rank;
    if (layout::Problem problem = layout::checkShape(*layout, alloc.take_back(rank))) // memdesc_c2
      return emitError(where) << "buffer type " << type << ": " << *problem;
    if (layout::Problem problem = layout::checkFits(*layout, warps, lanes, ctas)) // memdesc_c3
      return emitError(where) << "buffer type " << type << ": " << *problem;
    return success();
  }
};

} // namespace

/// Checks what is defined in `region`. Partitions are skipped: they have warps of their own.
static LogicalResult checkRegion(Region &region, TensorRules &rules) {
  for (Block &block : region) {
    for (BlockArgument argument : block.getArguments())
      if (failed(rules.check(argument.getType(), argument.getLoc())))
        return failure();
    for (Operation &op : block) {
      for (Type type : op.getResultTypes())
        if (failed(rules.check(type, op.getLoc())))
          return failure();
      if (isa<ttg::WarpSpecializePartitionsOp>(op))
        continue;
      for (Region &inner : op.getRegions())
        if (failed(checkRegion(inner, rules)))
          return failure();
    }
  }
  return success();
}

// Runs before the operations inside are verified, so that they may ask for linear layouts.
LogicalResult tt::FuncOp::verify() {
  TensorRules rules(*this);
  if (failed(checkRegion(getBody(), rules)))
    return failure();
  WalkResult result = getBody().walk([&](ttg::WarpSpecializePartitionsOp partitions) {
    for (Region &partition : partitions->getRegions()) {
      TensorRules own(partition.empty() || partition.front().empty() ? partitions.getOperation()
                                                                     : &partition.front().front());
      if (failed(checkRegion(partition, own)))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
