//===- CopyEngine.cpp - Descriptors, copies of blocks, barriers in shared memory --------===//
#include "lift/ops/Handlers.h"

using namespace mlir;

namespace gluonc::lift {

static std::string hopper(Tree &tree, llvm::StringRef function) {
  return tree.file().vendorModule("nvidia", "hopper") + "." + function.str();
}

static std::string listOf(Tree &tree, ValueRange values) {
  std::string text;
  for (Value value : values)
    text += (text.empty() ? "" : ", ") + tree.plainArgument(value);
  return "[" + text + "]";
}

//===----------------------------------------------------------------------===//
// Descriptors and copies
//===----------------------------------------------------------------------===//

static std::optional<Expr> handleMakeDescriptor(Tree &tree, tt::MakeTensorDescOp op) {
  tt::TensorDescType type = op.getType();
  if (!isa_and_nonnull<ttg::NVMMASharedEncodingAttr>(type.getSharedLayout()))
    return std::nullopt;
  Call call(tree, hopper(tree, "tma.make_tensor_descriptor"));
  call.value(op.getBase()).add(listOf(tree, op.getShape())).add(listOf(tree, op.getStrides()));
  call.add(listText(type.getShape())).add(tree.file().layout(type.getSharedLayout()));
  if (op.getPadding() == tt::PaddingOption::PAD_NAN)
    call.add("\"nan\"");
  return call.end();
}

/// A predicate that is known to hold is left out.
static void addPredicate(Call &call, Value predicate) {
  if (!matchPattern(predicate, m_One()))
    call.keyword("pred", call.tree.plainArgument(predicate));
}

static std::optional<Expr> handleLoad(Tree &tree, ttng::AsyncTMACopyGlobalToLocalOp op) {
  if (!op.getOffsets().empty() || op.getCachePolicyAttr() ||
      op.getCache() != tt::CacheModifier::NONE || op.getEvict() != tt::EvictionPolicy::NORMAL)
    return std::nullopt;
  Call call(tree, hopper(tree, "tma.async_load"));
  addPredicate(call, op.getPred());
  call.flag("multicast", op.getMulticast());
  call.value(op.getDesc()).add(listOf(tree, op.getCoord()));
  return call.value(op.getBarrier()).value(op.getResult()).end();
}

static std::optional<Expr> handleStore(Tree &tree, ttng::AsyncTMACopyLocalToGlobalOp op) {
  if (op.getCachePolicyAttr())
    return std::nullopt;
  Call call(tree, hopper(tree, "tma.async_store"));
  return call.value(op.getDesc()).add(listOf(tree, op.getCoord())).value(op.getSrc()).end();
}

static std::optional<Expr> handleReduce(Tree &tree, ttng::AsyncTMAReduceOp op) {
  Call call(
      tree,
      hopper(tree, ("tma.async_atomic_" + tt::stringifyDescriptorReduceKind(op.getKind())).str()));
  return call.value(op.getDesc()).add(listOf(tree, op.getCoord())).value(op.getSrc()).end();
}

static std::optional<Expr> handleStoreWait(Tree &tree, ttng::TMAStoreWaitOp op) {
  Call call(tree, hopper(tree, "tma.store_wait"));
  call.add(llvm::Twine(op.getPendings()));
  return op.getReadOnly() ? call.end() : call.keyword("read_only", "False").end();
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static std::optional<Expr> handleInit(Tree &tree, ttng::InitBarrierOp op) {
  Call call(tree, hopper(tree, "mbarrier.init"));
  return call.value(op.getAlloc()).add(llvm::Twine(op.getCount())).end();
}

static std::optional<Expr> handleInvalidate(Tree &tree, ttng::InvalBarrierOp op) {
  return Call(tree, hopper(tree, "mbarrier.invalidate")).value(op.getAlloc()).end();
}

static std::optional<Expr> handleExpect(Tree &tree, ttng::BarrierExpectOp op) {
  if (op.getFromCTA())
    return std::nullopt;
  Call call(tree, hopper(tree, "mbarrier.expect"));
  addPredicate(call, op.getPred());
  return call.value(op.getAlloc()).add(llvm::Twine(op.getSize())).end();
}

static std::optional<Expr> handleWait(Tree &tree, ttng::WaitBarrierOp op) {
  if (op.getPred() || !op.getDeps().empty())
    return std::nullopt;
  Call call(tree, hopper(tree, "mbarrier.wait"));
  return call.value(op.getAlloc()).add(tree.plainArgument(op.getPhase())).end();
}

void addCopyEngine(HandlerTable &table) {
  on<tt::MakeTensorDescOp, handleMakeDescriptor>(table);
  on<ttng::AsyncTMACopyGlobalToLocalOp, handleLoad>(table);
  on<ttng::AsyncTMACopyLocalToGlobalOp, handleStore>(table);
  on<ttng::AsyncTMAReduceOp, handleReduce>(table);
  on<ttng::TMAStoreWaitOp, handleStoreWait>(table);
  on<ttng::InitBarrierOp, handleInit>(table);
  on<ttng::InvalBarrierOp, handleInvalidate>(table);
  on<ttng::BarrierExpectOp, handleExpect>(table);
  on<ttng::WaitBarrierOp, handleWait>(table);
}

} // namespace gluonc::lift
