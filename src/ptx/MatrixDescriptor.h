//===- MatrixDescriptor.h - Where a matrix lies in shared memory -----------------===//
//
// 64 bits that say it (PTX ISA 9.7.15.5.1.2 for wgmma, 9.7.16.4.1 for tcgen05): start, two
// strides, and the pattern in which 16 bytes change places within a row. A row is what
// lies on end: of K, or of the matrix' own rows.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace gluonc::ptx {

struct MatrixDescriptor {
  /// In bytes; `leading` is an address if `leadingIsAddress`.
  uint32_t start = 0, leading = 0, stride = 0;
  bool leadingIsAddress = false;
  /// Bytes of a row of the swizzle's pattern; 16 without one.
  uint32_t width = 16;
  /// What changes its place: 16 or 32 bytes.
  uint32_t atom = 16;
  /// At which 128 bytes of 1024 the pattern begins.
  uint32_t baseOffset = 0;
  /// The bits are those of a descriptor.
  bool isValid = true;

  static MatrixDescriptor ofWgmma(uint64_t bits) {
    static constexpr uint32_t widths[] = {16, 128, 64, 32};
    MatrixDescriptor result = common(bits);
    result.width = widths[bits >> 62];
    return result;
  }
  static MatrixDescriptor ofTcgen05(uint64_t bits) {
    static constexpr uint32_t widths[] = {16, 128, 128, 0, 64, 0, 32, 0};
    MatrixDescriptor result = common(bits);
    uint32_t code = bits >> 61;
    result.width = widths[code];
    result.atom = code == 1 ? 32 : 16;
    result.baseOffset = bits >> 49 & 7;
    result.leadingIsAddress = bits >> 52 & 1;
    constexpr uint64_t unused = 3ull << 14 | 3ull << 30 | 0xffull << 53;
    result.isValid = (bits >> 46 & 7) == 1 && result.width && !(bits & unused);
    if (!result.isValid)
      result.width = 16;
    return result;
  }

  /// Where byte `byte` of K of row `row` is, if K is what is contiguous.
  uint32_t alongK(uint32_t row, uint32_t byte) const {
    uint32_t inRow = byte % width, column = byte / width;
    return swizzled(start + row / 8 * stride + row % 8 * width + column * leading + inRow);
  }
  /// Where byte `byte` of the rows is at element k, if the rows are contiguous.
  uint32_t alongRows(uint32_t byte, uint32_t k) const {
    uint32_t column = byte / width, group = atom == 32 ? 4 : 8;
    // Without a swizzle the two strides change their parts.
    uint32_t far =
        width == 16 ? column * stride + k / group * leading : column * leading + k / group * stride;
    return swizzled(start + far + k % group * width + byte % width);
  }

private:
  static MatrixDescriptor common(uint64_t bits) {
    MatrixDescriptor result;
    result.start = uint32_t(bits & 0x3fff) << 4;
    result.leading = uint32_t(bits >> 16 & 0x3fff) << 4;
    result.stride = uint32_t(bits >> 32 & 0x3fff) << 4;
    return result;
  }
  /// The bits of an address that number atoms are combined with bits 7 on, which number rows of 128
  /// bytes, as many as the pattern has.
  uint32_t swizzled(uint32_t address) const {
    uint32_t mask = width / atom - 1, row = (address >> 7) - baseOffset;
    return width == 16 ? address : address ^ (row & mask) * atom;
  }
};

} // namespace gluonc::ptx
