//===- WarpStores.h - What the warps of a program have stored for each other --------===//
//
// Warps of a program run apart between barriers: what one stores to global memory another may
// read only behind a barrier. The simulator executes whole tiles, so it compares instead, by the
// layouts: each element that was stored since all warps last met has the number of the warp that
// stored it.
//
// Not seen: stores over what others read or stored; accesses to parts of an element; stores beyond
// a number of elements, and those of partitions and of CTAs of clusters. What exchanges elements
// through shared memory counts as a meeting of all warps, also where only lanes of one do.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace gluonc::sim {

struct AccessData;

class WarpStores {
public:
  /// Beside the number of the first warp that holds an element: others hold it, too.
  static constexpr uint8_t several = 128;

  struct Store {
    uint8_t warp;
    uint32_t place;
    /// Of the tile; null of a scalar.
    const void *layout;
  };

  WarpStores() = default;
  /// Watches what a kernel with these accesses both stores and loads.
  explicit WarpStores(llvm::ArrayRef<const AccessData *> accesses);

  bool watches(const AccessData &access) const;
  /// All warps have met.
  void meet() { stores.clear(); }
  void enter(uint64_t address, const Store &store) {
    if (stores.size() < mostStores)
      stores[address] = store;
  }
  /// By another warp than one that loads it. Of a tile in the layout of the store each warp
  /// computes for itself what the first one stores: that counts as the first one's.
  std::optional<Store> storedByOther(uint64_t address, uint8_t warp, const void *layout) const;
  /// Whether this is the first time that these two places meet so.
  bool isNews(uint32_t load, uint32_t store) { return told.insert({load, store}).second; }

private:
  static constexpr size_t mostStores = size_t(1) << 20;

  bool any = false, all = false;
  /// By number of the parameter.
  std::vector<bool> parameters;
  llvm::DenseMap<uint64_t, Store> stores;
  llvm::DenseSet<std::pair<uint32_t, uint32_t>> told;
};

} // namespace gluonc::sim
