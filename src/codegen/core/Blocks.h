//===- Blocks.h - Control flow of one function, and what it carries ----------===//
#pragma once

#include "codegen/core/Values.h"

namespace gluonc::codegen {

class Blocks {
public:
  /// `carriesWords`: of all tensors with narrow elements, as those of matrix products.
  Blocks(Builder &builder, RegisterTypes &types, Values &values, llvm::Function &function,
         bool carriesWords);

  /// The function's first block, which dominates all others.
  llvm::BasicBlock *const entry;

  llvm::BasicBlock *create(const llvm::Twine &name);
  void start(llvm::BasicBlock *block) { builder.SetInsertPoint(block); }
  llvm::SmallVector<llvm::PHINode *> newPhis(mlir::TypeRange types);
  /// What phis carry of several values: their registers one after another, but operands of matrix
  /// products in the words that instructions take. Elements that travel alone would need a
  /// machine register each, and be put together again in every iteration.
  Registers carry(mlir::ValueRange values);
  /// The reverse, where `phis` have their block's top to themselves.
  void setCarried(mlir::ValueRange values, llvm::ArrayRef<llvm::PHINode *> phis);
  /// The block of a cf branch target; its arguments are phis.
  llvm::BasicBlock *of(mlir::Block *block);
  void branchTo(mlir::Block *target, mlir::ValueRange operands);
  void addIncoming(mlir::Block *target, llvm::ArrayRef<llvm::Value *> carried,
                   llvm::BasicBlock *from);

private:
  /// How many elements of a value go into a word that phis carry.
  unsigned elementsPerPhi(mlir::Type type);

  Builder &builder;
  RegisterTypes &types;
  Values &values;
  const bool carriesWords;
  llvm::DenseMap<mlir::Block *, llvm::BasicBlock *> blocks;
  llvm::DenseMap<mlir::Block *, llvm::SmallVector<llvm::PHINode *>> phis;
};

} // namespace gluonc::codegen
