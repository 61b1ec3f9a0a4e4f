//===- InlineAmd.cpp - A few instructions of AMD's chips ----------------------===//
//
// What kernels for AMD write into inline_asm_elementwise: arithmetic on vector and
// scalar registers, waits, which have nothing to wait for here, and clocks. An
// instruction that is not in the table is refused when the kernel is prepared.
// Semantics: AMD, "RDNA4" and "CDNA3" ISA documents.
//
//===----------------------------------------------------------------------===//
#include "numeric/FloatFormats.h"
#include "sim/ptx/InlinePtx.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/bit.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gluonc::sim {
namespace {

using Registers = std::vector<uint64_t>;
using numeric::Rounding;

/// 16 bits as they are in a register.
struct Half {
  uint16_t bits;
};
struct Pair {
  uint16_t low, high;
};

template <typename T> T fromBits(uint64_t bits) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(bits);
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(uint32_t(bits));
  else
    return std::bit_cast<T>(uint16_t(bits));
}

template <typename T> uint64_t toBits(T value) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<uint64_t>(value);
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<uint32_t>(value);
  else
    return std::bit_cast<uint16_t>(value);
}

uint64_t bitsOf(const PtxOperand &operand, const Registers &registers) {
  return operand.isImmediate ? operand.immediate : registers[operand.registers[0]];
}

/// A computation as a handler; the types of its parameters say what operands are read as.
template <auto Compute> struct Handler;
template <typename Result, typename... Sources, Result (*Compute)(Sources...)>
struct Handler<Compute> {
  static constexpr char kinds[] = {std::is_same_v<Sources, float>    ? 'f'
                                   : std::is_same_v<Sources, Half>   ? 'h'
                                   : std::is_same_v<Sources, double> ? 'd'
                                                                     : 'b' ...,
                                   '\0'};

  static void run(const PtxInstruction &instruction, Registers &registers) {
    runOn(instruction, registers, std::index_sequence_for<Sources...>());
  }

  template <size_t... I>
  static void runOn(const PtxInstruction &instruction, Registers &registers,
                    std::index_sequence<I...>) {
    uint64_t result =
        toBits(Compute(fromBits<Sources>(bitsOf(instruction.operands[I + 1], registers))...));
    registers[instruction.operands[0].registers[0]] = result;
  }
};

void nothing(const PtxInstruction &, Registers &) {}

/// An instruction: what its sources are, and what it does.
struct Form {
  const char *name, *kinds;
  PtxHandler run;
};

template <auto Lambda> constexpr Form form(const char *name) {
  constexpr auto compute = +Lambda;
  return {name, Handler<compute>::kinds, Handler<compute>::run};
}

float half(Half x) { return numeric::halfToFloat(x.bits); }
Half half(float x) { return {numeric::floatToHalf(x)}; }
float low(Pair x) { return numeric::halfToFloat(x.low); }
float high(Pair x) { return numeric::halfToFloat(x.high); }
Pair pair(float x, float y) { return {numeric::floatToHalf(x), numeric::floatToHalf(y)}; }

float median(float a, float b, float c) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(c))
    return std::fmin(std::fmin(a, b), c);
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}
float propagatingMaximum(float a, float b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
}
float propagatingMinimum(float a, float b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::min(a, b);
}

/// Rounded towards zero and kept in range; 0 of what is no number.
template <typename T> T toInteger(float x) {
  if (std::isnan(x))
    return 0;
  double value = std::trunc(double(x));
  return T(std::clamp(value, double(std::numeric_limits<T>::min()),
                      double(std::numeric_limits<T>::max())));
}

uint32_t narrow(const numeric::FloatFormat &format, float x, Rounding rounding) {
  return numeric::encode(format, double(x), rounding);
}
/// Two numbers of eight bits, in the lower half.
uint32_t pairOfBytes(const numeric::FloatFormat &format, float x, float y) {
  auto narrowed = [&](float value) {
    return numeric::encode(format, double(value), Rounding::NearestEven,
                           numeric::Overflow::Saturate);
  };
  return narrowed(x) | narrowed(y) << 8;
}

