//===- TensorMemoryTest.cpp - Allocation; which word a register is ------------------===//
#include "ptx/TestKernel.h"

namespace gluonc::ptx {
namespace {

/// All of tensor memory, or `columns` of it, for a body; its address in %r100.
std::string withColumns(const std::string &body, unsigned columns = 512) {
  std::string count = std::to_string(columns);
  return "setp.ge.u32 %p7, %t, 32;\n"
         "@%p7 bra taken;\n"
         "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [mem], " +
         count +
         ";\ntcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
         "taken:\nbar.sync 0;\nld.shared.b32 %r100, [mem];\n" +
         body +
         "\nbar.sync 0;\n@%p7 bra given;\n"
         "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r100, " +
         count + ";\ngiven:\n";
}

/// Lane and column that bases give a number whose bits choose them.
struct Point {
  unsigned lane = 0, column = 0;
};

struct Shape {
  const char *name;
  unsigned registers;
  std::vector<Point> ofRegister, ofLane;
};

/// As the facts have it: which lane and column each bit of a register's and of a lane's number
/// adds.
const std::vector<Shape> &shapes() {
  static const std::vector<Shape> all = {
      {"32x32b.x8", 8, {{0, 1}, {0, 2}, {0, 4}}, {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}}},
      {"16x64b.x8", 8, {{0, 2}, {0, 4}, {0, 8}}, {{8, 0}, {0, 1}, {1, 0}, {2, 0}, {4, 0}}},
      {"16x128b.x4", 8, {{8, 0}, {0, 4}, {0, 8}}, {{0, 1}, {0, 2}, {1, 0}, {2, 0}, {4, 0}}},
      {"16x256b.x2", 8, {{0, 1}, {8, 0}, {0, 8}}, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}},
      {"16x32bx2.x8", 8, {{0, 1}, {0, 2}, {0, 4}}, {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 32}}},
  };
  return all;
}

Point pointOf(const Shape &shape, unsigned reg, unsigned lane) {
  Point result;
  for (const auto &[number, bases] : {std::pair(reg, &shape.ofRegister), {lane, &shape.ofLane}})
    for (size_t bit = 0; bit != bases->size(); ++bit)
      if (number >> bit & 1) {
        result.lane += (*bases)[bit].lane;
        result.column += (*bases)[bit].column;
      }
  return result;
}

std::string list(unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i != count; ++i)
    text += (i ? ", %r" : "%r") + std::to_string(first + i);
  return text + "}";
}

/// Each thread writes lane * 256 + column into 128 columns of its lane.
const char *const fill = R"(
  and.b32 %r101, %t, 96;
  shl.b32 %r101, %r101, 16;
  add.s32 %r101, %r101, %r100;
  shl.b32 %r102, %t, 8;
  mov.b32 %r103, 0;
filling:
  tcgen05.st.sync.aligned.32x32b.x1.b32 [%r101], {%r102};
  add.s32 %r101, %r101, 1;
  add.s32 %r102, %r102, 1;
  add.s32 %r103, %r103, 1;
  setp.lt.u32 %p1, %r103, 128;
  @%p1 bra filling;
  tcgen05.wait::st.sync.aligned;
  and.b32 %r101, %t, 96;
  shl.b32 %r101, %r101, 16;
  add.s32 %r101, %r101, %r100;
)";

/// Thread t stores registers 0 to 7 in out[8 * t] on.
const char *const storeEight = R"(
  mul.wide.u32 %rd15, %t, 32;
  add.s64 %rd15, %out, %rd15;
  st.global.v4.b32 [%rd15], {%r0, %r1, %r2, %r3};
  st.global.v4.b32 [%rd15+16], {%r4, %r5, %r6, %r7};
)";

TEST(PtxTensorMemory, EveryShapeLoadsTheWordsOfItsRegisters) {
  for (const Shape &shape : shapes()) {
    bool hasHalves = std::string(shape.name).starts_with("16x32bx2");
    Executed run(withColumns(std::string(fill) + "tcgen05.ld.sync.aligned." + shape.name + ".b32 " +
                             list(0, 8) + ", [%r101+4]" + (hasHalves ? ", 32" : "") +
                             ";\ntcgen05.wait::ld.sync.aligned;\n" + storeEight),
                 threads(128), 1024);
    ASSERT_TRUE(run.isFine()) << shape.name << ": " << run.message();
    for (unsigned t = 0; t != 128; ++t)
      for (unsigned reg = 0; reg != 8; ++reg) {
        Point point = pointOf(shape, reg, t % 32);
        EXPECT_EQ(run.out[8 * t + reg], (t / 32 * 32 + point.lane) * 256 + 4 + point.column)
            << shape.name << " thread " << t << " register " << reg;
      }
  }
}

