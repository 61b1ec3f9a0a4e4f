// How fast the simulator copies 64 MiB with the plain 1-D copy kernel. The bound is
// generous: a shared, busy machine must pass, a step back by an order must not.
#include "sim/KernelTesting.h"

#include <chrono>
#include <cstring>

using namespace gluonc::sim;
using namespace gluonc::sim::testing;

namespace {

std::string copyKernel(int block) {
  std::string n = std::to_string(block);
  std::string ints = "tensor<" + n + "xi32, #l>", pointers = "tensor<" + n + "x!tt.ptr<f32>, #l>";
  return "tt.func public @k(%src: !tt.ptr<f32>, %dst: !tt.ptr<f32>, %n: i32) {\n"
         "  %c = arith.constant " +
         n +
         " : i32\n"
         "  %pid = tt.get_program_id x : i32\n"
         "  %start = arith.muli %pid, %c : i32\n"
         "  %r = tt.make_range {end = " +
         n + " : i32, start = 0 : i32} : " + ints +
         "\n"
         "  %ss = tt.splat %start : i32 -> " +
         ints +
         "\n"
         "  %i = arith.addi %ss, %r : " +
         ints +
         "\n"
         "  %nn = tt.splat %n : i32 -> " +
         ints +
         "\n"
         "  %m = arith.cmpi slt, %i, %nn : " +
         ints +
         "\n"
         "  %ps = tt.splat %src : !tt.ptr<f32> -> " +
         pointers +
         "\n"
         "  %pd = tt.splat %dst : !tt.ptr<f32> -> " +
         pointers +
         "\n"
         "  %as = tt.addptr %ps, %i : " +
         pointers + ", " + ints +
         "\n"
         "  %x = tt.load %as, %m : " +
         pointers +
         "\n"
         "  %ad = tt.addptr %pd, %i : " +
         pointers + ", " + ints +
         "\n"
         "  tt.store %ad, %x, %m : " +
         pointers +
         "\n"
         "  tt.return\n}";
}

} // namespace

TEST(Throughput, CopyOf64MiBTakesWellUnderTwoSeconds) {
  constexpr int kElements = 16 << 20;
  std::vector<float> src(kElements), dst(kElements);
  for (int i = 0; i < kElements; ++i)
    src[i] = float(i);
  for (int block : {128, 512, 2048, 8192})
    for (Memory::Contents contents : {Memory::Contents::Initialized, Memory::Contents::Poisoned}) {
      std::memset(dst.data(), 0, dst.size() * sizeof(float));
      Kernel kernel(copyKernel(block));
      kernel.buffer("src", src, Memory::Access::ReadOnly)
          .buffer("dst", dst, Memory::Access::ReadWrite, contents)
          .integer(kElements);
      auto start = std::chrono::steady_clock::now();
      ASSERT_TRUE(kernel.run(kElements / block)) << kernel.allMessages();
      double seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      std::printf("  block %5d, %s destination: %6.1f ms, %.2f ns per element\n", block,
                  contents == Memory::Contents::Poisoned ? "poisoned   " : "initialized",
                  seconds * 1e3, seconds * 1e9 / kElements);
      EXPECT_EQ(src, dst);
      EXPECT_LT(seconds, 2.0);
    }
}