uint32_t permuted(uint32_t upper, uint32_t lower, uint32_t selector) {
  uint64_t bytes = uint64_t(upper) << 32 | lower;
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    uint32_t which = selector >> 8 * i & 0xff;
    uint32_t byte = which < 8     ? uint32_t(bytes >> 8 * which & 0xff)
                    : which < 12  ? (bytes >> (16 * (which - 8) + 15) & 1 ? 0xff : 0)
                    : which == 12 ? 0
                                  : 0xff;
    result |= byte << 8 * i;
  }
  return result;
}

template <typename T> T field(T x, uint32_t offset, uint32_t width) {
  offset &= 31, width &= 31;
  if (width == 0)
    return 0;
  if (offset + width > 32)
    return x >> offset;
  return T(uint32_t(x) << (32 - offset - width)) >> (32 - width);
}

/// Two numbers of four bits, in the lowest byte: of the numbers by the power of two of the scale.
uint32_t pairOfFloat4(float x, float y, float scale) {
  double by = std::exp2(-double(int(std::bit_cast<uint32_t>(scale) >> 23 & 0xff) - 127));
  auto narrowed = [&](float value) {
    return numeric::encode(numeric::kF4E2M1, value * by, Rounding::NearestEven,
                           numeric::Overflow::Saturate);
  };
  return narrowed(x) | narrowed(y) << 4;
}

using U = uint32_t;
using I = int32_t;
using L = uint64_t;

