//===- Words.h - Elements packed into memory words -------------------------------===//
//
// A vector access moves machine words; elements are cut out of them and put
// together again by bit casts, which cost nothing once optimized.
//
//   8 x f16 in 128 bits   <->   4 words of i32, 2 elements each
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/core/Isa.h"

namespace gluonc::codegen {

/// Bytes of an element in memory: i1 takes a whole byte, a pointer eight.
unsigned memoryBytes(llvm::Type *element);

/// The word type for `count` elements side by side: 32 bits where they fill it,
/// else the element's width or what the elements fill. An integer, unless the elements are
/// floats as wide as a register: those need not change registers on their way.
llvm::Type *wordType(llvm::Type *element, unsigned count);
unsigned wordBits(llvm::Type *word);

/// `count` words that lie side by side, in one access.
llvm::LoadInst *loadVector(Builder &builder, llvm::Value *pointer, llvm::Type *word,
                           unsigned count);
/// The words of what loadVector gave.
Registers wordsOf(Builder &builder, llvm::Value *loaded);
llvm::StoreInst *storeVector(Builder &builder, llvm::Value *pointer,
                             llvm::ArrayRef<llvm::Value *> words);

/// The value itself where there is one.
llvm::Value *vectorOf(Builder &builder, llvm::ArrayRef<llvm::Value *> values);

Registers packWords(Builder &builder, llvm::ArrayRef<llvm::Value *> elements, llvm::Type *word);
Registers unpackWords(Builder &builder, llvm::ArrayRef<llvm::Value *> words, llvm::Type *element,
                      unsigned count);

} // namespace gluonc::codegen
