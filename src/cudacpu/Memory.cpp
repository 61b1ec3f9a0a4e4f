#include "cudacpu/Memory.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace gluonc::cudacpu {

namespace {

constexpr uint64_t granule = 512, pageBytes = 4096;
/// From this on an allocation has pages of its own.
constexpr uint64_t largeBytes = uint64_t(1) << 16;
/// Up to this new memory is filled, so that who forgets to does not find zeros.
constexpr uint64_t filledBytes = uint64_t(1) << 20;
/// So many small allocations of a size are freed before the first one's address is given again.
constexpr size_t mostUnused = 4096;

void *map(uint64_t bytes, int protection) {
  void *place =
      mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED)
    return nullptr;
  madvise(place, bytes, MADV_DONTDUMP);
  return place;
}

const char *nameOf(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::Device:
    return "device";
  case MemoryKind::Managed:
    return "managed";
  case MemoryKind::PinnedHost:
    return "pinned host";
  case MemoryKind::RegisteredHost:
    return "registered host";
  }
  return "";
}

std::string nameOf(const Allocation &allocation) {
  std::string text = "allocation " + llvm::utostr(allocation.number) + " (" +
                     llvm::utostr(allocation.bytes) + " bytes at 0x" +
                     llvm::utohexstr(allocation.address, /*LowerCase=*/true) + " by " +
                     allocation.call;
  if (allocation.kind == MemoryKind::Device)
    return text + " on device " + llvm::itostr(allocation.device) + ")";
  return text + ", " + nameOf(allocation.kind) + " memory)";
}

} // namespace

Memory::Memory(int devices) : used(static_cast<size_t>(devices)) {
  total = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
          static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
  // Where addresses are scarce (ulimit -v) fewer will do.
  for (uint64_t bytes = uint64_t(1) << 40; bytes >= uint64_t(1) << 28 && !spaceBytes; bytes /= 2) {
    void *addresses = map(bytes, PROT_NONE);
    void *pages = addresses ? map(bytes, PROT_READ | PROT_WRITE) : nullptr;
    if (!pages) {
      if (addresses)
        munmap(addresses, bytes);
      continue;
    }
    spaceBytes = bytes;
    space = reinterpret_cast<uint64_t>(addresses);
    toHost = reinterpret_cast<uint64_t>(pages) - space;
  }
  // An address right at the beginning would be the one that others end at.
  given = pageBytes;
}

uint64_t Memory::freeBytes(int device) const {
  uint64_t bytes = used[static_cast<size_t>(device)];
  return bytes < total ? total - bytes : 0;
}

uint64_t Memory::take(uint64_t bytes) {
  auto again = unused.find(bytes);
  bool hasFresh = given + bytes + pageBytes <= spaceBytes;
  bool isAgain = again != unused.end() && !again->second.empty() &&
                 (!hasFresh || (bytes < largeBytes && again->second.size() > mostUnused));
  if (!isAgain && !hasFresh) {
    // Any that is large enough.
    again = unused.lower_bound(bytes);
    while (again != unused.end() && again->second.empty())
      ++again;
    if (again == unused.end())
      return 0;
    isAgain = true;
  }
  if (isAgain) {
    uint64_t address = again->second.front();
    again->second.pop_front();
    if (again->first != bytes)
      unused[again->first - bytes].push_back(address + bytes);
    freed.erase(freed.lower_bound(address), freed.lower_bound(address + bytes));
    return address;
  }
  if (bytes >= largeBytes)
    given = llvm::alignTo(given, pageBytes);
  uint64_t address = space + given;
  // What lies behind is nobody's.
  given += bytes + granule;
  return address;
}

Allocation *Memory::allocate(Allocation what) {
  uint64_t bytes = llvm::alignTo(what.bytes, what.bytes < largeBytes ? granule : pageBytes);
  bool isOfDevice = what.kind == MemoryKind::Device || what.kind == MemoryKind::Managed;
  if (what.kind == MemoryKind::Device) {
    if (bytes < what.bytes || bytes > freeBytes(what.device) || !(what.address = take(bytes)))
      return nullptr;
    if (what.bytes <= filledBytes)
      std::memset(host(what.address), 0xff, what.bytes);
  } else {
    void *pages = bytes < what.bytes || bytes > total
                      ? nullptr
                      : map(llvm::alignTo(bytes, pageBytes), PROT_READ | PROT_WRITE);
    if (!pages)
      return nullptr;
    what.address = reinterpret_cast<uint64_t>(pages);
  }
  if (isOfDevice)
    used[static_cast<size_t>(what.device)] += bytes;
  ++changes;
  what.number = ++count;
  return &(allocations[what.address] = what);
}

Allocation *Memory::add(Allocation what) {
  auto behind = allocations.lower_bound(what.address);
  bool overlaps = behind != allocations.end() && behind->first < what.address + what.bytes;
  if (behind != allocations.begin() && !overlaps) {
    const Allocation &before = std::prev(behind)->second;
    overlaps = before.address + before.bytes > what.address;
  }
  if (overlaps)
    return nullptr;
  ++changes;
  what.number = ++count;
  return &(allocations[what.address] = what);
}

