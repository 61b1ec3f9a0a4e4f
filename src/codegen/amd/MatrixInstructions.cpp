#include "codegen/amd/MatrixInstructions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace gluonc::codegen::amd {
namespace {

using enum Element;
using enum Family;
using enum Packing;

constexpr unsigned only(unsigned version) { return 1u << version; }
constexpr unsigned from(unsigned first) { return ~0u << first; }

// Layouts of MFMA: 3 is gfx942, 4 gfx950. Of WMMA: 1 is RDNA3, 2 RDNA4, 3 gfx1250.
constexpr unsigned cdna = from(2), cdna3 = only(3), cdna3On = from(3), cdna4 = only(4);
constexpr unsigned rdna3 = only(1), rdna4 = only(2), gfx1250 = only(3);

constexpr MatrixInstruction instructions[] = {
    {Mfma, cdna, F64, F64, 16, 16, 4, 1, Elements, Intrinsic::amdgcn_mfma_f64_16x16x4f64},
    {Mfma, cdna, F32, F32, 32, 32, 2, 1, Elements, Intrinsic::amdgcn_mfma_f32_32x32x2f32},
    {Mfma, cdna, F32, F32, 16, 16, 4, 1, Elements, Intrinsic::amdgcn_mfma_f32_16x16x4f32},
    {Mfma, cdna3, TF32, TF32, 32, 32, 4, 2, Elements, Intrinsic::amdgcn_mfma_f32_32x32x4_xf32},
    {Mfma, cdna3, TF32, TF32, 16, 16, 8, 2, Elements, Intrinsic::amdgcn_mfma_f32_16x16x8_xf32},
    {Mfma, cdna4, F16, F16, 32, 32, 16, 8, Elements, Intrinsic::amdgcn_mfma_f32_32x32x16_f16},
    {Mfma, cdna4, F16, F16, 16, 16, 32, 8, Elements, Intrinsic::amdgcn_mfma_f32_16x16x32_f16},
    {Mfma, cdna, F16, F16, 32, 32, 8, 4, Elements, Intrinsic::amdgcn_mfma_f32_32x32x8f16},
    {Mfma, cdna, F16, F16, 16, 16, 16, 4, Elements, Intrinsic::amdgcn_mfma_f32_16x16x16f16},
    {Mfma, cdna4, BF16, BF16, 32, 32, 16, 8, Elements, Intrinsic::amdgcn_mfma_f32_32x32x16_bf16},
    {Mfma, cdna4, BF16, BF16, 16, 16, 32, 8, Elements, Intrinsic::amdgcn_mfma_f32_16x16x32_bf16},
    {Mfma, cdna, BF16, BF16, 32, 32, 8, 4, Shorts, Intrinsic::amdgcn_mfma_f32_32x32x8bf16_1k},
    {Mfma, cdna, BF16, BF16, 16, 16, 16, 4, Shorts, Intrinsic::amdgcn_mfma_f32_16x16x16bf16_1k},
    {Mfma, cdna3On, Fp8, Fp8, 32, 32, 16, 8, Words, Intrinsic::amdgcn_mfma_f32_32x32x16_fp8_fp8},
    {Mfma, cdna3On, Fp8, Fp8, 16, 16, 32, 8, Words, Intrinsic::amdgcn_mfma_f32_16x16x32_fp8_fp8},
    {Mfma, cdna3On, Fp8, Bf8, 32, 32, 16, 8, Words, Intrinsic::amdgcn_mfma_f32_32x32x16_fp8_bf8},
    {Mfma, cdna3On, Fp8, Bf8, 16, 16, 32, 8, Words, Intrinsic::amdgcn_mfma_f32_16x16x32_fp8_bf8},
    {Mfma, cdna3On, Bf8, Fp8, 32, 32, 16, 8, Words, Intrinsic::amdgcn_mfma_f32_32x32x16_bf8_fp8},
    {Mfma, cdna3On, Bf8, Fp8, 16, 16, 32, 8, Words, Intrinsic::amdgcn_mfma_f32_16x16x32_bf8_fp8},
    {Mfma, cdna3On, Bf8, Bf8, 32, 32, 16, 8, Words, Intrinsic::amdgcn_mfma_f32_32x32x16_bf8_bf8},
    {Mfma, cdna3On, Bf8, Bf8, 16, 16, 32, 8, Words, Intrinsic::amdgcn_mfma_f32_16x16x32_bf8_bf8},
    {Mfma, cdna4, I8, I8, 32, 32, 32, 16, Words, Intrinsic::amdgcn_mfma_i32_32x32x32_i8},
    {Mfma, cdna4, I8, I8, 16, 16, 64, 16, Words, Intrinsic::amdgcn_mfma_i32_16x16x64_i8},
    {Mfma, cdna3On, I8, I8, 32, 32, 16, 8, Words, Intrinsic::amdgcn_mfma_i32_32x32x16_i8},
    {Mfma, cdna3On, I8, I8, 16, 16, 32, 8, Words, Intrinsic::amdgcn_mfma_i32_16x16x32_i8},

    {Wmma, rdna3, F16, F16, 16, 16, 16, 16, Elements, Intrinsic::amdgcn_wmma_f32_16x16x16_f16},
    {Wmma, rdna3, BF16, BF16, 16, 16, 16, 16, Shorts, Intrinsic::amdgcn_wmma_f32_16x16x16_bf16},
    {Wmma, rdna3, I8, I8, 16, 16, 16, 16, Words, Intrinsic::amdgcn_wmma_i32_16x16x16_iu8},
    {Wmma, rdna4, F16, F16, 16, 16, 16, 8, Elements, Intrinsic::amdgcn_wmma_f32_16x16x16_f16},
    {Wmma, rdna4, BF16, BF16, 16, 16, 16, 8, Shorts, Intrinsic::amdgcn_wmma_f32_16x16x16_bf16},
    {Wmma, rdna4, I8, I8, 16, 16, 16, 8, Words, Intrinsic::amdgcn_wmma_i32_16x16x16_iu8},
    {Wmma, rdna4, Fp8, Fp8, 16, 16, 16, 8, Words, Intrinsic::amdgcn_wmma_f32_16x16x16_fp8_fp8},
    {Wmma, rdna4, Fp8, Bf8, 16, 16, 16, 8, Words, Intrinsic::amdgcn_wmma_f32_16x16x16_fp8_bf8},
    {Wmma, rdna4, Bf8, Fp8, 16, 16, 16, 8, Words, Intrinsic::amdgcn_wmma_f32_16x16x16_bf8_fp8},
    {Wmma, rdna4, Bf8, Bf8, 16, 16, 16, 8, Words, Intrinsic::amdgcn_wmma_f32_16x16x16_bf8_bf8},
    {Wmma, gfx1250, F32, F32, 16, 16, 4, 2, Elements, Intrinsic::amdgcn_wmma_f32_16x16x4_f32},
    {Wmma, gfx1250, F16, F16, 16, 16, 32, 16, Elements, Intrinsic::amdgcn_wmma_f32_16x16x32_f16},
    {Wmma, gfx1250, BF16, BF16, 16, 16, 32, 16, Elements, Intrinsic::amdgcn_wmma_f32_16x16x32_bf16},
    {Wmma, gfx1250, I8, I8, 16, 16, 64, 32, Words, Intrinsic::amdgcn_wmma_i32_16x16x64_iu8},
    {Wmma, gfx1250, Fp8, Fp8, 16, 16, 128, 64, Words, Intrinsic::amdgcn_wmma_f32_16x16x128_fp8_fp8},
    {Wmma, gfx1250, Fp8, Bf8, 16, 16, 128, 64, Words, Intrinsic::amdgcn_wmma_f32_16x16x128_fp8_bf8},
    {Wmma, gfx1250, Bf8, Fp8, 16, 16, 128, 64, Words, Intrinsic::amdgcn_wmma_f32_16x16x128_bf8_fp8},
    {Wmma, gfx1250, Bf8, Bf8, 16, 16, 128, 64, Words, Intrinsic::amdgcn_wmma_f32_16x16x128_bf8_bf8},
    {Wmma, gfx1250, Fp8, Fp8, 16, 16, 64, 32, Words, Intrinsic::amdgcn_wmma_f32_16x16x64_fp8_fp8},
    {Wmma, gfx1250, Fp8, Bf8, 16, 16, 64, 32, Words, Intrinsic::amdgcn_wmma_f32_16x16x64_fp8_bf8},
    {Wmma, gfx1250, Bf8, Fp8, 16, 16, 64, 32, Words, Intrinsic::amdgcn_wmma_f32_16x16x64_bf8_fp8},
    {Wmma, gfx1250, Bf8, Bf8, 16, 16, 64, 32, Words, Intrinsic::amdgcn_wmma_f32_16x16x64_bf8_bf8},
};

} // namespace

const MatrixInstruction *findMatrixInstruction(const MatrixQuestion &question) {
  const MatrixInstruction *deepest = nullptr;
  for (const MatrixInstruction &each : instructions) {
    bool fits = each.family == question.family && each.versions >> question.version & 1 &&
                each.a == question.a && each.b == question.b && each.rows == question.rows &&
                each.columns == question.columns && question.elements % each.elements == 0;
    if (!fits)
      continue;
    if (each.depth == question.depth)
      return &each;
    if (!deepest || each.depth > deepest->depth)
      deepest = &each;
  }
  return deepest;
}

} // namespace gluonc::codegen::amd
