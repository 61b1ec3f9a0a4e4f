// One test for each thing that can be wrong with a kernel or a launch.
#include "sim/KernelTesting.h"

#include <chrono>
#include <numeric>

using namespace gluonc::sim;
using namespace gluonc::sim::testing;
using gluonc::diag::Kind;

namespace {

/// Loads %count elements at %src + %offset + i and stores them to %dst + i.
const char *const kShiftedCopy = R"(
tt.func public @k(%src: !tt.ptr<i32>, %dst: !tt.ptr<i32>, %offset: i32, %count: i32) {
  %c128 = arith.constant 128 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c128 : i32
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #l>
  %ss = tt.splat %start : i32 -> tensor<128xi32, #l>
  %i = arith.addi %ss, %r : tensor<128xi32, #l>
  %so = tt.splat %offset : i32 -> tensor<128xi32, #l>
  %j = arith.addi %i, %so : tensor<128xi32, #l>
  %sc = tt.splat %count : i32 -> tensor<128xi32, #l>
  %m = arith.cmpi slt, %i, %sc : tensor<128xi32, #l>
  %ps = tt.splat %src : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #l>
  %as = tt.addptr %ps, %j : tensor<128x!tt.ptr<i32>, #l>, tensor<128xi32, #l>
  %x = tt.load %as, %m : tensor<128x!tt.ptr<i32>, #l>
  %pd = tt.splat %dst : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #l>
  %ad = tt.addptr %pd, %i : tensor<128x!tt.ptr<i32>, #l>, tensor<128xi32, #l>
  tt.store %ad, %x, %m : tensor<128x!tt.ptr<i32>, #l>
  tt.return
})";

/// %out = `body`(%a, %b) for scalars i32.
std::string scalarKernel(const std::string &body) {
  return "tt.func public @k(%out: !tt.ptr<i32>, %a: i32, %b: i32) {\n" + body +
         "\n  tt.store %out, %r : !tt.ptr<i32>\n  tt.return\n}";
}

} // namespace

TEST(Fault, AccessPastTheEndNamesTheBufferTheProgramAndTheElement) {
  Kernel kernel(kShiftedCopy);
  std::vector<int32_t> src(1000), dst(1024);
  kernel.buffer("src", src).buffer("dst", dst).integer(0).integer(1024);
  EXPECT_FALSE(kernel.run(8));
  ASSERT_EQ(kernel.sink.diagnostics.size(), 1u) << kernel.allMessages();
  EXPECT_EQ(kernel.firstKind(), Kind::OutOfBoundsAccess);
  EXPECT_EQ(kernel.firstMessage(), "load of 4 bytes right at the end of `src` (4000 bytes)");
  EXPECT_EQ(kernel.firstNote(),
            "in program (7, 0, 0), at element (104) of the tile; 1 of 8 programs failed here");
  EXPECT_NE(kernel.firstLine().find("%x = tt.load"), std::string::npos) << kernel.firstLine();
  // The programs before it did their work.
  EXPECT_EQ(dst[895], src[895]);
}

TEST(Fault, AccessBeforeTheStartSaysHowFar) {
  Kernel kernel(kShiftedCopy);
  std::vector<int32_t> src(128), dst(128);
  kernel.buffer("src", src).buffer("dst", dst).integer(-3).integer(128);
  EXPECT_FALSE(kernel.run());
  EXPECT_EQ(kernel.firstMessage(),
            "load of 4 bytes 12 bytes before the start of `src` (512 bytes)");
}

TEST(Fault, RunningFromOneBufferIntoTheNextIsFound) {
  Kernel kernel(kShiftedCopy);
  std::vector<int32_t> both(256), dst(128);
  kernel.memory.add("next", both.data() + 128, 512);
  kernel.memory.add("src", both.data(), 512);
  kernel.launch.arguments.push_back(Argument::pointer(both.data()));
  kernel.buffer("dst", dst).integer(16).integer(128);
  EXPECT_FALSE(kernel.run());
  EXPECT_EQ(kernel.firstMessage(), "load of 4 bytes right at the end of `src` (512 bytes)");
}

TEST(Fault, AddressesFarFromEveryBufferAreGivenAsNumbers) {
  Kernel kernel(R"(
tt.func public @k(%a: i64) {
  %p = tt.int_to_ptr %a : i64 -> !tt.ptr<i32>
  %x = tt.load %p : !tt.ptr<i32>
  tt.return
})");
  kernel.integer(16);
  EXPECT_FALSE(kernel.run());
  EXPECT_EQ(kernel.firstMessage(), "load of 4 bytes at address 0x10, which is in no buffer");
}