void Memory::free(Allocation &allocation) {
  Allocation old = allocation;
  uint64_t bytes = llvm::alignTo(old.bytes, old.bytes < largeBytes ? granule : pageBytes);
  allocations.erase(old.address);
  ++changes;
  if (old.kind == MemoryKind::Device || old.kind == MemoryKind::Managed)
    used[static_cast<size_t>(old.device)] -= bytes;
  if (old.kind == MemoryKind::Device) {
    if (bytes >= largeBytes)
      madvise(host(old.address), bytes, MADV_DONTNEED);
    freed[old.address] = old;
    unused[bytes].push_back(old.address);
  } else if (old.kind != MemoryKind::RegisteredHost) {
    munmap(reinterpret_cast<void *>(old.address), llvm::alignTo(bytes, pageBytes));
  }
}

void Memory::freeAllOf(const void *context) {
  std::vector<Allocation *> own;
  for (auto &[address, allocation] : allocations)
    if (allocation.context == context)
      own.push_back(&allocation);
  for (Allocation *allocation : own)
    free(*allocation);
}

void Memory::setThere(Allocation &allocation, bool isThere) {
  allocation.isThere = isThere;
  ++changes;
}

void Memory::setReach(const void *pool, uint32_t reach) {
  for (auto &[address, allocation] : allocations)
    if (allocation.pool == pool)
      allocation.reach = reach;
  ++changes;
}

uint64_t Memory::bytesOfPool(const void *pool) const {
  uint64_t bytes = 0;
  for (const auto &[address, allocation] : allocations)
    bytes += allocation.pool == pool ? allocation.bytes : 0;
  return bytes;
}

Allocation *Memory::find(uint64_t address) {
  auto behind = allocations.upper_bound(address);
  if (behind == allocations.begin())
    return nullptr;
  Allocation &found = std::prev(behind)->second;
  return address - found.address < found.bytes ? &found : nullptr;
}

Allocation *Memory::findBegin(uint64_t address) {
  auto found = allocations.find(address);
  return found == allocations.end() ? nullptr : &found->second;
}

uint8_t *Memory::hostOf(uint64_t address, uint64_t bytes) {
  Allocation *found = find(address);
  if (!found || !found->isThere || bytes > found->bytes - (address - found->address))
    return nullptr;
  return found->kind == MemoryKind::Device ? host(address) : reinterpret_cast<uint8_t *>(address);
}

void Memory::clear(uint64_t address, uint64_t bytes) {
  uint8_t *begin = hostOf(address, bytes), *end = begin + bytes;
  auto *firstPage =
      reinterpret_cast<uint8_t *>(llvm::alignTo(reinterpret_cast<uint64_t>(begin), pageBytes));
  auto *lastPage =
      reinterpret_cast<uint8_t *>(llvm::alignDown(reinterpret_cast<uint64_t>(end), pageBytes));
  if (!isDeviceAddress(address) || bytes < largeBytes || firstPage >= lastPage) {
    std::memset(begin, 0, bytes);
    return;
  }
  std::memset(begin, 0, static_cast<size_t>(firstPage - begin));
  madvise(firstPage, static_cast<size_t>(lastPage - firstPage), MADV_DONTNEED);
  std::memset(lastPage, 0, static_cast<size_t>(end - lastPage));
}

void Memory::addRanges(int device, llvm::ArrayRef<int> peers,
                       std::vector<ptx::Range> &ranges) const {
  for (const auto &[address, allocation] : allocations) {
    bool isDevice = allocation.kind == MemoryKind::Device;
    bool isReached = !isDevice || allocation.device == device ||
                     (allocation.pool ? allocation.reach >> device & 1
                                      : llvm::is_contained(peers, allocation.device));
    if (!allocation.isThere || !isReached)
      continue;
    ranges.push_back({address, address + allocation.bytes, isDevice ? toHost : 0});
  }
}

std::string Memory::describe(uint64_t address, uint64_t bytes, int device) const {
  auto behind = allocations.upper_bound(address);
  const Allocation *before = behind == allocations.begin() ? nullptr : &std::prev(behind)->second;
  const Allocation *after = behind == allocations.end() ? nullptr : &behind->second;
  if (before && address - before->address < before->bytes) {
    if (!before->isThere)
      return "in " + nameOf(*before) + " of a graph, which is not there at this time";
    if (address - before->address + bytes > before->bytes)
      return "across the end of " + nameOf(*before);
    return "in " + nameOf(*before) + ", which device " + llvm::itostr(device) +
           " does not reach: peer access is not enabled";
  }
  auto gone = freed.upper_bound(address);
  if (gone != freed.begin())
    if (const Allocation &old = std::prev(gone)->second; address - old.address < old.bytes)
      return "in " + nameOf(old) + ", which was freed";
  if (!isDeviceAddress(address)) {
    if (address < pageBytes)
      return "at a null pointer";
    return "not in memory of a device: what is the host's own a device does not reach";
  }
  uint64_t past = before && isDeviceAddress(before->address)
                      ? address - before->address - before->bytes
                      : ~uint64_t(0);
  uint64_t ahead = after ? after->address - address : ~uint64_t(0);
  if (past == ahead)
    return "where nothing was allocated";
  if (past <= ahead)
    return llvm::utostr(past) + " bytes behind the end of " + nameOf(*before);
  return llvm::utostr(ahead) + " bytes before " + nameOf(*after);
}

} // namespace gluonc::cudacpu
