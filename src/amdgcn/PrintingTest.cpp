#include "amdgcn/Printing.h"

#include "amdgcn/TestKernel.h"

using namespace gluonc::amdgcn;

/// A kernel of gfx942 of which each thread prints its number, half of it, a text, and a long one.
static KernelText printing(const std::string &format) {
  KernelText kernel;
  // The buffer's address is an argument behind `out` and `in`, where s[4:5] still points.
  kernel.body = "s_load_dwordx2 s[6:7], s[4:5], 0x10\ns_waitcnt lgkmcnt(0)\n"
                "v_mov_b32_e32 v2, 0\nv_mov_b32_e32 v3, 32\n"
                "global_atomic_add v4, v2, v3, s[6:7] sc0\ns_waitcnt vmcnt(0)\n"
                "v_mov_b32_e32 v5, 1\nglobal_store_dword v4, v5, s[6:7] offset:8\n"
                "global_store_dword v4, v0, s[6:7] offset:12\n"
                "v_cvt_f32_u32_e32 v6, v0\nv_mul_f32_e32 v6, 0.5, v6\n"
                "global_store_dword v4, v6, s[6:7] offset:16\n"
                "v_mov_b32_e32 v6, 0x61626364\nv_mov_b32_e32 v7, 0x65\n"
                "global_store_dwordx2 v4, v[6:7], s[6:7] offset:20\n"
                "v_mov_b32_e32 v6, -2\nv_mov_b32_e32 v7, -1\n"
                "global_store_dwordx2 v4, v[6:7], s[6:7] offset:28\n"
                "v_mov_b32_e32 v6, 7\nglobal_store_dword v4, v6, s[6:7] offset:36\n";
  kernel.arguments = "      - {.offset: 16, .size: 8, .value_kind: hidden_printf_buffer}\n";
  kernel.metadata = "amdhsa.printf:\n  - '1:5:4:4:8:8:4:" + format + "'\n";
  return kernel;
}

TEST(Printing, LinesOfThreads) {
  Executed run(printing("%d\\72 %.2f [%7s] %lld %c%%\\n"), {}, 3);
  EXPECT_EQ(run.message(), "");
  EXPECT_EQ(run.printed, "0: 0.00 [  dcbae] -2 \a%\n1: 0.50 [  dcbae] -2 \a%\n"
                         "2: 1.00 [  dcbae] -2 \a%\n");
}

TEST(Printing, WhatNoFormatDescribes) {
  std::string said = "what the kernel has printed fits none of the code object's formats";
  KernelText kernel = printing("%d %f %s %lld %d %d");
  EXPECT_EQ(Executed(kernel, {}, 3).message(), said);
  kernel.metadata = "amdhsa.printf:\n  - '2:0:other'\n";
  EXPECT_EQ(Executed(kernel, {}, 3).message(), said);
}

TEST(Printing, TextThatIsNoConversion) {
  Executed run(printing("%n %*d %99999d %"), {}, 1);
  EXPECT_EQ(run.printed, "%n %*d %99999d %");
}

TEST(Printing, Formats) {
  PrintFormats formats;
  EXPECT_TRUE(addPrintFormat("3:2:4:8:a\\72b\\t%d\\\\%g", formats));
  EXPECT_EQ(formats[3].text, "a:b\t%d\\%g");
  EXPECT_EQ(formats[3].sizes[1], 8u);
  for (const char *wrong : {"", "x:0:", "1", "1:2:4", "1:99999999999:4:a"})
    EXPECT_FALSE(addPrintFormat(wrong, formats));
}
