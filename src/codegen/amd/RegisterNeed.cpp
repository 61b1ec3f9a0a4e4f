#include "codegen/amd/RegisterNeed.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gluonc::codegen::amd {
namespace {

/// Halves of a word share it, as far as is known here.
unsigned bitsOf(const Value *value) {
  const Type *type = value->getType();
  if (!isa<Instruction>(value) || !(type->isFloatingPointTy() || type->isVectorTy()) ||
      type->isPtrOrPtrVectorTy())
    return 0;
  return type->getPrimitiveSizeInBits().getFixedValue();
}

/// What is alive, with its bits.
class Alive {
public:
  void begin(const Value *value) {
    if (unsigned bits = bitsOf(value); bits && values.insert(value).second)
      total += bits;
  }
  void end(const Value *value) {
    if (values.erase(value))
      total -= bitsOf(value);
  }
  unsigned bits() const { return total; }
  const DenseSet<const Value *> &all() const { return values; }

private:
  DenseSet<const Value *> values;
  unsigned total = 0;
};

} // namespace

unsigned registersNeeded(const Function &function) {
  DenseMap<const BasicBlock *, Alive> atBegin;
  unsigned most = 0;
  bool changed = true;
  while (changed) {
    changed = false;
    for (const BasicBlock *block : post_order(&function)) {
      Alive alive;
      for (const BasicBlock *next : successors(block)) {
        for (const Value *value : atBegin[next].all())
          alive.begin(value);
        for (const PHINode &phi : next->phis())
          alive.begin(phi.getIncomingValueForBlock(block));
      }
      for (const Instruction &instruction : reverse(*block)) {
        most = std::max(most, alive.bits());
        alive.end(&instruction);
        if (!isa<PHINode>(instruction))
          for (const Value *operand : instruction.operands())
            alive.begin(operand);
      }
      most = std::max(most, alive.bits());
      changed |= alive.all().size() != atBegin[block].all().size();
      atBegin[block] = std::move(alive);
    }
  }
  constexpr unsigned bitsOfWord = 32;
  return divideCeil(most, bitsOfWord);
}

} // namespace gluonc::codegen::amd
