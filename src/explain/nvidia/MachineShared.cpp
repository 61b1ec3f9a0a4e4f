#include "explain/nvidia/MachineStep.h"

#include "llvm/ADT/STLExtras.h"

namespace gluonc::explain::machine {

using llvm::StringRef;
using Kind = Operand::Kind;

/// Loads and stores by addresses that may be of any memory.
static bool isGeneric(StringRef family) { return family == "LD" || family == "ST"; }
static bool isMatrix(StringRef family) { return family == "LDSM" || family == "STSM"; }

bool mayBeShared(const Decoded &instruction) {
  return isGeneric(instruction.family) || isMatrix(instruction.family) ||
         llvm::is_contained({"LDS", "STS"}, instruction.family);
}

/// Of a lane; of LDSM and STSM of a row.
static unsigned bytesOf(const Decoded &instruction) {
  if (isMatrix(instruction.family) || instruction.has("128"))
    return 16;
  if (instruction.has("64"))
    return 8;
  if (instruction.has("U16") || instruction.has("S16"))
    return 2;
  return instruction.has("U8") || instruction.has("S8") ? 1 : 4;
}

/// Lanes whose addresses count: LDSM.x2 has 16 rows.
static uint32_t lanesOf(const Decoded &instruction) {
  if (!isMatrix(instruction.family) || instruction.has("4"))
    return allLanes;
  return instruction.has("2") ? 0xffff : 0xff;
}

std::optional<llvm::SmallVector<ptx::Touch, 32>> Warp::sharedTouches(const Decoded &instruction,
                                                                     uint32_t mask) const {
  const Bits guard = predicate(instruction.guard);
  if (!mayBeShared(instruction) || mask & ~guard.known)
    return std::nullopt;
  llvm::SmallVector<ptx::Touch, 32> touches;
  mask &= guard.value & lanesOf(instruction);
  if (!mask)
    return touches;
  const auto *address = llvm::find_if(
      instruction.sources, [](const Operand &operand) { return operand.kind == Kind::Memory; });
  const bool generic = isGeneric(instruction.family);
  if (address == instruction.sources.end() || address->isUnread ||
      (generic && !instruction.has("E")))
    return std::nullopt;
  auto valueOf = [](const std::vector<Value> &file, unsigned index) {
    return index == Operand::none ? same(0) : file[std::min<size_t>(index, file.size() - 1)];
  };
  const Value base = valueOf(registers, address->index);
  const Value offset = valueOf(uniforms, address->uniform);
  Value high = same(sharedWindow);
  if (generic)
    high = address->uniform == Operand::none ? valueOf(registers, address->index + 1)
                                             : valueOf(uniforms, address->uniform + 1);
  for (unsigned lane = 0; lane != lanes; ++lane) {
    if (!bit(mask, lane))
      continue;
    if (!bit(base.known & offset.known & high.known, lane))
      return std::nullopt;
    const uint32_t at = base.of[lane] + offset.of[lane] + static_cast<uint32_t>(address->number);
    // The upper eight bits say whose shared memory it is.
    if (high.of[lane] == sharedWindow && (!generic || at >> 24 == place.ctaOfCluster))
      touches.push_back({at & 0xffffff, bytesOf(instruction), static_cast<uint8_t>(lane)});
  }
  return touches;
}

Value Step::sharedAddress() const {
  const Operand &at = source(0);
  if (at.kind != Kind::Memory || at.isUnread)
    return {};
  const Value base = at.index == Operand::none ? same(0) : storage(Kind::Register, at.index);
  const Value offset = at.uniform == Operand::none ? same(0) : storage(Kind::Uniform, at.uniform);
  return eachLane([&](uint32_t x, uint32_t y) { return x + y + static_cast<uint32_t>(at.number); },
                  base, offset);
}

void Step::updateShared() {
  const Value at = sharedAddress();
  writeUnknown();
  // Of several lanes nobody knows the order.
  const bool isOne = llvm::popcount(mask) == 1 && !perhaps;
  if (!isOne || !(at.known & mask))
    return warp.words.clear();
  const auto lane = static_cast<unsigned>(llvm::countr_zero(mask));
  const uint32_t address = at.of[lane];
  auto found = warp.words.find(address);
  if (found != warp.words.end())
    write(same(found->second));
  const Value with = value(1);
  const bool isKnown = with.known & mask && !has("64");
  if (has("OR") && isKnown && with.of[lane] == 0)
    return;
  if (has("EXCH") && isKnown)
    warp.words[address] = with.of[lane];
  else
    warp.words.erase(address);
}

void Step::storeShared() {
  if (!source(1).isRegister())
    return;
  const Value at = sharedAddress();
  const unsigned bytes = bytesOf(instruction);
  // What one lane stores others are to read; data of a tile would be too much to keep.
  const bool isOne = llvm::popcount(mask) == 1 && !perhaps && bytes >= 4;
  for (unsigned ahead = 0; 4 * ahead < bytes; ++ahead) {
    const Value stored = word(source(1), ahead);
    for (unsigned lane = 0; lane != lanes && !(warp.words.empty() && !isOne); ++lane) {
      if (!bit((mask | perhaps) & at.known, lane))
        continue;
      const uint32_t address = (at.of[lane] & ~3u) + 4 * ahead;
      if (isOne && bit(stored.known, lane))
        warp.words[address] = stored.of[lane];
      else
        warp.words.erase(address);
    }
  }
}

void Step::loadShared() {
  // The result may take the address's own register.
  const Value at = sharedAddress();
  writeUnknown();
  if (bytesOf(instruction) < 4 || warp.words.empty())
    return;
  for (unsigned ahead = 0; ahead != instruction.width; ++ahead) {
    Value loaded;
    for (unsigned lane = 0; lane != lanes; ++lane) {
      auto found =
          bit(mask & at.known, lane) ? warp.words.find(at.of[lane] + 4 * ahead) : warp.words.end();
      if (found == warp.words.end())
        continue;
      loaded.of[lane] = found->second;
      loaded.known |= 1u << lane;
    }
    write(loaded, ahead);
  }
}

void updateShared(Step &step) { step.updateShared(); }
void storeShared(Step &step) { step.storeShared(); }
void loadShared(Step &step) { step.loadShared(); }

} // namespace gluonc::explain::machine
