//===- LinearLayoutCache.h - Linear layouts by type -------------------------===//
#pragma once

#include "layout/LinearLayout.h"

#include "mlir/IR/Types.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <mutex>

namespace gluonc::ttg {

/// Types are unique in their context, so their address is the key. Entries are
/// never dropped: a context serves one compilation. Null means "has none".
class LinearLayoutCache {
public:
  template <typename Compute>
  const layout::LinearLayout *get(mlir::Type type, Compute compute) {
    std::lock_guard<std::mutex> lock(mutex);
    auto [entry, fresh] = byType.try_emplace(type);
    if (fresh)
      entry->second = compute();
    return entry->second.get();
  }

private:
  std::mutex mutex;
  llvm::DenseMap<mlir::Type, std::unique_ptr<layout::LinearLayout>> byType;
};

} // namespace gluonc::ttg
