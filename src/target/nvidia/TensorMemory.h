//===- TensorMemory.h - Tensor memory and the products that use it ------------===//
//
// tcgen05 (PTX ISA, "TensorCore 5th Generation Family Instructions"): the memory
// beside the tensor cores of sm_100 to sm_110, and what tcgen05.mma multiplies.
// One thread starts a product of a whole CTA; operands lie in shared or tensor
// memory, the sum in tensor memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "target/Target.h"
#include "target/nvidia/MatrixInstructions.h"

#include <optional>

namespace gluonc::target::nvidia {

/// 128 rows (lanes) of 512 columns of 32 bits; an address is row << 16 | column.
namespace tmem {
inline constexpr unsigned rows = 128, columns = 512, columnBits = 32;
inline constexpr unsigned rowShift = 16;
/// Warp w of a CTA reaches rows 32 (w mod 4) and up.
inline constexpr unsigned warps = 4, rowsPerWarp = rows / warps;
/// Allocations have a power of two of columns.
inline constexpr unsigned minAllocation = 32;
/// Where tiles may begin.
inline constexpr unsigned columnAlignment = 4;
/// Tiles of 64 rows use every second group of 16.
inline constexpr unsigned halfRows = 16;
} // namespace tmem

namespace tcgen05 {
/// Families of element types.
enum class Kind : uint8_t { F16, Tf32, F8F6F4, I8, Mxf8f6f4, Mxf4, Mxf4Nvf4 };
std::string_view name(Kind kind);
/// The kind without scales that multiplies a and b into `sum`.
std::optional<Kind> kindOf(MatrixElement a, MatrixElement b, MatrixElement sum);
/// Types of scales: powers of two, or 8-bit floats.
enum class ScaleElement : uint8_t { UE4M3, UE8M0 };
/// The kind with a scale for every `block` elements along K. Nullopt where there is none.
std::optional<Kind> scaledKindOf(MatrixElement a, MatrixElement b, ScaleElement scale,
                                 unsigned block);
constexpr bool isScaled(Kind kind) {
  return kind == Kind::Mxf8f6f4 || kind == Kind::Mxf4 || kind == Kind::Mxf4Nvf4;
}
/// Whether two 4-bit elements share a byte; else each has one.
constexpr bool packsNibbles(Kind kind) { return kind == Kind::Mxf4 || kind == Kind::Mxf4Nvf4; }
/// Elements along K of one instruction.
unsigned depth(Kind kind, unsigned elementBits);
/// Whether the chip has it.
bool has(const Target &target, Kind kind);

/// Rows of one instruction of one CTA, and columns of its sum at most.
inline constexpr unsigned smallRows = 64, rows = 128, maxColumns = 256;
/// Whether an instruction of `kind` and so many rows in each of its CTAs has `n` columns.
bool hasColumns(Kind kind, unsigned rows, unsigned n, unsigned ctas = 1);
/// Operands of 8, 16 and 32 bits may be contiguous along M or N instead of K, but not 4-bit ones.
constexpr bool transposes(Kind kind) { return !packsNibbles(kind); }

/// Scales are bytes: those of 32 rows lie below each other in one column of 32 bits, in the rows of
/// each warp alike, 32 further rows in the next column.
inline constexpr unsigned scalesPerColumn = 4, scaleRows = 32;

/// What an instruction is told beside its operands: the 32-bit instruction descriptor.
struct Form {
  Kind kind;
  MatrixElement a, b, sum;
  /// Of I8.
  bool unsignedA = false, unsignedB = false;
  /// Contiguous along M, or N.
  bool transposesA = false, transposesB = false;
  /// Of both CTAs where there are two.
  unsigned rows = 128, columns = 128;
  /// Of scaled kinds: their type, and which byte of its column is the first scale.
  ScaleElement scale = ScaleElement::UE8M0;
  unsigned scaleByte = 0;
};
uint32_t instructionDescriptor(const Form &form);
} // namespace tcgen05

} // namespace gluonc::target::nvidia
