//===- CachePolicy.cpp - What accesses tell the caches ------------------------===//
#include "sema/builtins/core/Memory.h"

#include "sema/names/Language.h"

namespace gluonc::sema::ops {

static bool isOf(const Value &value, llvm::StringRef constructor) {
  const Signature &fields = findCachePolicy(constructor)->signature;
  llvm::ArrayRef<std::string> names =
      value.is(ValueKind::Tuple) ? value.fieldNames() : llvm::ArrayRef<std::string>();
  bool fits = names.size() == fields.count();
  for (size_t i = 0; fits && i < names.size(); ++i)
    fits = names[i] == fields[i].name;
  return fits;
}

static mlir::Attribute genericPolicy(Context &context, llvm::ArrayRef<Value> fields) {
  return tt::CachePolicyAttr::get(context.mlirContext(),
                                  *tt::symbolizeCacheModifier(fields[0].asString()),
                                  *tt::symbolizeEvictionPolicy(fields[1].asString()));
}

static mlir::Attribute nvidiaPolicy(Context &context, llvm::ArrayRef<Value> fields) {
  auto priority = [](const Value &value) {
    return value.isNone() ? std::nullopt : tt::symbolizeEvictionPriority(value.asString());
  };
  tt::CacheModifier modifier = fields[0].isNone()
                                   ? tt::CacheModifier::NONE
                                   : *tt::symbolizeCacheModifier(fields[0].asString());
  std::optional<tt::EvictionPriority> primary, secondary;
  mlir::FloatAttr fraction;
  if (!fields[2].isNone()) {
    llvm::ArrayRef<Value> shares = fields[2].items();
    primary = priority(shares[0]);
    secondary = priority(shares[2]);
    // A share too small for f32 is still more than none.
    float share = std::max(float(shares[1].asDouble()), std::numeric_limits<float>::min());
    fraction = context.builder.getF32FloatAttr(share);
  }
  return ttng::CachePolicyAttr::get(context.mlirContext(), modifier, priority(fields[1]), primary,
                                    secondary, fraction, unsigned(fields[3].asInt64().value_or(0)));
}

std::optional<mlir::Attribute> cachePolicy(Context &context, const BoundArgs &arguments,
                                           tt::CacheUse use) {
  const Value &value = arguments["cache_policy"];
  if (!isGiven(value))
    return mlir::Attribute();
  diag::Span span = arguments.span("cache_policy");
  bool isGeneric = isOf(value, "CachePolicy");
  if (!isGeneric && !isOf(value, "nvidia.ampere.CachePolicy")) {
    context
        .report(diag::Kind::ArgumentKind, span, "cache_policy", "a CachePolicy", value.typeName())
        .end();
    return std::nullopt;
  }
  for (llvm::StringRef other : {"cache_modifier", "eviction_policy"})
    if (unsigned i = arguments.signature.find(other);
        i != arguments.signature.count() && isGiven(arguments[i])) {
      context
          .report(diag::Kind::BadArgument, arguments.span(i),
                  ("`cache_policy` takes the place of `" + other + "`").str())
          .label(span, "given here");
      return std::nullopt;
    }
  mlir::Attribute policy =
      isGeneric ? genericPolicy(context, value.items()) : nvidiaPolicy(context, value.items());
  if (std::string problem = tt::whyNoCachePolicy(use, policy); !problem.empty()) {
    context.report(diag::Kind::BadArgument, span, problem).end();
    return std::nullopt;
  }
  return policy;
}

} // namespace gluonc::sema::ops
