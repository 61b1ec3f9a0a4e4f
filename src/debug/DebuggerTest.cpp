#include "debug/DebuggerTesting.h"

using namespace gluonc;
using namespace gluonc::debug;
using namespace gluonc::debug::testing;
using Reason = Stop::Reason;

namespace {

/// Line 10 is the first of the body.
const std::string kLoop = R"(@gluon.jit
def twice(v):
    return v * 2.0

@gluon.jit
def k(src, dst, n):
    i = gl.arange(0, 128, layout=L)
    x = gl.load(src + i, mask=i < n, other=0.0)
    for step in range(3):
        y = twice(x)
        x = y + 1.0
    gl.store(dst + i, x, mask=i < n)
)";
const std::vector<std::pair<std::string, std::string>> kLoopValues = {
    {"src", "arange(0, 100, f32)"}, {"dst", "empty(100, f32)"}, {"n", "100"}};

} // namespace

TEST(Debugger, StopsAtEachRoundOfALoopAndAtTheEnd) {
  Debugged kernel(kLoop, kLoopValues);
  unsigned id = kernel.breakAt(14);
  for (int round = 0; round < 3; ++round) {
    Stop stop = kernel.forward();
    EXPECT_EQ(stop.reason, Reason::Breakpoint);
    EXPECT_EQ(stop.id, id);
    EXPECT_EQ(kernel.line(), 14u);
    EXPECT_EQ(kernel.print("step"), "step: i32 = " + std::to_string(round));
  }
  EXPECT_EQ(kernel.forward().reason, Reason::End);
  EXPECT_EQ(kernel.print("dst[:4]"), "[ 7. 15. 23. 31.]");
}

TEST(Debugger, AConditionDecidesWhetherABreakpointStops) {
  Debugged kernel(kLoop, kLoopValues);
  kernel.breakAt(14, "step == 1 and x[1] > 2");
  EXPECT_EQ(kernel.forward().reason, Reason::Breakpoint);
  EXPECT_EQ(kernel.print("step + 0"), "1");
  EXPECT_EQ(kernel.forward().reason, Reason::End);
}

TEST(Debugger, AConditionWithoutAValueStopsAndSaysWhy) {
  Debugged kernel(kLoop, kLoopValues);
  kernel.breakAt(14, "nothing == 1");
  EXPECT_EQ(kernel.forward().text, "its condition has no value: name `nothing` is not defined");
}

TEST(Debugger, ABreakpointMovesToTheNextLineOfItsFunctionWithCode) {
  Debugged kernel(kLoop, kLoopValues);
  diag::SourceManager &sources = kernel.sources;
  const diag::SourceFile *file = sources.find("k.py");
  EXPECT_EQ(llvm::cantFail(kernel->addBreakpoint({file, 15}, "")).line.number, 15u);
  llvm::Expected<Breakpoint> behind = kernel->addBreakpoint({file, 200}, "");
  EXPECT_EQ(llvm::toString(behind.takeError()),
            "there is no code at line 200, or behind it in its function");
}

TEST(Debugger, StepsIntoAFunctionAndOverIt) {
  Debugged kernel(kLoop, kLoopValues);
  kernel.breakAt(13);
  kernel.forward();
  EXPECT_EQ(kernel.line(), 13u);
  EXPECT_EQ(kernel->selectedFrame(), 1u);
  kernel->step(Step::Into, Direction::Forward);
  EXPECT_EQ(kernel.line(), 6u);
  EXPECT_EQ(kernel.print("v[:3]"), "[0. 1. 2.]");
  EXPECT_EQ(kernel->traceOf(kernel->selected()).size(), 2u);
  kernel->step(Step::Out, Direction::Forward);
  EXPECT_EQ(kernel->traceOf(kernel->selected()).size(), 1u);
  kernel.forward();
  EXPECT_EQ(kernel.line(), 13u);
  kernel->step(Step::Over, Direction::Forward);
  EXPECT_EQ(kernel.line(), 14u);
}

