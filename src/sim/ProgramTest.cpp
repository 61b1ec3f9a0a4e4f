// Whole kernels: grids, pointers, masks, control flow, calls, atomics, print.
#include "sim/KernelTesting.h"

#include <numeric>

using namespace gluonc::sim;
using namespace gluonc::sim::testing;

/// dst[i] = src[i] for i < n, 128 elements a program.
static const char *const kCopy = R"(
tt.func public @k(%src: !tt.ptr<f32>, %dst: !tt.ptr<f32>, %n: i32) {
  %c128 = arith.constant 128 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c128 : i32
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #l>
  %ss = tt.splat %start : i32 -> tensor<128xi32, #l>
  %i = arith.addi %ss, %r : tensor<128xi32, #l>
  %nn = tt.splat %n : i32 -> tensor<128xi32, #l>
  %m = arith.cmpi slt, %i, %nn : tensor<128xi32, #l>
  %ps = tt.splat %src : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #l>
  %pd = tt.splat %dst : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #l>
  %as = tt.addptr %ps, %i : tensor<128x!tt.ptr<f32>, #l>, tensor<128xi32, #l>
  %ad = tt.addptr %pd, %i : tensor<128x!tt.ptr<f32>, #l>, tensor<128xi32, #l>
  %x = tt.load %as, %m : tensor<128x!tt.ptr<f32>, #l>
  tt.store %ad, %x, %m : tensor<128x!tt.ptr<f32>, #l>
  tt.return
})";

TEST(Program, MaskedCopyWritesExactlyTheElementsBelowN) {
  for (int n : {1000, 1024, 1, 129}) {
    Kernel kernel(kCopy);
    std::vector<float> src(n), dst(n, -1);
    std::iota(src.begin(), src.end(), 1.0f);
    kernel.buffer("src", src, Memory::Access::ReadOnly)
        .buffer("dst", dst, Memory::Access::ReadWrite, Memory::Contents::Poisoned)
        .integer(n);
    EXPECT_TRUE(kernel.run((n + 127) / 128)) << kernel.allMessages();
    EXPECT_EQ(src, dst);
  }
}

TEST(Program, IdsAndCountsFollowTheGrid) {
  Kernel kernel(R"(
tt.func public @k(%out: !tt.ptr<i32>) {
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %z = tt.get_program_id z : i32
  %nx = tt.get_num_programs x : i32
  %ny = tt.get_num_programs y : i32
  %nz = tt.get_num_programs z : i32
  %zy = arith.muli %z, %ny : i32
  %zy1 = arith.addi %zy, %y : i32
  %zyx = arith.muli %zy1, %nx : i32
  %i = arith.addi %zyx, %x : i32
  %c100 = arith.constant 100 : i32
  %v0 = arith.muli %nz, %c100 : i32
  %v = arith.addi %v0, %i : i32
  %p = tt.addptr %out, %i : !tt.ptr<i32>, i32
  tt.store %p, %v : !tt.ptr<i32>
  tt.return
})");
  std::vector<int32_t> out(24);
  kernel.buffer("out", out);
  EXPECT_TRUE(kernel.run(2, 3, 4)) << kernel.allMessages();
  for (int i = 0; i < 24; ++i)
    EXPECT_EQ(out[i], 400 + i);
}

TEST(Program, ScalarArgumentsTakeTheParametersType) {
  Kernel kernel(R"(
tt.func public @k(%out: !tt.ptr<f64>, %a: f16, %b: bf16, %c: f32, %d: f64, %e: i1, %f: i64) {
  %x0 = arith.extf %a : f16 to f64
  %x1 = arith.extf %b : bf16 to f64
  %x2 = arith.extf %c : f32 to f64
  %x4 = arith.uitofp %e : i1 to f64
  %x5 = arith.sitofp %f : i64 to f64
  %s1 = arith.addf %x0, %x1 : f64
  %s2 = arith.addf %s1, %x2 : f64
  %s3 = arith.addf %s2, %d : f64
  %s4 = arith.addf %s3, %x4 : f64
  %s5 = arith.addf %s4, %x5 : f64
  tt.store %out, %s5 : !tt.ptr<f64>
  tt.return
})");
  std::vector<double> out(1);
  kernel.buffer("out", out)
      .floating(1.5)
      .floating(0.25)
      .floating(0.1)
      .floating(0.1)
      .integer(1)
      .integer(-1000);
  EXPECT_TRUE(kernel.run()) << kernel.allMessages();
  EXPECT_EQ(out[0], 1.5 + 0.25 + double(0.1f) + 0.1 + 1 - 1000);
}

