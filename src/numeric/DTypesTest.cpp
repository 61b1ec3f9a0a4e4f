#include "numeric/DTypes.h"

#include "gtest/gtest.h"

#include <set>
#include <string>

using namespace gluonc::numeric;

TEST(DTypes, EveryNameMeansOneType) {
  std::set<std::string_view> seen;
  for (const DTypeFacts &facts : dtypes) {
    EXPECT_EQ(&factsOf(facts.kind), &facts);
    for (std::string_view name : {facts.signature, facts.member}) {
      EXPECT_EQ(findDType(name), &facts) << name;
      if (name != facts.member || facts.signature != facts.member)
        EXPECT_TRUE(seen.insert(name).second) << name;
    }
  }
  for (auto [name, kind] :
       {std::pair("i1", ScalarKind::Int1), std::pair("bool", ScalarKind::Int1),
        std::pair("f16", ScalarKind::Float16), std::pair("half", ScalarKind::Float16),
        std::pair("float8_e4m3fn", ScalarKind::Float8E4NV),
        std::pair("f64", ScalarKind::Float64)}) {
    ASSERT_TRUE(findDType(name)) << name;
    EXPECT_EQ(findDType(name)->kind, kind) << name;
  }
  for (std::string_view wrong : {"", " ", "fp", "fp33", "i1 bool", "float", "int"})
    EXPECT_FALSE(findDType(wrong)) << wrong;
}

TEST(DTypes, WidthIsThatOfTheFormat) {
  for (const DTypeFacts &facts : dtypes) {
    EXPECT_EQ(facts.format != nullptr, facts.number == NumberKind::Float && facts.bits < 32);
    if (facts.format) {
      EXPECT_EQ(facts.format->bits(), facts.bits) << facts.signature;
    }
  }
}

TEST(DTypes, CodesOfDlpackLeadBack) {
  for (const DTypeFacts &facts : dtypes)
    if (facts.dlpackCode != none) {
      EXPECT_EQ(findDlpack(facts.dlpackCode, 8 * facts.bytes()), &facts) << facts.signature;
    }
  EXPECT_FALSE(findDlpack(0, 128));
  EXPECT_FALSE(findDlpack(none, 8));
}

TEST(DTypes, BoxesAreOfWholeNumbersOfBytes) {
  for (const DTypeFacts &facts : dtypes) {
    EXPECT_EQ(facts.boxCode == none, facts.bits < 8) << facts.signature;
    // Bytes are bytes; other floats and numbers with a sign have codes of their own.
    EXPECT_EQ(facts.boxCode == 0, facts.bits == 8) << facts.signature;
  }
  EXPECT_EQ(factsOf(ScalarKind::BFloat16).boxCode, 9);
}

TEST(DTypes, ArrayLettersAreThoseOfNumpy) {
  EXPECT_EQ(factsOf(ScalarKind::Int1).arrayLetter(), 'b');
  EXPECT_EQ(factsOf(ScalarKind::Int8).arrayLetter(), 'i');
  EXPECT_EQ(factsOf(ScalarKind::UInt64).arrayLetter(), 'u');
  EXPECT_EQ(factsOf(ScalarKind::Float16).arrayLetter(), 'f');
  EXPECT_EQ(factsOf(ScalarKind::BFloat16).arrayLetter(), 'V');
  EXPECT_EQ(factsOf(ScalarKind::Float8E4B15).arrayLetter(), 'V');
}
