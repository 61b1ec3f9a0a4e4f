//===- Comparisons.cpp - Lanes to masks ----------------------------------------===//
#include "amdgcn/Lanes.h"

namespace gluonc::amdgcn {

template <typename T> static auto comparable(T value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Brain>)
    return value.value;
  else
    return value;
}

/// Writes a mask with zeros for lanes that take no part; `toExec` is for v_cmpx.
template <typename T, auto F, bool toExec> static void compare(Step &step) {
  bool hasMask = step.operand(0).bank == Bank::Scalar && step.operands() > 2;
  unsigned first = hasMask ? 1 : 0;
  uint64_t all = step.active;
  DppScope dpp(step, first);
  Source<T> a(step, step.operand(first), dpp.row, 0), b(step, step.operand(first + 1), nullptr, 1);
  uint64_t mask = 0;
  step.eachLane([&](unsigned lane) {
    mask |= uint64_t(F(comparable(T(a[lane])), comparable(T(b[lane])))) << lane;
  });
  // Lanes that DPP gives nothing keep what they had.
  if (hasMask && step.active != all)
    mask |= step.mask(step.operand(0)) & all & ~step.active;
  if (hasMask)
    step.setMask(step.operand(0), mask);
  if (toExec)
    step.wave.setMask(execSlot, mask);
}

enum FloatClass : uint32_t {
  SignalingNan = 1,
  QuietNan = 2,
  MinusInfinity = 4,
  MinusNormal = 8,
  MinusDenormal = 16,
  MinusZero = 32,
  PlusZero = 64,
  PlusDenormal = 128,
  PlusNormal = 256,
  PlusInfinity = 512
};

template <typename B> static uint32_t classify(B bits, unsigned mantissaBits) {
  unsigned width = sizeof(B) * 8;
  bool negative = bits >> (width - 1) & 1;
  B magnitude = bits & static_cast<B>(~(B(1) << (width - 1)));
  B infinity = static_cast<B>(((B(1) << (width - 1 - mantissaBits)) - 1) << mantissaBits);
  if (magnitude > infinity)
    return magnitude >> (mantissaBits - 1) & 1 ? QuietNan : SignalingNan;
  if (magnitude == infinity)
    return negative ? MinusInfinity : PlusInfinity;
  if (magnitude == 0)
    return negative ? MinusZero : PlusZero;
  if (magnitude >> mantissaBits)
    return negative ? MinusNormal : PlusNormal;
  return negative ? MinusDenormal : PlusDenormal;
}

template <typename B, unsigned mantissaBits, bool toExec> static void compareClass(Step &step) {
  bool hasMask = step.operand(0).bank == Bank::Scalar && step.operands() > 2;
  unsigned first = hasMask ? 1 : 0;
  Source<B> a(step, step.operand(first), nullptr, 0);
  Source<uint32_t> b(step, step.operand(first + 1), nullptr, 1);
  uint64_t mask = 0;
  step.eachLane([&](unsigned lane) {
    mask |= uint64_t((classify<B>(a[lane], mantissaBits) & b[lane]) != 0) << lane;
  });
  if (hasMask)
    step.setMask(step.operand(0), mask);
  if (toExec)
    step.wave.setMask(execSlot, mask);
}

template <typename T, auto F>
static void addOne(HandlerTable &table, llvm::StringRef name, llvm::StringRef suffix) {
  table[("v_cmp_" + name + "_" + suffix).str()] = compare<T, F, false>;
  table[("v_cmpx_" + name + "_" + suffix).str()] = compare<T, F, true>;
}

template <typename T> static void addOrdered(HandlerTable &table, llvm::StringRef suffix) {
  using C = decltype(comparable(T()));
  addOne<T, [](C, C) { return false; }>(table, "f", suffix);
  addOne<T, [](C a, C b) { return a < b; }>(table, "lt", suffix);
  addOne<T, [](C a, C b) { return a == b; }>(table, "eq", suffix);
  addOne<T, [](C a, C b) { return a <= b; }>(table, "le", suffix);
  addOne<T, [](C a, C b) { return a > b; }>(table, "gt", suffix);
  addOne<T, [](C a, C b) { return a >= b; }>(table, "ge", suffix);
}

template <typename T> static void addFloating(HandlerTable &table, llvm::StringRef suffix) {
  using C = decltype(comparable(T()));
  addOrdered<T>(table, suffix);
  addOne<T, [](C a, C b) { return a < b || a > b; }>(table, "lg", suffix);
  addOne<T, [](C a, C b) { return a == a && b == b; }>(table, "o", suffix);
  addOne<T, [](C a, C b) { return a != a || b != b; }>(table, "u", suffix);
  addOne<T, [](C a, C b) { return !(a >= b); }>(table, "nge", suffix);
  addOne<T, [](C a, C b) { return !(a < b || a > b); }>(table, "nlg", suffix);
  addOne<T, [](C a, C b) { return !(a > b); }>(table, "ngt", suffix);
  addOne<T, [](C a, C b) { return !(a <= b); }>(table, "nle", suffix);
  addOne<T, [](C a, C b) { return !(a == b); }>(table, "neq", suffix);
  addOne<T, [](C a, C b) { return !(a < b); }>(table, "nlt", suffix);
  addOne<T, [](C, C) { return true; }>(table, "tru", suffix);
  addOne<T, [](C, C) { return true; }>(table, "t", suffix);
}

template <typename T> static void addIntegral(HandlerTable &table, llvm::StringRef suffix) {
  addOrdered<T>(table, suffix);
  addOne<T, [](T a, T b) { return a != b; }>(table, "ne", suffix);
  addOne<T, [](T, T) { return true; }>(table, "t", suffix);
}

void addComparisons(HandlerTable &table) {
  addFloating<float>(table, "f32");
  addFloating<double>(table, "f64");
  addFloating<Half>(table, "f16");
  addFloating<Brain>(table, "bf16");
  addIntegral<int32_t>(table, "i32");
  addIntegral<uint32_t>(table, "u32");
  addIntegral<int64_t>(table, "i64");
  addIntegral<uint64_t>(table, "u64");
  addIntegral<int16_t>(table, "i16");
  addIntegral<uint16_t>(table, "u16");
  table["v_cmp_class_f32"] = compareClass<uint32_t, 23, false>;
  table["v_cmpx_class_f32"] = compareClass<uint32_t, 23, true>;
  table["v_cmp_class_f64"] = compareClass<uint64_t, 52, false>;
  table["v_cmpx_class_f64"] = compareClass<uint64_t, 52, true>;
  table["v_cmp_class_f16"] = compareClass<uint16_t, 10, false>;
  table["v_cmpx_class_f16"] = compareClass<uint16_t, 10, true>;
}

} // namespace gluonc::amdgcn
