#include "codegen/core/Words.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace gluonc::codegen {
namespace {

/// What stands for an element in memory: the element itself where it is a word of its own, else
/// an integer.
Value *toWord(Builder &builder, Value *element, Type *word) {
  Type *type = element->getType();
  if (type == word)
    return element;
  Type *integer = builder.getIntNTy(8 * memoryBytes(type));
  if (type->isPointerTy())
    return builder.CreatePtrToInt(element, integer);
  if (type->isIntegerTy())
    return builder.CreateZExt(element, integer);
  return builder.CreateBitCast(element, integer);
}

Value *fromWord(Builder &builder, Value *word, Type *type) {
  if (type->isPointerTy())
    return builder.CreateIntToPtr(word, type);
  if (type->isIntegerTy(1))
    return builder.CreateICmpNE(word, Constant::getNullValue(word->getType()));
  return builder.CreateBitCast(word, type);
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

unsigned wordBits(Type *word) { return word->getPrimitiveSizeInBits(); }

Type *wordType(Type *element, unsigned count) {
  unsigned bits = 8 * memoryBytes(element);
  if (element->isFloatTy() || element->isDoubleTy())
    return element;
  return Type::getIntNTy(element->getContext(), std::min(bits * count, std::max(32u, bits)));
}

LoadInst *loadVector(Builder &builder, Value *pointer, Type *word, unsigned count) {
  Type *type = count == 1 ? word : FixedVectorType::get(word, count);
  return builder.CreateAlignedLoad(type, pointer, Align(count * wordBits(word) / 8));
}

Registers wordsOf(Builder &builder, Value *loaded) {
  auto *vector = dyn_cast<FixedVectorType>(loaded->getType());
  if (!vector)
    return {loaded};
  Registers words;
  for (unsigned i = 0; i < vector->getNumElements(); ++i)
    words.push_back(builder.CreateExtractElement(loaded, i));
  return words;
}

StoreInst *storeVector(Builder &builder, Value *pointer, ArrayRef<Value *> words) {
  Type *word = words[0]->getType();
  return builder.CreateAlignedStore(vectorOf(builder, words), pointer,
                                    Align(words.size() * wordBits(word) / 8));
}

Value *vectorOf(Builder &builder, ArrayRef<Value *> values) {
  if (values.size() == 1)
    return values[0];
  Value *vector = PoisonValue::get(FixedVectorType::get(values[0]->getType(), values.size()));
  for (auto [i, value] : enumerate(values))
    vector = builder.CreateInsertElement(vector, value, i);
  return vector;
}

Registers packWords(Builder &builder, ArrayRef<Value *> elements, Type *word) {
  Type *element = elements[0]->getType();
  unsigned perWord = wordBits(word) / (8 * memoryBytes(element));
  Registers words;
  for (size_t i = 0; i < elements.size(); i += perWord) {
    if (perWord == 1) {
      words.push_back(toWord(builder, elements[i], word));
      continue;
    }
    Type *lane = laneType(element);
    Value *vector = PoisonValue::get(FixedVectorType::get(lane, perWord));
    for (unsigned k = 0; k < perWord; ++k) {
      Value *value = toWord(builder, elements[i + k], lane);
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
      elements.push_back(fromWord(builder, word, element));
      continue;
    }
    Type *lane = laneType(element);
    Value *vector = builder.CreateBitCast(word, FixedVectorType::get(lane, perWord));
    for (unsigned k = 0; k < perWord; ++k) {
      Value *value = builder.CreateExtractElement(vector, k);
      elements.push_back(lane == element ? value : fromWord(builder, value, element));
    }
  }
  return elements;
}

} // namespace gluonc::codegen
