// Options of C++ become those of C, field by field.
#include "gluonc/gluonc.hpp"

#include "gtest/gtest.h"

TEST(Options, EachFieldIsItsOwn) {
  gluonc::Options options;
  options.numWarps = 8;
  options.numCtas = 2;
  options.maxRegisters = 64;
  options.numStages = 5;
  options.language = GLUONC_LANGUAGE_TRITON;
  options.sanitizer = "consan";
  gluonc_kernel_options raw = options.raw();
  EXPECT_EQ(raw.size, sizeof raw);
  EXPECT_EQ(raw.num_warps, 8u);
  EXPECT_EQ(raw.num_ctas, 2u);
  EXPECT_EQ(raw.max_registers, 64u);
  EXPECT_EQ(raw.num_stages, 5u);
  EXPECT_EQ(raw.language, GLUONC_LANGUAGE_TRITON);
  EXPECT_STREQ(raw.sanitizer, "consan");
  EXPECT_EQ(gluonc::Options().raw().num_stages, 0u);
}
