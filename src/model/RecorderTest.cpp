//===- RecorderTest.cpp - What traces keep of an execution, and how it counts -----===//
#include "model/Recorder.h"
#include "model/TestTrace.h"
#include "ptx/TestKernel.h"

namespace gluonc::model {
namespace {

/// The trace of a kernel's body (ptx/TestKernel.h) by so many warps.
Trace traceOf(const std::string &body, unsigned warps = 1) {
  Recorder recorder(testChip, {{1, 1, 1}, warps, 1}, {0});
  ptx::Launch launch = ptx::threads(warps * 32);
  launch.observer = &recorder;
  ptx::Executed run(body, launch, 64, std::vector<uint32_t>(64, 1));
  EXPECT_TRUE(run.isFine()) << run.message();
  return recorder.take();
}

const Op *findOp(const Trace &trace, unsigned warp, Rule rule) {
  for (const Op &op : trace.clusters[0].ctas[0].warps[warp])
    if (trace.code[op.instruction].rule == rule)
      return &op;
  return nullptr;
}
const Detail &detailOf(const Trace &trace, const Op &op) {
  return trace.clusters[0].ctas[0].details[static_cast<size_t>(op.detail)];
}

TEST(ModelRecorder, KeepsWhichSectorsAWarpStores) {
  Trace trace = traceOf("mov.u32 %r1, 5;\n" + std::string(ptx::storeResult));
  const Op *store = findOp(trace, 0, Rule::Access);
  ASSERT_TRUE(store);
  EXPECT_EQ(store->lanes, 32);
  // 128 bytes that need not begin with a sector.
  EXPECT_NEAR(detailOf(trace, *store).sectors.size(), 4, 1);
  EXPECT_EQ(detailOf(trace, *store).wavefronts, 0);
}

/// The sectors of one access of an instruction, as a trace keeps them.
std::vector<uint32_t> sectorsAt(uint64_t address, uint32_t bytes) {
  Recorder recorder(testChip, {{1, 1, 1}, 1, 1}, {0});
  ptx::Launch launch = ptx::threads(32);
  launch.observer = &recorder;
  ptx::Executed run("mov.u32 %r1, 5;", launch, 64, std::vector<uint32_t>(64, 1));
  ptx::Touched touched;
  touched.global.push_back({address, bytes, 0});
  recorder.executed({0, {0, 0, 0}, 0, 1, 1, touched});
  return recorder.take().clusters[0].ctas[0].sectors;
}

TEST(ModelRecorder, NumbersOfSectorsMayEndWithTheirLowBits) {
  constexpr uint64_t end = (uint64_t(1) << 32) * 32;
  EXPECT_EQ(sectorsAt(end - 4, 8), (std::vector<uint32_t>{0, ~uint32_t(0)}));
  EXPECT_EQ(sectorsAt(end - 64, 64), (std::vector<uint32_t>{~uint32_t(0) - 1, ~uint32_t(0)}));
  EXPECT_TRUE(sectorsAt(0, 0).empty());
}

TEST(ModelRecorder, KeepsTheBeginningOfWhatDoesNotEnd) {
  Recorder recorder(testChip, {{1, 1, 1}, 1, 1}, {0}, 10 * sizeof(Op));
  ptx::Launch launch = ptx::threads(32);
  launch.observer = &recorder;
  ptx::Executed run("mov.u32 %r1, 0;\nMORE:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 1000;\n"
                    "@%p1 bra MORE;",
                    launch, 64, std::vector<uint32_t>(64, 1));
  EXPECT_TRUE(run.isFine()) << run.message();
  Trace trace = recorder.take();
  EXPECT_TRUE(trace.isCut);
  EXPECT_LE(trace.clusters[0].ctas[0].warps[0].size(), 10u);
  EXPECT_FALSE(traceOf("mov.u32 %r1, 5;").isCut);
}

TEST(ModelRecorder, KeepsWavefrontsOfSharedMemory) {
  Trace trace = traceOf("mul.lo.u32 %r1, %t, 8;\nadd.u32 %r1, %r1, mem;\n"
                        "st.shared.b32 [%r1], %t;");
  EXPECT_EQ(detailOf(trace, *findOp(trace, 0, Rule::Access)).wavefronts, 2);
}

TEST(ModelRecorder, LeavesOutQuestionsThatWereInVain) {
  // Warp 0 asks before warp 1 arrives.
  Trace trace = traceOf("setp.ne.u32 %p1, %t, 0;\n@!%p1 mbarrier.init.shared.b64 [mem], 1;\n"
                        "bar.sync 0;\nsetp.lt.u32 %p2, %t, 32;\n@%p2 bra WAIT;\n"
                        "setp.ne.u32 %p3, %t, 32;\n@%p3 bra END;\n"
                        "mbarrier.arrive.shared.b64 _, [mem];\nbra END;\nWAIT:\n"
                        "mbarrier.try_wait.parity.shared.b64 %p4, [mem], 0;\n@!%p4 bra WAIT;\n"
                        "END:\n",
                        2);
  unsigned asked = 0;
  for (const Op &op : trace.clusters[0].ctas[0].warps[0])
    if (op.detail >= 0 && detailOf(trace, op).signals.size()) {
      uint32_t first = detailOf(trace, op).signals.begin;
      asked += trace.clusters[0].ctas[0].signals[first].kind == ptx::Signal::Kind::Ask;
    }
  EXPECT_EQ(asked, 1u);
}

TEST(ModelRecorder, SamplesAreSpreadOverTheGridAndItsFirstDim) {
  EXPECT_EQ(sampleOf({1000, 1, 1}, 4), (std::vector<uint64_t>{125, 375, 625, 875}));
  EXPECT_EQ(sampleOf({2, 1, 1}, 4), (std::vector<uint64_t>{0, 1}));
  std::vector<uint64_t> sample = sampleOf({32, 64, 1}, 4);
  ASSERT_EQ(sample.size(), 4u);
  for (unsigned i = 0; i != 4; ++i)
    EXPECT_EQ(sample[i] % 32, 4 + 8 * i);
}

Work workOf(const std::string &instruction) {
  Trace trace = traceOf(instruction);
  return trace.code[trace.clusters[0].ctas[0].warps[0].end()[-2].instruction];
}

TEST(ModelWork, InstructionsTakeThePipesOfTheirKind) {
  EXPECT_EQ(workOf("add.f32 %r1, %r2, %r3;").pipe, Pipe::Float);
  EXPECT_EQ(workOf("add.s32 %r1, %r2, %r3;").pipe, Pipe::Integer);
  EXPECT_EQ(workOf("max.f32 %r1, %r2, %r3;").pipe, Pipe::Integer);
  EXPECT_EQ(workOf("ex2.approx.f32 %r1, %r2;").pipe, Pipe::Special);
  EXPECT_EQ(workOf("cvt.rn.f16x2.f32 %r1, %r2, %r3;").pipe, Pipe::Convert);
  EXPECT_EQ(workOf("add.f64 %rd1, %rd2, %rd3;").pipe, Pipe::Double);
  EXPECT_EQ(workOf("mov.u32 %r1, 5;").rule, Rule::Free);
  EXPECT_EQ(workOf("shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;").rule, Rule::Shuffle);
}

TEST(ModelWork, ProductsTakeCyclesByTheirShapeAndType) {
  // 16 x 8 x 16: 4096 operations, 1024 a cycle, of which mma gets half.
  EXPECT_EQ(workOf("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1, %r2, %r3, %r4}, "
                   "{%r5, %r6, %r7, %r8}, {%r9, %r10}, {%r1, %r2, %r3, %r4};")
                .cycles,
            8);
}

} // namespace
} // namespace gluonc::model
