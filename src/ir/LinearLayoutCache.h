//===- LinearLayoutCache.h - Linear layouts and conversion plans by type -----===//
#pragma once

#include "layout/plan/Conversion.h"

#include "mlir/IR/Types.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <mutex>

namespace gluonc::ttg {

/// Types are unique in their context, so their address is the key. Entries are
/// never dropped: a context serves one compilation. Null means "has none".
class LinearLayoutCache {
public:
  template <typename Compute> const layout::LinearLayout *get(mlir::Type type, Compute compute) {
    std::lock_guard<std::mutex> lock(mutex);
    auto [entry, fresh] = byType.try_emplace(type);
    if (fresh)
      entry->second = compute();
    return entry->second.get();
  }

  /// `options`: what plans of the same types differ by.
  template <typename Compute>
  const layout::ConversionPlan &plan(std::pair<mlir::Type, mlir::Type> types,
                                     std::pair<unsigned, int64_t> options, Compute compute) {
    std::lock_guard<std::mutex> lock(mutex);
    std::unique_ptr<layout::ConversionPlan> &entry = plans[{types, options}];
    if (!entry)
      entry = std::make_unique<layout::ConversionPlan>(compute());
    return *entry;
  }

private:
  std::mutex mutex;
  llvm::DenseMap<mlir::Type, std::unique_ptr<layout::LinearLayout>> byType;
  llvm::DenseMap<std::pair<std::pair<mlir::Type, mlir::Type>, std::pair<unsigned, int64_t>>,
                 std::unique_ptr<layout::ConversionPlan>>
      plans;
};

} // namespace gluonc::ttg