TEST(Fault, FaultsAreCountedPerLineAndLedByTheLowestProgram) {
  std::vector<std::string> reports;
  for (unsigned threads : {1u, 8u}) {
    Kernel kernel(kShiftedCopy);
    std::vector<int32_t> src(300), dst(128 * 100);
    kernel.buffer("src", src).buffer("dst", dst).integer(0).integer(128 * 100);
    kernel.launch.hostThreads = threads;
    EXPECT_FALSE(kernel.run(100));
    ASSERT_EQ(kernel.sink.diagnostics.size(), 1u);
    reports.push_back(kernel.firstMessage() + kernel.firstNote());
  }
  EXPECT_EQ(reports[0], reports[1]);
  EXPECT_NE(reports[0].find("in program (2, 0, 0), at element (44) of the tile; 98 of 100"),
            std::string::npos)
      << reports[0];
}

TEST(Fault, NoMoreDiagnosticsThanAskedFor) {
  Kernel kernel(R"(
tt.func public @k(%p: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.cmpi eq, %pid, %c0 : i32
  cf.cond_br %first, ^a, ^b
^a:
  tt.store %p, %c0 : !tt.ptr<i32>
  tt.return
^b:
  tt.store %p, %c1 : !tt.ptr<i32>
  tt.return
})");
  std::vector<int32_t> p(1);
  kernel.buffer("p", p, Memory::Access::ReadOnly);
  EXPECT_FALSE(kernel.run(2));
  EXPECT_EQ(kernel.sink.diagnostics.size(), 2u);
  kernel.sink.diagnostics.clear();
  kernel.launch.maxFaults = 1;
  EXPECT_FALSE(kernel.run(2));
  ASSERT_EQ(kernel.sink.diagnostics.size(), 1u);
  EXPECT_EQ(kernel.firstNote(), "in program (0, 0, 0); 1 of 2 programs failed here");
}

TEST(Fault, ReadingWhatWasNeverWritten) {
  Kernel kernel(kShiftedCopy);
  std::vector<int32_t> src(128), dst(128);
  kernel.buffer("src", src, Memory::Access::ReadWrite, Memory::Contents::Poisoned)
      .buffer("dst", dst)
      .integer(0)
      .integer(128);
  kernel.memory.find(reinterpret_cast<uint64_t>(src.data()))
      ->markWritten(reinterpret_cast<uint64_t>(src.data()), 40);
  EXPECT_FALSE(kernel.run());
  EXPECT_EQ(kernel.firstKind(), Kind::UninitializedRead);
  EXPECT_EQ(kernel.firstMessage(),
            "load of 4 bytes at offset 40 of `src`, where nothing was written yet");
}

TEST(Fault, WritingReadOnlyMemory) {
  Kernel kernel(kShiftedCopy);
  std::vector<int32_t> src(128), dst(128);
  kernel.buffer("src", src).buffer("dst", dst, Memory::Access::ReadOnly).integer(0).integer(128);
  EXPECT_FALSE(kernel.run());
  EXPECT_EQ(kernel.firstKind(), Kind::ReadOnlyWrite);
  EXPECT_EQ(kernel.firstMessage(), "store of 4 bytes at offset 0 of `dst`, which is read-only");
}

TEST(Fault, MisalignedAccess) {
  Kernel kernel(R"(
tt.func public @k(%p: !tt.ptr<i8>) {
  %c1 = arith.constant 1 : i32
  %q = tt.addptr %p, %c1 : !tt.ptr<i8>, i32
  %r = tt.bitcast %q : !tt.ptr<i8> -> !tt.ptr<i32>
  %x = tt.load %r : !tt.ptr<i32>
  tt.return
})");
  std::vector<int64_t> p(4);
  kernel.buffer("p", p);
  EXPECT_FALSE(kernel.run());
  EXPECT_EQ(kernel.firstKind(), Kind::MisalignedAccess) << kernel.allMessages();
}

