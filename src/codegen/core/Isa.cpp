#include "codegen/core/Isa.h"

#include "support/Error.h"

using namespace llvm;

namespace gluonc::codegen {

[[noreturn]] static void lacks(StringRef unit) {
  GL_ICE("an operation of the chip's " + unit.str() + ", which it lacks, reached code generation");
}

SmallVector<Type *> Isa::descriptorParameters(LLVMContext &context, unsigned) const {
  return {PointerType::get(context, 0)};
}
SmallVector<Type *> Isa::descriptorRegisters(LLVMContext &context, unsigned) const {
  return {PointerType::get(context, 0)};
}
Registers Isa::readDescriptor(Builder &, ArrayRef<Value *> parameters, unsigned) const {
  return Registers(parameters.begin(), parameters.end());
}
Value *Isa::warpId(Builder &, unsigned) const { return nullptr; }

void Isa::groupBarrier(Builder &, unsigned, unsigned, bool) const { lacks("named barriers"); }
void Isa::workersBarrier(Builder &, unsigned, unsigned) const { lacks("named barriers"); }
void Isa::setRegisters(Builder &, unsigned, bool) const { lacks("register reallocation"); }
Value *Isa::clusterRank(Builder &, unsigned) const { lacks("clusters"); }
void Isa::clusterBarrier(Builder &, bool) const { lacks("clusters"); }
void Isa::clusterArrive(Builder &, bool) const { lacks("clusters"); }
void Isa::clusterWait(Builder &) const { lacks("clusters"); }
void Isa::beginPeerBarrier(Builder &, Value *, unsigned, Value *) const { lacks("clusters"); }
void Isa::synchronizePeers(Builder &, Value *, Value *, Value *, Value *) const {
  lacks("clusters");
}
Value *Isa::peerAddress(Builder &, Value *, Value *) const { lacks("clusters"); }
Registers Isa::loadPeerWords(Builder &, Value *, Type *, unsigned) const { lacks("clusters"); }
void Isa::storePeerWords(Builder &, Value *, ArrayRef<Value *>) const { lacks("clusters"); }
Registers Isa::loadMatrices(Builder &, Value *, unsigned, bool) const { lacks("matrix loads"); }
void Isa::storeMatrices(Builder &, Value *, ArrayRef<Value *>, bool) const {
  lacks("matrix stores");
}
void Isa::copyAsync(Builder &, Value *, Value *, unsigned, Value *, Value *,
                    const tt::CachePolicy &) const {
  lacks("asynchronous copies");
}
void Isa::commitCopies(Builder &) const { lacks("asynchronous copies"); }
void Isa::waitCopies(Builder &, unsigned) const { lacks("asynchronous copies"); }
Value *Isa::allocateTensorMemory(Builder &, Value *, Value *, unsigned, unsigned) const {
  lacks("tensor memory");
}
void Isa::freeTensorMemory(Builder &, Value *, Value *, unsigned, unsigned) const {
  lacks("tensor memory");
}

} // namespace gluonc::codegen