constexpr Form forms[] = {
    form<[](U x) { return x; }>("v_mov_b32"),
    form<[](L x) { return x; }>("v_mov_b64"),
    form<[](U x) { return x; }>("s_mov_b32"),
    form<[](L x) { return x; }>("s_mov_b64"),
    form<[](U x) { return x; }>("v_readfirstlane_b32"),
    // Floats.
    form<[](float a, float b) { return a + b; }>("v_add_f32"),
    form<[](float a, float b) { return a - b; }>("v_sub_f32"),
    form<[](float a, float b) { return b - a; }>("v_subrev_f32"),
    form<[](float a, float b) { return a * b; }>("v_mul_f32"),
    form<[](float a, float b, float c) { return std::fma(a, b, c); }>("v_fma_f32"),
    form<[](float a, float b) { return std::fmax(a, b); }>("v_max_f32"),
    form<[](float a, float b) { return std::fmax(a, b); }>("v_max_num_f32"),
    form<[](float a, float b) { return std::fmin(a, b); }>("v_min_f32"),
    form<[](float a, float b) { return std::fmin(a, b); }>("v_min_num_f32"),
    form<propagatingMaximum>("v_maximum_f32"),
    form<propagatingMinimum>("v_minimum_f32"),
    form<[](float a, float b, float c) { return std::fmax(std::fmax(a, b), c); }>("v_max3_f32"),
    form<[](float a, float b, float c) { return std::fmax(std::fmax(a, b), c); }>("v_max3_num_f32"),
    form<[](float a, float b, float c) { return std::fmin(std::fmin(a, b), c); }>("v_min3_f32"),
    form<[](float a, float b, float c) { return std::fmin(std::fmin(a, b), c); }>("v_min3_num_f32"),
    form<median>("v_med3_f32"),
    form<median>("v_med3_num_f32"),
    form<[](float a) { return 1 / a; }>("v_rcp_f32"),
    form<[](float a) { return 1 / std::sqrt(a); }>("v_rsq_f32"),
    form<[](float a) { return std::sqrt(a); }>("v_sqrt_f32"),
    form<[](float a) { return std::exp2(a); }>("v_exp_f32"),
    form<[](float a) { return std::log2(a); }>("v_log_f32"),
    form<[](float a) { return std::tanh(a); }>("v_tanh_f32"),
    form<[](float a) { return std::nearbyint(a); }>("v_rndne_f32"),
    form<[](float a) { return std::trunc(a); }>("v_trunc_f32"),
    form<[](float a) { return std::floor(a); }>("v_floor_f32"),
    form<[](float a) { return std::ceil(a); }>("v_ceil_f32"),
    form<[](float a, I b) { return std::ldexp(a, std::clamp(b, -1000, 1000)); }>("v_ldexp_f32"),
    form<[](double a, double b) { return a + b; }>("v_add_f64"),
    form<[](double a, double b) { return a * b; }>("v_mul_f64"),
    form<[](double a, double b, double c) { return std::fma(a, b, c); }>("v_fma_f64"),
    form<[](Half a, Half b) { return half(half(a) + half(b)); }>("v_add_f16"),
    form<[](Half a, Half b) { return half(half(a) - half(b)); }>("v_sub_f16"),
    form<[](Half a, Half b) { return half(half(a) * half(b)); }>("v_mul_f16"),
    form<[](Half a, Half b) { return half(std::fmax(half(a), half(b))); }>("v_max_f16"),
    form<[](Half a, Half b) { return half(std::fmin(half(a), half(b))); }>("v_min_f16"),
    form<[](Pair a, Pair b) { return pair(low(a) + low(b), high(a) + high(b)); }>("v_pk_add_f16"),
    form<[](Pair a, Pair b) { return pair(low(a) * low(b), high(a) * high(b)); }>("v_pk_mul_f16"),
    form<[](Pair a, Pair b) {
      return pair(std::fmax(low(a), low(b)), std::fmax(high(a), high(b)));
    }>("v_pk_max_f16"),
    form<[](Pair a, Pair b) {
      return pair(std::fmin(low(a), low(b)), std::fmin(high(a), high(b)));
    }>("v_pk_min_f16"),
    // Conversions.
    form<[](I a) { return float(a); }>("v_cvt_f32_i32"),
    form<[](U a) { return float(a); }>("v_cvt_f32_u32"),
    form<toInteger<I>>("v_cvt_i32_f32"),
    form<toInteger<U>>("v_cvt_u32_f32"),
    form<[](Half a) { return half(a); }>("v_cvt_f32_f16"),
    form<[](float a) { return half(a); }>("v_cvt_f16_f32"),
    form<[](U a) { return float(a & 0xff); }>("v_cvt_f32_ubyte0"),
    form<[](U a) { return float(a >> 8 & 0xff); }>("v_cvt_f32_ubyte1"),
    form<[](U a) { return float(a >> 16 & 0xff); }>("v_cvt_f32_ubyte2"),
    form<[](U a) { return float(a >> 24); }>("v_cvt_f32_ubyte3"),
    form<[](float a, float b) {
      return Pair{numeric::floatToBfloat(a), numeric::floatToBfloat(b)};
    }>("v_cvt_pk_bf16_f32"),
    form<[](float a, float b) {
      return narrow(numeric::kF16, a, Rounding::TowardZero) |
             narrow(numeric::kF16, b, Rounding::TowardZero) << 16;
    }>("v_cvt_pkrtz_f16_f32"),
    form<[](float a, float b) {
      return narrow(numeric::kF16, a, Rounding::TowardZero) |
             narrow(numeric::kF16, b, Rounding::TowardZero) << 16;
    }>("v_cvt_pk_rtz_f16_f32"),
    form<[](float a, float b, float c) { return pairOfFloat4(a, b, c); }>(
        "v_cvt_scalef32_pk_fp4_f32"),
    // Integers and bits.
    form<[](U a, U b) { return a + b; }>("v_add_u32"),
    form<[](U a, U b) { return a + b; }>("v_add_nc_u32"),
    form<[](U a, U b) { return a - b; }>("v_sub_u32"),
    form<[](U a, U b) { return a - b; }>("v_sub_nc_u32"),
    form<[](U a, U b) { return a * b; }>("v_mul_lo_u32"),
    form<[](U a, U b) { return U(L(a) * b >> 32); }>("v_mul_hi_u32"),
    form<[](I a, I b) { return I(int64_t(a) * b >> 32); }>("v_mul_hi_i32"),
    form<[](U a, U b) { return (a & 0xffffff) * (b & 0xffffff); }>("v_mul_u32_u24"),
    form<[](U a, U b, U c) { return (a & 0xffffff) * (b & 0xffffff) + c; }>("v_mad_u32_u24"),
    form<[](U a, U b, U c) { return a + b + c; }>("v_add3_u32"),
    form<[](U a, U b, U c) { return (a << (b & 31)) + c; }>("v_lshl_add_u32"),
    form<[](U a, U b, U c) { return (a + b) << (c & 31); }>("v_add_lshl_u32"),
    form<[](U a, U b, U c) { return (a << (b & 31)) | c; }>("v_lshl_or_b32"),
    form<[](U a, U b, U c) { return (a & b) | c; }>("v_and_or_b32"),
    form<[](U a, U b, U c) { return a | b | c; }>("v_or3_b32"),
    form<[](U a, U b, U c) { return (a ^ b) + c; }>("v_xad_u32"),
    form<[](U a, U b) { return a & b; }>("v_and_b32"),
    form<[](U a, U b) { return a | b; }>("v_or_b32"),
    form<[](U a, U b) { return a ^ b; }>("v_xor_b32"),
    form<[](U a) { return ~a; }>("v_not_b32"),
    form<[](U a, U b) { return b << (a & 31); }>("v_lshlrev_b32"),
    form<[](U a, U b) { return b >> (a & 31); }>("v_lshrrev_b32"),
    form<[](U a, I b) { return b >> (a & 31); }>("v_ashrrev_i32"),
    form<[](U a, U b, U c) { return field(a, b, c); }>("v_bfe_u32"),
    form<[](I a, U b, U c) { return field(a, b, c); }>("v_bfe_i32"),
    form<[](U a, U b, U c) { return (a & b) | (~a & c); }>("v_bfi_b32"),
    form<permuted>("v_perm_b32"),
    form<[](U a, U b, U c) { return U((L(a) << 32 | b) >> (c & 31)); }>("v_alignbit_b32"),
    form<[](U a, U b, U c) { return U((L(a) << 32 | b) >> 8 * (c & 3)); }>("v_alignbyte_b32"),
    form<[](U a, U b) { return U(std::popcount(a)) + b; }>("v_bcnt_u32_b32"),
    form<[](U a) { return llvm::reverseBits(a); }>("v_bfrev_b32"),
    form<[](U a, U b) { return std::min(a, b); }>("v_min_u32"),
    form<[](U a, U b) { return std::max(a, b); }>("v_max_u32"),
    form<[](I a, I b) { return std::min(a, b); }>("v_min_i32"),
    form<[](I a, I b) { return std::max(a, b); }>("v_max_i32"),
    form<[](U a, U b) { return a + b; }>("s_add_u32"),
    form<[](U a, U b) { return a + b; }>("s_add_i32"),
    form<[](U a, U b) { return a - b; }>("s_sub_u32"),
    form<[](U a, U b) { return a - b; }>("s_sub_i32"),
    form<[](U a, U b) { return a * b; }>("s_mul_i32"),
    form<[](U a, U b) { return a & b; }>("s_and_b32"),
    form<[](U a, U b) { return a | b; }>("s_or_b32"),
    form<[](U a, U b) { return a ^ b; }>("s_xor_b32"),
    form<[](U a, U b) { return a << (b & 31); }>("s_lshl_b32"),
    form<[](U a, U b) { return a >> (b & 31); }>("s_lshr_b32"),
};

