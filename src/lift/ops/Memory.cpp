//===- Memory.cpp - Loads, stores and atomic updates of global memory ----------------===//
#include "lift/ops/Handlers.h"

using namespace mlir;

namespace gluonc::lift {

/// The modifier as the language writes it, `.cg`.
static std::string cacheText(tt::CacheModifier cache) {
  return cache == tt::CacheModifier::NONE ? "" : ("." + tt::stringifyCacheModifier(cache)).str();
}

static llvm::StringRef evictionText(tt::EvictionPolicy evict) {
  return evict == tt::EvictionPolicy::NORMAL ? "" : tt::stringifyEvictionPolicy(evict);
}

static std::optional<Expr> handleLoad(Tree &tree, tt::LoadOp op) {
  if (op.getCachePolicyAttr())
    return std::nullopt;
  Call call(tree, "gl.load");
  call.optional("mask", op.getMask());
  if (Value other = op.getOther())
    call.keyword("other", tree.plainArgument(other));
  call.value(op.getPtr());
  call.choice("cache_modifier", cacheText(op.getCache()));
  call.choice("eviction_policy", evictionText(op.getEvict()));
  tree.setFacts(op.getResult(), tree.facts(op.getPtr()));
  return call.flag("volatile", op.getIsVolatile()).end();
}

static std::optional<Expr> handleStore(Tree &tree, tt::StoreOp op) {
  if (op.getCachePolicyAttr() || op.getIgnoreCta())
    return std::nullopt;
  Call call(tree, "gl.store");
  call.optional("mask", op.getMask());
  call.value(op.getPtr()).add(tree.plainArgument(op.getValue()));
  call.choice("cache_modifier", cacheText(op.getCache()));
  return call.choice("eviction_policy", evictionText(op.getEvict())).end();
}

/// A pointer to integers with a sign, or without.
static std::string pointerArgument(Tree &tree, Value pointer, bool isUnsigned) {
  Type element = getElementTypeOrSelf(pointer.getType());
  bool isInteger = isa<IntegerType>(cast<tt::PointerType>(element).getPointeeType());
  if (!isInteger || tree.facts(pointer).isUnsigned == isUnsigned)
    return tree.argument(pointer);
  return tree.object(pointer) + ".to(" + *dtypeText(element, isUnsigned) + ", bitcast=True)";
}

template <typename Op> static Expr ordered(Call &call, Op op) {
  call.choice("sem", tt::stringifyMemSemantic(op.getSem()), "acq_rel");
  return call.choice("scope", tt::stringifyMemSyncScope(op.getScope()), "gpu").end();
}

static llvm::StringRef functionOf(tt::RMWOp kind) {
  switch (kind) {
  case tt::RMWOp::ADD:
  case tt::RMWOp::FADD:
    return "gl.atomic_add";
  case tt::RMWOp::MAX:
  case tt::RMWOp::UMAX:
    return "gl.atomic_max";
  case tt::RMWOp::MIN:
  case tt::RMWOp::UMIN:
    return "gl.atomic_min";
  case tt::RMWOp::AND:
    return "gl.atomic_and";
  case tt::RMWOp::OR:
    return "gl.atomic_or";
  case tt::RMWOp::XOR:
    return "gl.atomic_xor";
  case tt::RMWOp::XCHG:
    return "gl.atomic_xchg";
  }
  return "";
}

static std::optional<Expr> handleUpdate(Tree &tree, tt::AtomicRMWOp op) {
  tt::RMWOp kind = op.getAtomicRmwOp();
  bool isUnsigned = kind == tt::RMWOp::UMAX || kind == tt::RMWOp::UMIN;
  Call call(tree, functionOf(kind));
  call.optional("mask", op.getMask());
  call.add(pointerArgument(tree, op.getPtr(), isUnsigned));
  call.add(tree.plainArgument(op.getVal()));
  tree.setFacts(op.getResult(), {.isUnsigned = isUnsigned});
  return ordered(call, op);
}

static std::optional<Expr> handleSwap(Tree &tree, tt::AtomicCASOp op) {
  Call call(tree, "gl.atomic_cas");
  call.add(pointerArgument(tree, op.getPtr(), false));
  call.add(tree.plainArgument(op.getCmp())).add(tree.plainArgument(op.getVal()));
  return ordered(call, op);
}

void addMemory(HandlerTable &table) {
  on<tt::LoadOp, handleLoad>(table);
  on<tt::StoreOp, handleStore>(table);
}

void addAtomics(HandlerTable &table) {
  on<tt::AtomicRMWOp, handleUpdate>(table);
  on<tt::AtomicCASOp, handleSwap>(table);
}

} // namespace gluonc::lift
