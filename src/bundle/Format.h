//===- Format.h - The bytes of a bundle --------------------------------------===//
//
//   header | index: directory, records by kind, texts | machine code, piece by piece
//
// Numbers are little-endian, records have a fixed size, and what they refer to is a place
// among the records of a kind. docs/bundles.md has the same in words. Every byte of a file
// is a fixed value of the header, under the index's digest, or under that of a piece of code.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace gluonc::bundle::format {

static_assert(std::endian::native == std::endian::little, "records are read where they lie");

inline constexpr std::array<char, 8> magic = {'G', 'L', 'U', 'O', 'N', 'P', 'A', 'K'};
inline constexpr uint32_t version = 1;
/// Of the index, and of each piece of machine code.
inline constexpr uint64_t alignment = 64;
inline constexpr unsigned maxRank = 5;

using Digest = std::array<uint8_t, 32>;

struct Header {
  std::array<char, 8> magic;
  uint32_t version;
  uint32_t headerBytes;
  uint64_t fileBytes;
  uint64_t indexBytes;
  /// SHA-256 of the index.
  Digest digest;
};
static_assert(sizeof(Header) == 64);

/// Records of one kind; of texts, bytes.
struct Range {
  uint32_t first, count;
};

struct Directory {
  Range kernels, parameters, variants, conditions, arguments, constants, pieces, texts;
};

/// Ends with a zero that `count` leaves out.
using Text = Range;

struct Kernel {
  Text name;
  Range parameters;
  /// In the order in which they are tried.
  Range variants;
};

enum class ParameterKind : uint8_t {
  /// In its own format; nothing can depend on its value.
  Opaque,
  Pointer,
  Signed,
  Unsigned,
  /// The address of a tensor that a descriptor is made of.
  Tensor,
  /// A compile-time integer, signed, which only decides.
  Choice,
};

/// What a caller gives: a slot of eight bytes.
struct Parameter {
  Text name;
  /// "*fp32", "i32", "tensor fp16[2]" of a Tensor, "constexpr" of a Choice.
  Text type;
  ParameterKind kind;
  /// Of a number.
  uint8_t bits;
  /// Of a Tensor.
  uint8_t rank;
  uint8_t zero[5];
};
static_assert(sizeof(Parameter) == 24);

enum class Field : uint8_t { Value, Extent, Stride };
enum class Operator : uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, Multiple };

struct Condition {
  int64_t operand;
  /// Of the kernel.
  uint16_t parameter;
  Field field;
  uint8_t dim;
  Operator op;
  uint8_t zero[3];
};
static_assert(sizeof(Condition) == 16);

enum class ArgumentKind : uint8_t {
  /// The slot, as it is.
  Slot,
  /// A descriptor of NVIDIA's copy engine, extents, strides.
  Box,
  /// The words of one of AMD's, extents, strides.
  Words,
  /// Address, extents, and strides but the last.
  Expanded,
};

/// What the machine's kernel takes.
struct Argument {
  uint16_t parameter;
  ArgumentKind kind;
  uint8_t rank;
  /// Of Box and Words.
  uint32_t elementBytes;
  /// Of Box: CUtensorMapDataType, extents of one copy outermost first, bytes of the pattern.
  uint32_t type;
  uint32_t box[maxRank];
  uint32_t swizzleBytes;
  uint8_t isIm2Col;
  uint8_t zero[3];
};
static_assert(sizeof(Argument) == 40);

/// A compile-time value of a variant, for people.
struct Constant {
  Text name, value;
};

inline constexpr uint32_t cooperative = 1, programmaticDependent = 2;

struct Variant {
  Text target;
  /// Of the kernel in the machine code.
  Text symbol;
  Range conditions;
  Range arguments;
  Range constants;
  uint32_t piece;
  uint32_t threads;
  uint32_t ctas;
  uint32_t sharedBytes;
  uint32_t scratchBytes;
  uint32_t flags;
};
static_assert(sizeof(Variant) == 64);

enum class CodeKind : uint32_t { Cubin, Ptx, Hsaco };

/// Machine code. Zeros follow it up to the next piece; they are under the digest, too.
struct Piece {
  uint64_t offset, bytes;
  Digest digest;
  CodeKind kind;
  uint32_t zero;
};
static_assert(sizeof(Piece) == 56);

} // namespace gluonc::bundle::format