TEST(Program, LoopsCarryTilesAndScalars) {
  Kernel kernel(R"(
tt.func public @k(%src: !tt.ptr<i32>, %out: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant dense<0> : tensor<128xi32, #l>
  %step = arith.constant dense<128> : tensor<128xi32, #l>
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #l>
  %p = tt.splat %src : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #l>
  %a = tt.addptr %p, %r : tensor<128x!tt.ptr<i32>, #l>, tensor<128xi32, #l>
  %sum:3 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero, %q = %a, %t = %c0) -> (tensor<128xi32, #l>, tensor<128x!tt.ptr<i32>, #l>, i32) : i32 {
    %x = tt.load %q : tensor<128x!tt.ptr<i32>, #l>
    %s2 = arith.addi %s, %x : tensor<128xi32, #l>
    %q2 = tt.addptr %q, %step : tensor<128x!tt.ptr<i32>, #l>, tensor<128xi32, #l>
    %t2 = arith.addi %t, %i : i32
    scf.yield %s2, %q2, %t2 : tensor<128xi32, #l>, tensor<128x!tt.ptr<i32>, #l>, i32
  }
  %tt = tt.splat %sum#2 : i32 -> tensor<128xi32, #l>
  %all = arith.addi %sum#0, %tt : tensor<128xi32, #l>
  %po = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #l>
  %ao = tt.addptr %po, %r : tensor<128x!tt.ptr<i32>, #l>, tensor<128xi32, #l>
  tt.store %ao, %all : tensor<128x!tt.ptr<i32>, #l>
  tt.return
})");
  std::vector<int32_t> src(128 * 5), out(128);
  std::iota(src.begin(), src.end(), 0);
  kernel.buffer("src", src, Memory::Access::ReadOnly).buffer("out", out).integer(5);
  EXPECT_TRUE(kernel.run()) << kernel.allMessages();
  for (int element = 0; element < 128; ++element)
    EXPECT_EQ(out[element], 5 * element + 128 * (0 + 1 + 2 + 3 + 4) + 10);
}

TEST(Program, LoopsMayExchangeTheirValues) {
  Kernel kernel(R"(
tt.func public @k(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p, %b = %q) -> (!tt.ptr<i32>, !tt.ptr<i32>) : i32 {
    tt.store %a, %i : !tt.ptr<i32>
    scf.yield %b, %a : !tt.ptr<i32>, !tt.ptr<i32>
  }
  tt.return
})");
  std::vector<int32_t> p(1), q(1);
  kernel.buffer("p", p).buffer("q", q).integer(7);
  EXPECT_TRUE(kernel.run()) << kernel.allMessages();
  EXPECT_EQ(p[0], 6);
  EXPECT_EQ(q[0], 5);
}

TEST(Program, WhileIfAndNestingFollowTheirConditions) {
  // Collatz steps of the program id + 1.
  Kernel kernel(R"(
tt.func public @k(%out: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.addi %pid, %c1 : i32
  %r:2 = scf.while (%v = %start, %steps = %c0) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi ne, %v, %c1 : i32
    scf.condition(%more) %v, %steps : i32, i32
  } do {
  ^bb0(%v: i32, %steps: i32):
    %odd = arith.remsi %v, %c2 : i32
    %isodd = arith.cmpi eq, %odd, %c1 : i32
    %next = scf.if %isodd -> (i32) {
      %t = arith.muli %v, %c3 : i32
      %u = arith.addi %t, %c1 : i32
      scf.yield %u : i32
    } else {
      %h = arith.divsi %v, %c2 : i32
      scf.yield %h : i32
    }
    %s = arith.addi %steps, %c1 : i32
    scf.yield %next, %s : i32, i32
  }
  %p = tt.addptr %out, %pid : !tt.ptr<i32>, i32
  tt.store %p, %r#1 : !tt.ptr<i32>
  tt.return
})");
  std::vector<int32_t> out(30);
  kernel.buffer("out", out);
  EXPECT_TRUE(kernel.run(30)) << kernel.allMessages();
  for (int i = 0; i < 30; ++i) {
    int steps = 0;
    for (int v = i + 1; v != 1; v = v % 2 ? 3 * v + 1 : v / 2)
      ++steps;
    EXPECT_EQ(out[i], steps) << i;
  }
}

