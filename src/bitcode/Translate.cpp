//===- Translate.cpp -------------------------------------------------------------===//
#include "bitcode/Translate.h"
#include "bitcode/TranslateFunction.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

namespace gluonc::bitcode {

unsigned bitsOf(llvm::Type *type) {
  return type->isPointerTy() ? 64 : unsigned(type->getPrimitiveSizeInBits());
}

std::optional<Type> typeOf(llvm::Type *type) {
  if (type->isHalfTy())
    return Type::Half;
  if (type->isBFloatTy())
    return Type::BFloat;
  if (type->isFloatTy())
    return Type::Float;
  if (type->isDoubleTy())
    return Type::Double;
  if (type->isPointerTy())
    return Type::Pointer;
  if (!type->isIntegerTy())
    return std::nullopt;
  switch (type->getIntegerBitWidth()) {
  case 1:
    return Type::I1;
  case 8:
    return Type::I8;
  case 16:
    return Type::I16;
  case 32:
    return Type::I32;
  case 64:
    return Type::I64;
  default:
    return std::nullopt;
  }
}

bool addLanes(llvm::Type *type, const llvm::DataLayout &data, uint32_t offset,
              llvm::SmallVectorImpl<Lane> &lanes) {
  // More than anybody computes with, and few enough to list.
  constexpr size_t mostLanes = 4096;
  if (lanes.size() >= mostLanes)
    return false;
  if (auto *integer = llvm::dyn_cast<llvm::IntegerType>(type);
      (integer && integer->getBitWidth() <= 64) || (!integer && typeOf(type))) {
    lanes.push_back({type, offset});
    return true;
  }
  auto addAll = [&](llvm::Type *element, uint64_t count, uint64_t step) {
    for (uint64_t i = 0; i < count; ++i)
      if (!addLanes(element, data, offset + uint32_t(i * step), lanes))
        return false;
    return true;
  };
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    llvm::Type *element = vector->getElementType();
    return addAll(element, vector->getNumElements(), (bitsOf(element) + 7) / 8);
  }
  if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    llvm::Type *element = array->getElementType();
    return element->isSized() &&
           addAll(element, array->getNumElements(), data.getTypeAllocSize(element));
  }
  auto *structure = llvm::dyn_cast<llvm::StructType>(type);
  if (!structure || structure->isOpaque() || !structure->isSized())
    return false;
  const llvm::StructLayout *places = data.getStructLayout(structure);
  for (unsigned i = 0; i < structure->getNumElements(); ++i)
    if (!addLanes(structure->getElementType(i), data,
                  offset + uint32_t(places->getElementOffset(i)), lanes))
      return false;
  return true;
}

const Code *Translator::codeOf(llvm::Function &function) {
  auto [entry, isNew] = codes.insert({&function, nullptr});
  if (!isNew)
    return entry->second.get();
  auto code = std::make_shared<Code>();
  code->name = function.getName();
  // Before it is translated: it may call itself.
  entry->second = code;
  if (llvm::Error problem = function.materialize()) {
    why = llvm::toString(std::move(problem));
    return nullptr;
  }
  return FunctionTranslator(*this, function, *code).run() ? code.get() : nullptr;
}

/// Writes a constant as it lies in memory; false for what is not written here.
static bool write(const llvm::Constant *constant, const llvm::DataLayout &data, uint8_t *to) {
  if (constant->isNullValue() || llvm::isa<llvm::UndefValue>(constant))
    return true;
  llvm::Type *type = constant->getType();
  auto put = [&](const llvm::APInt &value) {
    if (value.getBitWidth() > 64)
      return false;
    uint64_t bits = value.getZExtValue();
    std::memcpy(to, &bits, (value.getBitWidth() + 7) / 8);
    return true;
  };
  if (auto *integer = llvm::dyn_cast<llvm::ConstantInt>(constant))
    return put(integer->getValue());
  if (auto *number = llvm::dyn_cast<llvm::ConstantFP>(constant))
    return put(number->getValueAPF().bitcastToAPInt());
  llvm::SmallVector<Lane> lanes;
  uint64_t count = type->isStructTy()   ? type->getStructNumElements()
                   : type->isArrayTy()  ? type->getArrayNumElements()
                   : type->isVectorTy() ? llvm::cast<llvm::FixedVectorType>(type)->getNumElements()
                                        : 0;
  for (uint64_t i = 0; i < count; ++i) {
    const llvm::Constant *element = constant->getAggregateElement(unsigned(i));
    if (!element)
      return false;
    uint64_t offset =
        type->isStructTy()
            ? data.getStructLayout(llvm::cast<llvm::StructType>(type))->getElementOffset(i)
            : i * data.getTypeAllocSize(element->getType());
    if (!write(element, data, to + offset))
      return false;
  }
  return count != 0;
}

std::optional<Word> Translator::addressOf(const llvm::GlobalVariable &variable) {
  auto refuse = [&](const char *what) {
    why = ("it uses the variable `" + variable.getName() + "`, " + what).str();
    return std::nullopt;
  };
  auto entry = tables.find(&variable);
  if (entry == tables.end()) {
    if (!variable.hasDefinitiveInitializer())
      return refuse("which its library does not define");
    // What one program writes others would see.
    if (!variable.isConstant() && !variable.hasLocalLinkage())
      return refuse("which others may change");
    const llvm::DataLayout &data = variable.getParent()->getDataLayout();
    uint64_t bytes = data.getTypeAllocSize(variable.getValueType());
    constexpr uint64_t mostBytes = 1 << 24;
    if (bytes > mostBytes)
      return refuse("which is larger than 16 MiB");
    auto table = std::make_shared<std::vector<uint64_t>>(llvm::divideCeil(bytes, 8) + 1);
    if (!write(variable.getInitializer(), data, reinterpret_cast<uint8_t *>(table->data())))
      return refuse("in which are addresses or wide numbers");
    entry = tables.insert({&variable, std::move(table)}).first;
  }
  return reinterpret_cast<uint64_t>(entry->second->data());
}

std::shared_ptr<Code> Translator::translate(llvm::Function &function) {
  if (!codeOf(function))
    return nullptr;
  std::shared_ptr<Code> outermost = codes.front().second;
  for (auto &[each, code] : llvm::drop_begin(codes)) {
    outermost->loads |= code->loads;
    outermost->stores |= code->stores;
    outermost->updates |= code->updates;
    outermost->called.push_back(code);
  }
  for (auto &[variable, table] : tables)
    outermost->tables.push_back(table);
  return outermost;
}

} // namespace gluonc::bitcode
