//===- Translate.h - LLVM IR to flat code --------------------------------------===//
#pragma once

#include "bitcode/Machine.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Module.h"

namespace gluonc::bitcode {

/// A word of a value: where it lies in memory, in bytes, and what it is.
struct Lane {
  llvm::Type *type;
  uint32_t offset;
};

/// The words of values of a type; false for what is not executed here.
bool addLanes(llvm::Type *type, const llvm::DataLayout &data, uint32_t offset,
              llvm::SmallVectorImpl<Lane> &lanes);
/// Nullopt for types that are no scalars here.
std::optional<Type> typeOf(llvm::Type *type);
unsigned bitsOf(llvm::Type *type);

/// What the libraries of a launch know.
class Context {
public:
  virtual ~Context() = default;
  /// A function that another module defines; null where there is none.
  virtual llvm::Function *find(llvm::StringRef symbol) const = 0;
  /// What `__nvvm_reflect` answers.
  virtual Word reflect(llvm::StringRef question) const = 0;
};

/// Translates a function and what it calls.
class Translator {
public:
  explicit Translator(const Context &context) : context(context) {}

  /// Null, with the reason in `why`.
  std::shared_ptr<Code> translate(llvm::Function &function);
  std::string why;

  // -- For the translation of one function ---------------------------------------

  const Code *codeOf(llvm::Function &function);
  /// The address of a global variable; nullopt after a reason.
  std::optional<Word> addressOf(const llvm::GlobalVariable &variable);
  const Context &context;

private:
  llvm::MapVector<llvm::Function *, std::shared_ptr<Code>> codes;
  llvm::MapVector<const llvm::GlobalVariable *, std::shared_ptr<std::vector<uint64_t>>> tables;
};

} // namespace gluonc::bitcode
