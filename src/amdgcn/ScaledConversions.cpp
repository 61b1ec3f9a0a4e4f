//===- ScaledConversions.cpp - Eight numbers with one scale (gfx1250) -------------===//
//
// v_cvt_scale_pk8 multiplies small floats by the power of two that a byte says; the bytes
// of all lanes lie in the lower 16, of 4-bit floats one for each half of the wave.
// v_cvt_scalef32_pk8 divides by the power that the exponent of a float says.
//
//===----------------------------------------------------------------------===//
#include "amdgcn/Elements.h"
#include "amdgcn/Lanes.h"

namespace gluonc::amdgcn {

static constexpr unsigned numbers = 8, lanesPerHalf = 16;

static void readWords(Step &step, const Operand &source, unsigned count, unsigned lane,
                      uint32_t *words) {
  for (unsigned i = 0; i != count; ++i)
    words[i] =
        source.bank == Bank::Vector ? step.wave.row(source.reg + i)[lane] : step.scalar(source);
}

static uint32_t bitsFor(const Step &step, Element to, double value) {
  if (to == Element::F32)
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  const numeric::FloatFormat &format = to == Element::F16    ? numeric::kF16
                                       : to == Element::BF16 ? numeric::kBF16
                                       : to == Element::FP8  ? numeric::kF8E4M3FN
                                       : to == Element::BF8  ? numeric::kF8E5M2
                                                             : numeric::kF4E2M1;
  // MODE bit 23 asks for the largest number where infinity or NaN would come.
  bool saturates = bitsOfElement(to) == 8 && step.wave.mode >> 23 & 1;
  return numeric::encode(format, value, numeric::Rounding::NearestEven,
                         saturates ? numeric::Overflow::Saturate : numeric::Overflow::Infinity);
}

/// Results are written when all lanes have read: those read each other's scales.
template <Element from, Element to, typename ScaleOf> static void convert(Step &step, ScaleOf of) {
  const unsigned bits = bitsOfElement(to), words = numbers * bits / 32;
  const Operand &source = step.operand(1);
  std::vector<std::array<uint32_t, numbers>> results(step.wave.lanes);
  step.eachLane([&](unsigned lane) {
    uint32_t in[numbers];
    readWords(step, source, numbers * bitsOfElement(from) / 32, lane, in);
    const double scale = of(lane);
    for (unsigned i = 0; i != numbers; ++i)
      results[lane][i * bits / 32] |=
          bitsFor(step, to, valueOf(from, in, i, /*isFnuz=*/false) * scale) << i * bits % 32;
  });
  step.eachLane([&](unsigned lane) {
    for (unsigned i = 0; i != words; ++i)
      step.wave.row(step.operand(0).reg + i)[lane] = results[lane][i];
  });
}

template <Element from, Element to> static void upcast(Step &step) {
  if (step.instruction.modifiers.number("scale_sel") != 0)
    return step.fail(0, "the executor does not know where this selection has its scales");
  const Operand &source = step.operand(2);
  uint64_t readers = (step.active | step.active >> lanesPerHalf) & 0xffff;
  if (readers & ~step.active)
    return step.fail(static_cast<unsigned>(std::countr_zero(readers & ~step.active)),
                     "other lanes read the scale of a lane that is masked off");
  convert<from, to>(step, [&](unsigned lane) {
    uint32_t word;
    readWords(step, source, 1, lane % lanesPerHalf, &word);
    unsigned byte = from == Element::FP4 ? lane / lanesPerHalf : 0;
    return scaleValue(0, static_cast<uint8_t>(word >> 8 * byte));
  });
}

template <Element from, Element to> static void downcast(Step &step) {
  const Operand &source = step.operand(2);
  convert<from, to>(step, [&](unsigned lane) {
    uint32_t word;
    readWords(step, source, 1, lane, &word);
    return 1 / scaleValue(0, static_cast<uint8_t>(word >> 23));
  });
}

template <Element wide> static void addFor(HandlerTable &table, const std::string &name) {
  table["v_cvt_scale_pk8_" + name + "_fp8"] = upcast<Element::FP8, wide>;
  table["v_cvt_scale_pk8_" + name + "_bf8"] = upcast<Element::BF8, wide>;
  table["v_cvt_scale_pk8_" + name + "_fp4"] = upcast<Element::FP4, wide>;
  table["v_cvt_scalef32_pk8_fp8_" + name] = downcast<wide, Element::FP8>;
  table["v_cvt_scalef32_pk8_bf8_" + name] = downcast<wide, Element::BF8>;
  table["v_cvt_scalef32_pk8_fp4_" + name] = downcast<wide, Element::FP4>;
}

void addScaledConversions(HandlerTable &table) {
  addFor<Element::F32>(table, "f32");
  addFor<Element::F16>(table, "f16");
  addFor<Element::BF16>(table, "bf16");
}

} // namespace gluonc::amdgcn
