//===- ScalarFloats.cpp - Floats in scalar registers (gfx11.5, gfx12) -----------===//
#include "amdgcn/ScalarOps.h"

#include "numeric/FloatFormats.h"

#include <cmath>

namespace gluonc::amdgcn {

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
  table["s_cmp_lt_f32"] = compare<F, [](F a, F b) { return a < b; }>;
  table["s_cmp_eq_f32"] = compare<F, [](F a, F b) { return a == b; }>;
  table["s_cmp_le_f32"] = compare<F, [](F a, F b) { return a <= b; }>;
  table["s_cmp_gt_f32"] = compare<F, [](F a, F b) { return a > b; }>;
  table["s_cmp_ge_f32"] = compare<F, [](F a, F b) { return a >= b; }>;
  table["s_cmp_lg_f32"] = compare<F, [](F a, F b) { return a < b || a > b; }>;
  table["s_cmp_o_f32"] = compare<F, [](F a, F b) { return a == a && b == b; }>;
  table["s_cmp_u_f32"] = compare<F, [](F a, F b) { return a != a || b != b; }>;
  table["s_cmp_nge_f32"] = compare<F, [](F a, F b) { return !(a >= b); }>;
  table["s_cmp_ngt_f32"] = compare<F, [](F a, F b) { return !(a > b); }>;
  table["s_cmp_nle_f32"] = compare<F, [](F a, F b) { return !(a <= b); }>;
  table["s_cmp_nlt_f32"] = compare<F, [](F a, F b) { return !(a < b); }>;
  table["s_cmp_neq_f32"] = compare<F, [](F a, F b) { return !(a == b); }>;
  table["s_cmp_nlg_f32"] = compare<F, [](F a, F b) { return !(a < b || a > b); }>;
}

} // namespace gluonc::amdgcn
