//===- TranslateFunction.h - One function ---------------------------------------===//
#pragma once

#include "bitcode/Translate.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace gluonc::bitcode {

class FunctionTranslator {
public:
  FunctionTranslator(Translator &all, llvm::Function &function, Code &code)
      : all(all), function(function), code(code), data(function.getParent()->getDataLayout()) {}

  /// False after a reason.
  bool run();

private:
  using Value = const llvm::Value *;

  bool refuse(const llvm::Twine &what);
  bool refuse(const llvm::Instruction &instruction);

  // -- Words -----------------------------------------------------------------------

  /// The words of a type; nullopt after a reason.
  std::optional<llvm::SmallVector<Lane>> lanesOf(llvm::Type *type);
  uint32_t reserve(size_t words);
  /// The first word of a value, which a constant gets now; nullopt after a reason.
  std::optional<uint32_t> place(Value value);
  bool fill(const llvm::Constant *constant, uint32_t at);
  std::optional<Word> address(const llvm::Constant *constant);

  // -- Steps -----------------------------------------------------------------------

  bool add(const llvm::Instruction &instruction);
  /// A step for a result of the instruction with its first `operands` as operands.
  Step *step(const llvm::Instruction &instruction, unsigned operands);
  bool compute(const llvm::Instruction &instruction, Compute function, unsigned operands,
               Word immediate = 0);
  bool addBinary(const llvm::BinaryOperator &op);
  bool addCast(const llvm::CastInst &cast);
  bool addCompare(const llvm::CmpInst &compare);
  bool addVector(const llvm::Instruction &instruction);
  bool addAggregate(const llvm::Instruction &instruction);
  bool addAddress(const llvm::GetElementPtrInst &op);
  bool addMemory(const llvm::Instruction &instruction);
  bool addAccess(Step::Kind kind, Value address, llvm::Type *type, std::optional<uint32_t> value,
                 std::optional<uint32_t> result);
  bool addUpdate(const llvm::AtomicRMWInst &update);
  bool addCall(const llvm::CallInst &call);
  bool addIntrinsic(const llvm::CallInst &call, llvm::Function &callee);
  bool addWithOverflow(const llvm::CallInst &call, llvm::StringRef name);
  bool addBlockCopy(const llvm::MemIntrinsic &copy);
  bool addReflect(const llvm::CallInst &call);
  bool addAssembly(const llvm::CallInst &call);
  bool addTerminator(const llvm::Instruction &instruction);
  /// The way from one block to another.
  std::optional<uint32_t> edge(const llvm::BasicBlock &from, const llvm::BasicBlock &to);

  Translator &all;
  llvm::Function &function;
  Code &code;
  const llvm::DataLayout &data;
  llvm::DenseMap<Value, uint32_t> places;
  llvm::DenseMap<const llvm::BasicBlock *, uint32_t> begins;
  /// By edge: where it leads.
  std::vector<const llvm::BasicBlock *> leads;
};

} // namespace gluonc::bitcode