TEST(Fault, DivisionByZeroPointsAtTheDivisionAndItsUse) {
  Kernel kernel(scalarKernel("  %r = arith.divsi %a, %b : i32"));
  std::vector<int32_t> out(1);
  kernel.buffer("out", out).integer(5).integer(0);
  EXPECT_FALSE(kernel.run());
  EXPECT_EQ(kernel.firstKind(), Kind::IntegerDivisionFault);
  EXPECT_EQ(kernel.firstMessage(), "integer division by zero");
  EXPECT_NE(kernel.firstLine().find("arith.divsi"), std::string::npos);
  EXPECT_EQ(kernel.sink.diagnostics[0].labels[0].text, "the value is used here");
}

TEST(Fault, DivisionThatOverflows) {
  Kernel kernel(scalarKernel("  %r = arith.remsi %a, %b : i32"));
  std::vector<int32_t> out(1);
  kernel.buffer("out", out).integer(INT32_MIN).integer(-1);
  EXPECT_FALSE(kernel.run());
  EXPECT_EQ(kernel.firstMessage(), "integer division overflows: -2147483648 / -1");
}

TEST(Fault, DivisionByZeroInElementsThatNothingDependsOnIsNone) {
  // Elements from 5 on divide by 0 and are masked off in the end.
  Kernel kernel(R"(
tt.func public @k(%out: !tt.ptr<i32>) {
  %c5 = arith.constant dense<5> : tensor<128xi32, #l>
  %c60 = arith.constant dense<60> : tensor<128xi32, #l>
  %zero = arith.constant dense<0> : tensor<128xi32, #l>
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #l>
  %m = arith.cmpi slt, %r, %c5 : tensor<128xi32, #l>
  %left = arith.subi %c5, %r : tensor<128xi32, #l>
  %d = arith.maxsi %left, %zero : tensor<128xi32, #l>
  %q = arith.divsi %c60, %d : tensor<128xi32, #l>
  %s = arith.select %m, %q, %zero : tensor<128xi1, #l>, tensor<128xi32, #l>
  %sum = "tt.reduce"(%s) <{axis = 0 : i32}> ({
  ^bb0(%x: i32, %y: i32):
    %z = arith.addi %x, %y : i32
    tt.reduce.return %z : i32
  }) : (tensor<128xi32, #l>) -> i32
  %b = tt.splat %sum : i32 -> tensor<128xi32, #l>
  %v = arith.addi %q, %b : tensor<128xi32, #l>
  %p = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #l>
  %a = tt.addptr %p, %r : tensor<128x!tt.ptr<i32>, #l>, tensor<128xi32, #l>
  tt.store %a, %v, %m : tensor<128x!tt.ptr<i32>, #l>
  tt.return
})");
  std::vector<int32_t> out(5);
  kernel.buffer("out", out);
  EXPECT_TRUE(kernel.run()) << kernel.allMessages();
  int sum = 60 / 5 + 60 / 4 + 60 / 3 + 60 / 2 + 60;
  EXPECT_EQ(out, (std::vector<int32_t>{12 + sum, 15 + sum, 20 + sum, 30 + sum, 60 + sum}));
}

TEST(Fault, ShiftsByNegativeNumbers) {
  Kernel kernel(scalarKernel("  %r = arith.shli %a, %b : i32"));
  std::vector<int32_t> out(1);
  kernel.buffer("out", out).integer(1).integer(-3);
  EXPECT_FALSE(kernel.run());
  EXPECT_EQ(kernel.firstKind(), Kind::ShiftTooWide);
  EXPECT_EQ(kernel.firstMessage(), "shift of a 32-bit integer by -3");
}

TEST(Fault, ShiftsByTheWidthAndMoreLeaveNothing) {
  auto shifted = [](const char *operation, int64_t left, int64_t by) {
    Kernel kernel(scalarKernel("  %r = arith." + std::string(operation) + " %a, %b : i32"));
    std::vector<int32_t> out(1);
    kernel.buffer("out", out).integer(left).integer(by);
    EXPECT_TRUE(kernel.run()) << kernel.allMessages();
    return out[0];
  };
  for (int64_t by : {32, 33, 129, 1 << 30}) {
    EXPECT_EQ(shifted("shli", -1, by), 0);
    EXPECT_EQ(shifted("shrui", -1, by), 0);
    EXPECT_EQ(shifted("shrsi", -5, by), -1);
    EXPECT_EQ(shifted("shrsi", 5, by), 0);
  }
}

TEST(Fault, PoisonMayPassThroughButNotDecide) {
  Kernel unused(R"(
tt.func public @k(%out: !tt.ptr<i32>, %n: i32) {
  %p = ub.poison : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %p) -> (i32) : i32 {
    scf.yield %i : i32
  }
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
})");
  std::vector<int32_t> out(1);
  unused.buffer("out", out).integer(3);
  EXPECT_TRUE(unused.run()) << unused.allMessages();
  EXPECT_EQ(out[0], 2);
  unused.launch.arguments[1] = Argument::integer(0);
  EXPECT_FALSE(unused.run());
  EXPECT_EQ(unused.firstKind(), Kind::PoisonUse);
}

