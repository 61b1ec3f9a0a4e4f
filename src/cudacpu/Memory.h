//===- Memory.h - Memory of devices, and of the host that they reach -----------===//
//
// Addresses of device memory are places that nothing is mapped at, as on a GPU: a host that reads
// or writes there ends with a segmentation fault. What is behind them lies at one distance, in
// pages that exist once they are written. Addresses are given anew only when there are no fresh
// ones left, or after many others, so that a use after free is found.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ptx/Execute.h"

#include <deque>
#include <map>
#include <string>

namespace gluonc::cudacpu {

enum class MemoryKind : uint8_t { Device, Managed, PinnedHost, RegisteredHost };

struct Allocation {
  uint64_t address = 0, bytes = 0;
  int device = 0;
  MemoryKind kind = MemoryKind::Device;
  /// The function that gave it, and how many had been given before.
  const char *call = "";
  uint64_t number = 0;
  /// Of a graph, by which it is given and taken back again and again.
  bool isOfGraph = false;
  /// False between these.
  bool isThere = true;
  /// The context that it goes with; null for memory of pools.
  const void *context = nullptr;
  /// The pool that it came from; null without. Then other devices reach it that have their bit set
  /// here, else those with peer access.
  const void *pool = nullptr;
  uint32_t reach = 0;
};

class Memory {
public:
  /// Bytes that each device has.
  explicit Memory(int devices);
  Memory(const Memory &) = delete;

  uint64_t bytesOfDevice() const { return total; }
  uint64_t freeBytes(int device) const;

  /// Null where there is not so much. `what` says what it is but for its address.
  Allocation *allocate(Allocation what);
  /// Memory of the host that devices reach from now on; null if some of it is there already.
  Allocation *add(Allocation what);
  void free(Allocation &allocation);
  void freeAllOf(const void *context);
  /// Of a graph: it is there, or not, until it is freed.
  void setThere(Allocation &allocation, bool isThere);

  /// Of all that came from a pool.
  void setReach(const void *pool, uint32_t reach);
  uint64_t bytesOfPool(const void *pool) const;

  /// What an address lies in; null if nothing is there.
  Allocation *find(uint64_t address);
  /// What begins there.
  Allocation *findBegin(uint64_t address);
  /// The host's address of bytes that lie in one allocation; null if they do not.
  uint8_t *hostOf(uint64_t address, uint64_t bytes);
  /// Fills with zeros; pages do not exist afterwards.
  void clear(uint64_t address, uint64_t bytes);
  bool isDeviceAddress(uint64_t address) const { return address - space < spaceBytes; }

  /// What a kernel of a device may access, with memory of the `peers`.
  void addRanges(int device, llvm::ArrayRef<int> peers, std::vector<ptx::Range> &ranges) const;
  /// Changes whenever ranges do.
  uint64_t version() const { return changes; }

  /// What bytes that a kernel may not access have to do with what was allocated: "4 bytes behind
  /// the end of …".
  std::string describe(uint64_t address, uint64_t bytes, int device) const;

private:
  struct Block {
    uint64_t address = 0, bytes = 0;
  };
  uint64_t take(uint64_t bytes);
  uint8_t *host(uint64_t address) const { return reinterpret_cast<uint8_t *>(address + toHost); }

  /// Where device addresses are, what of them was given, and the distance to the host's.
  uint64_t space = 0, spaceBytes = 0, given = 0, toHost = 0;
  uint64_t total = 0, changes = 1, count = 0;
  std::vector<uint64_t> used;
  std::map<uint64_t, Allocation> allocations;
  /// By address: device memory that is no more.
  std::map<uint64_t, Allocation> freed;
  /// By size: addresses to be given again, longest unused first.
  std::map<uint64_t, std::deque<uint64_t>> unused;
};

} // namespace gluonc::cudacpu
