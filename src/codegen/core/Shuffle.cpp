#include "codegen/core/Shuffle.h"

using namespace llvm;

namespace gluonc::codegen {
namespace {

/// Elements as i32 words: shuffles know nothing else. 64-bit ones take two.
SmallVector<Value *, 2> toWords(Builder &builder, Value *value) {
  Type *type = value->getType();
  if (type->isPointerTy())
    value = builder.CreatePtrToInt(value, builder.getInt64Ty());
  else if (!type->isIntegerTy())
    value = builder.CreateBitCast(value, builder.getIntNTy(type->getScalarSizeInBits()));
  if (value->getType()->getIntegerBitWidth() <= 32)
    return {builder.CreateZExt(value, builder.getInt32Ty())};
  Value *high = builder.CreateLShr(value, 32);
  return {builder.CreateTrunc(value, builder.getInt32Ty()),
          builder.CreateTrunc(high, builder.getInt32Ty())};
}

Value *fromWords(Builder &builder, ArrayRef<Value *> words, Type *type) {
  Value *value = words[0];
  if (words.size() == 2) {
    Value *high = builder.CreateShl(builder.CreateZExt(words[1], builder.getInt64Ty()), 32);
    value = disjointOr(builder, builder.CreateZExt(words[0], builder.getInt64Ty()), high);
  }
  if (type->isPointerTy())
    return builder.CreateIntToPtr(value, type);
  value = builder.CreateTrunc(value, builder.getIntNTy(type->getScalarSizeInBits()));
  return builder.CreateBitCast(value, type);
}

template <typename Move> Value *moveWords(Builder &builder, Value *element, Move move) {
  SmallVector<Value *, 2> words = toWords(builder, element);
  for (Value *&word : words)
    word = move(word);
  return fromWords(builder, words, element->getType());
}

} // namespace

Value *shuffle(Emitter &emitter, Value *element, Value *lane) {
  return moveWords(emitter.builder, element,
                   [&](Value *word) { return emitter.isa.shuffle(emitter.builder, word, lane); });
}

Value *shuffleXor(Emitter &emitter, Value *element, unsigned distance) {
  return moveWords(emitter.builder, element, [&](Value *word) {
    return emitter.isa.shuffleXor(emitter.builder, word, distance);
  });
}

} // namespace gluonc::codegen
