//===- InlinePtxRun.cpp - What the instructions do --------------------------===//
#include "numeric/FloatFormats.h"
#include "sim/ptx/InlinePtx.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/StringExtras.h"

#include <bit>
#include <cmath>

namespace gluonc::sim {
namespace {

using llvm::APFloat;
using Registers = std::vector<uint64_t>;

uint64_t maskOf(unsigned bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

/// All bits of an operand; parts of a vector side by side.
uint64_t bitsOf(const PtxInstruction &instruction, size_t operand, const Registers &registers) {
  const PtxOperand &from = instruction.operands[operand];
  if (from.isImmediate)
    return from.immediate;
  if (from.registers.size() == 1)
    return registers[from.registers[0]];
  unsigned part = (operand ? instruction.source : instruction.type).bits / from.registers.size();
  uint64_t bits = 0;
  for (auto [i, reg] : llvm::enumerate(from.registers))
    bits |= (registers[reg] & maskOf(part)) << (i * part);
  return bits;
}

/// To the result, `bits` wide.
void put(const PtxInstruction &instruction, Registers &registers, uint64_t value, unsigned bits) {
  const PtxOperand &to = instruction.operands[0];
  unsigned part = bits / to.registers.size();
  for (auto [i, reg] : llvm::enumerate(to.registers))
    registers[reg] = (value >> (i * part)) & maskOf(part);
}

int64_t signedOf(uint64_t bits, unsigned width) {
  unsigned shift = 64 - width;
  return int64_t(bits << shift) >> shift;
}

bool isSigned(const PtxInstruction &instruction) { return instruction.type.kind == 's'; }
bool isFloatType(PtxType type) { return type.kind == 'f' || type.kind == 'h'; }

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

const llvm::fltSemantics &semanticsOf(PtxType type) {
  if (type.kind == 'h')
    return APFloat::BFloat();
  return type.bits == 16   ? APFloat::IEEEhalf()
         : type.bits == 32 ? APFloat::IEEEsingle()
                           : APFloat::IEEEdouble();
}

/// `.rn`, and `.rni` to integers; nearest without any.
llvm::RoundingMode roundingOf(const PtxInstruction &i) {
  if (i.has("rz") || i.has("rzi"))
    return llvm::RoundingMode::TowardZero;
  if (i.has("rm") || i.has("rmi"))
    return llvm::RoundingMode::TowardNegative;
  return i.has("rp") || i.has("rpi") ? llvm::RoundingMode::TowardPositive
                                     : llvm::RoundingMode::NearestTiesToEven;
}

bool isFlushed(const PtxInstruction &i, const APFloat &x) {
  return x.isDenormal() && i.has("ftz") && &x.getSemantics() != &APFloat::IEEEdouble();
}

APFloat floatOf(const PtxInstruction &i, uint64_t bits, PtxType type) {
  APFloat x(semanticsOf(type), llvm::APInt(type.bits, bits & maskOf(type.bits)));
  return isFlushed(i, x) ? APFloat::getZero(x.getSemantics(), x.isNegative()) : x;
}

/// What an instruction leaves of its result: `.sat` clamps to [0, 1], NaN to 0; `.relu` to zero and
/// above. A NaN of fewer than 64 bits is the canonical one.
uint64_t floatBits(const PtxInstruction &i, APFloat x) {
  const llvm::fltSemantics &semantics = x.getSemantics();
  const APFloat zero = APFloat::getZero(semantics);
  if (i.has("sat")) {
    APFloat one(semantics, 1);
    x = x.isNaN() || x.isNegative() ? zero : x > one ? one : x;
  } else if (i.has("relu") && !x.isNaN() && x.isNegative()) {
    x = zero;
  }
  if (isFlushed(i, x))
    x = APFloat::getZero(semantics, x.isNegative());
  unsigned bits = APFloat::getSizeInBits(semantics);
  if (x.isNaN() && bits < 64)
    return maskOf(bits - 1);
  return x.bitcastToAPInt().getZExtValue();
}

double toDouble(APFloat x) {
  bool isInexact;
  x.convert(APFloat::IEEEdouble(), llvm::RoundingMode::NearestTiesToEven, &isInexact);
  return x.convertToDouble();
}
APFloat converted(APFloat x, PtxType to, llvm::RoundingMode rounding) {
  bool isInexact;
  x.convert(semanticsOf(to), rounding, &isInexact);
  return x;
}

/// Applies `function(a, b, c)` to each element of up to three operands.
template <class Function>
void eachElement(const PtxInstruction &instruction, Registers &registers, Function &&function) {
  PtxType type = instruction.type;
  uint64_t in[3] = {};
  for (size_t i = 1; i < instruction.operands.size() && i < 4; ++i)
    in[i - 1] = bitsOf(instruction, i, registers);
  uint64_t result = 0;
  for (unsigned element = 0; element < type.elements; ++element) {
    unsigned shift = element * type.bits;
    uint64_t mask = maskOf(type.bits);
    result |= (function(in[0] >> shift & mask, in[1] >> shift & mask, in[2] >> shift & mask) & mask)
              << shift;
  }
  put(instruction, registers, result, type.bits * type.elements);
}

using FloatFunction = APFloat (*)(const PtxInstruction &, const APFloat &, const APFloat &,
                                  const APFloat &);
template <FloatFunction function>
void floats(const PtxInstruction &instruction, Registers &registers) {
  PtxType type = instruction.type;
  eachElement(instruction, registers, [&](uint64_t a, uint64_t b, uint64_t c) {
    return floatBits(instruction,
                     function(instruction, floatOf(instruction, a, type),
                              floatOf(instruction, b, type), floatOf(instruction, c, type)));
  });
}

template <auto operate>
APFloat rounded(const PtxInstruction &i, const APFloat &a, const APFloat &b, const APFloat &) {
  APFloat x = a;
  (x.*operate)(b, roundingOf(i));
  return x;
}

APFloat fused(const PtxInstruction &i, const APFloat &a, const APFloat &b, const APFloat &c) {
  APFloat x = a;
  x.fusedMultiplyAdd(b, c, roundingOf(i));
  return x;
}

APFloat reciprocal(const PtxInstruction &i, const APFloat &a, const APFloat &, const APFloat &) {
  APFloat x(a.getSemantics(), 1);
  x.divide(a, roundingOf(i));
  return x;
}

/// Zeros have an order; a number wins over NaN, unless `.NaN` is given.
template <bool wantLarger>
APFloat extremum(const PtxInstruction &i, const APFloat &a, const APFloat &b, const APFloat &) {
  if (i.has("NaN"))
    return wantLarger ? llvm::maximum(a, b) : llvm::minimum(a, b);
  return wantLarger ? llvm::maximumnum(a, b) : llvm::minimumnum(a, b);
}

APFloat negated(const PtxInstruction &, const APFloat &a, const APFloat &, const APFloat &) {
  return -a;
}
APFloat magnitude(const PtxInstruction &, const APFloat &a, const APFloat &, const APFloat &) {
  return llvm::abs(a);
}
/// The magnitude of the second with the sign of the first.
APFloat withSign(const PtxInstruction &, const APFloat &a, const APFloat &b, const APFloat &) {
  return APFloat::copySign(b, a);
}

/// A function of one number. Square roots are right to the last bit; what is approximate on the GPU
/// is more exact here.
template <double (*function)(double)>
APFloat viaDouble(const PtxInstruction &i, const APFloat &a, const APFloat &, const APFloat &) {
  return converted(APFloat(function(toDouble(a))), i.type, llvm::RoundingMode::NearestTiesToEven);
}
double inverseRoot(double x) { return 1 / std::sqrt(x); }

//===----------------------------------------------------------------------===//
// Integers and bits
//===----------------------------------------------------------------------===//

using IntFunction = uint64_t (*)(const PtxInstruction &, uint64_t, uint64_t);
template <IntFunction function>
void integers(const PtxInstruction &instruction, Registers &registers) {
  eachElement(instruction, registers,
              [&](uint64_t a, uint64_t b, uint64_t) { return function(instruction, a, b); });
}

template <char op> uint64_t bitwise(const PtxInstruction &, uint64_t a, uint64_t b) {
  return op == '&' ? a & b : op == '|' ? a | b : op == '^' ? a ^ b : ~a;
}

/// Sums and differences; `.sat` keeps those of s32 in range.
template <bool subtracts> uint64_t sum(const PtxInstruction &i, uint64_t a, uint64_t b) {
  if (!i.has("sat"))
    return subtracts ? a - b : a + b;
  int64_t x = signedOf(a, 32), y = signedOf(b, 32);
  return uint64_t(std::clamp<int64_t>(subtracts ? x - y : x + y, INT32_MIN, INT32_MAX));
}

template <bool wantLarger> uint64_t extremum(const PtxInstruction &i, uint64_t a, uint64_t b) {
  unsigned bits = i.type.bits;
  bool less = isSigned(i) ? signedOf(a, bits) < signedOf(b, bits) : a < b;
  uint64_t value = less != wantLarger ? a : b;
  return i.has("relu") && signedOf(value, bits) < 0 ? 0 : value;
}

uint64_t negated(const PtxInstruction &, uint64_t a, uint64_t) { return 0 - a; }
uint64_t magnitude(const PtxInstruction &i, uint64_t a, uint64_t) {
  return signedOf(a, i.type.bits) < 0 ? 0 - a : a;
}
uint64_t isZero(const PtxInstruction &, uint64_t a, uint64_t) { return a == 0; }
uint64_t countOnes(const PtxInstruction &, uint64_t a, uint64_t) {
  return uint64_t(std::popcount(a));
}
uint64_t countLeadingZeros(const PtxInstruction &i, uint64_t a, uint64_t) {
  return uint64_t(std::countl_zero(a) - 64 + i.type.bits);
}
uint64_t reversed(const PtxInstruction &i, uint64_t a, uint64_t) {
  return llvm::reverseBits(a) >> (64 - i.type.bits);
}

/// By zero: all ones, as GPUs give.
template <bool remainder> uint64_t quotient(const PtxInstruction &i, uint64_t a, uint64_t b) {
  if (!b)
    return maskOf(i.type.bits);
  if (!isSigned(i))
    return remainder ? a % b : a / b;
  __int128 x = signedOf(a, i.type.bits), y = signedOf(b, i.type.bits);
  return uint64_t(remainder ? x % y : x / y);
}

/// mul and mad: low half, high half, or all of it.
void multiply(const PtxInstruction &instruction, Registers &registers) {
  unsigned bits = instruction.type.bits;
  uint64_t a = bitsOf(instruction, 1, registers) & maskOf(bits);
  uint64_t b = bitsOf(instruction, 2, registers) & maskOf(bits);
  __int128 whole = isSigned(instruction) ? __int128(signedOf(a, bits)) * signedOf(b, bits)
                                         : __int128((unsigned __int128)(a)*b);
  unsigned width = instruction.has("wide") ? 2 * bits : bits;
  uint64_t value = uint64_t(instruction.has("hi") ? whole >> bits : whole);
  if (instruction.operands.size() > 3)
    value += bitsOf(instruction, 3, registers);
  put(instruction, registers, value & maskOf(width), width);
}

void move(const PtxInstruction &instruction, Registers &registers) {
  unsigned bits = instruction.type.bits;
  put(instruction, registers, bitsOf(instruction, 1, registers) & maskOf(bits), bits);
}

/// The amount of a shift is 32 bits, whatever is shifted.
template <bool left> void shift(const PtxInstruction &instruction, Registers &registers) {
  unsigned bits = instruction.type.bits;
  uint64_t value = bitsOf(instruction, 1, registers) & maskOf(bits);
  uint64_t amount = bitsOf(instruction, 2, registers) & maskOf(32);
  if (!left && isSigned(instruction))
    value = uint64_t(signedOf(value, bits) >> std::min<uint64_t>(amount, bits - 1));
  else
    value = amount >= bits ? 0 : left ? value << amount : value >> amount;
  put(instruction, registers, value & maskOf(bits), bits);
}

/// shf: a word out of two, the second of which is the upper one.
void funnelShift(const PtxInstruction &instruction, Registers &registers) {
  uint64_t both =
      (bitsOf(instruction, 1, registers) & maskOf(32)) | bitsOf(instruction, 2, registers) << 32;
  uint64_t amount = bitsOf(instruction, 3, registers) & maskOf(32);
  amount = instruction.has("wrap") ? amount & 31 : std::min<uint64_t>(amount, 32);
  put(instruction, registers,
      (instruction.has("l") ? both << amount >> 32 : both >> amount) & maskOf(32), 32);
}

/// Bytes chosen from two words: bits 0-2 of each nibble name one, bit 3 spreads its sign.
void permute(const PtxInstruction &instruction, Registers &registers) {
  uint64_t bytes =
      (bitsOf(instruction, 1, registers) & maskOf(32)) | bitsOf(instruction, 2, registers) << 32;
  uint64_t selector = bitsOf(instruction, 3, registers), result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned nibble = selector >> (4 * i) & 15;
    uint64_t byte = bytes >> (8 * (nibble & 7)) & 0xff;
    if (nibble & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  put(instruction, registers, result, 32);
}

/// Any function of three bits, as a table of eight.
void lookUp(const PtxInstruction &instruction, Registers &registers) {
  uint64_t a = bitsOf(instruction, 1, registers), b = bitsOf(instruction, 2, registers),
           c = bitsOf(instruction, 3, registers), table = bitsOf(instruction, 4, registers);
  uint64_t result = 0;
  for (unsigned bit = 0; bit < 32; ++bit) {
    unsigned index = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | (c >> bit & 1);
    result |= (table >> index & 1) << bit;
  }
  put(instruction, registers, result, 32);
}

/// bfe: so many bits from a place on; beyond the highest bit, and above the field, its sign.
void extract(const PtxInstruction &instruction, Registers &registers) {
  unsigned bits = instruction.type.bits;
  uint64_t value = bitsOf(instruction, 1, registers), result = 0;
  unsigned start = bitsOf(instruction, 2, registers) & 0xff;
  unsigned length = bitsOf(instruction, 3, registers) & 0xff;
  uint64_t sign =
      isSigned(instruction) && length ? value >> std::min(start + length - 1, bits - 1) & 1 : 0;
  for (unsigned i = 0; i < bits; ++i)
    result |= (i < length && start + i < bits ? value >> (start + i) & 1 : sign) << i;
  put(instruction, registers, result, bits);
}

/// bfi: the low bits of the first operand at a place within the second.
void insert(const PtxInstruction &instruction, Registers &registers) {
  unsigned bits = instruction.type.bits;
  uint64_t field = bitsOf(instruction, 1, registers), result = bitsOf(instruction, 2, registers);
  unsigned start = bitsOf(instruction, 3, registers) & 0xff;
  unsigned length = bitsOf(instruction, 4, registers) & 0xff;
  uint64_t place = start < bits ? maskOf(length) << start : 0;
  result = (result & ~place) | (start < bits ? field << start & place : 0);
  put(instruction, registers, result & maskOf(bits), bits);
}

//===----------------------------------------------------------------------===//
// Comparison, selection, conversion
//===----------------------------------------------------------------------===//

template <class T> bool holds(const PtxInstruction &i, T x, T y, bool unordered) {
  auto is = [&](llvm::StringRef ordered, llvm::StringRef orUnordered, llvm::StringRef unsignedName,
                bool value) {
    return i.has(orUnordered) ? unordered || value
                              : (i.has(ordered) || i.has(unsignedName)) && !unordered && value;
  };
  if (i.has("num") || i.has("nan"))
    return i.has("nan") == unordered;
  return is("eq", "equ", "eq", x == y) || is("ne", "neu", "ne", x != y) ||
         is("lt", "ltu", "lo", x < y) || is("le", "leu", "ls", x <= y) ||
         is("gt", "gtu", "hi", x > y) || is("ge", "geu", "hs", x >= y);
}

void compare(const PtxInstruction &instruction, Registers &registers) {
  PtxType type = instruction.source;
  uint64_t a = bitsOf(instruction, 1, registers) & maskOf(type.bits);
  uint64_t b = bitsOf(instruction, 2, registers) & maskOf(type.bits);
  bool result;
  if (isFloatType(type)) {
    double x = toDouble(floatOf(instruction, a, type)), y = toDouble(floatOf(instruction, b, type));
    result = holds(instruction, x, y, std::isnan(x) || std::isnan(y));
  } else if (isSigned(instruction)) {
    result = holds(instruction, signedOf(a, type.bits), signedOf(b, type.bits), false);
  } else {
    result = holds(instruction, a, b, false);
  }
  put(instruction, registers, result, 1);
}

void choose(const PtxInstruction &instruction, Registers &registers) {
  bool first = bitsOf(instruction, 3, registers) & 1;
  unsigned bits = instruction.type.bits;
  put(instruction, registers, bitsOf(instruction, first ? 1 : 2, registers) & maskOf(bits), bits);
}

/// The bits of an integer in the result's register, which may be wider: there it keeps its sign.
void putInteger(const PtxInstruction &i, Registers &registers, uint64_t value) {
  unsigned bits = i.type.bits;
  if (isSigned(i))
    put(i, registers, uint64_t(signedOf(value & maskOf(bits), bits)), 64);
  else
    put(i, registers, value & maskOf(bits), bits);
}

void convertInteger(const PtxInstruction &i, Registers &registers) {
  PtxType from = i.source, to = i.type;
  uint64_t bits = bitsOf(i, 1, registers) & maskOf(from.bits);
  __int128 value = from.kind == 's' ? __int128(signedOf(bits, from.bits)) : __int128(bits);
  if (i.has("sat")) {
    __int128 low = isSigned(i) ? -(__int128(1) << (to.bits - 1)) : 0;
    __int128 high = (__int128(1) << (isSigned(i) ? to.bits - 1 : to.bits)) - 1;
    value = std::clamp(value, low, high);
  }
  putInteger(i, registers, uint64_t(value));
}

void integerToFloat(const PtxInstruction &i, Registers &registers) {
  APFloat x(semanticsOf(i.type));
  x.convertFromAPInt(llvm::APInt(i.source.bits, bitsOf(i, 1, registers) & maskOf(i.source.bits)),
                     i.source.kind == 's', roundingOf(i));
  put(i, registers, floatBits(i, x), i.type.bits);
}

/// Out of range gives the nearest integer, NaN gives 0.
void floatToInteger(const PtxInstruction &i, Registers &registers) {
  APFloat x = floatOf(i, bitsOf(i, 1, registers), i.source);
  llvm::APSInt value(i.type.bits, !isSigned(i));
  bool isExact;
  if (!x.isNaN())
    x.convertToInteger(value, roundingOf(i), &isExact);
  putInteger(i, registers, value.getZExtValue());
}

void floatToFloat(const PtxInstruction &i, Registers &registers) {
  APFloat x = floatOf(i, bitsOf(i, 1, registers), i.source);
  if (i.has("rni") || i.has("rzi") || i.has("rmi") || i.has("rpi"))
    x.roundToIntegral(roundingOf(i));
  put(i, registers, floatBits(i, converted(x, i.type, roundingOf(i))), i.type.bits);
}

/// Two floats to a pair: the first operand becomes the upper half.
void floatsToPair(const PtxInstruction &i, Registers &registers) {
  uint64_t pair = 0;
  for (size_t operand : {1, 2})
    pair = pair << i.type.bits |
           floatBits(i, converted(floatOf(i, bitsOf(i, operand, registers), i.source), i.type,
                                  roundingOf(i)));
  put(i, registers, pair, 2 * i.type.bits);
}

/// What `.e4m3x2`, `.e5m2x2` and `.e2m1x2` name.
const numeric::FloatFormat &smallFormatOf(const PtxInstruction &i) {
  if (i.has("e2m1x2"))
    return numeric::kF4E2M1;
  return i.has("e4m3x2") ? numeric::kF8E4M3FN : numeric::kF8E5M2;
}

/// Two floats, or the halves of a pair, to numbers of 8 or 4 bits: the first operand, or the upper
/// half, becomes the upper one. NaN is the greatest number where there is none.
void toSmallPair(const PtxInstruction &i, Registers &registers) {
  const numeric::FloatFormat &format = smallFormatOf(i);
  bool isPair = i.source.elements == 2;
  uint64_t result = 0;
  for (size_t operand : {1, 2}) {
    uint64_t bits = bitsOf(i, isPair ? 1 : operand, registers);
    APFloat x = floatOf(i, isPair && operand == 1 ? bits >> i.source.bits : bits, i.source);
    if (i.has("relu") && x.isNegative() && !x.isNaN())
      x = APFloat::getZero(x.getSemantics());
    uint32_t nan = format.nan ? 0x7f : format.maxFinite;
    uint32_t code = x.isNaN() ? nan
                              : numeric::encode(format, toDouble(x), numeric::Rounding::NearestEven,
                                                numeric::Overflow::Saturate);
    result = result << format.bits() | code;
  }
  put(i, registers, result, 32);
}

void fromSmallPair(const PtxInstruction &i, Registers &registers) {
  const numeric::FloatFormat &format = smallFormatOf(i);
  uint64_t bits = bitsOf(i, 1, registers), result = 0;
  for (unsigned element : {1, 0}) {
    APFloat x(numeric::decode(format, bits >> (element * format.bits()) & maskOf(format.bits())));
    result = result << 16 | floatBits(i, converted(x, i.type, roundingOf(i)));
  }
  put(i, registers, result, 32);
}

//===----------------------------------------------------------------------===//
// The instructions
//===----------------------------------------------------------------------===//

#define GL_WORDS "u16 u32 u64 s16 s32 s64"
#define GL_BITS "b16 b32 b64"
#define GL_INTS "u8 u16 u32 u64 s8 s16 s32 s64"
#define GL_HALVES "f16 f16x2"
#define GL_BFLOATS "bf16 bf16x2"
#define GL_ROUND "rn|rz|rm|rp"
#define GL_TO_INT "rni|rzi|rmi|rpi"
#define GL_FLOAT_COMPARISONS "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"
#define GL_ANY GL_BITS " " GL_WORDS " f32 f64"

/// PTX ISA 9.0, sections 9.7.1 to 9.7.9, as far as it is simulated. ptxas 13.0 assembles every
/// combination of types and modifiers here for sm_100a.
constexpr PtxForm forms[] = {
    {"mov", 2, "pred " GL_ANY, "", "", move},

    {"add", 3, "s32", "", "sat", integers<sum<false>>},
    {"add", 3, GL_WORDS " u16x2 s16x2", "", "", integers<sum<false>>},
    {"sub", 3, "s32", "", "sat", integers<sum<true>>},
    {"sub", 3, GL_WORDS, "", "", integers<sum<true>>},
    {"mul", 3, "u16 u32 s16 s32", "", "!wide", multiply},
    {"mul", 3, GL_WORDS, "", "!lo|hi", multiply},
    {"mad", 4, "u16 u32 s16 s32", "", "!wide", multiply},
    {"mad", 4, GL_WORDS, "", "!lo|hi", multiply},
    {"div", 3, GL_WORDS, "", "", integers<quotient<false>>},
    {"rem", 3, GL_WORDS, "", "", integers<quotient<true>>},
    {"min", 3, "s16x2 s32", "", "relu", integers<extremum<false>>},
    {"min", 3, GL_WORDS " u16x2", "", "", integers<extremum<false>>},
    {"max", 3, "s16x2 s32", "", "relu", integers<extremum<true>>},
    {"max", 3, GL_WORDS " u16x2", "", "", integers<extremum<true>>},
    {"abs", 2, "s16 s32 s64", "", "", integers<magnitude>},
    {"neg", 2, "s16 s32 s64", "", "", integers<negated>},

    {"and", 3, "pred " GL_BITS, "", "", integers<bitwise<'&'>>},
    {"or", 3, "pred " GL_BITS, "", "", integers<bitwise<'|'>>},
    {"xor", 3, "pred " GL_BITS, "", "", integers<bitwise<'^'>>},
    {"not", 2, "pred " GL_BITS, "", "", integers<bitwise<'~'>>},
    {"cnot", 2, GL_BITS, "", "", integers<isZero>},
    {"popc", 2, "b32 b64", "", "", integers<countOnes>},
    {"clz", 2, "b32 b64", "", "", integers<countLeadingZeros>},
    {"brev", 2, "b32 b64", "", "", integers<reversed>},
    {"shl", 3, GL_BITS, "", "", shift<true>},
    {"shr", 3, GL_BITS " " GL_WORDS, "", "", shift<false>},
    {"shf", 4, "b32", "", "!l|r !clamp|wrap", funnelShift},
    {"prmt", 4, "b32", "", "", permute},
    {"lop3", 5, "b32", "", "", lookUp},
    {"bfe", 4, "u32 u64 s32 s64", "", "", extract},
    {"bfi", 5, "b32 b64", "", "", insert},

    {"add", 3, "f32", "", GL_ROUND " ftz sat", floats<rounded<&APFloat::add>>},
    {"add", 3, "f32x2", "", GL_ROUND " ftz", floats<rounded<&APFloat::add>>},
    {"add", 3, "f64", "", GL_ROUND, floats<rounded<&APFloat::add>>},
    {"add", 3, GL_HALVES, "", "rn ftz sat", floats<rounded<&APFloat::add>>},
    {"add", 3, GL_BFLOATS, "", "rn", floats<rounded<&APFloat::add>>},
    {"sub", 3, "f32", "", GL_ROUND " ftz sat", floats<rounded<&APFloat::subtract>>},
    {"sub", 3, "f32x2", "", GL_ROUND " ftz", floats<rounded<&APFloat::subtract>>},
    {"sub", 3, "f64", "", GL_ROUND, floats<rounded<&APFloat::subtract>>},
    {"sub", 3, GL_HALVES, "", "rn ftz sat", floats<rounded<&APFloat::subtract>>},
    {"sub", 3, GL_BFLOATS, "", "rn", floats<rounded<&APFloat::subtract>>},
    {"mul", 3, "f32", "", GL_ROUND " ftz sat", floats<rounded<&APFloat::multiply>>},
    {"mul", 3, "f32x2", "", GL_ROUND " ftz", floats<rounded<&APFloat::multiply>>},
    {"mul", 3, "f64", "", GL_ROUND, floats<rounded<&APFloat::multiply>>},
    {"mul", 3, GL_HALVES, "", "rn ftz sat", floats<rounded<&APFloat::multiply>>},
    {"mul", 3, GL_BFLOATS, "", "rn", floats<rounded<&APFloat::multiply>>},
    {"fma", 4, "f32", "", "!" GL_ROUND " ftz sat", floats<fused>},
    {"fma", 4, "f32x2", "", "!" GL_ROUND " ftz", floats<fused>},
    {"fma", 4, "f64", "", "!" GL_ROUND, floats<fused>},
    {"fma", 4, GL_HALVES, "", "!rn ftz sat|relu", floats<fused>},
    {"fma", 4, GL_BFLOATS, "", "!rn relu", floats<fused>},
    {"mad", 4, "f32", "", "!" GL_ROUND " ftz sat", floats<fused>},
    {"mad", 4, "f64", "", "!" GL_ROUND, floats<fused>},
    {"div", 3, "f32", "", "!approx|full|" GL_ROUND " ftz", floats<rounded<&APFloat::divide>>},
    {"div", 3, "f64", "", "!" GL_ROUND, floats<rounded<&APFloat::divide>>},
    {"rcp", 2, "f32", "", "!approx|" GL_ROUND " ftz", floats<reciprocal>},
    {"rcp", 2, "f64", "", "!" GL_ROUND, floats<reciprocal>},
    {"min", 3, "f32 " GL_HALVES, "", "ftz NaN", floats<extremum<false>>},
    {"min", 3, GL_BFLOATS, "", "NaN", floats<extremum<false>>},
    {"min", 3, "f64", "", "", floats<extremum<false>>},
    {"max", 3, "f32 " GL_HALVES, "", "ftz NaN", floats<extremum<true>>},
    {"max", 3, GL_BFLOATS, "", "NaN", floats<extremum<true>>},
    {"max", 3, "f64", "", "", floats<extremum<true>>},
    {"abs", 2, "f32 " GL_HALVES, "", "ftz", floats<magnitude>},
    {"abs", 2, "f64 " GL_BFLOATS, "", "", floats<magnitude>},
    {"neg", 2, "f32 " GL_HALVES, "", "ftz", floats<negated>},
    {"neg", 2, "f64 " GL_BFLOATS, "", "", floats<negated>},
    {"copysign", 3, "f32 f64", "", "", floats<withSign>},
    {"sqrt", 2, "f32", "", "!approx|rn ftz", floats<viaDouble<std::sqrt>>},
    {"sqrt", 2, "f64", "", "!rn", floats<viaDouble<std::sqrt>>},
    {"rsqrt", 2, "f32 f64", "", "!approx ftz", floats<viaDouble<inverseRoot>>},
    {"sin", 2, "f32", "", "!approx ftz", floats<viaDouble<std::sin>>},
    {"cos", 2, "f32", "", "!approx ftz", floats<viaDouble<std::cos>>},
    {"lg2", 2, "f32", "", "!approx ftz", floats<viaDouble<std::log2>>},
    {"ex2", 2, "f32", "", "!approx ftz", floats<viaDouble<std::exp2>>},
    {"ex2", 2, GL_HALVES, "", "!approx", floats<viaDouble<std::exp2>>},
    {"ex2", 2, GL_BFLOATS, "", "!approx !ftz", floats<viaDouble<std::exp2>>},
    {"tanh", 2, "f32 " GL_HALVES " " GL_BFLOATS, "", "!approx", floats<viaDouble<std::tanh>>},

    {"setp", 3, GL_BITS, "", "!eq|ne", compare},
    {"setp", 3, "s16 s32 s64", "", "!eq|ne|lt|le|gt|ge", compare},
    {"setp", 3, "u16 u32 u64", "", "!eq|ne|lt|le|gt|ge|lo|ls|hi|hs", compare},
    {"setp", 3, "f16 f32", "", "!" GL_FLOAT_COMPARISONS " ftz", compare},
    {"setp", 3, "bf16 f64", "", "!" GL_FLOAT_COMPARISONS, compare},
    {"selp", 4, GL_ANY, "", "", choose},

    {"cvt", 2, GL_INTS, GL_INTS, "", convertInteger},
    {"cvt", 2, "u8", "u16 u32 u64 s8 s16 s32 s64", "sat", convertInteger},
    {"cvt", 2, "u16", "u32 u64 s8 s16 s32 s64", "sat", convertInteger},
    {"cvt", 2, "u32", "u64 s8 s16 s32 s64", "sat", convertInteger},
    {"cvt", 2, "u64", "s8 s16 s32 s64", "sat", convertInteger},
    {"cvt", 2, "s8", "u8 u16 u32 u64 s16 s32 s64", "sat", convertInteger},
    {"cvt", 2, "s16", "u16 u32 u64 s32 s64", "sat", convertInteger},
    {"cvt", 2, "s32", "u32 u64 s64", "sat", convertInteger},
    {"cvt", 2, "s64", "u64", "sat", convertInteger},
    {"cvt", 2, GL_INTS, "f16 f64", "!" GL_TO_INT " sat", floatToInteger},
    {"cvt", 2, GL_INTS, "f32", "!" GL_TO_INT " ftz sat", floatToInteger},
    {"cvt", 2, GL_WORDS, "bf16", "!" GL_TO_INT, floatToInteger},
    {"cvt", 2, "f16 f32 f64", GL_INTS, "!" GL_ROUND " sat", integerToFloat},
    {"cvt", 2, "bf16", GL_WORDS, "!" GL_ROUND, integerToFloat},
    {"cvt", 2, "f32", "f16", "ftz sat", floatToFloat},
    {"cvt", 2, "f32", "bf16", "ftz", floatToFloat},
    {"cvt", 2, "f64", "f16", "sat", floatToFloat},
    {"cvt", 2, "f64", "bf16", "", floatToFloat},
    {"cvt", 2, "f64", "f32", "ftz sat", floatToFloat},
    {"cvt", 2, "f32", "f64", "!" GL_ROUND " ftz sat", floatToFloat},
    {"cvt", 2, "f16", "f64", "!" GL_ROUND " sat", floatToFloat},
    {"cvt", 2, "f16", "f32", "!" GL_ROUND " ftz sat", floatToFloat},
    {"cvt", 2, "f16 bf16", "f32", "!rn|rz relu", floatToFloat},
    {"cvt", 2, "bf16", "f16 f32 f64", "!" GL_ROUND, floatToFloat},
    {"cvt", 2, "f32", "f32", GL_TO_INT " ftz sat", floatToFloat},
    {"cvt", 2, "f16", "f16", GL_TO_INT " sat", floatToFloat},
    {"cvt", 2, "f64", "f64", GL_TO_INT " sat", floatToFloat},
    {"cvt", 3, "f16x2 bf16x2", "f32", "!rn|rz relu", floatsToPair},
    {"cvt", 3, "f32", "", "!rn !satfinite relu !e4m3x2|e5m2x2|e2m1x2", toSmallPair},
    {"cvt", 2, "f16x2", "", "!rn !satfinite relu !e4m3x2|e5m2x2|e2m1x2", toSmallPair},
    {"cvt", 2, "f16x2", "", "!rn relu !e4m3x2|e5m2x2|e2m1x2", fromSmallPair},
};

} // namespace

llvm::ArrayRef<PtxForm> ptxForms() { return forms; }

} // namespace gluonc::sim
