#include "codegen/amd/MatrixInstructions.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace gluonc::codegen::amd {
namespace {

using enum Element;
using enum Family;
using enum Packing;

struct Row {
  Family family;
  Element a, b;
  /// m = n.
  unsigned m, k;
  Packing packing;
  Intrinsic::ID id;
  bool tf32 = false;
};

// 8-bit floats are OCP's here; MFMA of gfx942 means its own by the same names.
constexpr Row rows[] = {
    {Mfma, F64, F64, 16, 4, Elements, Intrinsic::amdgcn_mfma_f64_16x16x4f64},
    {Mfma, F32, F32, 32, 2, Elements, Intrinsic::amdgcn_mfma_f32_32x32x2f32},
    {Mfma, F32, F32, 16, 4, Elements, Intrinsic::amdgcn_mfma_f32_16x16x4f32},
    {Mfma, F32, F32, 32, 4, Elements, Intrinsic::amdgcn_mfma_f32_32x32x4_xf32, true},
    {Mfma, F32, F32, 16, 8, Elements, Intrinsic::amdgcn_mfma_f32_16x16x8_xf32, true},
    {Mfma, F16, F16, 32, 16, Elements, Intrinsic::amdgcn_mfma_f32_32x32x16_f16},
    {Mfma, F16, F16, 16, 32, Elements, Intrinsic::amdgcn_mfma_f32_16x16x32_f16},
    {Mfma, F16, F16, 32, 8, Elements, Intrinsic::amdgcn_mfma_f32_32x32x8f16},
    {Mfma, F16, F16, 16, 16, Elements, Intrinsic::amdgcn_mfma_f32_16x16x16f16},
    {Mfma, BF16, BF16, 32, 16, Elements, Intrinsic::amdgcn_mfma_f32_32x32x16_bf16},
    {Mfma, BF16, BF16, 16, 32, Elements, Intrinsic::amdgcn_mfma_f32_16x16x32_bf16},
    {Mfma, BF16, BF16, 32, 8, Shorts, Intrinsic::amdgcn_mfma_f32_32x32x8bf16_1k},
    {Mfma, BF16, BF16, 16, 16, Shorts, Intrinsic::amdgcn_mfma_f32_16x16x16bf16_1k},
    {Mfma, E4M3, E4M3, 32, 16, Words, Intrinsic::amdgcn_mfma_f32_32x32x16_fp8_fp8},
    {Mfma, E4M3, E4M3, 16, 32, Words, Intrinsic::amdgcn_mfma_f32_16x16x32_fp8_fp8},
    {Mfma, E4M3, E5M2, 32, 16, Words, Intrinsic::amdgcn_mfma_f32_32x32x16_fp8_bf8},
    {Mfma, E4M3, E5M2, 16, 32, Words, Intrinsic::amdgcn_mfma_f32_16x16x32_fp8_bf8},
    {Mfma, E5M2, E4M3, 32, 16, Words, Intrinsic::amdgcn_mfma_f32_32x32x16_bf8_fp8},
    {Mfma, E5M2, E4M3, 16, 32, Words, Intrinsic::amdgcn_mfma_f32_16x16x32_bf8_fp8},
    {Mfma, E5M2, E5M2, 32, 16, Words, Intrinsic::amdgcn_mfma_f32_32x32x16_bf8_bf8},
    {Mfma, E5M2, E5M2, 16, 32, Words, Intrinsic::amdgcn_mfma_f32_16x16x32_bf8_bf8},
    {Mfma, I8, I8, 32, 32, Words, Intrinsic::amdgcn_mfma_i32_32x32x32_i8},
    {Mfma, I8, I8, 16, 64, Words, Intrinsic::amdgcn_mfma_i32_16x16x64_i8},
    {Mfma, I8, I8, 32, 16, Words, Intrinsic::amdgcn_mfma_i32_32x32x16_i8},
    {Mfma, I8, I8, 16, 32, Words, Intrinsic::amdgcn_mfma_i32_16x16x32_i8},
    {Wmma, F16, F16, 16, 16, Elements, Intrinsic::amdgcn_wmma_f32_16x16x16_f16},
    {Wmma, BF16, BF16, 16, 16, Shorts, Intrinsic::amdgcn_wmma_f32_16x16x16_bf16},
    {Wmma, I8, I8, 16, 16, Words, Intrinsic::amdgcn_wmma_i32_16x16x16_iu8},
    {Wmma, E4M3, E4M3, 16, 16, Words, Intrinsic::amdgcn_wmma_f32_16x16x16_fp8_fp8},
    {Wmma, E4M3, E5M2, 16, 16, Words, Intrinsic::amdgcn_wmma_f32_16x16x16_fp8_bf8},
    {Wmma, E5M2, E4M3, 16, 16, Words, Intrinsic::amdgcn_wmma_f32_16x16x16_bf8_fp8},
    {Wmma, E5M2, E5M2, 16, 16, Words, Intrinsic::amdgcn_wmma_f32_16x16x16_bf8_bf8},
    {Wmma, F32, F32, 16, 4, Elements, Intrinsic::amdgcn_wmma_f32_16x16x4_f32},
    {Wmma, F16, F16, 16, 32, Elements, Intrinsic::amdgcn_wmma_f32_16x16x32_f16},
    {Wmma, BF16, BF16, 16, 32, Elements, Intrinsic::amdgcn_wmma_f32_16x16x32_bf16},
    {Wmma, I8, I8, 16, 64, Words, Intrinsic::amdgcn_wmma_i32_16x16x64_iu8},
    {Wmma, E4M3, E4M3, 16, 128, Words, Intrinsic::amdgcn_wmma_f32_16x16x128_fp8_fp8},
    {Wmma, E4M3, E5M2, 16, 128, Words, Intrinsic::amdgcn_wmma_f32_16x16x128_fp8_bf8},
    {Wmma, E5M2, E4M3, 16, 128, Words, Intrinsic::amdgcn_wmma_f32_16x16x128_bf8_fp8},
    {Wmma, E5M2, E5M2, 16, 128, Words, Intrinsic::amdgcn_wmma_f32_16x16x128_bf8_bf8},
    {Wmma, E4M3, E4M3, 16, 64, Words, Intrinsic::amdgcn_wmma_f32_16x16x64_fp8_fp8},
    {Wmma, E4M3, E5M2, 16, 64, Words, Intrinsic::amdgcn_wmma_f32_16x16x64_fp8_bf8},
    {Wmma, E5M2, E4M3, 16, 64, Words, Intrinsic::amdgcn_wmma_f32_16x16x64_bf8_fp8},
    {Wmma, E5M2, E5M2, 16, 64, Words, Intrinsic::amdgcn_wmma_f32_16x16x64_bf8_bf8},
};

Element asOcp(Element element) {
  return element == E4M3Fnuz ? E4M3 : element == E5M2Fnuz ? E5M2 : element;
}

} // namespace

std::optional<MatrixIntrinsic> matrixIntrinsic(Family family, unsigned m, unsigned k, Element a,
                                               Element b, bool tf32) {
  for (const Row &row : rows)
    if (row.family == family && row.m == m && row.k == k && row.a == asOcp(a) &&
        row.b == asOcp(b) && row.tf32 == tf32)
      return MatrixIntrinsic{row.id, row.packing};
  return std::nullopt;
}

} // namespace gluonc::codegen::amd
