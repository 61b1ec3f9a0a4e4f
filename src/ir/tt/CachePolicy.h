//===- CachePolicy.h - How an access treats the caches ----------------------===//
//
// Three spellings say it: the attributes `cacheModifier` and `evictionPolicy` of
// an operation, one attribute `#tt.cache_policy<…>` with both of them, and
// `#ttng.cache_policy<…>`, which tells L1 and L2 apart.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/Dialects.h"

namespace gluonc::tt {

/// What the hints of an access come to.
struct CachePolicy {
  /// L2 gives `primary` to this share of the lines, `secondary` to the others.
  struct Shares {
    EvictionPriority primary, secondary = EvictionPriority::UNCHANGED;
    float fraction = 1;
  };
  CacheModifier modifier = CacheModifier::NONE;
  std::optional<EvictionPriority> l1;
  std::optional<Shares> l2;
  /// Bytes that L2 is to fetch along; 0 where nothing is said.
  unsigned prefetchBytes = 0;

  bool saysNothing() const {
    return modifier == CacheModifier::NONE && !l1 && !l2 && !prefetchBytes;
  }
};

/// Of the three attributes of an operation; `policy` may be null.
CachePolicy cachePolicyOf(CacheModifier cache, EvictionPolicy evict, mlir::Attribute policy);
template <typename Op> CachePolicy cachePolicyOf(Op op) {
  return cachePolicyOf(op.getCache(), op.getEvict(), op.getCachePolicyAttr());
}

enum class CacheUse { Load, Store, AsyncCopy, BoxCopy };
/// Why such an access cannot have the policy; "" if it can.
std::string whyNoCachePolicy(CacheUse use, mlir::Attribute policy);

/// cache_policy_c1
template <typename Op> llvm::LogicalResult verifyCachePolicy(Op op, CacheUse use) {
  if (!op.getCachePolicyAttr())
    return mlir::success();
  if (op.getCache() != CacheModifier::NONE || op.getEvict() != EvictionPolicy::NORMAL)
    return op.emitOpError("has a cachePolicy beside other hints");
  std::string problem = whyNoCachePolicy(use, op.getCachePolicyAttr());
  return problem.empty() ? mlir::success() : op.emitOpError(problem);
}

} // namespace gluonc::tt
