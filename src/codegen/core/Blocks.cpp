#include "codegen/core/Blocks.h"

#include "codegen/core/Words.h"
#include "ir/Dialects.h"

using namespace llvm;

namespace gluonc::codegen {

Blocks::Blocks(Builder &builder, RegisterTypes &types, Values &values, Function &function,
               bool carriesWords)
    : entry(BasicBlock::Create(function.getContext(), "prologue", &function)), builder(builder),
      types(types), values(values), carriesWords(carriesWords) {}

BasicBlock *Blocks::create(const Twine &name) {
  return BasicBlock::Create(entry->getContext(), name, entry->getParent());
}

SmallVector<PHINode *> Blocks::newPhis(mlir::TypeRange list) {
  SmallVector<PHINode *> made;
  for (mlir::Type type : list) {
    SmallVector<Type *> carried = types.ofRegisters(type);
    if (unsigned perPhi = elementsPerPhi(type); perPhi != 1)
      carried.assign(carried.size() / perPhi, builder.getInt32Ty());
    for (Type *phiType : carried)
      made.push_back(builder.CreatePHI(phiType, 2));
  }
  return made;
}

unsigned Blocks::elementsPerPhi(mlir::Type type) {
  mlir::RankedTensorType tensor = dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor)
    return 1;
  if (!carriesWords && !isa_and_nonnull<ttg::DotOperandEncodingAttr>(tensor.getEncoding()))
    return 1;
  unsigned bits = types.ofElement(tensor.getElementType())->getScalarSizeInBits();
  unsigned perWord = bits == 8 || bits == 16 ? 32 / bits : 1;
  return types.registerCount(type) % perWord == 0 ? perWord : 1;
}

Registers Blocks::carry(mlir::ValueRange list) {
  Registers all;
  for (mlir::Value value : list) {
    if (elementsPerPhi(value.getType()) == 1)
      append_range(all, values.get(value));
    else
      append_range(all, packWords(builder, values.get(value), builder.getInt32Ty()));
  }
  return all;
}

void Blocks::setCarried(mlir::ValueRange list, ArrayRef<PHINode *> carried) {
  for (mlir::Value value : list) {
    unsigned count = types.registerCount(value.getType());
    unsigned perPhi = elementsPerPhi(value.getType());
    SmallVector<Value *> mine(carried.take_front(count / perPhi));
    carried = carried.drop_front(mine.size());
    if (perPhi == 1)
      values.set(value, Registers(mine.begin(), mine.end()));
    else
      values.set(value, unpackWords(builder, mine, types.ofRegisters(value.getType())[0], count));
  }
}

BasicBlock *Blocks::of(mlir::Block *block) {
  BasicBlock *&target = blocks[block];
  if (target)
    return target;
  target = create("bb");
  Builder::InsertPointGuard guard(builder);
  builder.SetInsertPoint(target);
  SmallVector<PHINode *> arguments = newPhis(mlir::TypeRange(block->getArgumentTypes()));
  setCarried(block->getArguments(), arguments);
  phis[block] = std::move(arguments);
  return target;
}

void Blocks::addIncoming(mlir::Block *target, ArrayRef<Value *> carried, BasicBlock *from) {
  for (auto [phi, value] : zip_equal(phis[target], carried))
    phi->addIncoming(value, from);
}

void Blocks::branchTo(mlir::Block *target, mlir::ValueRange operands) {
  BasicBlock *block = of(target);
  addIncoming(target, carry(operands), builder.GetInsertBlock());
  builder.CreateBr(block);
}

} // namespace gluonc::codegen