TEST(Program, BranchesBetweenBlocksPassArguments) {
  Kernel kernel(R"(
tt.func public @k(%out: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %pid = tt.get_program_id x : i32
  %p = tt.addptr %out, %pid : !tt.ptr<i32>, i32
  %early = arith.cmpi sge, %pid, %n : i32
  cf.cond_br %early, ^done, ^loop(%c0, %c1 : i32, i32)
^loop(%i: i32, %f: i32):
  %i1 = arith.addi %i, %c1 : i32
  %sum = arith.addi %i, %f : i32
  %last = arith.cmpi sge, %f, %pid : i32
  cf.cond_br %last, ^store(%sum : i32), ^loop(%f, %sum : i32, i32)
^store(%v: i32):
  tt.store %p, %v : !tt.ptr<i32>
  cf.br ^done
^done:
  tt.return
})");
  std::vector<int32_t> out(10, -1);
  kernel.buffer("out", out).integer(8);
  EXPECT_TRUE(kernel.run(10)) << kernel.allMessages();
  for (int i = 0; i < 10; ++i) {
    int a = 0, b = 1, sum = 0;
    for (;;) {
      sum = a + b;
      if (b >= i)
        break;
      a = b;
      b = sum;
    }
    EXPECT_EQ(out[i], i < 8 ? sum : -1) << i;
  }
}

TEST(Program, CallsReturnFromEveryBlock) {
  Kernel kernel(R"(
tt.func private @clamp(%x: i32, %low: i32) -> i32 attributes {noinline = true} {
  %below = arith.cmpi slt, %x, %low : i32
  cf.cond_br %below, ^low, ^keep
^low:
  tt.return %low : i32
^keep:
  tt.return %x : i32
}
tt.func public @k(%out: !tt.ptr<i32>) {
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant 5 : i32
  %pid = tt.get_program_id x : i32
  %a = tt.call @clamp(%pid, %c3) : (i32, i32) -> i32
  %b = tt.call @clamp(%a, %c5) : (i32, i32) -> i32
  %s = arith.addi %a, %b : i32
  %p = tt.addptr %out, %pid : !tt.ptr<i32>, i32
  tt.store %p, %s : !tt.ptr<i32>
  tt.return
})");
  std::vector<int32_t> out(8);
  kernel.buffer("out", out);
  EXPECT_TRUE(kernel.run(8)) << kernel.allMessages();
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(out[i], std::max(i, 3) + std::max(i, 5));
}

TEST(Program, LoadsFillMaskedElementsWithOtherOrZero) {
  const char *text = R"(
tt.func public @k(%src: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %c5 = arith.constant dense<5> : tensor<128xi32, #l>
  %c9 = arith.constant dense<9> : tensor<128xi32, #l>
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #l>
  %m = arith.cmpi slt, %r, %c5 : tensor<128xi32, #l>
  %p = tt.splat %src : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #l>
  %a = tt.addptr %p, %r : tensor<128x!tt.ptr<i32>, #l>, tensor<128xi32, #l>
  %x = tt.load %a, %m, %c9 : tensor<128x!tt.ptr<i32>, #l>
  %y = tt.load %a, %m : tensor<128x!tt.ptr<i32>, #l>
  %z = arith.addi %x, %y : tensor<128xi32, #l>
  %po = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #l>
  %ao = tt.addptr %po, %r : tensor<128x!tt.ptr<i32>, #l>, tensor<128xi32, #l>
  tt.store %ao, %z : tensor<128x!tt.ptr<i32>, #l>
  tt.return
})";
  Kernel kernel(text);
  std::vector<int32_t> src = {1, 2, 3, 4, 5}, out(128);
  kernel.buffer("src", src).buffer("out", out);
  EXPECT_TRUE(kernel.run()) << kernel.allMessages();
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(out[i], i < 5 ? 2 * (i + 1) : 9);
}

TEST(Program, ScatteredAndStridedAccessReachTheirElements) {
  Kernel kernel(R"(
tt.func public @k(%src: !tt.ptr<i16>, %out: !tt.ptr<i16>) {
  %c127 = arith.constant dense<127> : tensor<128xi32, #l>
  %c3 = arith.constant dense<3> : tensor<128xi32, #l>
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #l>
  %i = arith.muli %r, %c3 : tensor<128xi32, #l>
  %j = arith.subi %c127, %r : tensor<128xi32, #l>
  %p = tt.splat %src : !tt.ptr<i16> -> tensor<128x!tt.ptr<i16>, #l>
  %a = tt.addptr %p, %i : tensor<128x!tt.ptr<i16>, #l>, tensor<128xi32, #l>
  %x = tt.load %a : tensor<128x!tt.ptr<i16>, #l>
  %po = tt.splat %out : !tt.ptr<i16> -> tensor<128x!tt.ptr<i16>, #l>
  %ao = tt.addptr %po, %j : tensor<128x!tt.ptr<i16>, #l>, tensor<128xi32, #l>
  tt.store %ao, %x : tensor<128x!tt.ptr<i16>, #l>
  tt.return
})");
  std::vector<int16_t> src(128 * 3), out(128);
  std::iota(src.begin(), src.end(), 0);
  kernel.buffer("src", src).buffer("out", out);
  EXPECT_TRUE(kernel.run()) << kernel.allMessages();
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(out[127 - i], 3 * i);
}