TEST(PtxTensorMemory, StoresAreTheInverseOfLoads) {
  for (const Shape &shape : shapes()) {
    bool hasHalves = std::string(shape.name).starts_with("16x32bx2");
    std::string numbers;
    for (unsigned reg = 0; reg != 8; ++reg)
      numbers += "mul.lo.u32 %r" + std::to_string(reg) + ", %t, 8; add.u32 %r" +
                 std::to_string(reg) + ", %r" + std::to_string(reg) + ", " + std::to_string(reg) +
                 ";\n";
    // The upper 16 lanes of a quadrant are reached from lane 16 on.
    Executed run(
        withColumns(
            std::string(fill) + numbers + "add.s32 %r101, %r101, 0x100000;\n" +
            (std::string(shape.name).starts_with("32") ? "sub.s32 %r101, %r101, 0x100000;\n" : "") +
            "tcgen05.st.sync.aligned." + shape.name + ".b32 [%r101]" +
            (hasHalves ? ", 32, " : ", ") + list(0, 8) +
            ";\ntcgen05.wait::st.sync.aligned;\n"
            "tcgen05.ld.sync.aligned." +
            shape.name + ".b32 " + list(8, 8) + ", [%r101]" + (hasHalves ? ", 32" : "") +
            ";\nmov.b32 %r0, %r8; mov.b32 %r1, %r9; mov.b32 %r2, %r10;"
            "mov.b32 %r3, %r11; mov.b32 %r4, %r12; mov.b32 %r5, %r13;"
            "mov.b32 %r6, %r14; mov.b32 %r7, %r15;\n" +
            storeEight),
        threads(128), 1024);
    ASSERT_TRUE(run.isFine()) << shape.name << ": " << run.message();
    for (unsigned i = 0; i != 1024; ++i)
      EXPECT_EQ(run.out[i], i) << shape.name;
  }
}

TEST(PtxTensorMemory, TwoColumnsArePackedIntoARegister) {
  Executed run(withColumns(std::string(fill) + "tcgen05.ld.sync.aligned.32x32b.x8.pack::16b.b32 " +
                           list(0, 8) + ", [%r101];\n" + storeEight),
               threads(128), 1024);
  ASSERT_TRUE(run.isFine()) << run.message();
  for (unsigned t = 0; t != 128; ++t)
    for (unsigned reg = 0; reg != 8; ++reg) {
      uint32_t low = (t * 256 + 2 * reg) & 0xffff, high = (t * 256 + 2 * reg + 1) & 0xffff;
      EXPECT_EQ(run.out[8 * t + reg], low | high << 16);
    }
  Executed back(withColumns(std::string(fill) +
                            "mov.b32 %r0, 0x00020001; mov.b32 %r1, 0x00040003;\n"
                            "tcgen05.st.sync.aligned.32x32b.x2.unpack::16b.b32 [%r101], " +
                            list(0, 2) + ";\ntcgen05.ld.sync.aligned.32x32b.x8.b32 " + list(0, 8) +
                            ", [%r101];\n" + storeEight),
                threads(128), 1024);
  ASSERT_TRUE(back.isFine()) << back.message();
  EXPECT_EQ(std::vector<uint32_t>(back.out.begin(), back.out.begin() + 5),
            (std::vector<uint32_t>{1, 2, 3, 4, 4}));
}

TEST(PtxTensorMemory, LoadsFindTheLeastAndTheGreatest) {
  // Thread 5 has 1280 to 1287.
  Executed run(withColumns(std::string(fill) + "tcgen05.ld.red.sync.aligned.32x32b.x8.max.u32 " +
                           list(2, 8) + ", %r1, [%r101];\n" + storeResult),
               threads(128), 128);
  ASSERT_TRUE(run.isFine()) << run.message();
  EXPECT_EQ(run.out[5], 5u * 256 + 7);
  std::string numbers = "mov.b32 %r0, 0fC0000000; mov.b32 %r1, 0f7FC00000;\n"
                        "tcgen05.st.sync.aligned.32x32b.x2.b32 [%r101], {%r0, %r1};\n";
  for (auto [operation, wanted] :
       {std::pair("min", 0xc0000000u), {"max.abs", 0x40000000u}, {"max.NaN", 0x7fffffffu}}) {
    Executed nan(withColumns(std::string(fill) + numbers +
                             "tcgen05.ld.red.sync.aligned.32x32b.x2." + operation +
                             ".f32 {%r2, %r3}, %r1, [%r101];\n" + storeResult),
                 threads(128), 128);
    ASSERT_TRUE(nan.isFine()) << nan.message();
    EXPECT_EQ(nan.out[0], wanted) << operation;
  }
}

