#include "ir/tt/CachePolicy.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace gluonc {

using tt::CacheModifier;
using tt::EvictionPriority;

bool tt::isCachePolicy(Attribute attribute) {
  return isa_and_nonnull<tt::CachePolicyAttr, ttng::CachePolicyAttr>(attribute);
}

//===----------------------------------------------------------------------===//
// What they come to
//===----------------------------------------------------------------------===//

/// A policy of the older spelling is meant for both caches.
static tt::CachePolicy ofBothCaches(CacheModifier cache, tt::EvictionPolicy evict) {
  tt::CachePolicy policy;
  policy.modifier = cache;
  if (evict == tt::EvictionPolicy::NORMAL)
    return policy;
  EvictionPriority priority =
      evict == tt::EvictionPolicy::EVICT_FIRST ? EvictionPriority::FIRST : EvictionPriority::LAST;
  // The grammar of PTX takes a cache operator or an L1 priority, not both.
  if (cache == CacheModifier::NONE)
    policy.l1 = priority;
  policy.l2 = {priority};
  return policy;
}

tt::CachePolicy tt::cachePolicyOf(CacheModifier cache, EvictionPolicy evict, Attribute attribute) {
  if (auto both = dyn_cast_or_null<tt::CachePolicyAttr>(attribute))
    return ofBothCaches(both.getCacheModifier(), both.getEvictionPolicy());
  auto each = dyn_cast_or_null<ttng::CachePolicyAttr>(attribute);
  if (!each)
    return ofBothCaches(cache, evict);
  CachePolicy policy;
  policy.modifier = each.getCacheModifier();
  policy.l1 = each.getL1();
  policy.prefetchBytes = each.getL2PrefetchSize();
  if (each.getL2Primary())
    policy.l2 = {*each.getL2Primary(), *each.getL2Secondary(),
                 float(each.getL2Fraction().getValueAsDouble())};
  return policy;
}

static bool hasModifier(tt::CacheUse use, CacheModifier modifier) {
  switch (modifier) {
  case CacheModifier::NONE:
    return true;
  case CacheModifier::CA:
    return use == tt::CacheUse::Load || use == tt::CacheUse::AsyncCopy;
  case CacheModifier::CG:
    return use != tt::CacheUse::BoxCopy;
  case CacheModifier::CS:
    return use == tt::CacheUse::Load || use == tt::CacheUse::Store;
  case CacheModifier::CV:
    return use == tt::CacheUse::Load;
  case CacheModifier::WB:
  case CacheModifier::WT:
    return use == tt::CacheUse::Store;
  }
}

std::string tt::whyNoCachePolicy(CacheUse use, Attribute attribute) {
  static constexpr StringLiteral names[] = {"a load", "a store", "an asynchronous copy",
                                            "a copy of the engine"};
  StringRef access = names[unsigned(use)];
  CachePolicy policy = cachePolicyOf(CacheModifier::NONE, EvictionPolicy::NORMAL, attribute);
  if (!hasModifier(use, policy.modifier))
    return (access + " has no cache modifier " + stringifyCacheModifier(policy.modifier)).str();
  // The older spelling leaves it to the access which caches its policy concerns.
  if (isa<tt::CachePolicyAttr>(attribute))
    return "";
  if (policy.l1 && use != CacheUse::Load && use != CacheUse::Store)
    return (access + " does not go through L1").str();
  if (policy.l1 && policy.modifier != CacheModifier::NONE)
    return (access + " has a cache modifier or a priority in L1, not both").str();
  if (policy.prefetchBytes && use != CacheUse::Load && use != CacheUse::AsyncCopy)
    return (access + " lets L2 fetch nothing along").str();
  return "";
}

//===----------------------------------------------------------------------===//
// #ttng.cache_policy
//===----------------------------------------------------------------------===//

LogicalResult ttng::CachePolicyAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                            CacheModifier modifier,
                                            std::optional<EvictionPriority> l1,
                                            std::optional<EvictionPriority> primary,
                                            std::optional<EvictionPriority> secondary,
                                            FloatAttr fraction, unsigned prefetch) {
  if (bool(primary) != bool(secondary) || bool(primary) != bool(fraction))
    return emitError() << "l2_primary, l2_secondary and l2_fraction come together";
  if (modifier == CacheModifier::NONE && !l1 && !primary && !prefetch)
    return emitError() << "a cache policy says something";
  if (prefetch != 0 && prefetch != 64 && prefetch != 128 && prefetch != 256)
    return emitError() << "l2_prefetch_size is 64, 128 or 256";
  if (!primary)
    return success();
  if (*primary == EvictionPriority::NO_ALLOCATE)
    return emitError() << "only L1 has no_allocate";
  if (*secondary != EvictionPriority::UNCHANGED && *secondary != EvictionPriority::FIRST)
    return emitError() << "l2_secondary is evict_unchanged or evict_first";
  double share = fraction.getValueAsDouble();
  if (!fraction.getType().isF32() || !(share > 0 && share <= 1))
    return emitError() << "l2_fraction is an f32 above 0 and not above 1";
  return success();
}

/// `evict_last` and the like.
template <typename Enum>
static ParseResult parseName(AsmParser &parser, std::optional<Enum> (*symbolize)(llvm::StringRef),
                             std::optional<Enum> &into) {
  llvm::StringRef name;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  into = symbolize(name);
  return into ? ParseResult(success()) : parser.emitError(at, "unknown name '") << name << "'";
}

Attribute ttng::CachePolicyAttr::parse(AsmParser &parser, Type) {
  std::optional<CacheModifier> modifier;
  std::optional<EvictionPriority> l1, primary, secondary;
  FloatAttr fraction;
  unsigned prefetch = 0;
  auto field = [&]() -> ParseResult {
    llvm::StringRef key;
    SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    if (key == "cache_modifier")
      return parseName<CacheModifier>(parser, tt::symbolizeCacheModifier, modifier);
    if (key == "l2_fraction")
      return parser.parseAttribute(fraction);
    if (key == "l2_prefetch_size")
      return parser.parseInteger(prefetch);
    std::optional<EvictionPriority> *priority = key == "l1"             ? &l1
                                                : key == "l2_primary"   ? &primary
                                                : key == "l2_secondary" ? &secondary
                                                                        : nullptr;
    if (!priority)
      return parser.emitError(at, "a cache policy has no '") << key << "'";
    return parseName<EvictionPriority>(parser, tt::symbolizeEvictionPriority, *priority);
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, field))
    return {};
  return parser.getChecked<CachePolicyAttr>(parser.getContext(),
                                            modifier.value_or(CacheModifier::NONE), l1, primary,
                                            secondary, fraction, prefetch);
}

void ttng::CachePolicyAttr::print(AsmPrinter &printer) const {
  llvm::raw_ostream &out = printer.getStream();
  llvm::ListSeparator comma;
  auto priority = [&](llvm::StringRef key, std::optional<EvictionPriority> value) {
    if (value)
      out << comma << key << " = " << tt::stringifyEvictionPriority(*value);
  };
  out << "<";
  if (getCacheModifier() != CacheModifier::NONE)
    out << comma << "cache_modifier = " << tt::stringifyCacheModifier(getCacheModifier());
  priority("l1", getL1());
  priority("l2_primary", getL2Primary());
  priority("l2_secondary", getL2Secondary());
  if (getL2Fraction()) {
    out << comma << "l2_fraction = ";
    printer.printAttribute(getL2Fraction());
  }
  if (getL2PrefetchSize())
    out << comma << "l2_prefetch_size = " << getL2PrefetchSize();
  out << ">";
}

} // namespace gluonc