TEST(Debugger, StepsBackOverWhatItStepped) {
  Debugged kernel(kLoop, kLoopValues);
  kernel.breakAt(12);
  kernel.forward();
  std::vector<std::pair<uint64_t, uint32_t>> way;
  for (int i = 0; i < 12; ++i) {
    way.push_back({kernel->position(), kernel.line()});
    kernel->step(Step::Over, Direction::Forward);
  }
  for (const auto &[position, line] : llvm::reverse(way)) {
    kernel->step(Step::Over, Direction::Back);
    EXPECT_EQ(kernel->position(), position);
    EXPECT_EQ(kernel.line(), line);
  }
}

TEST(Debugger, GoingBackUnwritesTheTensors) {
  Debugged kernel(kLoop, kLoopValues);
  EXPECT_EQ(kernel.forward().reason, Reason::End);
  EXPECT_EQ(kernel.print("dst[:2]"), "[ 7. 15.]");
  EXPECT_EQ(kernel.back().reason, Reason::Start);
  EXPECT_EQ(kernel->position(), 0u);
  EXPECT_EQ(kernel.print("dst[:2]"), "[?? ??]");
  EXPECT_EQ(kernel.forward().reason, Reason::End);
  EXPECT_EQ(kernel.print("dst[:2]"), "[ 7. 15.]");
}

TEST(Debugger, GoesBackToWhereWhatIsWatchedWasWritten) {
  Debugged kernel(kLoop, kLoopValues);
  kernel.forward();
  ASSERT_TRUE(bool(kernel->watch("dst[5]")));
  Stop stop = kernel.back();
  EXPECT_EQ(stop.reason, Reason::Watchpoint);
  EXPECT_EQ(stop.text, "dst[5] is now 47.");
  EXPECT_EQ(kernel.line(), 15u);
  EXPECT_EQ(kernel.print("dst[5]"), "??");
  EXPECT_EQ(kernel.forward().reason, Reason::Watchpoint);
  EXPECT_EQ(kernel.print("dst[5]"), "47.");
}

TEST(Debugger, WatchesAVariable) {
  Debugged kernel(kLoop, kLoopValues);
  kernel.breakAt(12);
  kernel.forward();
  kernel->remove(1);
  ASSERT_TRUE(bool(kernel->watch("x")));
  EXPECT_EQ(kernel.forward().reason, Reason::Watchpoint);
  EXPECT_EQ(kernel.print("x[:3]"), "[1. 3. 5.]");
}

TEST(Debugger, RefusesToWatchWhatIsNotInMemory) {
  Debugged kernel(kLoop, kLoopValues);
  EXPECT_EQ(llvm::toString(kernel->watch("src + 1").takeError()),
            "`src + 1` is neither a variable nor elements of memory");
}

TEST(Debugger, StopsAtAFaultAndGoesOnBehindIt) {
  Debugged kernel(R"(@gluon.jit
def k(dst):
    i = gl.program_id(0) * 128 + gl.arange(0, 128, layout=L)
    gl.store(dst + i, i)
)",
                  {{"dst", "zeros(200, i32)"}}, {3, 1, 1});
  for (int program = 1; program < 3; ++program) {
    EXPECT_EQ(kernel.forward().reason, Reason::Fault);
    EXPECT_EQ(kernel->programName(), "program (" + std::to_string(program) + ", 0, 0)");
    EXPECT_EQ(kernel.line(), 7u);
    diag::Collector met;
    kernel->report(met);
    ASSERT_EQ(met.diagnostics.size(), 1u);
    EXPECT_EQ(met.diagnostics[0].kind, diag::Kind::OutOfBoundsAccess);
  }
  EXPECT_EQ(kernel.forward().reason, Reason::End);
  EXPECT_EQ(kernel.print("dst[127]"), "127");
}

TEST(Debugger, GoesBackFromAFaultToItsCause) {
  Debugged kernel(R"(@gluon.jit
def k(dst, n):
    i = gl.arange(0, 128, layout=L)
    x = 100 // (n - n)
    y = x + 1
    gl.store(dst + i, y)
)",
                  {{"dst", "zeros(128, i32)"}, {"n", "7"}});
  EXPECT_EQ(kernel.forward().reason, Reason::Fault);
  EXPECT_EQ(kernel.line(), 9u);
  EXPECT_EQ(kernel.back().reason, Reason::Cause);
  EXPECT_EQ(kernel.line(), 7u);
}

