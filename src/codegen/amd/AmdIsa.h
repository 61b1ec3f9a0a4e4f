//===- AmdIsa.h - The Isa of AMD GPUs ----------------------------------------===//
//
// CDNA (waves of 64 lanes) and RDNA with gfx1250 (waves of 32). What a chip lacks, its
// table of operations refuses or the chip's features keep from being asked for.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/core/Isa.h"

namespace gluonc::codegen::amd {

class AmdIsa final : public Isa {
public:
  AmdIsa(const target::Target &target, const Options &options) : target(target), options(options) {}

  const EmitTable &operations() const override;
  bool carriesWords() const override { return true; }
  bool computesPairs(llvm::Type *type) const override;
  void prepareModule(llvm::Module &module) const override;
  llvm::Constant *sharedMemory(llvm::Module &module) const override;
  void markKernel(llvm::Function &function, const KernelInfo &kernel,
                  std::optional<unsigned> maxRegisters,
                  llvm::ArrayRef<unsigned> descriptors) const override;
  llvm::SmallVector<llvm::Type *> descriptorParameters(llvm::LLVMContext &context,
                                                       unsigned rank) const override;
  llvm::SmallVector<llvm::Type *> descriptorRegisters(llvm::LLVMContext &context,
                                                      unsigned rank) const override;
  Registers readDescriptor(Builder &builder, llvm::ArrayRef<llvm::Value *> parameters,
                           unsigned rank) const override;
  llvm::Value *threadId(Builder &builder, unsigned threads) const override;
  llvm::Value *warpId(Builder &builder, unsigned warps) const override;
  llvm::Value *programId(Builder &builder, unsigned axis) const override;
  llvm::Value *programCount(Builder &builder, unsigned axis) const override;
  void ctaBarrier(Builder &builder, bool global) const override;
  void warpBarrier(Builder &builder) const override;
  bool wantsUniformBranches() const override { return true; }
  void joinGroup(Builder &builder, unsigned id) const override;
  void groupBarrier(Builder &builder, unsigned id, unsigned threads, bool global) const override;
  void workersBarrier(Builder &builder, unsigned id, unsigned threads) const override;
  llvm::Value *clusterRank(Builder &builder, unsigned ctas) const override;
  llvm::Value *shuffle(Builder &builder, llvm::Value *value, llvm::Value *lane) const override;
  llvm::Value *shuffleXor(Builder &builder, llvm::Value *value, unsigned distance) const override;
  Registers loadWords(Builder &builder, llvm::Value *pointer, llvm::Type *word, llvm::Value *mask,
                      llvm::ArrayRef<llvm::Value *> other, unsigned count,
                      const MemoryHints &hints) const override;
  void storeWords(Builder &builder, llvm::Value *pointer, llvm::ArrayRef<llvm::Value *> words,
                  llvm::Value *mask, const MemoryHints &hints) const override;
  llvm::Value *atomicUpdate(Builder &builder, AtomicKind kind, llvm::Value *pointer,
                            llvm::Value *value, const AtomicForm &form, bool used) const override;
  llvm::Value *atomicLoad(Builder &builder, llvm::Value *pointer, llvm::Type *type,
                          const AtomicForm &form) const override;
  void atomicStore(Builder &builder, llvm::Value *pointer, llvm::Value *value,
                   const AtomicForm &form) const override;
  llvm::Value *atomicSwap(Builder &builder, llvm::Value *pointer, llvm::Value *expected,
                          llvm::Value *desired, const AtomicForm &form) const override;
  llvm::Value *atomicPoll(Builder &builder, llvm::Value *pointer, llvm::Value *expected,
                          llvm::Value *timeout, const AtomicForm &form) const override;
  void print(Builder &builder, llvm::StringRef format,
             llvm::ArrayRef<llvm::Value *> values) const override;
  void assertFail(Builder &builder, llvm::StringRef message, llvm::StringRef file, unsigned line,
                  llvm::StringRef function) const override;
  bool hasVectorRegisters() const override { return true; }
  Registers inlineAsm(Builder &builder, llvm::StringRef text, llvm::StringRef constraints,
                      llvm::ArrayRef<llvm::Type *> results, llvm::ArrayRef<llvm::Value *> operands,
                      bool isPure) const override;
  llvm::Value *math(Builder &builder, MathKind kind,
                    llvm::ArrayRef<llvm::Value *> operands) const override;
  llvm::Value *roundedMath(Builder &builder, RoundedKind kind, llvm::RoundingMode rounding,
                           llvm::ArrayRef<llvm::Value *> operands) const override;
  llvm::Value *roundedCast(Builder &builder, llvm::Value *value, llvm::Type *to, bool isUnsigned,
                           llvm::RoundingMode rounding) const override;
  llvm::Value *convertFloat(Builder &builder, llvm::Value *value, FloatKind from, FloatKind to,
                            bool towardsZero) const override;
  llvm::Value *convertPair(Builder &builder, llvm::Value *low, llvm::Value *high, FloatKind from,
                           FloatKind to) const override;

private:
  target::Target target;
  Options options;
};

/// A fence of LDS only, unless `global`: loads that are on their way need not come (LLVM,
/// AMDGPUUsage, "Memory Model Relaxation Annotations").
void fence(Builder &builder, llvm::AtomicOrdering order, llvm::StringRef scope, bool global);

/// Runs `make` only in threads where `mask` holds; what it gives there, and `other` elsewhere. The
/// builder continues behind it. Without a mask, all threads do.
Registers underMask(Builder &builder, llvm::Value *mask, llvm::ArrayRef<llvm::Value *> other,
                    llvm::function_ref<Registers()> make);

} // namespace gluonc::codegen::amd
