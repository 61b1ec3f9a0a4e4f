//===- TensorDescriptor.h - Descriptors of the tensor mover, in registers ----------===//
//
// The engine reads a descriptor from 12 scalar registers, 20 for more than two dims, most
// of whose fields are of one copy only. Between copies there is only what the language's
// descriptors say, a field a register, so that moving one is an addition or two.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/core/Isa.h"
#include "layout/named/Layouts.h"

namespace gluonc::codegen::amd {

/// Dims are outermost first.
struct TensorDescriptor {
  /// Where the block begins, i64, with the bits that say what the words are.
  llvm::Value *base = nullptr;
  /// Elements from there to the end of the tensor, i32, not negative.
  llvm::SmallVector<llvm::Value *, 5> extents;
  /// In elements, i64; the last dim has none, it is 1.
  llvm::SmallVector<llvm::Value *, 4> strides;
  /// Whether copies do anything: 0 or 1, i32.
  llvm::Value *active = nullptr;
  /// Turns it off unless the condition, which all lanes share, holds.
  void onlyIf(Builder &builder, llvm::Value *condition);

  unsigned rank() const { return extents.size(); }
  Registers registers() const;
  static TensorDescriptor ofRegisters(llvm::ArrayRef<llvm::Value *> registers, unsigned rank);
  static llvm::SmallVector<llvm::Type *> types(llvm::LLVMContext &context, unsigned rank);

  /// What the words of one say that a launch brings.
  static TensorDescriptor ofWords(Builder &builder, llvm::ArrayRef<llvm::Value *> words,
                                  unsigned rank);
  static TensorDescriptor make(Builder &builder, llvm::Value *pointer,
                               llvm::ArrayRef<llvm::Value *> extents,
                               llvm::ArrayRef<llvm::Value *> strides);
};

/// What one instruction moves.
struct MoverTile {
  layout::Ints shape;
  unsigned elementBytes = 0;
  /// In LDS, i32.
  llvm::Value *address = nullptr;
  /// After so many bytes in LDS, so many are left out; 0: none are.
  int64_t padInterval = 0, padding = 0;
  /// Of a barrier in LDS that is told, i32; null for none.
  llvm::Value *barrier = nullptr;
  /// A bit for each workgroup of the cluster that gets the tile, i32; null for this one alone.
  llvm::Value *workgroups = nullptr;
  /// Instead of neighbours, rows with these numbers, i16 or i32 that all lanes share.
  llvm::SmallVector<llvm::Value *, 16> rows;
};

/// The operands of an instruction; the last two are null up to two dims.
struct MoverWords {
  llvm::Value *groups[4] = {};
};

MoverWords makeWords(Builder &builder, const TensorDescriptor &descriptor, const MoverTile &tile);

} // namespace gluonc::codegen::amd
