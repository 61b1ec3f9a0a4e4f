//===- SharedMemory.h - Addresses and accesses in shared memory ------------------===//
#pragma once

#include "codegen/core/Emitter.h"
#include "codegen/core/Words.h"
#include "layout/named/Layouts.h"

namespace gluonc::codegen {

/// Where the elements of one thread lie: element offset `variable ^ constant`
/// for each constant, `variable` moving only the bits of `variableMask`, both
/// logical; a padded layout spreads them out.
class ThreadAddress {
public:
  ThreadAddress(Emitter &emitter, llvm::Value *base, llvm::Value *variable, uint32_t variableMask,
                unsigned elementBytes, const layout::PaddedSharedLayout *padded = nullptr)
      : builder(emitter.builder), base(base), variable(variable), variableMask(variableMask),
        elementBytes(elementBytes), padded(padded) {}

  /// Constant bits that the variable part never touches become an immediate.
  llvm::Value *at(uint32_t constant);
  /// The same with the immediate, in bytes, apart.
  std::pair<llvm::Value *, uint32_t> split(uint32_t constant);

private:
  llvm::Value *physical(llvm::Value *logical);

  Builder &builder;
  llvm::Value *base;
  llvm::Value *variable;
  uint32_t variableMask;
  unsigned elementBytes;
  const layout::PaddedSharedLayout *padded;
  /// Addresses by the constant bits that had to be combined by XOR.
  std::map<uint32_t, llvm::Value *> addresses;
};

/// The same where the elements of one thread may lie in other CTAs of the cluster: of CTA
/// `rank ^ constant`.
class PeerAddress {
public:
  PeerAddress(Emitter &emitter, ThreadAddress local, llvm::Value *rank)
      : emitter(emitter), local(std::move(local)), rank(rank) {}

  /// An address for storePeer, loadPeer and asynchronous units.
  llvm::Value *at(uint32_t constant, uint32_t rankConstant);

private:
  Emitter &emitter;
  ThreadAddress local;
  llvm::Value *rank;
  std::map<std::pair<llvm::Value *, uint32_t>, llvm::Value *> mapped;
};

void storePeer(Emitter &emitter, llvm::Value *address, llvm::ArrayRef<llvm::Value *> elements);
Registers loadPeer(Emitter &emitter, llvm::Value *address, llvm::Type *element, unsigned count);

/// One access to neighbouring elements, aligned to their whole size.
void storeShared(Builder &builder, llvm::Value *pointer, llvm::ArrayRef<llvm::Value *> elements);
Registers loadShared(Builder &builder, llvm::Value *pointer, llvm::Type *element, unsigned count);

} // namespace gluonc::codegen
