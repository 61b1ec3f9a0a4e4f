//===- ScalarFloats.cpp - Floats in scalar registers (gfx11.5, gfx12) -----------===//
#include "amdgcn/ScalarOps.h"

#include "numeric/FloatFormats.h"

#include <cmath>

namespace gluonc::amdgcn {

/// s_cmp_NAME_f32 and s_cmp_NAME_f16.
template <auto holds> static void addComparison(HandlerTable &table, const std::string &name) {
  table["s_cmp_" + name + "_f32"] = compare<float, holds>;
  table["s_cmp_" + name + "_f16"] = compare<uint32_t, [](uint32_t a, uint32_t b) {
    return holds(numeric::halfToFloat(uint16_t(a)), numeric::halfToFloat(uint16_t(b)));
  }>;
}

void addScalarFloats(HandlerTable &table) {
  using F = float;
  table["s_add_f32"] = binary<F, [](F a, F b) { return a + b; }, Scc::Keep>;
  table["s_sub_f32"] = binary<F, [](F a, F b) { return a - b; }, Scc::Keep>;
  table["s_mul_f32"] = binary<F, [](F a, F b) { return a * b; }, Scc::Keep>;
  auto smaller = binary<F, [](F a, F b) { return std::fmin(a, b); }, Scc::Keep>;
  auto larger = binary<F, [](F a, F b) { return std::fmax(a, b); }, Scc::Keep>;
  table["s_min_f32"] = table["s_min_num_f32"] = smaller;
  table["s_max_f32"] = table["s_max_num_f32"] = larger;
  table["s_fmac_f32"] = [](Step &step) {
    write(step, std::fma(read<F>(step, 1), read<F>(step, 2), read<F>(step, 0)));
  };
  table["s_fmaak_f32"] = table["s_fmamk_f32"] = [](Step &step) {
    write(step, std::fma(read<F>(step, 1), read<F>(step, 2), read<F>(step, 3)));
  };
  table["s_ceil_f32"] = unary<F, [](F a) { return std::ceil(a); }, Scc::Keep>;
  table["s_floor_f32"] = unary<F, [](F a) { return std::floor(a); }, Scc::Keep>;
  table["s_trunc_f32"] = unary<F, [](F a) { return std::trunc(a); }, Scc::Keep>;
  table["s_rndne_f32"] = unary<F, [](F a) { return std::nearbyint(a); }, Scc::Keep>;
  table["s_cvt_f32_i32"] =
      count<int32_t, [](int32_t a) { return std::bit_cast<uint32_t>(F(a)); }, Scc::Keep>;
  table["s_cvt_f32_u32"] =
      count<uint32_t, [](uint32_t a) { return std::bit_cast<uint32_t>(F(a)); }, Scc::Keep>;
  table["s_cvt_i32_f32"] = count<F,
                                 [](F a) {
                                   return uint32_t(std::isnan(a)   ? 0
                                                   : a >= 0x1p31f  ? INT32_MAX
                                                   : a <= -0x1p31f ? INT32_MIN
                                                                   : int32_t(a));
                                 },
                                 Scc::Keep>;
  table["s_cvt_u32_f32"] =
      count<F, [](F a) { return std::isnan(a) || a <= 0 ? 0u
                                : a >= 0x1p32f          ? ~0u
                                                        : uint32_t(a); },
            Scc::Keep>;
  table["s_cvt_f16_f32"] = count<F, [](F a) { return numeric::floatToHalf(a); }, Scc::Keep>;
  table["s_cvt_f32_f16"] =
      count<uint32_t,
            [](uint32_t a) { return std::bit_cast<uint32_t>(numeric::halfToFloat(uint16_t(a))); },
            Scc::Keep>;
  addComparison<[](F a, F b) { return a < b; }>(table, "lt");
  addComparison<[](F a, F b) { return a == b; }>(table, "eq");
  addComparison<[](F a, F b) { return a <= b; }>(table, "le");
  addComparison<[](F a, F b) { return a > b; }>(table, "gt");
  addComparison<[](F a, F b) { return a >= b; }>(table, "ge");
  addComparison<[](F a, F b) { return a < b || a > b; }>(table, "lg");
  addComparison<[](F a, F b) { return a == a && b == b; }>(table, "o");
  addComparison<[](F a, F b) { return a != a || b != b; }>(table, "u");
  addComparison<[](F a, F b) { return !(a >= b); }>(table, "nge");
  addComparison<[](F a, F b) { return !(a > b); }>(table, "ngt");
  addComparison<[](F a, F b) { return !(a <= b); }>(table, "nle");
  addComparison<[](F a, F b) { return !(a < b); }>(table, "nlt");
  addComparison<[](F a, F b) { return !(a == b); }>(table, "neq");
  addComparison<[](F a, F b) { return !(a < b || a > b); }>(table, "nlg");
}

} // namespace gluonc::amdgcn
