#include "ptx/InstructionDescriptor.h"

#include "llvm/ADT/StringSwitch.h"

namespace gluonc::ptx {

using llvm::StringRef;

ProductKind productKindNamed(StringRef name) {
  return llvm::StringSwitch<ProductKind>(name)
      .Case("f16", ProductKind::F16)
      .Case("tf32", ProductKind::Tf32)
      .Case("f8f6f4", ProductKind::F8f6f4)
      .Case("i8", ProductKind::I8)
      .Case("mxf8f6f4", ProductKind::Mxf8f6f4)
      .Case("mxf4", ProductKind::Mxf4)
      .Case("mxf4nvf4", ProductKind::Mxf4nvf4)
      .Default(ProductKind::None);
}

namespace {

bool isFourBit(ProductKind kind) {
  return kind == ProductKind::Mxf4 || kind == ProductKind::Mxf4nvf4;
}
bool isScaled(ProductKind kind) { return kind == ProductKind::Mxf8f6f4 || isFourBit(kind); }

/// A or B by the number that its field has.
StringRef typeOf(ProductKind kind, unsigned field) {
  switch (kind) {
  case ProductKind::F16:
    return field == 0 ? "f16" : field == 1 ? "bf16" : "";
  case ProductKind::Tf32:
    return field == 2 ? "tf32" : "";
  case ProductKind::I8:
    return field == 0 ? "u8" : field == 1 ? "s8" : "";
  case ProductKind::F8f6f4:
  case ProductKind::Mxf8f6f4: {
    static constexpr StringRef names[] = {"e4m3", "e5m2", "", "e2m3", "e3m2", "e2m1", "", ""};
    return names[field];
  }
  case ProductKind::Mxf4:
  case ProductKind::Mxf4nvf4:
    return field == 1 ? "e2m1" : "";
  case ProductKind::None:
    break;
  }
  return "";
}

/// D: 0 f16, 1 f32, 2 s32, as far as the kind has them.
StringRef sumOf(ProductKind kind, unsigned field, StringRef a) {
  if (kind == ProductKind::I8)
    return field == 2 ? "s32" : "";
  bool halves = kind == ProductKind::F8f6f4 || (kind == ProductKind::F16 && a == "f16");
  return field == 1 ? "f32" : field == 0 && halves ? "f16" : "";
}

unsigned elementsOfK(ProductKind kind) {
  switch (kind) {
  case ProductKind::F16:
    return 16;
  case ProductKind::Tf32:
    return 8;
  case ProductKind::Mxf4:
  case ProductKind::Mxf4nvf4:
    return 64;
  default:
    return 32;
  }
}

bool isShape(ProductKind kind, unsigned ctas, unsigned m, unsigned n) {
  if (n < 8 * ctas || n > 256 || n % (8 * ctas))
    return false;
  if (kind == ProductKind::I8 && n % (16 * ctas) && !(ctas == 1 && (n == 8 || n == 24)))
    return false;
  if (ctas == 2)
    return m == 128 || m == 256;
  return m == 128 || (m == 64 && !isScaled(kind));
}

/// The bits from `first` on.
unsigned field(uint32_t bits, unsigned first, unsigned count) {
  return bits >> first & ((1u << count) - 1);
}

} // namespace

std::optional<InstructionDescriptor> decodeInstruction(ProductKind kind, unsigned ctas,
                                                       unsigned perScale, uint32_t bits,
                                                       std::string &error) {
  auto wrong = [&](const llvm::Twine &why) {
    error = ("instruction descriptor 0x" + llvm::Twine::utohexstr(bits) + ": " + why).str();
    return std::nullopt;
  };
  bool scaled = isScaled(kind);
  InstructionDescriptor result;
  if (field(bits, 0, 3))
    return wrong("sparsity without .sp");
  // Bits that no field of the kind has; bit 31 of a scaled one asks for a K of 96.
  uint32_t unused =
      scaled ? 1u << 6 | 1u << 3 | 7u << 24 : 1u << 6 | 1u << 23 | 1u << 29 | 3u << 30;
  if (kind != ProductKind::I8)
    unused |= 1u << 3;
  if (bits & unused)
    return wrong("bits that are to be 0");
  if (scaled && bits >> 31)
    return wrong("a K of 96 is not executed");
  StringRef a = typeOf(kind, field(bits, 7, 3));
  StringRef b = typeOf(kind, field(bits, 10, isFourBit(kind) ? 2 : 3));
  if (a.empty() || b.empty())
    return wrong("the kind has no such type of A or B");
  result.a = elementNamed(a);
  result.b = elementNamed(b);
  result.sum = scaled ? "f32" : sumOf(kind, field(bits, 4, 2), a);
  if (result.sum.empty())
    return wrong("the kind has no such type of D");
  result.saturates = field(bits, 3, 1);
  result.negatesA = field(bits, 13, 1);
  result.negatesB = field(bits, 14, 1);
  result.transposesA = field(bits, 15, 1);
  result.transposesB = field(bits, 16, 1);
  result.n = field(bits, 17, 6) * 8;
  result.m = scaled ? field(bits, 27, 2) * 128 : field(bits, 24, 5) * 16;
  result.k = elementsOfK(kind);
  if (kind == ProductKind::I8 && (result.negatesA || result.negatesB))
    return wrong("integers are not negated");
  if ((result.transposesA && result.a.bits < 8) || (result.transposesB && result.b.bits < 8))
    return wrong("A or B of less than 8 bits is transposed");
  if (!isShape(kind, ctas, result.m, result.n))
    return wrong("the kind has no shape of M " + llvm::Twine(result.m) + ", N " +
                 llvm::Twine(result.n) + " for " + llvm::Twine(ctas) + " CTA(s)");
  if (!scaled)
    return result;
  result.scales = {perScale, field(bits, 23, 1) == 1, field(bits, 29, 2), field(bits, 4, 2)};
  const ScaleRule &rule = result.scales;
  if (!rule.isExponent && (kind != ProductKind::Mxf4nvf4 || perScale != 16))
    return wrong("the kind has no scales of fp8");
  unsigned each = result.k / perScale; // how many bytes an instruction reads
  if (rule.firstA % each || rule.firstB % each)
    return wrong("scale ids for " + llvm::Twine(each) + " scales");
  return result;
}

} // namespace gluonc::ptx