TEST(Fault, DeviceAssertions) {
  Kernel kernel(R"(
tt.func public @k(%n: i32) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #l>
  %b = tt.splat %n : i32 -> tensor<128xi32, #l>
  %ok = arith.cmpi slt, %r, %b : tensor<128xi32, #l>
  tt.assert %ok, "index in range" : tensor<128xi1, #l>
  tt.return
})");
  kernel.integer(128);
  EXPECT_TRUE(kernel.run());
  kernel.launch.arguments[0] = Argument::integer(100);
  EXPECT_FALSE(kernel.run());
  EXPECT_EQ(kernel.firstKind(), Kind::DeviceAssertFailed);
  EXPECT_EQ(kernel.firstMessage(), "device assertion failed: index in range");
  EXPECT_EQ(kernel.firstNote(), "in program (0, 0, 0), at element (100) of the tile");
}

TEST(Fault, AssumptionsThatDoNotHold) {
  Kernel kernel(R"(
tt.func public @k(%n: i32) {
  %c = arith.constant 8 : i32
  %ok = arith.cmpi slt, %n, %c : i32
  llvm.intr.assume %ok : i1
  tt.return
})");
  kernel.integer(7);
  EXPECT_TRUE(kernel.run());
  kernel.launch.arguments[0] = Argument::integer(8);
  EXPECT_FALSE(kernel.run());
  EXPECT_EQ(kernel.firstKind(), Kind::AssumptionViolated);
}

TEST(Fault, GatherIndicesOutsideTheAxis) {
  Kernel kernel(R"(
tt.func public @k(%out: !tt.ptr<i32>, %n: i32) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #l>
  %b = tt.splat %n : i32 -> tensor<128xi32, #l>
  %i = arith.addi %r, %b : tensor<128xi32, #l>
  %g = tt.gather %r[%i] {axis = 0 : i32} : (tensor<128xi32, #l>, tensor<128xi32, #l>) -> tensor<128xi32, #l>
  %p = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #l>
  %a = tt.addptr %p, %r : tensor<128x!tt.ptr<i32>, #l>, tensor<128xi32, #l>
  tt.store %a, %g : tensor<128x!tt.ptr<i32>, #l>
  tt.return
})");
  std::vector<int32_t> out(128);
  kernel.buffer("out", out).integer(2);
  EXPECT_FALSE(kernel.run());
  EXPECT_EQ(kernel.firstKind(), Kind::ElementIndexOutOfRange);
  EXPECT_EQ(kernel.firstMessage(), "index 128 is not in 0 to 127");
}

TEST(Fault, SharedMemoryBeyondTheAllocation) {
  Kernel kernel(R"(
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @k(%i: i32) {
  %zero = arith.constant dense<0> : tensor<128xi32, #l>
  %s = ttg.local_alloc {allocation.offset = -256 : i32} : () -> !ttg.memdesc<128xi32, #flat, #smem, mutable>
  ttg.local_store %zero, %s : tensor<128xi32, #l> -> !ttg.memdesc<128xi32, #flat, #smem, mutable>
  tt.return
})");
  kernel.integer(0);
  EXPECT_FALSE(kernel.run());
  EXPECT_EQ(kernel.firstKind(), Kind::SharedOutOfBounds) << kernel.allMessages();
}