/// Of formats that are not alike on all chips: FNUZ on gfx942.
constexpr Form eightBitForms[] = {
    form<[](float a, float b) { return pairOfBytes(numeric::kF8E4M3FN, a, b); }>(
        "v_cvt_pk_fp8_f32"),
    form<[](float a, float b) { return pairOfBytes(numeric::kF8E5M2, a, b); }>("v_cvt_pk_bf8_f32"),
};

const Form *findForm(llvm::StringRef name) {
  static const llvm::StringMap<const Form *> table = [] {
    llvm::StringMap<const Form *> all;
    for (const Form &each : forms)
      all[each.name] = &each;
    for (const Form &each : eightBitForms)
      all[each.name] = &each;
    return all;
  }();
  return table.lookup(name);
}

/// What changes no register.
bool isIdle(llvm::StringRef name) {
  return name.starts_with("s_wait") || name == "s_nop" || name == "v_nop" || name == "s_sleep" ||
         name == "s_setprio" || name == "s_delay_alu" || name == "s_clause";
}

bool isClock(llvm::StringRef name) { return name == "s_memtime" || name == "s_memrealtime"; }

/// 12, -3, 0x1f as the bits; 1.5 as a number of the kind.
bool readNumber(llvm::StringRef text, char kind, uint64_t &bits) {
  int64_t integer = 0;
  if (!text.getAsInteger(0, integer)) {
    bits = kind == 'd' || kind == 'b' ? uint64_t(integer) : uint32_t(integer);
    return true;
  }
  double number = 0;
  if (text.empty() || !(llvm::isDigit(text[0]) || text[0] == '-') || text.getAsDouble(number))
    return false;
  bits = kind == 'd'   ? std::bit_cast<uint64_t>(number)
         : kind == 'h' ? numeric::floatToHalf(float(number))
                       : std::bit_cast<uint32_t>(float(number));
  return true;
}

} // namespace