TEST(Program, PointersSurviveIntegersAndSelects) {
  Kernel kernel(R"(
tt.func public @k(%a: !tt.ptr<i32>, %b: !tt.ptr<i32>) {
  %c4 = arith.constant 4 : i64
  %pid = tt.get_program_id x : i32
  %c0 = arith.constant 0 : i32
  %first = arith.cmpi eq, %pid, %c0 : i32
  %p = arith.select %first, %a, %b : !tt.ptr<i32>
  %i = tt.ptr_to_int %p : !tt.ptr<i32> -> i64
  %j = arith.addi %i, %c4 : i64
  %q = tt.int_to_ptr %j : i64 -> !tt.ptr<i32>
  tt.store %q, %pid : !tt.ptr<i32>
  tt.return
})");
  std::vector<int32_t> a(2, 9), b(2, 9);
  kernel.buffer("a", a).buffer("b", b);
  EXPECT_TRUE(kernel.run(2)) << kernel.allMessages();
  EXPECT_EQ(a, (std::vector<int32_t>{9, 0}));
  EXPECT_EQ(b, (std::vector<int32_t>{9, 1}));
}

TEST(Program, AtomicsGiveTheOldValueInElementOrder) {
  Kernel kernel(R"(
tt.func public @k(%counter: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %one = arith.constant dense<1> : tensor<128xi32, #l>
  %c128 = arith.constant 128 : i32
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #l>
  %p = tt.splat %counter : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #l>
  %old = tt.atomic_rmw add, acq_rel, gpu, %p, %one : (tensor<128x!tt.ptr<i32>, #l>, tensor<128xi32, #l>) -> tensor<128xi32, #l>
  %pid = tt.get_program_id x : i32
  %base = arith.muli %pid, %c128 : i32
  %b = tt.splat %base : i32 -> tensor<128xi32, #l>
  %i = arith.addi %b, %r : tensor<128xi32, #l>
  %po = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #l>
  %ao = tt.addptr %po, %i : tensor<128x!tt.ptr<i32>, #l>, tensor<128xi32, #l>
  tt.store %ao, %old : tensor<128x!tt.ptr<i32>, #l>
  tt.return
})");
  std::vector<int32_t> counter(1), out(128 * 20);
  kernel.buffer("counter", counter).buffer("out", out);
  kernel.launch.hostThreads = 8;
  EXPECT_TRUE(kernel.run(20)) << kernel.allMessages();
  EXPECT_EQ(counter[0], 128 * 20);
  for (int i = 0; i < 128 * 20; ++i)
    ASSERT_EQ(out[i], i);
}

TEST(Program, EveryAtomicKindUpdatesMemory) {
  struct Case {
    const char *operation;
    int32_t initial, operand, expected;
  };
  const Case cases[] = {
      {"and", 12, 10, 8},  {"or", 12, 10, 14},  {"xor", 12, 10, 6},
      {"add", 5, -7, -2},  {"max", -3, -5, -3}, {"min", -3, -5, -5},
      {"umax", -3, 5, -3}, {"umin", -3, 5, 5},  {"exch", 12, 10, 10},
  };
  for (const Case &test : cases) {
    Kernel kernel(std::string(R"(
tt.func public @k(%p: !tt.ptr<i32>, %v: i32, %old: !tt.ptr<i32>) {
  %true = arith.constant true
  %o = tt.atomic_rmw )") +
                  test.operation + R"(, relaxed, gpu, %p, %v, %true : (!tt.ptr<i32>, i32, i1) -> i32
  tt.store %old, %o : !tt.ptr<i32>
  tt.return
})");
    std::vector<int32_t> memory = {test.initial}, old(1);
    kernel.buffer("p", memory).integer(test.operand).buffer("old", old);
    EXPECT_TRUE(kernel.run()) << kernel.allMessages();
    EXPECT_EQ(memory[0], test.expected) << test.operation;
    EXPECT_EQ(old[0], test.initial) << test.operation;
  }
}

TEST(Program, FloatAtomicsAndCompareAndSwapRunInGridOrder) {
  Kernel kernel(R"(
tt.func public @k(%sum: !tt.ptr<f32>, %lock: !tt.ptr<i32>) {
  %pid = tt.get_program_id x : i32
  %c1 = arith.constant 1 : i32
  %f = arith.sitofp %pid : i32 to f32
  %scale = arith.constant 1.000000e-01 : f32
  %v = arith.mulf %f, %scale : f32
  %true = arith.constant true
  %o = tt.atomic_rmw fadd, relaxed, gpu, %sum, %v, %true : (!tt.ptr<f32>, f32, i1) -> f32
  %next = arith.addi %pid, %c1 : i32
  %was = tt.atomic_cas acq_rel, gpu, %lock, %pid, %next : (!tt.ptr<i32>, i32, i32) -> i32
  tt.return
})");
  std::vector<float> sum(1);
  std::vector<int32_t> lock(1);
  kernel.buffer("sum", sum).buffer("lock", lock);
  kernel.launch.hostThreads = 4;
  EXPECT_TRUE(kernel.run(100)) << kernel.allMessages();
  float expected = 0;
  for (int i = 0; i < 100; ++i)
    expected += float(i) * 0.1f;
  EXPECT_EQ(sum[0], expected);
  EXPECT_EQ(lock[0], 100);
}

TEST(Program, PrintWritesInGridOrder) {
  Kernel kernel(R"(
tt.func public @k() {
  %pid = tt.get_program_id x : i32
  %h = arith.constant 1.500000e+00 : f16
  %r = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32, #l>
  tt.print " id: " {hex = false, isSigned = array<i32: 1>} : %pid : i32
  tt.print " v: " {hex = true, isSigned = array<i32: 1, 0>} : %r, %h : tensor<2xi32, #l>, f16
  tt.return
})");
  std::string text;
  llvm::raw_string_ostream out(text);
  kernel.launch.output = &out;
  kernel.launch.hostThreads = 2;
  EXPECT_TRUE(kernel.run(2)) << kernel.allMessages();
  EXPECT_EQ(text, "pid (0, 0, 0) idx () id: 0\n"
                  "pid (0, 0, 0) idx (0) v: (operand 0) 0x00000000\n"
                  "pid (0, 0, 0) idx (1) v: (operand 0) 0x00000001\n"
                  "pid (0, 0, 0) idx () v: (operand 1) 0x1.8p+0\n"
                  "pid (1, 0, 0) idx () id: 1\n"
                  "pid (1, 0, 0) idx (0) v: (operand 0) 0x00000000\n"
                  "pid (1, 0, 0) idx (1) v: (operand 0) 0x00000001\n"
                  "pid (1, 0, 0) idx () v: (operand 1) 0x1.8p+0\n");
}

TEST(Program, PrintPadsIndices) {
  Kernel kernel(R"(
tt.func public @k() {
  %h = arith.constant dense<5.000000e-01> : tensor<16xf16, #l>
  tt.print ": " {hex = false, isSigned = array<i32: 0>} : %h : tensor<16xf16, #l>
  tt.return
})");
  std::string text;
  llvm::raw_string_ostream out(text);
  kernel.launch.output = &out;
  EXPECT_TRUE(kernel.run(1)) << kernel.allMessages();
  EXPECT_NE(text.find("idx ( 9): 0.500000\npid (0, 0, 0) idx (10): 0.500000\n"), std::string::npos)
      << text;
}

TEST(Program, ResultsDoNotDependOnTheNumberOfHostThreads) {
  std::vector<std::vector<float>> results;
  for (unsigned threads : {1u, 2u, 8u}) {
    Kernel kernel(kCopy);
    std::vector<float> src(100'000), dst(100'000);
    for (size_t i = 0; i < src.size(); ++i)
      src[i] = float(i) * 0.3f;
    kernel.buffer("src", src).buffer("dst", dst).integer(99'990);
    kernel.launch.hostThreads = threads;
    EXPECT_TRUE(kernel.run((100'000 + 127) / 128)) << kernel.allMessages();
    results.push_back(dst);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Program, AnEmptyGridRunsNothing) {
  Kernel kernel(kCopy);
  std::vector<float> src(1), dst(1, 7);
  kernel.buffer("src", src).buffer("dst", dst).integer(1);
  EXPECT_TRUE(kernel.run(0));
  EXPECT_EQ(dst[0], 7);
}
