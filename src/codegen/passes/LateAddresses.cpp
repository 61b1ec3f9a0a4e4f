#include "codegen/passes/LateAddresses.h"

#include "codegen/passes/Preserved.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <utility>

using namespace llvm;

namespace gluonc::codegen {
namespace {

/// Stores of a block whose addresses take as many registers as a thread may have half of.
constexpr size_t manyStores = 64;

/// The address in global memory that `instruction` stores to, or null. Masked stores are
/// instructions of PTX.
Value *storedTo(Instruction &instruction) {
  Value *address = nullptr;
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    address = store->getPointerOperand();
  else if (auto *call = dyn_cast<CallInst>(&instruction); call && call->isInlineAsm()) {
    auto *text = cast<InlineAsm>(call->getCalledOperand());
    if (!StringRef(text->getAsmString()).contains("st.global"))
      return nullptr;
    auto *place =
        find_if(call->args(), [](const Use &use) { return use->getType()->isPointerTy(); });
    address = place == call->arg_end() ? nullptr : place->get();
  }
  return address && address->getType()->getPointerAddressSpace() == 1 ? address : nullptr;
}

/// Whether `value` is arithmetic of `block` that has one user.
bool canMove(const Value *value, const BasicBlock &block) {
  auto *instruction = dyn_cast<Instruction>(value);
  return instruction && instruction->getParent() == &block && instruction->hasOneUse() &&
         isa<GetElementPtrInst, CastInst, BinaryOperator>(instruction);
}

/// Moves `address`, and what only it needs, in front of `store`.
void moveBefore(Value *address, Instruction &store) {
  SmallVector<std::pair<Instruction *, Instruction *>> moves = {
      {cast<Instruction>(address), &store}};
  while (!moves.empty()) {
    auto [moved, user] = moves.pop_back_val();
    moved->moveBefore(user->getIterator());
    for (Value *operand : moved->operands())
      if (canMove(operand, *store.getParent()))
        moves.push_back({cast<Instruction>(operand), moved});
  }
}

bool runOn(BasicBlock &block) {
  SmallVector<std::pair<Instruction *, Value *>> stores;
  for (Instruction &instruction : block)
    if (Value *address = storedTo(instruction); address && canMove(address, block))
      stores.push_back({&instruction, address});
  if (stores.size() < manyStores)
    return false;
  for (auto [store, address] : stores)
    moveBefore(address, *store);
  return true;
}

} // namespace

PreservedAnalyses LateAddressesPass::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  if (function.getParent()->getTargetTriple().isNVPTX())
    for (BasicBlock &block : function)
      changed |= runOn(block);
  return preservedAfter(changed);
}

} // namespace gluonc::codegen
