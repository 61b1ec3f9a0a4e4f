// `CachePolicy` and `FractionalEvictionPolicy`: compile-time values that accesses take as
// `cache_policy`. Each is a named tuple of its arguments, checked where it is made.

#include "sema/names/Language.h"

#include "ir/Dialects.h"

namespace gluonc::sema {

using diag::Kind;

static MaybeValue refuse(Interpreter &interpreter, const IntrinsicCall &call, size_t i,
                         const llvm::Twine &expected) {
  interpreter
      .report(
          Kind::BadArgument, call.arguments.span(i),
          ("`" + call.arguments.signature[i].name + "` is " + expected + ", not " + call[i].repr())
              .str())
      .end();
  return std::nullopt;
}

static bool isNone(const Value &value) { return value.isAbsent() || value.isNone(); }

/// A name that `symbolize` knows, without the dot that modifiers may begin with.
template <typename Enum>
static bool names(const Value &value, std::optional<Enum> (*symbolize)(llvm::StringRef)) {
  return value.is(ValueKind::String) && symbolize(value.asString().ltrim('.'));
}

static bool namesPriority(const Value &value) {
  return names<tt::EvictionPriority>(value, tt::symbolizeEvictionPriority);
}

/// The argument, or what it is where it is not given.
static Value argument(const IntrinsicCall &call, size_t i, Value otherwise = Value::none()) {
  return call[i].isAbsent() ? otherwise : call[i];
}

static Value withFields(const IntrinsicCall &call, std::vector<Value> values) {
  std::vector<std::string> fields;
  for (size_t i = 0; i < values.size(); ++i)
    fields.push_back(call.self.signature[i].name.str());
  return Value::tuple(std::move(values), std::move(fields));
}

static Value withoutDot(const Value &value) {
  return value.is(ValueKind::String) ? Value::string(value.asString().ltrim('.').str()) : value;
}

static MaybeValue makeCachePolicy(Interpreter &interpreter, const IntrinsicCall &call) {
  Value modifier = argument(call, 0, Value::string("none"));
  Value policy = argument(call, 1, Value::string("evict_normal"));
  if (!names<tt::CacheModifier>(modifier, tt::symbolizeCacheModifier))
    return refuse(interpreter, call, 0, "one of none, ca, cg, wb, cs, wt, cv");
  if (!names<tt::EvictionPolicy>(policy, tt::symbolizeEvictionPolicy))
    return refuse(interpreter, call, 1, "one of evict_normal, evict_first, evict_last");
  return withFields(call, {withoutDot(modifier), policy});
}

static MaybeValue makeFractional(Interpreter &interpreter, const IntrinsicCall &call) {
  Value secondary = argument(call, 2, Value::string("evict_unchanged"));
  if (!namesPriority(call[0]) || call[0].asString() == "no_allocate")
    return refuse(interpreter, call, 0,
                  "one of evict_normal, evict_unchanged, evict_first, evict_last");
  if (!call[1].isNumber() || !(call[1].asDouble() > 0 && call[1].asDouble() <= 1))
    return refuse(interpreter, call, 1, "a number above 0 and not above 1");
  if (!secondary.is(ValueKind::String) ||
      (secondary.asString() != "evict_unchanged" && secondary.asString() != "evict_first"))
    return refuse(interpreter, call, 2, "one of evict_unchanged, evict_first");
  return withFields(call, {call[0], call[1], secondary});
}

bool isFractionalEvictionPolicy(const Value &value) {
  static constexpr llvm::StringLiteral fields[] = {"primary", "fraction", "secondary"};
  return value.is(ValueKind::Tuple) && llvm::equal(value.fieldNames(), fields);
}

static MaybeValue makeNvidiaPolicy(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!isNone(call[0]) && !names<tt::CacheModifier>(call[0], tt::symbolizeCacheModifier))
    return refuse(interpreter, call, 0, "one of ca, cg, wb, cs, wt, cv, or None");
  if (!isNone(call[1]) && !namesPriority(call[1]))
    return refuse(interpreter, call, 1,
                  "one of evict_normal, evict_unchanged, evict_first, evict_last, no_allocate, or "
                  "None");
  if (!isNone(call[2]) && !isFractionalEvictionPolicy(call[2]))
    return refuse(interpreter, call, 2, "a FractionalEvictionPolicy or None");
  std::optional<int64_t> size = call[3].asInt64();
  if (!isNone(call[3]) && size != 64 && size != 128 && size != 256)
    return refuse(interpreter, call, 3, "one of 64, 128, 256, or None");
  std::vector<Value> fields;
  for (size_t i = 0; i < 4; ++i)
    fields.push_back(withoutDot(argument(call, i)));
  if (llvm::all_of(fields, [](const Value &field) { return field.isNone(); })) {
    interpreter.report(Kind::BadArgument, call.span, "a `CachePolicy` must say something").end();
    return std::nullopt;
  }
  return withFields(call, std::move(fields));
}

