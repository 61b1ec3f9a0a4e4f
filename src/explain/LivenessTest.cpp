//===- LivenessTest.cpp - Live registers counted by hand ---------------------------===//
#include "explain/Liveness.h"

#include <gtest/gtest.h>

#include <map>

namespace gluonc::explain {
namespace {

using Numbers = std::vector<unsigned>;

/// Before each instruction of a kernel's body; that of the end of the text is left out.
Numbers live(const std::string &body) {
  ptx::ParseError error;
  std::unique_ptr<ptx::Module> module =
      ptx::parse(".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k() {\n"
                 ".reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n" +
                     body + "\n}\n",
                 error);
  EXPECT_TRUE(module) << error.line << ": " << error.message;
  if (!module)
    return {};
  Numbers counts = liveRegisters(*module->kernel("k"));
  counts.pop_back();
  return counts;
}

TEST(ExplainLiveness, ValuesLiveFromWhereTheyAreMadeToTheirLastUse) {
  EXPECT_EQ(live("mov.b32 %r1, 1;\nmov.b32 %r2, 2;\nadd.u32 %r3, %r1, %r2;\n"
                 "add.u32 %r4, %r3, %r1;\nst.global.b32 [%rd1], %r4;"),
            (Numbers{2, 3, 4, 4, 3}));
}

TEST(ExplainLiveness, WhatALoopReadsLivesAllTheWayAround) {
  EXPECT_EQ(live("mov.b32 %r1, 0;\nmov.b32 %r2, 7;\n$L:\nadd.u32 %r1, %r1, %r2;\n"
                 "setp.lt.u32 %p1, %r1, 99;\n@%p1 bra $L;\nst.global.b32 [%rd1], %r1;"),
            (Numbers{2, 3, 4, 4, 4, 3}));
}

TEST(ExplainLiveness, AGuardedResultMayLeaveWhatWasThere) {
  EXPECT_EQ(live("mov.b32 %r1, 0;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 mov.b32 %r1, 5;\n"
                 "st.global.b32 [%rd1], %r1;"),
            (Numbers{3, 4, 3, 3}));
}

TEST(ExplainLiveness, BothWaysOfABranchCount) {
  EXPECT_EQ(live("setp.eq.u32 %p1, %r1, 0;\n@%p1 bra $E;\nst.global.b32 [%rd1], %r2;\nret;\n$E:\n"
                 "st.global.b32 [%rd1], %r3;"),
            (Numbers{5, 4, 3, 0, 3}));
}

TEST(ExplainLiveness, VectorsAreAsManyRegistersAsTheyHave) {
  EXPECT_EQ(live("ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];\n"
                 "st.global.v2.b32 [%rd1], {%r1, %r3};"),
            (Numbers{2, 4}));
}

TEST(ExplainLiveness, WhereMostAreLiveRegistersBelongToWhoComputedThem) {
  ptx::ParseError error;
  // %r1 is moved into place first, as what loops carry is, and computed in line 3.
  std::unique_ptr<ptx::Module> module = ptx::parse(
      ".version 8.0\n.target sm_90a\n.address_size 64\n.file 1 \"k.py\"\n.visible .entry k() {\n"
      ".reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n"
      ".loc 1 1 5\nmov.b32 %r1, 0;\n"
      ".loc 1 2 5\nld.global.v2.b32 {%r2, %r3}, [%rd1];\n"
      ".loc 1 3 5\nadd.u32 %r1, %r1, 1;\n"
      ".loc 1 4 5\nadd.u32 %r4, %r2, %r3;\nadd.u32 %r4, %r4, %r1;\n"
      ".loc 1 5 5\nst.global.b32 [%rd1], %r4;\n}\n",
      error);
  ASSERT_TRUE(module) << error.line << ": " << error.message;
  MostLive most = mostLive(*module->kernel("k"));
  EXPECT_EQ(most.registers, 5u);
  EXPECT_EQ(most.place.line, 3u);
  ASSERT_EQ(most.values.size(), 3u);
  std::map<unsigned, unsigned> byLine;
  for (const auto &[place, registers] : most.values)
    byLine[place.line] = registers;
  // An argument's address was computed nowhere here.
  EXPECT_EQ(byLine, (std::map<unsigned, unsigned>{{0, 2}, {2, 2}, {3, 1}}));
}

} // namespace
} // namespace gluonc::explain
