//===- DTypes.h - The scalar types of the language, as facts ----------------===//
//
// One table, DTypes.def: names, width, format and codes of every scalar type.
// Header only and free of LLVM, so that the Python module can read it too.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "numeric/FloatFormats.h"

#include <string_view>

namespace gluonc::numeric {

enum class ScalarKind : uint8_t {
#define GL_DTYPE(Kind, ...) Kind,
#include "numeric/DTypes.def"
};

enum class NumberKind : uint8_t { None, Bool, Signed, Unsigned, Float };

/// The code of types that DLPack, or the copy engine, does not have.
inline constexpr uint8_t none = 0xff;

struct DTypeFacts {
  ScalarKind kind;
  /// "fp32", "i32"
  std::string_view signature;
  /// "float32", "int32"
  std::string_view member;
  NumberKind number;
  uint8_t bits;
  /// Null for integers, float and double.
  const FloatFormat *format;
  uint8_t dlpackCode;
  uint8_t boxCode;
  /// Separated by spaces.
  std::string_view others;

  /// int1 among them.
  constexpr bool isInt() const { return number != NumberKind::None && number != NumberKind::Float; }
  /// As Triton prints it: "fp32", "int32".
  constexpr std::string_view name() const {
    return number == NumberKind::Float ? signature : member;
  }
  /// In memory; int1 takes one.
  constexpr unsigned bytes() const { return (bits + 7u) / 8; }
  /// The letter of NumPy's type strings; 'V' where NumPy has no such type.
  constexpr char arrayLetter() const {
    constexpr char letters[] = {'V', 'b', 'i', 'u', 'f'};
    bool isForeign = format && dlpackCode != 2;
    return isForeign ? 'V' : letters[static_cast<unsigned>(number)];
  }
};

inline constexpr DTypeFacts dtypes[] = {
#define GL_DTYPE(Kind, signature, member, number, bits, format, dlpack, box, others)               \
  {ScalarKind::Kind, signature, member, NumberKind::number, bits, format, dlpack, box, others},
#include "numeric/DTypes.def"
};

constexpr const DTypeFacts &factsOf(ScalarKind kind) { return dtypes[static_cast<unsigned>(kind)]; }

/// By any of its names; null for what is no scalar type.
constexpr const DTypeFacts *findDType(std::string_view text) {
  for (const DTypeFacts &facts : dtypes) {
    if (text == facts.signature || text == facts.member)
      return &facts;
    for (std::string_view rest = facts.others; !rest.empty();) {
      size_t end = rest.find(' ');
      if (text == rest.substr(0, end))
        return &facts;
      rest = end == rest.npos ? "" : rest.substr(end + 1);
    }
  }
  return nullptr;
}

/// By DLPack's code and width; null where kernels have no such type.
constexpr const DTypeFacts *findDlpack(unsigned code, unsigned bits) {
  for (const DTypeFacts &facts : dtypes)
    if (code == facts.dlpackCode && code != none && bits == 8 * facts.bytes())
      return &facts;
  return nullptr;
}

} // namespace gluonc::numeric
