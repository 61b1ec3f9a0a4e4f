#include "codegen/Words.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace gluonc::codegen {
namespace {

/// The integer that stands for an element in memory.
Value *toInteger(Builder &builder, Value *element) {
  Type *type = element->getType();
  Type *integer = builder.getIntNTy(8 * memoryBytes(type));
  if (type->isPointerTy())
    return builder.CreatePtrToInt(element, integer);
  if (type->isIntegerTy())
    return builder.CreateZExt(element, integer);
  return builder.CreateBitCast(element, integer);
}

Value *fromInteger(Builder &builder, Value *integer, Type *type) {
  if (type->isPointerTy())
    return builder.CreateIntToPtr(integer, type);
  if (type->isIntegerTy(1))
    return builder.CreateICmpNE(integer, Constant::getNullValue(integer->getType()));
  return builder.CreateBitCast(integer, type);
}

/// Elements that keep their type inside a word; others travel as integers.
Type *laneType(Type *element) {
  bool plain = !element->isPointerTy() && !element->isIntegerTy(1);
  return plain ? element : Type::getIntNTy(element->getContext(), 8 * memoryBytes(element));
}

} // namespace

unsigned memoryBytes(Type *element) {
  if (element->isPointerTy())
    return 8;
  return std::max<unsigned>(8, element->getPrimitiveSizeInBits()) / 8;
}

Type *wordType(Type *element, unsigned count) {
  unsigned bits = 8 * memoryBytes(element);
  return Type::getIntNTy(element->getContext(), std::min(bits * count, std::max(32u, bits)));
}

Registers packWords(Builder &builder, ArrayRef<Value *> elements, Type *word) {
  Type *element = elements[0]->getType();
  unsigned perWord = word->getIntegerBitWidth() / (8 * memoryBytes(element));
  Registers words;
  for (size_t i = 0; i < elements.size(); i += perWord) {
    if (perWord == 1) {
      words.push_back(toInteger(builder, elements[i]));
      continue;
    }
    Type *lane = laneType(element);
    Value *vector = PoisonValue::get(FixedVectorType::get(lane, perWord));
    for (unsigned k = 0; k < perWord; ++k) {
      Value *value = lane == element ? elements[i + k] : toInteger(builder, elements[i + k]);
      vector = builder.CreateInsertElement(vector, value, k);
    }
    words.push_back(builder.CreateBitCast(vector, word));
  }
  return words;
}

Registers unpackWords(Builder &builder, ArrayRef<Value *> words, Type *element, unsigned count) {
  unsigned perWord = count / words.size();
  Registers elements;
  for (Value *word : words) {
    if (perWord == 1) {
      elements.push_back(fromInteger(builder, word, element));
      continue;
    }
    Type *lane = laneType(element);
    Value *vector = builder.CreateBitCast(word, FixedVectorType::get(lane, perWord));
    for (unsigned k = 0; k < perWord; ++k) {
      Value *value = builder.CreateExtractElement(vector, k);
      elements.push_back(lane == element ? value : fromInteger(builder, value, element));
    }
  }
  return elements;
}

} // namespace gluonc::codegen
