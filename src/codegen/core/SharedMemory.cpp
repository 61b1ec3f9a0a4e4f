#include "codegen/core/SharedMemory.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gluonc::codegen {
Value *ThreadAddress::physical(Value *logical) {
  Value *offset = logical;
  for (const layout::IntervalPadding &pair : padded->paddings) {
    Value *gaps = builder.CreateLShr(logical, Log2_64(pair.interval));
    offset = builder.CreateAdd(offset, builder.CreateMul(gaps, builder.getInt32(pair.padding)));
  }
  return offset;
}

// Padding is linear over numbers without common bits, as `variable` and the
// rest of `constant` are, so the rest stays an immediate there too.
std::pair<Value *, uint32_t> ThreadAddress::split(uint32_t constant) {
  uint32_t crossing = constant & variableMask;
  uint32_t rest = constant & ~variableMask;
  Value *&address = addresses[crossing];
  if (!address) {
    Value *offset = variable;
    if (crossing)
      offset = builder.CreateXor(variable, builder.getInt32(crossing));
    if (padded)
      offset = physical(offset);
    offset = builder.CreateMul(offset, builder.getInt32(elementBytes), "", /*HasNUW=*/true,
                               /*HasNSW=*/true);
    address = builder.CreateGEP(builder.getInt8Ty(), base, offset);
  }
  return {address, uint32_t(padded ? padded->physicalOffset(rest) : rest) * elementBytes};
}

Value *ThreadAddress::at(uint32_t constant) {
  auto [address, immediate] = split(constant);
  return immediate ? builder.CreateConstGEP1_32(builder.getInt8Ty(), address, immediate) : address;
}

Value *PeerAddress::at(uint32_t constant, uint32_t rankConstant) {
  Builder &builder = emitter.builder;
  auto [address, immediate] = local.split(constant);
  Value *&base = mapped[{address, rankConstant}];
  if (!base) {
    Value *of = rankConstant ? builder.CreateXor(rank, builder.getInt32(rankConstant)) : rank;
    base = emitter.isa.peerAddress(builder, address, of);
  }
  return immediate ? builder.CreateAdd(base, builder.getInt32(immediate)) : base;
}

void storePeer(Emitter &emitter, Value *address, ArrayRef<Value *> elements) {
  Type *word = wordType(elements[0]->getType(), elements.size());
  emitter.isa.storePeerWords(emitter.builder, address, packWords(emitter.builder, elements, word));
}

Registers loadPeer(Emitter &emitter, Value *address, Type *element, unsigned count) {
  Type *word = wordType(element, count);
  unsigned words = 8 * memoryBytes(element) * count / wordBits(word);
  Registers loaded = emitter.isa.loadPeerWords(emitter.builder, address, word, words);
  return unpackWords(emitter.builder, loaded, element, count);
}

void storeShared(Builder &builder, Value *pointer, ArrayRef<Value *> elements) {
  Type *element = elements[0]->getType();
  Type *word = wordType(element, elements.size());
  storeVector(builder, pointer, packWords(builder, elements, word));
}

Registers loadShared(Builder &builder, Value *pointer, Type *element, unsigned count) {
  Type *word = wordType(element, count);
  unsigned words = 8 * memoryBytes(element) * count / wordBits(word);
  Registers loaded = wordsOf(builder, loadVector(builder, pointer, word, words));
  return unpackWords(builder, loaded, element, count);
}

} // namespace gluonc::codegen
