//===- TensorMemory.cpp - Tensor memory, and products in it -----------------------------===//
#include "lift/ops/Handlers.h"

using namespace mlir;

namespace gluonc::lift {

static std::string blackwell(Tree &tree, llvm::StringRef function) {
  return tree.file().vendorModule("nvidia", "blackwell") + "." + function.str();
}

static std::optional<Expr> handleAlloc(Tree &tree, ttng::TMEMAllocOp op) {
  ttg::MemDescType type = op.getResult().getType();
  std::optional<std::string> dtype = dtypeText(type.getElementType());
  if (!dtype || op.getToken())
    return std::nullopt;
  Call call(tree, blackwell(tree, "allocate_tensor_memory"));
  call.add(*dtype).add(listText(type.getShape())).add(tree.file().layout(type.getEncoding()));
  if (op.getSrc())
    call.signedValue(op.getSrc());
  return call.end();
}

static std::optional<Expr> handleLoad(Tree &tree, ttng::TMEMLoadOp op) {
  if (op.getRed() || op.getDep() || op.getToken())
    return std::nullopt;
  std::string object = tree.object(op.getSrc());
  auto type = cast<RankedTensorType>(op.getResult().getType());
  return Expr{object + ".load(" + tree.file().layout(type.getEncoding()) + ")"};
}

static std::optional<Expr> handleStore(Tree &tree, ttng::TMEMStoreOp op) {
  if (op.getDep() || op.getToken() || !matchPattern(op.getPred(), m_One()))
    return std::nullopt;
  // The language evaluates the buffer first.
  std::string object = tree.object(op.getDst());
  return Expr{object + ".store(" + tree.signedArgument(op.getSrc()) + ")"};
}

/// What products with and without scales are told alike, in keywords; false where that has no
/// spelling.
template <typename Op> static bool addOptions(Call &call, Op op) {
  auto holds = [](Value predicate) { return matchPattern(predicate, m_One()); };
  if (op.getDep() || op.getToken() || op.getTwoCtas() || !op.getIsAsync() ||
      !llvm::all_of(op.getBarrierPreds(), holds))
    return false;
  if (!holds(op.getUseD()))
    call.keyword("use_acc", call.tree.plainArgument(op.getUseD()));
  if (!holds(op.getPred()))
    call.keyword("pred", call.tree.plainArgument(op.getPred()));
  call.flag("multicast", op.getMulticast());
  std::string barriers;
  for (Value barrier : op.getBarriers())
    barriers += (barriers.empty() ? "" : ", ") + call.tree.argument(barrier);
  if (!barriers.empty())
    call.keyword("mbarriers", "[" + barriers + "]");
  return true;
}

static std::optional<Expr> handleProduct(Tree &tree, ttng::TCGen5MMAOp op) {
  Call call(tree, blackwell(tree, "tcgen05_mma"));
  if (op.getUnsignedA() || op.getUnsignedB() || !addOptions(call, op))
    return std::nullopt;
  return call.value(op.getA()).value(op.getB()).value(op.getD()).end();
}

static std::optional<Expr> handleScaledProduct(Tree &tree, ttng::TCGen5MMAScaledOp op) {
  Call call(tree, blackwell(tree, "tcgen05_mma_scaled"));
  if (!addOptions(call, op))
    return std::nullopt;
  call.value(op.getA()).value(op.getB()).value(op.getD());
  call.value(op.getAScale()).value(op.getBScale());
  for (tt::ScaleDotElemType type : {op.getAType(), op.getBType()})
    call.add("\"" + tt::stringifyScaleDotElemType(type) + "\"");
  return call.end();
}

static std::optional<Expr> handleCommit(Tree &tree, ttng::TCGen5CommitOp op) {
  if (!op.getDescs().empty() || (op.getPred() && !matchPattern(op.getPred(), m_One())))
    return std::nullopt;
  return Call(tree, blackwell(tree, "tcgen05_commit")).value(op.getBarrier()).end();
}

void addTensorMemory(HandlerTable &table) {
  on<ttng::TMEMAllocOp, handleAlloc>(table);
  on<ttng::TMEMLoadOp, handleLoad>(table);
  on<ttng::TMEMStoreOp, handleStore>(table);
  on<ttng::TCGen5MMAOp, handleProduct>(table);
  on<ttng::TCGen5MMAScaledOp, handleScaledProduct>(table);
  on<ttng::TCGen5CommitOp, handleCommit>(table);
}

} // namespace gluonc::lift