// -- Names -------------------------------------------------------------------------

static constexpr llvm::StringLiteral fractionalDoc = R"(
What L2 keeps longest: a priority for a share of the lines, another one for the rest.

`primary` is "evict_normal", "evict_unchanged", "evict_first" or "evict_last", `secondary`
"evict_unchanged" or "evict_first".

Gives: a value known at compile time, for `CachePolicy`.
Errors: other names; a fraction that is not above 0, or above 1.

    half: gl.constexpr = ampere.FractionalEvictionPolicy("evict_last", 0.5)
)";

static constexpr llvm::StringLiteral nvidiaDoc = R"(
How an access treats NVIDIA's caches, for the argument `cache_policy`.

`cache_modifier` is that of loads and stores, `l1` the priority of its lines in L1 (also
"no_allocate"), `l2` a `FractionalEvictionPolicy`, `l2_prefetch_size` the bytes that L2 fetches
along: 64, 128 or 256. It changes times, never results.

Gives: a value known at compile time.
Errors: other names and sizes; a policy that says nothing.

    kept: gl.constexpr = ampere.CachePolicy(
        l2=ampere.FractionalEvictionPolicy("evict_last", 1.0))
    x = gl.load(p + offsets, cache_policy=kept)
)";

#define GL_POLICIES(chip)                                                                          \
  {"nvidia." chip ".FractionalEvictionPolicy",                                                     \
   "primary: str, fraction: value, secondary: str = 'evict_unchanged'", makeFractional,            \
   fractionalDoc},                                                                                 \
  {                                                                                                \
    "nvidia." chip ".CachePolicy",                                                                 \
        "cache_modifier: str = None, l1: str = None, l2: value = None, "                           \
        "l2_prefetch_size: int = None",                                                            \
        makeNvidiaPolicy, nvidiaDoc                                                                \
  }

static const Intrinsic policies[] = {
    {"CachePolicy", "cache_modifier: str = 'none', eviction_policy: str = 'evict_normal'",
     makeCachePolicy, R"(
How an access treats the caches of any chip, for the argument `cache_policy`.

It says what the arguments `cache_modifier` and `eviction_policy` of loads and stores say.

Gives: a value known at compile time.
Errors: other names.

    streamed: gl.constexpr = gl.CachePolicy("cg", "evict_first")
    x = gl.load(p + offsets, cache_policy=streamed)
)"},
    GL_POLICIES("ampere"),
    GL_POLICIES("hopper"),
    GL_POLICIES("blackwell"),
    GL_POLICIES("rubin"),
};
#undef GL_POLICIES

const Intrinsic *findCachePolicy(llvm::StringRef name) {
  for (const Intrinsic &policy : policies)
    if (policy.name == name)
      return &policy;
  return nullptr;
}

void appendCachePolicyNames(std::vector<llvm::StringRef> &names) {
  for (const Intrinsic &policy : policies)
    names.push_back(policy.name);
}

} // namespace gluonc::sema
