#include "codegen/core/SharedMemory.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gluonc::codegen {
namespace {

Type *vectorOf(Type *word, unsigned count) {
  return count == 1 ? word : FixedVectorType::get(word, count);
}

} // namespace

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
  Registers words = packWords(builder, elements, word);
  Value *whole = words[0];
  if (words.size() > 1) {
    whole = PoisonValue::get(vectorOf(word, words.size()));
    for (auto [i, value] : enumerate(words))
      whole = builder.CreateInsertElement(whole, value, i);
  }
  builder.CreateAlignedStore(whole, pointer, Align(memoryBytes(element) * elements.size()));
}

Registers loadShared(Builder &builder, Value *pointer, Type *element, unsigned count) {
  Type *word = wordType(element, count);
  unsigned bytes = memoryBytes(element) * count;
  unsigned words = 8 * bytes / wordBits(word);
  Value *whole = builder.CreateAlignedLoad(vectorOf(word, words), pointer, Align(bytes));
  Registers loaded;
  for (unsigned i = 0; i < words; ++i)
    loaded.push_back(words == 1 ? whole : builder.CreateExtractElement(whole, i));
  return unpackWords(builder, loaded, element, count);
}

} // namespace gluonc::codegen
