//===- NvidiaIsa.h - The Isa of NVIDIA GPUs ----------------------------------===//
#pragma once

#include "codegen/core/Isa.h"

namespace gluonc::codegen::nvidia {

// The operations of this vendor, by family.
void addMma(EmitTable &table);
void addWgmma(EmitTable &table);
void addTensorMemory(EmitTable &table);

class NvidiaIsa final : public Isa {
public:
  NvidiaIsa(const target::Target &target, const Options &options)
      : target(target), options(options) {}

  const EmitTable &operations() const override;
  void prepareModule(llvm::Module &module) const override;
  llvm::Constant *sharedMemory(llvm::Module &module) const override;
  void markKernel(llvm::Function &function, const KernelInfo &kernel,
                  std::optional<unsigned> maxRegisters,
                  llvm::ArrayRef<unsigned> descriptors) const override;
  llvm::Value *threadId(Builder &builder, unsigned threads) const override;
  llvm::Value *programId(Builder &builder, unsigned axis) const override;
  llvm::Value *programCount(Builder &builder, unsigned axis) const override;
  void ctaBarrier(Builder &builder, bool global) const override;
  void warpBarrier(Builder &builder) const override;
  void groupBarrier(Builder &builder, unsigned id, unsigned threads, bool global) const override;
  void workersBarrier(Builder &builder, unsigned id, unsigned threads) const override;
  void setRegisters(Builder &builder, unsigned count, bool grows) const override;
  llvm::Value *clusterRank(Builder &builder, unsigned ctas) const override;
  void clusterBarrier(Builder &builder, bool relaxed) const override;
  void clusterArrive(Builder &builder, bool relaxed) const override;
  void clusterWait(Builder &builder) const override;
  void beginPeerBarrier(Builder &builder, llvm::Value *shared, unsigned arrivals,
                        llvm::Value *predicate) const override;
  void synchronizePeers(Builder &builder, llvm::Value *own, llvm::Value *peer,
                        llvm::Value *predicate, llvm::Value *phase) const override;
  llvm::Value *peerAddress(Builder &builder, llvm::Value *shared, llvm::Value *rank) const override;
  Registers loadPeerWords(Builder &builder, llvm::Value *address, llvm::Type *word,
                          unsigned count) const override;
  void storePeerWords(Builder &builder, llvm::Value *address,
                      llvm::ArrayRef<llvm::Value *> words) const override;
  llvm::Value *shuffle(Builder &builder, llvm::Value *value, llvm::Value *lane) const override;
  llvm::Value *shuffleXor(Builder &builder, llvm::Value *value, unsigned distance) const override;
  Registers loadWords(Builder &builder, llvm::Value *pointer, llvm::Type *word, llvm::Value *mask,
                      llvm::ArrayRef<llvm::Value *> other, unsigned count,
                      const MemoryHints &hints) const override;
  void storeWords(Builder &builder, llvm::Value *pointer, llvm::ArrayRef<llvm::Value *> words,
                  llvm::Value *mask, const MemoryHints &hints) const override;
  bool accessFence(Builder &builder, AtomicScope scope) const override;
  llvm::Value *atomicUpdate(Builder &builder, AtomicKind kind, llvm::Value *pointer,
                            llvm::Value *value, const AtomicForm &form, bool used) const override;
  llvm::Value *atomicLoad(Builder &builder, llvm::Value *pointer, llvm::Type *type,
                          const AtomicForm &form) const override;
  void atomicStore(Builder &builder, llvm::Value *pointer, llvm::Value *value,
                   const AtomicForm &form) const override;
  llvm::Value *atomicSwap(Builder &builder, llvm::Value *pointer, llvm::Value *expected,
                          llvm::Value *desired, const AtomicForm &form) const override;
  Registers loadMatrices(Builder &builder, llvm::Value *row, unsigned count,
                         bool transposed) const override;
  void storeMatrices(Builder &builder, llvm::Value *row, llvm::ArrayRef<llvm::Value *> words,
                     bool transposed) const override;
  llvm::Value *atomicPoll(Builder &builder, llvm::Value *pointer, llvm::Value *expected,
                          llvm::Value *timeout, const AtomicForm &form) const override;
  void copyAsync(Builder &builder, llvm::Value *shared, llvm::Value *global, unsigned bytes,
                 llvm::Value *mask, llvm::Value *predicate,
                 const tt::CachePolicy &caches) const override;
  void commitCopies(Builder &builder) const override;
  void waitCopies(Builder &builder, unsigned pending) const override;
  llvm::Value *allocateTensorMemory(Builder &builder, llvm::Value *isFirstWarp, llvm::Value *place,
                                    unsigned columns, unsigned ctas) const override;
  void freeTensorMemory(Builder &builder, llvm::Value *isFirstWarp, llvm::Value *address,
                        unsigned columns, unsigned ctas) const override;
  void print(Builder &builder, llvm::StringRef format,
             llvm::ArrayRef<llvm::Value *> values) const override;
  void assertFail(Builder &builder, llvm::StringRef message, llvm::StringRef file, unsigned line,
                  llvm::StringRef function) const override;
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

} // namespace gluonc::codegen::nvidia
