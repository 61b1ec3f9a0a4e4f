// Programs of a grid that access the same global memory: what is remembered, what atomics order,
// what is reported.
#include "sim/KernelTesting.h"
#include "sim/machine/ProgramOrder.h"

#include <map>
#include <random>

using namespace gluonc::sim;
using namespace gluonc::sim::testing;
using gluonc::diag::Kind;

namespace {

using How = AccessHistory::How;
using Mark = AccessHistory::Mark;

Mark markOf(uint32_t program) {
  Mark mark;
  mark.program = program + 1;
  return mark;
}

/// Reads, adds one and stores.
const char *const kCount = R"(tt.func public @k(%y: !tt.ptr<i32>) {
  %one = arith.constant 1 : i32
  %a = tt.load %y : !tt.ptr<i32>
  %b = arith.addi %a, %one : i32
  tt.store %y, %b : !tt.ptr<i32>
  tt.return
})";

/// Every program stores its number to the same 128 places.
const char *const kSamePlaces = R"(tt.func public @k(%y: !tt.ptr<i32>) {
  %pid = tt.get_program_id x : i32
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #l>
  %p = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #l>
  %a = tt.addptr %p, %i : tensor<128x!tt.ptr<i32>, #l>, tensor<128xi32, #l>
  %v = tt.splat %pid : i32 -> tensor<128xi32, #l>
  tt.store %a, %v : tensor<128x!tt.ptr<i32>, #l>
  tt.return
})";

} // namespace

TEST(AccessHistory, RemembersTheFirstAndTheLastProgramOfEveryByte) {
  std::mt19937 random(7);
  constexpr uint64_t kBytes = 3000;
  // Lines do not begin where ranges do.
  Range range("x", /*base=*/1000, kBytes, true, false);
  for (int round = 0; round < 50; ++round) {
    AccessHistory history(range, /*parallel=*/false, /*watchesReads=*/true);
    struct Byte {
      uint32_t first[AccessHistory::kHows] = {}, last[AccessHistory::kHows] = {};
    };
    std::vector<Byte> model(kBytes);
    for (int step = 0; step < 60; ++step) {
      const uint64_t begin = random() % kBytes;
      const uint64_t length =
          1 + random() % std::min<uint64_t>(kBytes - begin, step % 2 ? 16 : 900);
      const How how = How(random() % AccessHistory::kHows);
      const Mark mark = markOf(random() % 5);
      history.enter(
          how, mark, range.base() + begin, length, [](AccessHistory::Part &, uint64_t) {},
          [](uint64_t, uint64_t) {});
      for (uint64_t byte = begin; byte < begin + length; ++byte) {
        uint32_t &first = model[byte].first[how], &last = model[byte].last[how];
        first = first ? std::min(first, mark.program) : mark.program;
        last = std::max(last, mark.program);
      }
    }
    for (uint64_t byte = 0; byte < kBytes; ++byte) {
      // Nobody has been at the bytes without a part.
      Byte found;
      history.forEachPart(range.base() + byte, 1, [&](const AccessHistory::Part &part) {
        for (unsigned how = 0; how < AccessHistory::kHows; ++how) {
          found.first[how] = part.first[how].program;
          found.last[how] = part.last[how].program;
        }
      });
      for (unsigned how = 0; how < AccessHistory::kHows; ++how) {
        ASSERT_EQ(found.first[how], model[byte].first[how]);
        ASSERT_EQ(found.last[how], model[byte].last[how]);
      }
    }
  }
}

TEST(ProgramOrder, KnowsWhatVectorClocksDo) {
  std::mt19937 random(3);
  using Clocks = std::map<uint32_t, uint32_t>;
  auto join = [](Clocks &to, const Clocks &from) {
    for (auto [who, count] : from)
      to[who] = std::max(to[who], count);
  };
  for (int round = 0; round < 30; ++round) {
    ProgramOrder order;
    std::map<uint64_t, Clocks> addresses;
    std::vector<Mark> accesses;
    for (uint32_t program = 0; program < 25; ++program) {
      order.beginProgram(program);
      Clocks mine;
      uint32_t released = 0;
      bool isNew = false;
      for (int step = 0; step < 12; ++step) {
        const uint64_t address = random() % 4;
        switch (random() % 3) {
        case 0:
          order.acquire(address);
          join(mine, addresses[address]);
          break;
        case 1:
          order.release(address);
          released += !isNew;
          isNew = true;
          mine[program] = released;
          join(addresses[address], mine);
          break;
        default:
          Mark mark = markOf(program);
          mark.time = order.now();
          EXPECT_EQ(mark.time, released);
          isNew = false;
          accesses.push_back(mark);
        }
        for (const Mark &mark : accesses)
          if (mark.program != program + 1)
            ASSERT_EQ(order.knows(mark), mine[mark.program - 1] > mark.time);
      }
    }
  }
}

TEST(Races, CountingWithoutAnAtomicIsOne) {
  std::vector<int32_t> y(1);
  Kernel kernel(kCount);
  kernel.buffer("y", y);
  EXPECT_FALSE(kernel.run(4));
  ASSERT_FALSE(kernel.sink.diagnostics.empty());
  EXPECT_EQ(kernel.firstMessage(),
            "element 0 of `y` is read by program (3, 0, 0), and nothing orders "
            "that after program (0, 0, 0), which writes it");
  EXPECT_NE(kernel.firstLine().find("tt.load"), std::string::npos);
  EXPECT_EQ(kernel.sink.diagnostics[0].labels[0].text, "the other access writes it here");
  EXPECT_EQ(kernel.firstNote(), "in program (3, 0, 0)");
}

TEST(Races, AreReportedAlikeForAnyNumberOfThreads) {
  std::string expected;
  for (unsigned threads : {1, 2, 4, 8})
    for (int repeated = 0; repeated < 5; ++repeated) {
      std::vector<int32_t> y(128);
      Kernel kernel(kSamePlaces);
      kernel.buffer("y", y).launch.hostThreads = threads;
      EXPECT_FALSE(kernel.run(200));
      if (expected.empty())
        expected = kernel.allMessages();
      EXPECT_EQ(kernel.allMessages(), expected) << threads;
    }
  EXPECT_EQ(expected, "element 0 of `y` is written by program (199, 0, 0), and nothing orders that "
                      "after program (0, 0, 0), which writes it\n");
}

TEST(Races, OfOneProgramThereAreNone) {
  std::vector<int32_t> y(1);
  Kernel kernel(kCount);
  kernel.buffer("y", y);
  EXPECT_TRUE(kernel.run(1)) << kernel.allMessages();
}

TEST(Races, MayBeIntended) {
  for (Verdict verdict : {Verdict::Ignore, Verdict::Warn}) {
    std::vector<int32_t> y(1);
    Kernel kernel(kCount);
    kernel.buffer("y", y).launch.races = verdict;
    EXPECT_TRUE(kernel.run(4));
    EXPECT_EQ(kernel.sink.diagnostics.empty(), verdict == Verdict::Ignore);
    for (const gluonc::diag::Diagnostic &diagnostic : kernel.sink.diagnostics)
      EXPECT_EQ(diagnostic.severity, gluonc::diag::Severity::Warning);
  }
}

TEST(Races, EndNoProgram) {
  std::vector<int32_t> y(1);
  Kernel kernel(kCount);
  kernel.buffer("y", y).launch.hostThreads = 1;
  EXPECT_FALSE(kernel.run(100));
  EXPECT_EQ(y[0], 100);
}
