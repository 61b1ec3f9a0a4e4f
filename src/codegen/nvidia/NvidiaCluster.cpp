//===- NvidiaCluster.cpp - Clusters and the shared memory of their CTAs -----------===//
//
// Each CTA's shared memory has a place in a window that its whole cluster sees;
// `mapa` finds it, and accesses there say `shared::cluster`. LLVM has no address
// space for the window, so its addresses are plain integers here.
//
//===----------------------------------------------------------------------===//
#include "codegen/nvidia/InlineAsm.h"
#include "codegen/nvidia/NvidiaIsa.h"

#include "codegen/core/Words.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace gluonc::codegen::nvidia {
namespace {

/// PTX has no 8-bit registers.
Type *registerType(Type *word) {
  return word->isIntegerTy(8) ? Type::getInt16Ty(word->getContext()) : word;
}

std::string wordList(unsigned first, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return count == 1 ? text : "{" + text + "}";
}

/// ".v4.b32"
std::string shapeOf(Type *word, unsigned count) {
  std::string vector = count > 1 ? ".v" + std::to_string(count) : "";
  return vector + ".b" + std::to_string(wordBits(word));
}

} // namespace

Value *NvidiaIsa::clusterRank(Builder &builder, unsigned ctas) const {
  CallInst *call = builder.CreateIntrinsic(builder.getInt32Ty(),
                                           Intrinsic::nvvm_read_ptx_sreg_cluster_ctarank, {});
  ConstantRange range(APInt(32, 0), APInt(32, ctas));
  call->addRetAttr(Attribute::get(builder.getContext(), Attribute::Range, range));
  return call;
}

void NvidiaIsa::clusterBarrier(Builder &builder, bool relaxed) const {
  clusterArrive(builder, relaxed);
  clusterWait(builder);
}

void NvidiaIsa::clusterArrive(Builder &builder, bool relaxed) const {
  builder.CreateIntrinsic(builder.getVoidTy(),
                          relaxed ? Intrinsic::nvvm_barrier_cluster_arrive_relaxed_aligned
                                  : Intrinsic::nvvm_barrier_cluster_arrive_aligned,
                          {});
}

void NvidiaIsa::clusterWait(Builder &builder) const {
  builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::nvvm_barrier_cluster_wait_aligned, {});
}

void NvidiaIsa::beginPeerBarrier(Builder &builder, Value *shared, unsigned arrivals,
                                 Value *predicate) const {
  std::string text = "@$1 mbarrier.init.shared::cta.b64 [$0], " + std::to_string(arrivals) +
                     ";\n\t@$1 fence.mbarrier_init.release.cluster;";
  emitAsm(builder, text, builder.getVoidTy(), {shared, predicate}, AsmEffect::ReadsAndWrites,
          Threads::Together);
}

void NvidiaIsa::synchronizePeers(Builder &builder, Value *own, Value *peer, Value *predicate,
                                 Value *phase) const {
  StringRef text = "{\n\t.reg .pred done;\n\t"
                   "@$2 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [$1];\n\t"
                   "again:\n\t"
                   "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [$0], $3;\n\t"
                   "@!done bra.uni again;\n\t}";
  emitAsm(builder, text, builder.getVoidTy(), {own, peer, predicate, phase},
          AsmEffect::ReadsAndWrites, Threads::Together);
}

Value *NvidiaIsa::peerAddress(Builder &builder, Value *shared, Value *rank) const {
  Value *address = builder.CreatePtrToInt(shared, builder.getInt32Ty());
  return emitAsm(builder, "mapa.shared::cluster.u32 $0, $1, $2;", builder.getInt32Ty(),
                 {address, rank}, AsmEffect::Pure);
}

Registers NvidiaIsa::loadPeerWords(Builder &builder, Value *address, Type *word,
                                   unsigned count) const {
  Type *inRegister = registerType(word), *result = inRegister;
  if (count > 1)
    result = StructType::get(builder.getContext(), SmallVector<Type *>(count, inRegister));
  std::string text = "ld.shared::cluster" + shapeOf(word, count) + " " + wordList(0, count) +
                     ", [$" + std::to_string(count) + "];";
  Value *loaded = emitAsm(builder, text, result, {address}, AsmEffect::ReadsAndWrites);
  Registers words;
  for (unsigned i = 0; i < count; ++i) {
    Value *value = count == 1 ? loaded : builder.CreateExtractValue(loaded, i);
    words.push_back(builder.CreateTrunc(value, word));
  }
  return words;
}

void NvidiaIsa::storePeerWords(Builder &builder, Value *address, ArrayRef<Value *> words) const {
  SmallVector<Value *> operands = {address};
  for (Value *value : words)
    operands.push_back(builder.CreateZExt(value, registerType(value->getType())));
  std::string text = "st.shared::cluster" + shapeOf(words[0]->getType(), words.size()) + " [$0], " +
                     wordList(1, words.size()) + ";";
  emitAsm(builder, text, builder.getVoidTy(), operands, AsmEffect::ReadsAndWrites);
}

} // namespace gluonc::codegen::nvidia