TEST(Fault, LoopsThatDoNotAdvance) {
  Kernel kernel(scalarKernel(R"(
  %r = scf.for %i = %a to %b step %a iter_args(%x = %b) -> (i32) : i32 {
    scf.yield %i : i32
  })"));
  std::vector<int32_t> out(1);
  kernel.buffer("out", out).integer(0).integer(5);
  EXPECT_FALSE(kernel.run());
  EXPECT_EQ(kernel.firstKind(), Kind::LoopStepNotPositive);
  EXPECT_EQ(kernel.firstMessage(), "loop step 0 is not positive");
}

TEST(Fault, ProgramsThatNeverEnd) {
  Kernel kernel(R"(
tt.func public @k() {
  cf.br ^loop
^loop:
  cf.br ^loop
})");
  kernel.launch.maxBranches = 10'000;
  EXPECT_FALSE(kernel.run());
  EXPECT_EQ(kernel.firstKind(), Kind::BranchLimitReached);
}

TEST(Fault, BehindAProgramThatNeverEndsNoneBegins) {
  for (unsigned threads : {1, 4}) {
    Kernel kernel(R"(
tt.func public @k(%p: !tt.ptr<i32>) {
  %id = tt.get_program_id x : i32
  %c3 = arith.constant 3 : i32
  %q = tt.addptr %p, %id : !tt.ptr<i32>, i32
  tt.store %q, %c3 : !tt.ptr<i32>
  %more = arith.cmpi sge, %id, %c3 : i32
  cf.br ^loop
^loop:
  cf.cond_br %more, ^loop, ^end
^end:
  tt.return
})");
    std::vector<int32_t> done(500);
    kernel.buffer("p", done);
    kernel.launch.maxBranches = 1'000'000;
    kernel.launch.hostThreads = threads;
    EXPECT_FALSE(kernel.run(500));
    EXPECT_EQ(kernel.sink.diagnostics.size(), 1u);
    EXPECT_EQ(kernel.firstKind(), Kind::BranchLimitReached);
    EXPECT_EQ(kernel.firstNote(), "in program (3, 0, 0); not all programs behind it were run");
    EXPECT_EQ(done[3], 3);
    EXPECT_EQ(done[499], 0);
  }
}

TEST(Fault, ALaunchCanBeLeftInTheMiddleOfAProgramWithoutBranches) {
  std::string text =
      "tt.func public @k() {\n"
      "%r = tt.make_range {end = 8192 : i32, start = 0 : i32} : tensor<8192xi32, #l>\n"
      "%y0 = arith.sitofp %r : tensor<8192xi32, #l> to tensor<8192xf32, #l>\n";
  constexpr int kSteps = 20'000;
  for (int i = 0; i < kSteps; ++i)
    text += "%y" + std::to_string(i + 1) + " = math.exp %y" + std::to_string(i) +
            " : tensor<8192xf32, #l>\n";
  Kernel kernel(text + "tt.return\n}");
  std::optional<std::chrono::steady_clock::time_point> told;
  kernel.launch.shouldStop = [&] {
    told = std::chrono::steady_clock::now();
    return true;
  };
  EXPECT_FALSE(kernel.run());
  ASSERT_TRUE(told);
  std::chrono::duration<double> since = std::chrono::steady_clock::now() - *told;
  EXPECT_LT(since.count(), 0.1);
  EXPECT_TRUE(kernel.sink.diagnostics.empty()) << kernel.allMessages();
}

TEST(Fault, CallersAreNamed) {
  Kernel kernel(R"(
tt.func private @div(%x: i32, %y: i32) -> i32 attributes {noinline = true} {
  %r = arith.divsi %x, %y : i32
  tt.return %r : i32
}
tt.func public @k(%out: !tt.ptr<i32>, %a: i32) {
  %r = tt.call @div(%a, %a) : (i32, i32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
})");
  std::vector<int32_t> out(1);
  kernel.buffer("out", out).integer(0);
  EXPECT_FALSE(kernel.run());
  bool named = false;
  for (const gluonc::diag::Label &label : kernel.sink.diagnostics[0].labels)
    named |= label.text == "called from here";
  EXPECT_TRUE(named);
}

//===----------------------------------------------------------------------===//
// What prepare and the launch refuse
//===----------------------------------------------------------------------===//

TEST(Refusal, MissingKernel) {
  Kernel kernel("tt.func public @other() {\n tt.return\n}");
  EXPECT_EQ(kernel.executable, nullptr);
  EXPECT_EQ(kernel.firstKind(), Kind::SimulatedKernelMissing);
}

TEST(Refusal, OperationsWithoutAMeaningOnTheCpu) {
  Kernel kernel(R"(
tt.func public @k(%a: i32) {
  %r = tt.elementwise_inline_asm "mov.u32 $0, %laneid;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %a : i32 -> i32
  tt.return
})");
  EXPECT_EQ(kernel.executable, nullptr);
  EXPECT_EQ(
      kernel.firstMessage(),
      "the simulator cannot execute inline assembly: `%laneid` is not simulated as an operand");
  EXPECT_NE(kernel.firstLine().find("inline_asm"), std::string::npos);
}

/// `count` tiles of 8 MiB that all live until they are added up.
static std::string liveTiles(int count) {
  std::string text = R"(
tt.func public @k() {
  %r = tt.make_range {end = 1048576 : i32, start = 0 : i32} : tensor<1048576xi32, #l>
  %t0 = arith.extsi %r : tensor<1048576xi32, #l> to tensor<1048576xi64, #l>
)";
  auto add = [&](const std::string &result, const std::string &one, const std::string &two) {
    text += result + " = arith.addi " + one + ", " + two + " : tensor<1048576xi64, #l>\n";
  };
  for (int i = 1; i < count; ++i)
    add("%t" + std::to_string(i), "%t" + std::to_string(i - 1), "%t0");
  add("%s" + std::to_string(count), "%t0", "%t0");
  for (int i = count; --i >= 0;)
    add("%s" + std::to_string(i), "%s" + std::to_string(i + 1), "%t" + std::to_string(i));
  return text + "  tt.return\n}";
}

TEST(Refusal, TilesOfMoreThanAGibibyte) {
  EXPECT_NE(Kernel(liveTiles(100)).executable, nullptr);
  Kernel large(liveTiles(130));
  EXPECT_EQ(large.executable, nullptr);
  EXPECT_EQ(large.firstMessage(),
            "the simulator cannot execute a kernel whose live tiles need more than 1 GiB");
}

// Each function calls the one before twice.
TEST(Refusal, TreesOfCallsThatGrowWithoutEnd) {
  std::string text = "tt.func private @f0(%x: i32) -> i32 attributes {noinline = true} {\n"
                     "  %y = arith.addi %x, %x : i32\n  tt.return %y : i32\n}\n";
  for (int i = 1; i <= 40; ++i) {
    std::string callee = " = tt.call @f" + std::to_string(i - 1);
    text += "tt.func private @f" + std::to_string(i) +
            "(%x: i32) -> i32 attributes {noinline = true} {\n  %a" + callee +
            "(%x) : (i32) -> i32\n  %b" + callee + "(%a) : (i32) -> i32\n  tt.return %b : i32\n}\n";
  }
  Kernel tree(text + "tt.func public @k(%x: i32) {\n  %a = tt.call @f40(%x) : (i32) -> i32\n"
                     "  tt.return\n}");
  EXPECT_EQ(tree.executable, nullptr);
  EXPECT_EQ(tree.firstKind(), Kind::UnsupportedInSimulator);
  EXPECT_NE(tree.firstMessage().find("262,144 instructions"), std::string::npos);
}

TEST(Refusal, UnknownOperationsAndTypes) {
  Kernel operation(R"(
tt.func public @k(%a: i32) {
  %r = math.ipowi %a, %a : i32
  tt.return
})");
  EXPECT_EQ(operation.executable, nullptr);
  EXPECT_EQ(operation.firstMessage(), "the simulator cannot execute `math.ipowi`");
  Kernel type(R"(
tt.func public @k(%a: i32) {
  %r = arith.trunci %a : i32 to i4
  tt.return
})");
  EXPECT_EQ(type.executable, nullptr);
  EXPECT_EQ(type.firstKind(), Kind::UnsupportedInSimulator);
  EXPECT_EQ(type.firstMessage(), "the simulator cannot execute type i4");
}

TEST(Refusal, Recursion) {
  Kernel kernel(R"(
tt.func public @k(%a: i32) {
  tt.call @k(%a) : (i32) -> ()
  tt.return
})");
  EXPECT_EQ(kernel.executable, nullptr) << "unbounded recursion";
}

TEST(Refusal, ArgumentsThatDoNotFitTheParameters) {
  Kernel kernel("tt.func public @k(%a: i32, %p: !tt.ptr<f32>) {\n tt.return\n}");
  kernel.integer(1);
  EXPECT_FALSE(kernel.run());
  EXPECT_EQ(kernel.firstKind(), Kind::SimulatedArgumentCount);
  EXPECT_EQ(kernel.firstMessage(), "`k` takes 2 arguments, the launch gives 1");
  kernel.sink.diagnostics.clear();
  kernel.floating(1);
  EXPECT_FALSE(kernel.run());
  EXPECT_EQ(kernel.firstKind(), Kind::SimulatedArgumentKind);
  EXPECT_EQ(kernel.firstMessage(),
            "argument 1 of `k` is a pointer, the launch gives a floating-point number");
}
