#include "ptx/TestKernel.h"

namespace gluonc::ptx {
namespace {

/// A product whose A is in %r8 to %r11 and whose B is zeros in shared memory.
const char *const product =
    "wgmma.fence.sync.aligned;\n"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r0, %r1, %r2, %r3}, "
    "{%r8, %r9, %r10, %r11}, %rd1, 1, 1, 1, 0;\n"
    "wgmma.commit_group.sync.aligned;\n";

std::string after(const std::string &rest) {
  return "mov.b64 %rd1, 0;\nmov.b32 %r8, 0;\n" + std::string(product) + rest;
}

TEST(Wgmma, RegistersOfARunningProductMustNotBeWritten) {
  Executed wrong(after("mov.b32 %r9, 1;\n"), threads(128));
  EXPECT_NE(wrong.message().find("register %r9 is written while a product reads it"),
            std::string::npos)
      << wrong.message();
  EXPECT_TRUE(Executed(after("wgmma.wait_group.sync.aligned 0;\nmov.b32 %r9, 1;\n"), threads(128))
                  .isFine());
  // Others may be.
  EXPECT_TRUE(Executed(after("mov.b32 %r12, 1;\n"), threads(128)).isFine());
}

TEST(Wgmma, AWaitEndsAllButTheLatestGroups) {
  std::string second = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r4, %r5, %r6, %r7}, "
                       "{%r12, %r13, %r14, %r15}, %rd1, 1, 1, 1, 0;\n"
                       "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 1;\n";
  EXPECT_TRUE(Executed(after(second + "mov.b32 %r9, 1;\n"), threads(128)).isFine());
  EXPECT_FALSE(Executed(after(second + "mov.b32 %r13, 1;\n"), threads(128)).isFine());
}

} // namespace
} // namespace gluonc::ptx
