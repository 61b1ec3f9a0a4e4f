#include "explain/RecentLoads.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

namespace gluonc::explain {

/// Of a lane: what a quarter of its registers holds.
static constexpr unsigned mostBytesKept = 256;
/// More CTAs than run at a time.
static constexpr size_t mostCtas = 1024;

RecentLoads::Load RecentLoads::describe(uint64_t instruction, llvm::ArrayRef<ptx::Touch> touches) {
  Load load{0, instruction, touches.front().address, 0, 0};
  for (const ptx::Touch &touch : touches) {
    load.hash = llvm::hash_combine(load.hash, touch.address, touch.lane, touch.bytes);
    load.begin = std::min(load.begin, touch.address);
    load.end = std::max(load.end, touch.address + touch.bytes);
    load.bytesOfLane = std::max(load.bytesOfLane, touch.bytes);
  }
  return load;
}

std::optional<uint64_t> RecentLoads::load(const Cta &cta, unsigned warp, uint64_t instruction,
                                          llvm::ArrayRef<ptx::Touch> touches) {
  if (warps.size() > mostCtas)
    warps.clear();
  auto &[loads, lastOf] = warps[cta][warp];
  const Load now = describe(instruction, touches);
  std::optional<uint64_t> before;
  if (auto last = lastOf.find(instruction); last != lastOf.end() && last->second.hash == now.hash)
    before = instruction;
  auto same = llvm::find_if(loads, [&](const Load &load) { return load.hash == now.hash; });
  if (same != loads.end()) {
    before = before.value_or(same->instruction);
    loads.erase(same);
  }
  lastOf[instruction] = now;
  loads.push_back(now);
  unsigned kept = 0;
  size_t count = 0;
  for (const Load &load : llvm::reverse(loads))
    if ((kept += load.bytesOfLane) > mostBytesKept)
      break;
    else
      ++count;
  loads.erase(loads.begin(), loads.end() - static_cast<ptrdiff_t>(std::max<size_t>(count, 1)));
  return before;
}

void RecentLoads::store(const Cta &cta, llvm::ArrayRef<ptx::Touch> touches) {
  auto known = warps.find(cta);
  if (known == warps.end())
    return;
  const Load written = describe(0, touches);
  auto isOver = [&](const Load &load) {
    return load.begin < written.end && written.begin < load.end;
  };
  for (auto &[number, warp] : known->second) {
    llvm::erase_if(warp.loads, isOver);
    std::erase_if(warp.lastOf, [&](const auto &entry) { return isOver(entry.second); });
  }
}

} // namespace gluonc::explain
