#include "numeric/FloatPayload.h"

#include "gtest/gtest.h"

#include <vector>

namespace gluonc::numeric {
namespace {

struct Format {
  const char *name;
  unsigned bits;
  uint64_t one;
};
constexpr Format formats[] = {{"e4m3", 8, 0x38},       {"e5m2", 8, 0x3c},
                              {"f16", 16, 0x3c00},     {"bf16", 16, 0x3f80},
                              {"f32", 32, 0x3f800000}, {"f64", 64, 0x3ff0000000000000}};

/// All of a small ring, some of a large one.
std::vector<uint64_t> someOf(const PayloadRing &ring) {
  std::vector<uint64_t> values;
  if (ring.bits <= 16)
    for (uint64_t i = 0; i >> ring.bits == 0; i += ring.bits == 8 ? 1 : 7)
      values.push_back(i);
  uint64_t state = 1;
  for (unsigned i = 0; i != 200; ++i)
    values.push_back(ring.wrap(state = state * 6364136223846793005u + 1442695040888963407u));
  return values;
}

class Payloads : public testing::TestWithParam<Format> {
protected:
  FloatPayload format{GetParam().bits, GetParam().one};
  const PayloadRing &ring = format.ring;
  uint64_t sign = uint64_t(1) << (GetParam().bits - 1);
};

TEST_P(Payloads, ZeroAndOneStayAndMinusOneIsAllOnes) {
  EXPECT_EQ(format.embed(0), 0u);
  EXPECT_EQ(format.embed(GetParam().one), 1u);
  EXPECT_EQ(format.embed(GetParam().one | sign), ring.mask);
}

TEST_P(Payloads, EncodingsComeBack) {
  for (uint64_t value : someOf(ring)) {
    EXPECT_EQ(format.unembed(format.embed(value)), value);
    EXPECT_EQ(format.embed(format.unembed(value)), value);
  }
}

TEST_P(Payloads, ExponentialsOfSumsAreProducts) {
  std::vector<uint64_t> values = someOf(ring);
  EXPECT_EQ(ring.exp2(0), 1u);
  for (size_t i = 1; i < values.size(); ++i) {
    uint64_t x = values[i], y = values[i - 1];
    EXPECT_EQ(ring.exp2(ring.wrap(x + y)), ring.wrap(ring.exp2(x) * ring.exp2(y)));
    EXPECT_EQ(ring.exp2(ring.wrap(0 - x)), ring.divide(1, ring.exp2(x)));
  }
}

TEST_P(Payloads, AnglesAddAndLieOnTheCircle) {
  std::vector<uint64_t> values = someOf(ring);
  for (size_t i = 1; i < values.size(); ++i) {
    auto [cx, sx] = ring.cosSin(values[i]);
    auto [cy, sy] = ring.cosSin(values[i - 1]);
    auto [c, s] = ring.cosSin(ring.wrap(values[i] + values[i - 1]));
    EXPECT_EQ(c, ring.wrap(cx * cy - sx * sy));
    EXPECT_EQ(s, ring.wrap(sx * cy + cx * sy));
    EXPECT_EQ(ring.wrap(cx * cx + sx * sx), 1u);
  }
}

TEST_P(Payloads, InverseIsOneOfOddNumbersAndAnInvolution) {
  for (uint64_t value : someOf(ring)) {
    EXPECT_EQ(ring.inverse(ring.inverse(value)), value);
    if (value & 1)
      EXPECT_EQ(ring.wrap(value * ring.inverse(value)), 1u);
  }
}

TEST_P(Payloads, WideningAndBackIsTheIdentity) {
  for (const Format &other : formats)
    if (other.bits >= ring.bits)
      for (uint64_t value : someOf(ring)) {
        PayloadRing wide(other.bits);
        EXPECT_EQ(wide.convert(ring.convert(value, wide, false), ring, false), value);
      }
}

TEST_P(Payloads, FunctionsOfOtherNamesDiffer) {
  EXPECT_NE(ring.tag(PayloadTag::Log, 5), ring.tag(PayloadTag::Sqrt, 5));
  EXPECT_NE(payloadHash("__nv_sinhf"), payloadHash("__nv_coshf"));
}

INSTANTIATE_TEST_SUITE_P(Formats, Payloads, testing::ValuesIn(formats),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace gluonc::numeric
