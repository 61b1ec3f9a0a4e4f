//===- BoxCopies.h - The copy engine of NVIDIA GPUs (TMA) --------------------===//
//
// It moves boxes of tensors between global and shared memory. A descriptor of 128
// bytes (CUtensorMap, the `tensormap` of PTX) says how the tensor lies and how
// large a box is. PTX ISA, "Tensors", and the CUDA driver API,
// cuTensorMapEncodeTiled and …Im2col.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "support/TensorDescription.h"

#include <string>

namespace gluonc::target::nvidia::tma {

inline constexpr unsigned maxRank = TensorDescription::maxRank;
/// Of a tensor whose pixels a copy counts (im2col): image, one to three dims, channel.
inline constexpr unsigned minIm2ColRank = 3;
/// Elements of a box along one dim; pixels of one of im2col.
inline constexpr int64_t maxBoxLength = 256, maxPixels = 1024;

/// By rank from minIm2ColRank on: offsets of the corners of a box of pixels reach from one less
/// than the negative of this up to it. A descriptor has 32 bits for those of a corner.
inline constexpr int64_t maxCornerOffset[] = {32767, 127, 15};

/// Rows that one message names (tile::gather4, tile::scatter4), with so many bytes each or more:
/// then every message begins at a multiple of sharedAlignment.
inline constexpr int64_t namedRows = 4, minNamedRowBytes = 32;
/// The fewest rows of a buffer whose rows are named, and the widest elements.
inline constexpr int64_t minRowsOfNamed = 8;
inline constexpr unsigned maxNamedElementBits = 32;

/// Elements of a tensor along one dim, of which every first, second, … is taken.
inline constexpr int64_t maxExtent = int64_t(1) << 32, maxElementStride = 8;
/// What a kernel can say of them: it writes 32 signed bits.
inline constexpr int64_t maxExtentOfKernel = 0x7fffffff;
/// Bytes from one element along a dim to the next are fewer.
inline constexpr int64_t strideEnd = int64_t(1) << 40;

/// The engine counts global memory in such units: tensors and their rows begin at multiples of
/// them, and so do boxes within a row (which PTX does not say, but an H100 stops at). Loads end
/// where the tensor does; stores and reductions write the last unit of a row whole.
inline constexpr int64_t unitBytes = 16;
/// Of elements of 4 bits that are padded to bytes.
inline constexpr int64_t paddedUnitBytes = 32;
/// Boxes begin at multiples of it in shared memory.
inline constexpr int64_t sharedAlignment = 128;

/// Of a descriptor, which is aligned likewise; as a parameter of a kernel to less.
inline constexpr unsigned descriptorBytes = 128, parameterAlignment = 64;

/// Swizzles of shared memory, by the bytes of a row of their pattern.
constexpr bool isSwizzle(int64_t bytes) {
  return bytes == 0 || bytes == 32 || bytes == 64 || bytes == 128;
}
/// Their codes in a descriptor: 0 to 3.
constexpr unsigned swizzleCode(int64_t bytes) {
  return bytes == 0 ? 0 : bytes == 32 ? 1 : bytes == 64 ? 2 : 3;
}

/// Elements, as descriptors that a kernel makes name them; bytes are unsigned, those of 4 bits are
/// padded to bytes.
enum class ElementCode : unsigned {
  U8,
  U16,
  U32,
  S32,
  U64,
  S64,
  F16,
  F32,
  F64 = 9,
  BF16,
  Padded4Bits = 14
};
/// The last codes of a descriptor's fields.
inline constexpr unsigned lastElementCode = 15, lastInterleaveCode = 2, lastSwizzleCode = 3,
                          lastFillCode = 1;

/// Why the engine cannot address such a tensor, with the numbers; "" if it can. Rows of elements of
/// four bits begin at multiples of another `unit`.
std::string whyNotAddressable(const TensorDescription &tensor, unsigned elementBytes,
                              int64_t unit = unitBytes);

} // namespace gluonc::target::nvidia::tma
