//===- InlinePtxRun.cpp - What the instructions do --------------------------===//
#include "sim/FloatFormats.h"
#include "sim/InlinePtx.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <bit>
#include <cmath>

namespace gluonc::sim {
namespace {

using Registers = std::vector<uint64_t>;

uint64_t maskOf(unsigned bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

/// All bits of an operand; parts of a vector side by side.
uint64_t bitsOf(const PtxInstruction &instruction, size_t operand, const Registers &registers) {
  const PtxOperand &from = instruction.operands[operand];
  if (from.isImmediate)
    return from.immediate;
  if (from.registers.size() == 1)
    return from.isNegated ? ~registers[from.registers[0]] : registers[from.registers[0]];
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

/// One lane of a float type as a double: exact for all of them.
double floatOf(uint64_t bits, PtxType type) {
  if (type.kind == 'h')
    return bfloatToFloat(uint16_t(bits));
  if (type.bits == 16)
    return halfToFloat(uint16_t(bits));
  if (type.bits == 32)
    return std::bit_cast<float>(uint32_t(bits));
  return std::bit_cast<double>(bits);
}
uint64_t floatBits(double value, PtxType type, Rounding rounding = Rounding::NearestEven) {
  if (type.kind == 'h')
    return encode(kBF16, value, rounding);
  if (type.bits == 16)
    return encode(kF16, value, rounding);
  if (type.bits == 32)
    return std::bit_cast<uint32_t>(narrowToFloat(value, rounding));
  return std::bit_cast<uint64_t>(value);
}

bool isFloatType(PtxType type) { return type.kind == 'f' || type.kind == 'h'; }

using FloatFunction = double (*)(double, double, double);
using IntFunction = uint64_t (*)(const PtxInstruction &, uint64_t, uint64_t, uint64_t);

/// Applies a function to each lane of up to three operands.
void eachLane(const PtxInstruction &instruction, Registers &registers, FloatFunction onFloats,
              IntFunction onInts) {
  PtxType type = instruction.type;
  uint64_t in[3] = {};
  for (size_t i = 1; i < instruction.operands.size() && i < 4; ++i)
    in[i - 1] = bitsOf(instruction, i, registers);
  uint64_t result = 0;
  for (unsigned lane = 0; lane < type.lanes; ++lane) {
    unsigned shift = lane * type.bits;
    uint64_t mask = maskOf(type.bits);
    uint64_t a = in[0] >> shift & mask, b = in[1] >> shift & mask, c = in[2] >> shift & mask;
    uint64_t value = 0;
    if (isFloatType(type) && onFloats) {
      double x = onFloats(floatOf(a, type), floatOf(b, type), floatOf(c, type));
      if (instruction.has("relu"))
        x = std::fmax(x, 0.0);
      if (instruction.has("sat"))
        x = std::fmin(std::fmax(x, 0.0), 1.0);
      value = floatBits(x, type);
    } else if (onInts) {
      value = onInts(instruction, a, b, c);
    }
    result |= (value & mask) << shift;
  }
  put(instruction, registers, result, type.bits * type.lanes);
}

template <FloatFunction onFloats, IntFunction onInts>
void lanes(const PtxInstruction &instruction, Registers &registers) {
  eachLane(instruction, registers, onFloats, onInts);
}

#define GL_FLOAT(expression)                                                                       \
  [](double a, double b, double c) -> double { return (void)a, (void)b, (void)c, expression; }
#define GL_INT(expression)                                                                         \
  [](const PtxInstruction &i, uint64_t a, uint64_t b, uint64_t c) -> uint64_t {                    \
    return (void)i, (void)a, (void)b, (void)c, expression;                                         \
  }

bool isSigned(const PtxInstruction &instruction) { return instruction.type.kind == 's'; }

uint64_t smaller(const PtxInstruction &i, uint64_t a, uint64_t b, bool wantLarger) {
  bool less = isSigned(i) ? signedOf(a, i.type.bits) < signedOf(b, i.type.bits) : a < b;
  return less != wantLarger ? a : b;
}

/// The whole product of two integers, 128 bits.
__int128 product(const PtxInstruction &i, uint64_t a, uint64_t b) {
  unsigned bits = i.type.bits;
  return isSigned(i) ? __int128(signedOf(a, bits)) * signedOf(b, bits)
                     : __int128((unsigned __int128)(a)*b);
}

/// mul and mad of integers: low half, high half, or all of it.
void multiply(const PtxInstruction &instruction, Registers &registers) {
  bool isFused = instruction.operands.size() > 3;
  if (isFloatType(instruction.type))
    return isFused ? eachLane(instruction, registers, GL_FLOAT(std::fma(a, b, c)), nullptr)
                   : eachLane(instruction, registers, GL_FLOAT(a * b), nullptr);
  unsigned bits = instruction.type.bits;
  uint64_t a = bitsOf(instruction, 1, registers) & maskOf(bits);
  uint64_t b = bitsOf(instruction, 2, registers) & maskOf(bits);
  __int128 whole = product(instruction, a, b);
  unsigned width = instruction.has("wide") ? 2 * bits : bits;
  uint64_t value = uint64_t(instruction.has("hi") ? whole >> bits : whole);
  if (isFused)
    value += bitsOf(instruction, 3, registers);
  put(instruction, registers, value & maskOf(width), width);
}

void move(const PtxInstruction &instruction, Registers &registers) {
  uint64_t value = bitsOf(instruction, 1, registers);
  unsigned bits = instruction.type.bits * instruction.type.lanes;
  put(instruction, registers, instruction.type.kind == 'p' ? value & 1 : value & maskOf(bits),
      bits);
}

uint64_t shiftLeft(const PtxInstruction &i, uint64_t a, uint64_t b, uint64_t) {
  return b >= i.type.bits ? 0 : a << b;
}
uint64_t shiftRight(const PtxInstruction &i, uint64_t a, uint64_t b, uint64_t) {
  if (isSigned(i))
    return uint64_t(signedOf(a, i.type.bits) >> std::min<uint64_t>(b, i.type.bits - 1));
  return b >= i.type.bits ? 0 : a >> b;
}
/// The amount of a shift is 32 bits, whatever is shifted.
template <IntFunction shiftBy> void shift(const PtxInstruction &instruction, Registers &registers) {
  unsigned bits = instruction.type.bits;
  uint64_t value = shiftBy(instruction, bitsOf(instruction, 1, registers) & maskOf(bits),
                           bitsOf(instruction, 2, registers) & maskOf(32), 0);
  put(instruction, registers, value & maskOf(bits), bits);
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
           c = bitsOf(instruction, 3, registers);
  uint64_t table = instruction.operands.size() > 4 ? bitsOf(instruction, 4, registers) : 0;
  uint64_t result = 0;
  for (unsigned bit = 0; bit < 32; ++bit) {
    unsigned index = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | (c >> bit & 1);
    result |= (table >> index & 1) << bit;
  }
  put(instruction, registers, result, 32);
}

/// bfe: `length` bits from `start` on.
void extract(const PtxInstruction &instruction, Registers &registers) {
  unsigned bits = instruction.type.bits;
  uint64_t value = bitsOf(instruction, 1, registers) & maskOf(bits);
  unsigned start = std::min<uint64_t>(bitsOf(instruction, 2, registers) & 0xff, bits);
  unsigned length = std::min<uint64_t>(bitsOf(instruction, 3, registers) & 0xff, bits - start);
  value = length ? (start < 64 ? value >> start : 0) & maskOf(length) : 0;
  if (isSigned(instruction) && length)
    value = uint64_t(signedOf(value, length));
  put(instruction, registers, value & maskOf(bits), bits);
}

bool holds(const PtxInstruction &i, uint64_t a, uint64_t b) {
  auto decide = [&](auto x, auto y, bool unordered) {
    if (i.has("eq") || i.has("equ"))
      return x == y || (unordered && i.has("equ"));
    if (i.has("ne"))
      return !unordered && x != y;
    if (i.has("neu"))
      return unordered || x != y;
    if (i.has("lt") || i.has("ltu") || i.has("lo"))
      return x < y || (unordered && i.has("ltu"));
    if (i.has("le") || i.has("leu") || i.has("ls"))
      return x <= y || (unordered && i.has("leu"));
    if (i.has("gt") || i.has("gtu") || i.has("hi"))
      return x > y || (unordered && i.has("gtu"));
    if (i.has("ge") || i.has("geu") || i.has("hs"))
      return x >= y || (unordered && i.has("geu"));
    return i.has("nan") ? unordered : !unordered;
  };
  PtxType type = i.source;
  a &= maskOf(type.bits);
  b &= maskOf(type.bits);
  if (isFloatType(type)) {
    double x = floatOf(a, type), y = floatOf(b, type);
    return decide(x, y, std::isnan(x) || std::isnan(y));
  }
  return type.kind == 's' ? decide(signedOf(a, type.bits), signedOf(b, type.bits), false)
                          : decide(a, b, false);
}

void compare(const PtxInstruction &instruction, Registers &registers) {
  put(instruction, registers,
      holds(instruction, bitsOf(instruction, 1, registers), bitsOf(instruction, 2, registers)), 1);
}

void choose(const PtxInstruction &instruction, Registers &registers) {
  bool first = bitsOf(instruction, 3, registers) & 1;
  unsigned bits = instruction.type.bits;
  put(instruction, registers, bitsOf(instruction, first ? 1 : 2, registers) & maskOf(bits), bits);
}

Rounding roundingOf(const PtxInstruction &instruction) {
  return instruction.has("rz") ? Rounding::TowardZero : Rounding::NearestEven;
}

double roundToInteger(const PtxInstruction &i, double x) {
  if (i.has("rzi"))
    return std::trunc(x);
  if (i.has("rmi"))
    return std::floor(x);
  return i.has("rpi") ? std::ceil(x) : std::nearbyint(x);
}

/// The bits of `x` in the result's type.
uint64_t fromDouble(const PtxInstruction &i, double x) {
  PtxType to = i.type;
  if (isFloatType(to)) {
    if (i.has("rni") || i.has("rzi") || i.has("rmi") || i.has("rpi"))
      x = roundToInteger(i, x);
    if (i.has("sat"))
      x = std::fmin(std::fmax(x, 0.0), 1.0);
    if (i.has("relu"))
      x = std::fmax(x, 0.0);
    return floatBits(x, to, roundingOf(i));
  }
  // Out of range saturates; NaN is 0.
  x = std::isnan(x) ? 0 : roundToInteger(i, x);
  double low = to.kind == 's' ? -std::ldexp(1.0, to.bits - 1) : 0;
  double high = std::ldexp(1.0, to.kind == 's' ? to.bits - 1 : to.bits);
  if (x < low)
    x = low;
  if (x >= high)
    return maskOf(to.kind == 's' ? to.bits - 1 : to.bits);
  return to.kind == 's' ? uint64_t(int64_t(x)) : uint64_t(x);
}

void convert(const PtxInstruction &instruction, Registers &registers) {
  PtxType from = instruction.source, to = instruction.type;
  if (to.lanes == 2) {
    // Two floats to a pair: the first operand becomes the upper half.
    uint64_t high = fromDouble(instruction, floatOf(bitsOf(instruction, 1, registers), from));
    uint64_t low = fromDouble(instruction, floatOf(bitsOf(instruction, 2, registers), from));
    return put(instruction, registers, high << to.bits | low, 2 * to.bits);
  }
  uint64_t bits = bitsOf(instruction, 1, registers) & maskOf(from.bits), value;
  if (isFloatType(from))
    value = fromDouble(instruction, floatOf(bits, from));
  else if (isFloatType(to))
    value = floatBits(from.kind == 's' ? double(signedOf(bits, from.bits)) : double(bits), to,
                      roundingOf(instruction));
  else
    value = from.kind == 's' ? uint64_t(signedOf(bits, from.bits)) : bits;
  // A wider register of the result keeps the sign.
  unsigned width = to.kind == 's' ? 64 : to.bits;
  if (to.kind == 's' && !isFloatType(from))
    value = uint64_t(signedOf(value, to.bits));
  put(instruction, registers, value & maskOf(width), width);
}

uint64_t quotient(const PtxInstruction &i, uint64_t a, uint64_t b, bool remainder) {
  if (!b)
    return maskOf(i.type.bits);
  if (!isSigned(i))
    return remainder ? a % b : a / b;
  __int128 x = signedOf(a, i.type.bits), y = signedOf(b, i.type.bits);
  return uint64_t(remainder ? x % y : x / y);
}

const llvm::StringMap<PtxHandler> &handlers() {
  static const llvm::StringMap<PtxHandler> table = [] {
    llvm::StringMap<PtxHandler> all;
    all["mov"] = move;
    all["add"] = lanes<GL_FLOAT(a + b), GL_INT(a + b)>;
    all["sub"] = lanes<GL_FLOAT(a - b), GL_INT(a - b)>;
    all["mul"] = all["mad"] = all["fma"] = multiply;
    all["div"] = lanes<GL_FLOAT(a / b), GL_INT(quotient(i, a, b, false))>;
    all["rem"] = lanes<nullptr, GL_INT(quotient(i, a, b, true))>;
    all["min"] = lanes<GL_FLOAT(std::fmin(a, b)), GL_INT(smaller(i, a, b, false))>;
    all["max"] = lanes<GL_FLOAT(std::fmax(a, b)), GL_INT(smaller(i, a, b, true))>;
    all["neg"] = lanes<GL_FLOAT(-a), GL_INT(0 - a)>;
    all["abs"] = lanes<GL_FLOAT(std::fabs(a)), GL_INT(signedOf(a, i.type.bits) < 0 ? 0 - a : a)>;
    all["and"] = lanes<nullptr, GL_INT(a & b)>;
    all["or"] = lanes<nullptr, GL_INT(a | b)>;
    all["xor"] = lanes<nullptr, GL_INT(a ^ b)>;
    all["not"] = lanes<nullptr, GL_INT(~a)>;
    all["shl"] = shift<shiftLeft>;
    all["shr"] = shift<shiftRight>;
    all["popc"] = lanes<nullptr, GL_INT(uint64_t(std::popcount(a)))>;
    all["clz"] = lanes<nullptr, GL_INT(uint64_t(std::countl_zero(a) - 64 + i.type.bits))>;
    all["prmt"] = permute;
    all["lop3"] = lookUp;
    all["bfe"] = extract;
    all["setp"] = compare;
    all["selp"] = choose;
    all["cvt"] = convert;
    all["rcp"] = lanes<GL_FLOAT(1 / a), nullptr>;
    all["sqrt"] = lanes<GL_FLOAT(std::sqrt(a)), nullptr>;
    all["rsqrt"] = lanes<GL_FLOAT(1 / std::sqrt(a)), nullptr>;
    all["sin"] = lanes<GL_FLOAT(std::sin(a)), nullptr>;
    all["cos"] = lanes<GL_FLOAT(std::cos(a)), nullptr>;
    all["ex2"] = lanes<GL_FLOAT(std::exp2(a)), nullptr>;
    all["lg2"] = lanes<GL_FLOAT(std::log2(a)), nullptr>;
    all["tanh"] = lanes<GL_FLOAT(std::tanh(a)), nullptr>;
    all["copysign"] = lanes<GL_FLOAT(std::copysign(b, a)), nullptr>;
    return all;
  }();
  return table;
}

} // namespace

PtxHandler ptxHandler(llvm::StringRef opcode) { return handlers().lookup(opcode); }

} // namespace gluonc::sim
