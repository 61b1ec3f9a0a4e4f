//===- Buffers.cpp - Shared memory, and copies into it --------------------------------===//
#include "lift/ops/Handlers.h"

#include "target/Features.h"

using namespace mlir;

namespace gluonc::lift {

using target::Feature;

static ttg::MemDescType typeOf(Value buffer) { return cast<ttg::MemDescType>(buffer.getType()); }

static std::optional<Expr> handleAlloc(Tree &tree, ttg::LocalAllocOp op) {
  ttg::MemDescType type = op.getType();
  std::optional<std::string> dtype = dtypeText(type.getElementType());
  if (!dtype || !type.isShared())
    return std::nullopt;
  // A ring of barriers: its layout is that of one.
  ArrayRef<int64_t> shape = type.getShape();
  if (type.getElementType().isInteger(64) && shape.size() == 2 && shape[1] == 1 && !op.getSrc())
    return Expr{tree.file().vendorModule("nvidia", "hopper") +
                ".mbarrier.allocate_mbarrier(batch=" + std::to_string(shape[0]) + ")"};
  Call call(tree, "gl.allocate_shared_memory");
  call.add(*dtype).add(listText(type.getShape())).add(tree.file().layout(type.getEncoding()));
  if (op.getSrc())
    call.signedValue(op.getSrc());
  return call.end();
}

static std::optional<Expr> handleKeepAlive(Tree &tree, ttg::LocalDeallocOp op) {
  return Expr{tree.object(op.getSrc()) + "._keep_alive()"};
}

static std::optional<Expr> handleLocalLoad(Tree &tree, ttg::LocalLoadOp op) {
  std::string object = tree.object(op.getSrc());
  return Expr{object + ".load(" + tree.file().layout(op.getType().getEncoding()) + ")"};
}

static std::optional<Expr> handleLocalStore(Tree &tree, ttg::LocalStoreOp op) {
  // The language evaluates the buffer first.
  std::string object = tree.object(op.getDst());
  return Expr{object + ".store(" + tree.signedArgument(op.getSrc()) + ")"};
}

//===----------------------------------------------------------------------===//
// Access at indices
//===----------------------------------------------------------------------===//

static std::optional<Expr> handleGather(Tree &tree, ttg::LocalGatherOp op) {
  Call call(tree, tree.object(op.getSrc()) + ".gather");
  return call.value(op.getIndices()).add(llvm::Twine(op.getAxis())).end();
}

static std::optional<Expr> handleScatter(Tree &tree, ttg::LocalScatterOp op) {
  Call call(tree, tree.object(op.getDst()) + ".scatter");
  return call.signedValue(op.getValues())
      .value(op.getIndices())
      .add(llvm::Twine(op.getAxis()))
      .end();
}

static std::optional<Expr> handleAtomicScatter(Tree &tree, ttg::LocalAtomicScatterRMWOp op) {
  tt::RMWOp kind = op.getAtomicRmwOp();
  // Buffers of integers without a sign have other names for it.
  if (kind == tt::RMWOp::UMAX || kind == tt::RMWOp::UMIN)
    return std::nullopt;
  llvm::StringRef name = kind == tt::RMWOp::FADD   ? "add"
                         : kind == tt::RMWOp::XCHG ? "xchg"
                                                   : tt::stringifyRMWOp(kind);
  Call call(tree, tree.object(op.getDst()) + ".atomic_scatter_" + name);
  call.optional("mask", op.getMask());
  return call.signedValue(op.getValues())
      .value(op.getIndices())
      .add(llvm::Twine(op.getAxis()))
      .end();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static std::optional<Expr> handleIndex(Tree &tree, ttg::MemDescIndexOp op) {
  std::string object = tree.object(op.getSrc());
  return Expr{object + ".index(" + tree.plainArgument(op.getIndex()) + ")"};
}

static std::optional<Expr> handleSlice(Tree &tree, ttg::MemDescSubsliceOp op) {
  ArrayRef<int64_t> from = typeOf(op.getSrc()).getShape(), to = op.getType().getShape();
  std::optional<size_t> dim;
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i] != to[i]) {
      // The language cuts along one dimension at a time.
      if (dim)
        return std::nullopt;
      dim = i;
    }
  if (!dim)
    return std::nullopt;
  std::string object = tree.object(op.getSrc());
  return Expr{object + ".slice(" + std::to_string(op.getOffsets()[*dim]) + ", " +
              std::to_string(to[*dim]) + ", " + std::to_string(*dim) + ")"};
}

static std::optional<Expr> handlePermute(Tree &tree, ttg::MemDescTransOp op) {
  return Expr{tree.object(op.getSrc()) + ".permute(" + listText(op.getOrder()) + ")"};
}

static std::optional<Expr> handleReshape(Tree &tree, ttg::MemDescReshapeOp op) {
  return Expr{tree.object(op.getSrc()) + ".reshape(" + listText(op.getType().getShape()) + ")"};
}