// -- What goes wrong -------------------------------------------------------------

std::string faultOf(const std::string &body, unsigned count = 128) {
  Executed run(body, threads(count), 1024);
  EXPECT_EQ(run.error.message, "");
  return run.fault ? run.fault->message : "";
}
testing::AssertionResult has(const std::string &message, const char *part) {
  return message.find(part) != std::string::npos
             ? testing::AssertionSuccess()
             : testing::AssertionFailure() << "'" << message << "' lacks '" << part << "'";
}

TEST(PtxTensorMemory, WhatIsAllocatedIsGivenBack) {
  const char *alloc = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [mem], ";
  auto one = [&](const char *count) { return std::string(alloc) + count + ";\n"; };
  EXPECT_TRUE(has(faultOf(one("64"), 32), "not deallocated"));
  EXPECT_TRUE(has(faultOf(one("48"), 32), "power of two"));
  EXPECT_TRUE(has(faultOf(one("16"), 32), "power of two"));
  EXPECT_TRUE(has(faultOf(one("256") + one("256") + one("32"), 32), "no 32 columns"));
  EXPECT_TRUE(has(faultOf(one("64") + one("128"), 32), "more columns than the one before"));
  EXPECT_TRUE(
      has(faultOf("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n" + one("64"), 32),
          "behind relinquish"));
  const char *load = "ld.shared.b32 %r1, [mem];\n";
  EXPECT_TRUE(
      has(faultOf(one("64") + load + "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;", 32),
          "not what was allocated"));
  EXPECT_EQ(
      faultOf(one("64") + load + "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 64;", 32), "");
}

TEST(PtxTensorMemory, OnlyWhatIsAllocatedWrittenAndNearCanBeLoaded) {
  EXPECT_TRUE(has(faultOf(withColumns("tcgen05.st.sync.aligned.32x32b.x1.b32 [%r100], {%r1};")),
                  "out of reach for warp 1"));
  EXPECT_TRUE(has(faultOf(withColumns("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r100];"), 32),
                  "before anything is written"));
  EXPECT_TRUE(has(faultOf(withColumns("tcgen05.st.sync.aligned.32x32b.x2.b32 [%r100+31], {%r1, "
                                      "%r2};",
                                      32),
                          32),
                  "column 32 of tensor memory is not allocated"));
  EXPECT_TRUE(has(faultOf(withColumns("add.s32 %r100, %r100, %t;\n"
                                      "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r100], {%r1};"),
                          32),
                  "not that of the warp's other lanes"));
  EXPECT_TRUE(
      has(faultOf("tcgen05.st.sync.aligned.32x32b.x1.b32 [%r100], {%r1};", 32), "not allocated"));
  EXPECT_TRUE(has(faultOf(withColumns("setp.eq.u32 %p1, %t, 0;\n"
                                      "@%p1 tcgen05.commit.cta_group::2.mbarrier::arrive::one"
                                      ".shared::cluster.b64 [mem];")),
                  "cta_group::1 and cta_group::2"));
}

TEST(PtxTensorMemory, APairAllocatesTogether) {
  Launch launch = threads(32);
  launch.ctasPerCluster = 2;
  launch.grid = {2, 1, 1};
  std::string own = "mov.u32 %r2, %cluster_ctarank;\n";
  std::string alloc = "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [mem], 64;\n";
  std::string give = "ld.shared.b32 %r1, [mem];\n"
                     "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r1, 64;\n";
  Executed both(alloc + give + "mov.u32 %t, %cluster_ctarank;\n" + storeResult, launch);
  EXPECT_TRUE(both.isFine()) << both.message();
  EXPECT_EQ(both.out[1], 0u);
  Executed one(own + "setp.eq.u32 %p1, %r2, 1;\n@%p1 bra end;\n" + alloc + give + "end:\nret;",
               launch);
  ASSERT_TRUE(one.fault);
  EXPECT_TRUE(has(one.fault->message, "waits for ever") || has(one.fault->message, "has ended"))
      << one.message();
  Executed differ(own + "setp.eq.u32 %p1, %r2, 1;\n@%p1 bra other;\n" + alloc +
                      "other:\n@%p1 tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 "
                      "[mem], 32;\n",
                  launch);
  ASSERT_TRUE(differ.fault);
  EXPECT_TRUE(has(differ.fault->message, "do not ask for the same"));
}

} // namespace
} // namespace gluonc::ptx