TEST(Debugger, PartitionsAreThreadsThatAreSteppedAlone) {
  Debugged kernel(R"(from triton.experimental.gluon.language.nvidia.hopper import mbarrier
@gluon.jit
def writer(src, smem, full):
    x = gl.load(src + gl.arange(0, 128, layout=L))
    smem.store(x)
    mbarrier.arrive(full, count=1)

@gluon.jit
def reader(dst, smem, full):
    mbarrier.wait(full, 0)
    z = smem.load(L)
    gl.store(dst + gl.arange(0, 128, layout=L), z)

@gluon.jit
def k(src, dst):
    smem = gl.allocate_shared_memory(gl.float32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    full = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(full, count=1)
    gl.warp_specialize([(reader, (dst, smem, full)), (writer, (src, smem, full))], [4], [64])
)",
                  {{"src", "arange(0, 128, f32)"}, {"dst", "empty(128, f32)"}});
  kernel.breakAt(13);
  EXPECT_EQ(kernel.forward().reason, Reason::Breakpoint);
  ThreadId reader = kernel->selected();
  EXPECT_EQ(kernel->nameOf(reader), "`reader`");
  EXPECT_EQ(kernel->threads().size(), 2u);
  kernel->step(Step::Over, Direction::Forward);
  EXPECT_EQ(kernel.line(), 14u) << "the writer ran meanwhile";
  EXPECT_EQ(kernel->selected(), reader);
  EXPECT_EQ(kernel.print("smem[:3]"), "[0. 1. 2.]");
  kernel->step(Step::Over, Direction::Back);
  EXPECT_EQ(kernel.line(), 13u);
  EXPECT_EQ(kernel.print("smem[:3]"), "[?? ?? ??]");
  EXPECT_NE(kernel.print("full").find("= [0] phase 0, 1 of 1 arrivals to come"), std::string::npos);
}

TEST(Debugger, SaysWhatThreadsHold) {
  Debugged kernel(kLoop, kLoopValues);
  kernel.breakAt(15);
  kernel.forward();
  const sim::Variable *x = kernel->find("x", kernel->selected());
  ASSERT_TRUE(x);
  std::string text = llvm::cantFail(kernel->valueOf(*x, kernel->selected()).ofThread(37));
  EXPECT_NE(text.find("\n  warp 1, lane 5, register 0: (37) = 303."), std::string::npos) << text;
  EXPECT_EQ(llvm::toString(kernel->valueOf(*x, kernel->selected()).ofWarp(4).takeError()),
            "its layout has 4 warps");
}

TEST(Debugger, FieldsOfTuplesHaveNames) {
  Debugged kernel(R"(@gluon.jit
def k(dst, a, b):
    pair = (a + 1, b * 2)
    gl.store(dst, pair[0] + pair[1])
)",
                  {{"dst", "zeros(1, i32)"}, {"a", "7"}, {"b", "9"}});
  kernel.breakAt(7);
  kernel.forward();
  EXPECT_EQ(kernel.print("pair[0] + 1"), "9");
  EXPECT_EQ(kernel.print("pair[1]"), "pair[1]: i32 = 18");
}

TEST(Debugger, ElementsThatDependOnMaskedOffOnesAreNotThere) {
  Debugged kernel(R"(@gluon.jit
def k(src, dst):
    i = gl.arange(0, 128, layout=L)
    x = gl.load(src + i, mask=i < 2)
    y = x + 1.0
    gl.store(dst + i, y, mask=i < 2)
)",
                  {{"src", "arange(0, 2, f32)"}, {"dst", "empty(2, f32)"}});
  kernel.breakAt(9);
  kernel.forward();
  EXPECT_EQ(kernel.print("y[:4]"), "[1. 2. ?? ??]");
}
