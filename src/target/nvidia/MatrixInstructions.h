//===- MatrixInstructions.h - Tensor cores of NVIDIA GPUs --------------------===//
//
// What mma.sync (of a warp) and wgmma (of four) multiply, as the PTX ISA has it.
// Which chips have them are Features.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string_view>

namespace gluonc::target::nvidia {

/// Types of the elements of operands and sums. F32 operands are cut to tf32, I8 may be signed or
/// not. E2M1 has 4 bits.
enum class MatrixElement : uint8_t { F16, BF16, F32, F64, E4M3, E5M2, I8, I32, E2M1 };

constexpr bool isFloat8(MatrixElement element) {
  return element == MatrixElement::E4M3 || element == MatrixElement::E5M2;
}
/// As PTX names the type of an operand: "bf16", "tf32", "s8".
std::string_view operandName(MatrixElement element);
/// And that of a sum: "f32", "s32".
std::string_view sumName(MatrixElement element);

/// Registers hold operands in such words, and every instruction takes so many bits along K.
inline constexpr unsigned matrixWordBits = 32, matrixDepthBits = 256;
/// Elements along K, by their bits: 16 of 16.
constexpr unsigned matrixDepth(unsigned elementBits) { return matrixDepthBits / elementBits; }

/// mma.sync: a is rows x K, b K x columns.
namespace mma {
inline constexpr unsigned columns = 8;
constexpr unsigned rows(MatrixElement element) { return element == MatrixElement::F64 ? 8 : 16; }
/// Elements along K.
constexpr unsigned depth(MatrixElement element, unsigned elementBits) {
  return element == MatrixElement::F64 ? 4 : matrixDepth(elementBits);
}
/// Whether it adds products of a and b to sums of type `sum`.
bool multiplies(MatrixElement a, MatrixElement b, MatrixElement sum);
} // namespace mma

/// wgmma: a is 64 x K in shared memory or registers, b K x N in shared memory.
namespace wgmma {
inline constexpr unsigned warps = 4;
/// Of the group, and of each warp.
inline constexpr unsigned rows = 64, rowsPerWarp = rows / warps;
inline constexpr unsigned minColumns = 8, maxColumns = 256;
/// Groups of instructions that a wait can leave unfinished, at most.
inline constexpr unsigned maxPending = 7;
bool multiplies(MatrixElement a, MatrixElement b, MatrixElement sum);
/// Operands in shared memory are contiguous along K; those of 16 bits may be along M or N instead.
constexpr bool transposes(unsigned elementBits) { return elementBits == 16; }
} // namespace wgmma

} // namespace gluonc::target::nvidia
