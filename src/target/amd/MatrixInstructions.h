//===- MatrixInstructions.h - Matrix cores of AMD GPUs -----------------------===//
//
// What MFMA (CDNA) and WMMA (RDNA, gfx1250) multiply, and in what portions. A
// layout has a version, which stands for the generation of the instructions:
// MFMA 1 to 4 are gfx908, gfx90a, gfx942 and gfx950, WMMA 1 to 3 are RDNA3, RDNA4
// and gfx1250. Sources: the ISA documents and AMD's matrix instruction calculator.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>

namespace gluonc::target::amd {

/// Lanes of the waves that run them: MFMA on CDNA, WMMA on RDNA and gfx1250.
inline constexpr int mfmaLanes = 64, wmmaLanes = 32;

/// Types of the elements of operands and sums. Of 8-bit floats, MFMA of gfx942 has those without
/// infinities and negative zero (Fnuz), all others OCP's.
enum class MatrixElement : uint8_t { F16, BF16, F32, F64, I8, I32, E4M3, E5M2, E4M3Fnuz, E5M2Fnuz };

/// One instruction: its K, and how many elements along K a lane has of each operand.
struct MatrixInstruction {
  int k, perLane;

  bool operator==(const MatrixInstruction &) const = default;
};

/// The instruction for a tile of `m` x `n` results that sums over `depth` elements; nullopt where
/// there is none. With `tf32`, f32 operands lose mantissa bits (version 3 only).
std::optional<MatrixInstruction> mfma(int version, int m, int n, int64_t depth, MatrixElement a,
                                      MatrixElement b, MatrixElement sum, bool tf32 = false);
/// The same for 16 x 16 results.
std::optional<MatrixInstruction> wmma(int version, int64_t depth, MatrixElement a, MatrixElement b,
                                      MatrixElement sum);

/// Elements that share a scale in products with scales.
inline constexpr int mfmaScaleBlock = 32, wmmaScaleBlocks[] = {16, 32};

} // namespace gluonc::target::amd