class AmdParser {
public:
  AmdParser(size_t results, size_t operands) {
    program.registerCount = uint32_t(results + operands);
    program.firstOperand = uint32_t(results);
  }

  std::optional<PtxProgram> parse(llvm::StringRef text, std::string &why) {
    llvm::SmallVector<llvm::StringRef> lines;
    text.split(lines, '\n');
    for (llvm::StringRef line : lines)
      // What follows `;` is a comment.
      if (!readLine(line.split(';').first.split("//").first.trim())) {
        why = "the simulator does not know `" + line.trim().str() + "`";
        return std::nullopt;
      }
    return std::move(program);
  }

private:
  bool readLine(llvm::StringRef line) {
    if (line.empty())
      return true;
    auto [first, second] = line.split("::");
    if (second.empty())
      return readInstruction(first);
    // Both halves read before either writes.
    if (!readInstruction(first.trim()) || !readInstruction(second.trim()))
      return false;
    uint32_t written = program.code[program.code.size() - 2].operands[0].registers[0];
    return llvm::none_of(
        llvm::drop_begin(program.code.back().operands),
        [&](const PtxOperand &each) { return !each.isImmediate && each.registers[0] == written; });
  }

  bool readInstruction(llvm::StringRef line) {
    size_t end = line.find_if([](char c) { return llvm::isSpace(c); });
    llvm::StringRef name = line.take_front(end);
    PtxInstruction instruction;
    if (isIdle(name)) {
      instruction.run = nothing;
      program.code.push_back(std::move(instruction));
      return true;
    }
    llvm::SmallVector<llvm::StringRef> words;
    line.drop_front(std::min(end, line.size())).split(words, ',');
    if (!readOperand(words[0].trim(), 'b', instruction) || instruction.operands[0].isImmediate)
      return false;
    if (isClock(name) && words.size() == 1) {
      instruction.clock = int32_t(instruction.operands[0].registers[0]);
      instruction.run = nothing;
    } else if (const Form *form = findForm(plainName(name))) {
      llvm::StringRef kinds = form->kinds;
      if (words.size() != kinds.size() + 1)
        return false;
      for (auto [word, kind] : llvm::zip(llvm::drop_begin(words), kinds))
        if (!readOperand(word.trim(), kind, instruction))
          return false;
      instruction.run = form->run;
    } else {
      return false;
    }
    program.code.push_back(std::move(instruction));
    return true;
  }

  /// Without what chooses an encoding.
  static std::string plainName(llvm::StringRef name) {
    name.consume_back("_e32") || name.consume_back("_e64");
    return name.consume_front("v_dual_") ? "v_" + name.str() : name.str();
  }

  bool readOperand(llvm::StringRef text, char kind, PtxInstruction &instruction) {
    PtxOperand &operand = instruction.operands.emplace_back();
    uint32_t number = 0;
    if (text.consume_front("$")) {
      if (text.getAsInteger(10, number))
        return false;
      operand.registers.push_back(number);
      return true;
    }
    operand.isImmediate = true;
    return readNumber(text, kind, operand.immediate);
  }

  PtxProgram program;
};

std::optional<PtxProgram> PtxProgram::parseAmd(llvm::StringRef text, size_t results,
                                               size_t operands, std::string &why) {
  return AmdParser(results, operands).parse(text, why);
}

} // namespace gluonc::sim
