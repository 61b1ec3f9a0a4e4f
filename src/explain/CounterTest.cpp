//===- CounterTest.cpp - What instructions of a launch are counted as -----------===//
#include "explain/Counter.h"
#include "ptx/TestKernel.h"

namespace gluonc::explain {
namespace {

/// Counts what a kernel's body costs (ptx/TestKernel.h says what it finds in registers).
Counts countsOf(const std::string &body, unsigned threads = 32) {
  Counter counter;
  ptx::Launch launch = ptx::threads(threads);
  launch.observer = &counter;
  ptx::Executed run(body, launch, 256, std::vector<uint32_t>(256, 1));
  EXPECT_TRUE(run.isFine()) << run.message();
  return counter.take();
}

const InstructionCount &countOf(const Counts &counts, llvm::StringRef prefix) {
  for (const InstructionCount &count : counts.instructions)
    if (llvm::StringRef(count.text).starts_with(prefix))
      return count;
  ADD_FAILURE() << prefix.str() << " was not executed";
  static const InstructionCount none;
  return none;
}

/// The last load of global memory.
const InstructionCount &lastLoad(const Counts &counts) {
  for (const InstructionCount &count : llvm::reverse(counts.instructions))
    if (llvm::StringRef(count.text).starts_with("ld.global"))
      return count;
  return counts.instructions.front();
}

constexpr const char *ownAddress = "mul.wide.u32 %rd1, %t, 4;\nadd.s64 %rd2, %in, %rd1;\n";

TEST(ExplainCounter, EachWarpsRequestCounts) {
  Counts counts = countsOf(std::string(ownAddress) + ".loc 1 3 9\nld.global.b32 %r1, [%rd2];", 64);
  const InstructionCount &load = countOf(counts, "ld.global");
  EXPECT_EQ(load.source, (ptx::SourcePlace{1, 3, 9}));
  EXPECT_EQ(load.warps, 2u);
  EXPECT_EQ(load.threads, 64u);
  EXPECT_EQ(load.global.requests, 2u);
  EXPECT_EQ(load.global.sectors, load.global.idealSectors + load.global.misaligned);
  EXPECT_EQ(load.global.usedBytes, 256u);
  EXPECT_EQ(load.global.stride, 4);
  EXPECT_TRUE(load.loads);
  EXPECT_FALSE(load.stores);
}

TEST(ExplainCounter, LoadsOfTheSameAddressesAreRepeats) {
  std::string loop = std::string(ownAddress) +
                     "mov.u32 %r2, 0;\n$L:\nld.global.b32 %r1, [%rd2];\n"
                     "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 5;\n@%p1 bra $L;\n";
  EXPECT_EQ(countOf(countsOf(loop), "ld.global").global.repeats, 4u);
  // Another thread may have changed what is asked for.
  size_t at = loop.find("ld.global");
  std::string spins = loop;
  spins.replace(at, 9, "ld.volatile.global");
  EXPECT_EQ(countOf(countsOf(spins), "ld.volatile").global.repeats, 0u);
  std::string moves = loop;
  moves.replace(moves.find("add.u32 %r2"), 0, "add.s64 %rd2, %rd2, 4;\n");
  EXPECT_EQ(countOf(countsOf(moves), "ld.global").global.repeats, 0u);
}

TEST(ExplainCounter, AnotherInstructionMayHaveLoadedTheSame) {
  const std::string load = "ld.global.b32 %r1, [%rd2];\n";
  const std::string first = std::string(ownAddress) + ".loc 1 3 9\n" + load;
  Counts counts = countsOf(first + ".loc 1 4 9\n" + load);
  EXPECT_EQ(lastLoad(counts).global.repeats, 1u);
  EXPECT_EQ(lastLoad(counts).global.earlier, (ptx::SourcePlace{1, 3, 9}));
  // Of fewer bytes, at other addresses, after a store.
  for (const std::string between :
       {"ld.global.b8 %r1, [%rd2];", "add.s64 %rd2, %rd2, 4;\nld.global.b32 %r1, [%rd2];",
        "st.global.b32 [%rd2], %t;\nld.global.b32 %r1, [%rd2];"})
    EXPECT_EQ(lastLoad(countsOf(first + ".loc 1 4 9\n" + between)).global.repeats, 0u) << between;
  // What came first would have had to be kept beside 64 other values.
  std::string later;
  for (unsigned i = 0; i != 64; ++i)
    later += "ld.global.b32 %r1, [%rd2+" + std::to_string(4 * i + 4) + "];\n";
  EXPECT_EQ(lastLoad(countsOf(first + later + load)).global.repeats, 0u);
}

TEST(ExplainCounter, WhatAGuardHoldsBackIsIssuedButAsksForNothing) {
  Counts counts = countsOf(std::string(ownAddress) +
                           "setp.gt.u32 %p1, %t, 99;\n@%p1 ld.global.b32 %r1, [%rd2];");
  const InstructionCount &load = countOf(counts, "ld.global");
  EXPECT_EQ(load.warps, 1u);
  EXPECT_EQ(load.threads, 0u);
  EXPECT_EQ(load.global.requests, 0u);
}

TEST(ExplainCounter, StoresToSharedMemoryCountWavefronts) {
  Counts counts = countsOf("mul.lo.u32 %r1, %t, 8;\nadd.u32 %r1, %r1, mem;\n"
                           "st.shared.b32 [%r1], %t;");
  const InstructionCount &store = countOf(counts, "st.shared");
  EXPECT_EQ(store.shared.requests, 1u);
  EXPECT_EQ(store.shared.wavefronts, 2u);
  EXPECT_EQ(store.shared.ideal, 1u);
  EXPECT_TRUE(store.stores);
}

TEST(ExplainCounter, InstructionsOfOtherLinesAreApart) {
  Counts counts = countsOf(".loc 1 7 1\nadd.u32 %r1, %t, 1;\n.loc 1 8 1\nadd.f32 %r2, %r1, %r1;");
  EXPECT_EQ(countOf(counts, "add.u32").source.line, 7u);
  EXPECT_EQ(countOf(counts, "add.u32").pipe, Pipe::Integer);
  EXPECT_EQ(countOf(counts, "add.f32").source.line, 8u);
  EXPECT_EQ(countOf(counts, "add.f32").pipe, Pipe::Float);
}

TEST(ExplainCounter, PipesAreToldByNamesAndTypes) {
  Counts counts = countsOf("ex2.approx.f32 %r1, 0f3F800000;\ndiv.u32 %r2, 7, 2;\n"
                           "div.rn.f32 %r3, 0f3F800000, 0f40000000;\nbar.sync 0;\n"
                           "shfl.sync.idx.b32 %r4, %r1, 0, 31, -1;\nmov.b32 %r5, 1;\n"
                           "setp.lt.f32 %p1, %r1, %r3;\ncvt.rn.f32.u32 %r6, %t;\n"
                           "cp.async.commit_group;\n");
  EXPECT_EQ(countOf(counts, "ex2").pipe, Pipe::Special);
  EXPECT_EQ(countOf(counts, "div.u32").pipe, Pipe::Integer);
  EXPECT_EQ(countOf(counts, "div.rn").pipe, Pipe::Special);
  EXPECT_EQ(countOf(counts, "bar").pipe, Pipe::Control);
  EXPECT_EQ(countOf(counts, "shfl").pipe, Pipe::Shuffle);
  EXPECT_EQ(countOf(counts, "mov.b32").pipe, Pipe::Move);
  EXPECT_EQ(countOf(counts, "ld.param").pipe, Pipe::Move);
  EXPECT_EQ(countOf(counts, "setp").pipe, Pipe::Float);
  EXPECT_EQ(countOf(counts, "cvt").pipe, Pipe::Float);
  EXPECT_EQ(countOf(counts, "cp.async.commit").pipe, Pipe::Control);
}

TEST(ExplainCounter, ProductsHaveTheFlopsOfTheirShape) {
  Counts counts = countsOf("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                           "{%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%r9, %r10}, "
                           "{%r1, %r2, %r3, %r4};",
                           64);
  const InstructionCount &product = countOf(counts, "mma");
  EXPECT_EQ(product.pipe, Pipe::Tensor);
  EXPECT_EQ(product.flops, 2u * 2 * 16 * 8 * 16);
  // A group of four warps does it together.
  ptx::Instruction wgmma;
  wgmma.name = "wgmma";
  for (const char *modifier : {"mma_async", "sync", "aligned", "m64n128k16", "f32", "f16", "f16"})
    wgmma.addModifier(modifier);
  EXPECT_EQ(4 * productFlops(wgmma), 2u * 64 * 128 * 16);
}

} // namespace
} // namespace gluonc::explain