static std::optional<Expr> handleReinterpret(Tree &tree, ttg::MemDescReinterpretOp op) {
  ttg::MemDescType type = op.getType();
  std::optional<std::string> dtype = dtypeText(type.getElementType());
  if (!dtype || !type.isShared())
    return std::nullopt;
  return Expr{tree.object(op.getSrc()) + "._reinterpret(" + *dtype + ", " +
              listText(type.getShape()) + ", " + tree.file().layout(type.getEncoding()) + ")"};
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// `ampere.async_copy.` of the target.
static std::optional<std::string> copies(Tree &tree) {
  const target::Target &target = tree.file().request.target;
  std::string module;
  if (target::has(target, Feature::AsyncCopy))
    module = tree.file().vendorModule("nvidia", "ampere");
  else if (target::has(target, Feature::AsyncLds))
    module = tree.file().vendorModule("amd", "cdna5");
  else if (target::has(target, Feature::DirectToLds))
    module = tree.file().vendorModule("amd", "cdna4");
  else
    return std::nullopt;
  return module + ".async_copy.";
}

static bool isZero(Value value) {
  Attribute element = constantOf(value);
  if (auto number = dyn_cast_or_null<FloatAttr>(element))
    return number.getValue().isPosZero();
  auto number = dyn_cast_or_null<IntegerAttr>(element);
  return number && number.getValue().isZero();
}

static std::optional<Expr> handleCopy(Tree &tree, ttg::AsyncCopyGlobalToLocalOp op) {
  std::optional<std::string> module = copies(tree);
  if (!module || op.getCachePolicyAttr() || op.getEvict() != tt::EvictionPolicy::NORMAL ||
      op.getIsVolatile())
    return std::nullopt;
  bool isAmpere = target::has(tree.file().request.target, Feature::AsyncCopy);
  bool isLds = !isAmpere && target::has(tree.file().request.target, Feature::AsyncLds);
  Call call(tree, *module + (isAmpere ? "async_load"
                             : isLds  ? "global_to_shared"
                                      : "global_load_to_shared"));
  call.optional("mask", op.getMask());
  if (Value other = op.getOther(); other && !(isAmpere && isZero(other))) {
    if (isAmpere)
      return std::nullopt;
    call.keyword("other", tree.plainArgument(other));
  }
  call.value(op.getResult());
  Type pointer = getElementTypeOrSelf(op.getSrc().getType());
  bool isUnsigned = tree.facts(op.getSrc()).isUnsigned;
  call.add(isUnsigned ? tree.object(op.getSrc()) + ".to(" + *dtypeText(pointer) + ", bitcast=True)"
                      : tree.argument(op.getSrc()));
  if (op.getCache() != tt::CacheModifier::NONE)
    call.choice("cache_modifier", ("." + tt::stringifyCacheModifier(op.getCache())).str());
  return call.end();
}

static std::optional<Expr> handleCommit(Tree &tree, ttg::AsyncCommitGroupOp) {
  std::optional<std::string> module = copies(tree);
  return module ? std::optional(Expr{*module + "commit_group()"}) : std::nullopt;
}

static std::optional<Expr> handleWait(Tree &tree, ttg::AsyncWaitOp op) {
  std::optional<std::string> module = copies(tree);
  if (!module)
    return std::nullopt;
  return Expr{*module + "wait_group(" + std::to_string(op.getNum()) + ")"};
}

static std::optional<Expr> handleBarrier(Tree &, ttg::BarrierOp op) {
  return op.getAddrSpace() == ttg::AddrSpace::All ? std::optional(Expr{"gl.barrier()"})
                                                  : std::nullopt;
}

static std::optional<Expr> handleFence(Tree &tree, ttng::FenceAsyncSharedOp op) {
  Call call(tree, tree.file().vendorModule("nvidia", "hopper") + ".fence_async_shared");
  return call.flag("cluster", op.getBCluster()).end();
}

void addBuffers(HandlerTable &table) {
  on<ttg::LocalAllocOp, handleAlloc>(table);
  on<ttg::LocalDeallocOp, handleKeepAlive>(table);
  on<ttg::LocalLoadOp, handleLocalLoad>(table);
  on<ttg::LocalStoreOp, handleLocalStore>(table);
  on<ttg::LocalGatherOp, handleGather>(table);
  on<ttg::LocalScatterOp, handleScatter>(table);
  on<ttg::LocalAtomicScatterRMWOp, handleAtomicScatter>(table);
  on<ttg::MemDescIndexOp, handleIndex>(table);
  on<ttg::MemDescSubsliceOp, handleSlice>(table);
  on<ttg::MemDescTransOp, handlePermute>(table);
  on<ttg::MemDescReshapeOp, handleReshape>(table);
  on<ttg::MemDescReinterpretOp, handleReinterpret>(table);
  on<ttg::AsyncCopyGlobalToLocalOp, handleCopy>(table);
  on<ttg::AsyncCommitGroupOp, handleCommit>(table);
  on<ttg::AsyncWaitOp, handleWait>(table);
  on<ttg::BarrierOp, handleBarrier>(table);
  on<ttng::FenceAsyncSharedOp, handleFence>(table);
}

} // namespace gluonc::lift
