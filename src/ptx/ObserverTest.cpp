//===- ObserverTest.cpp - What observers of a launch are told ------------------===//
#include "ptx/TestKernel.h"

#include <map>

namespace gluonc::ptx {
namespace {

/// Keeps what it is told, by the instructions' names.
struct Recorder : Observer {
  struct Event {
    SourcePlace source;
    uint32_t reached, active;
    std::vector<Touch> global, shared;
  };
  std::map<std::string, std::vector<Event>> events;
  const Function *kernel = nullptr;

  void begin(const Function &function, const Module &) override { kernel = &function; }
  void executed(const Observed &what) override {
    const Instruction &instruction = kernel->code[what.instruction];
    auto all = [](llvm::ArrayRef<Touch> list) { return std::vector(list.begin(), list.end()); };
    events[instruction.name.str()].push_back({instruction.source, what.reached, what.active,
                                              all(what.touched.global), all(what.touched.shared)});
  }
};

Launch observed(Observer &observer, unsigned count) {
  Launch launch = threads(count);
  launch.observer = &observer;
  return launch;
}

TEST(PtxObserver, IsToldOfEachLanesAddressAndOfTheSourcesPlace) {
  Recorder seen;
  Executed run(".loc 1 12 20\nmov.u32 %r1, 5;\n.loc 1 13 5\n" + std::string(storeResult),
               observed(seen, 32));
  ASSERT_TRUE(run.isFine()) << run.message();
  ASSERT_EQ(seen.events["st"].size(), 1u);
  const Recorder::Event &store = seen.events["st"][0];
  EXPECT_EQ(store.source, (SourcePlace{1, 13, 5}));
  ASSERT_EQ(store.global.size(), 32u);
  EXPECT_TRUE(store.shared.empty());
  for (unsigned lane = 0; lane != 32; ++lane) {
    EXPECT_EQ(store.global[lane].lane, lane);
    EXPECT_EQ(store.global[lane].bytes, 4u);
    EXPECT_EQ(store.global[lane].address, store.global[0].address + 4 * lane);
  }
  // Before the first place there is none.
  EXPECT_EQ(seen.events["ld"].front().source, SourcePlace());
  EXPECT_TRUE(seen.events["ld"].front().global.empty());
}

TEST(PtxParser, CallsThatWereInlinedAreKept) {
  ParseError error;
  std::unique_ptr<Module> module = parse(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{
  .reg .b32 %r<2>;
  .loc 1 18 9
  .loc 2 12 27, function_name $L__function0, inlined_at 1 18 9
  mov.u32 %r1, 1;
  .loc 3 7 12, function_name $L__function1, inlined_at 2 12 27
  mov.u32 %r1, 2;
  .loc 1 19 5
  ret;
}
  .file 1 "k.py"
  .file 2 "k.py"
  .file 3 "other.py"
  .section .debug_str
  {
$L__function0:
  .b8 97, 98, 0
$L__function1:
  .b8 99, 0
  }
)",
                                         error);
  ASSERT_TRUE(module) << error.message;
  const auto &code = module->functions.find("k")->second->code;
  // Numbers of one file are one.
  EXPECT_EQ(code[0].source, (SourcePlace{1, 12, 27}));
  EXPECT_EQ(code[1].source, (SourcePlace{3, 7, 12}));
  ASSERT_EQ(module->calls.size(), 3u);
  EXPECT_EQ(module->calls[code[0].call], (InlinedCall{"ab", {1, 18, 9}, 0}));
  EXPECT_EQ(module->calls[code[1].call], (InlinedCall{"c", {1, 12, 27}, code[0].call}));
  EXPECT_EQ(code[2].call, 0u);
}

TEST(PtxObserver, IsToldWhichLanesAGuardLetsThrough) {
  Recorder seen;
  Executed run("setp.lt.u32 %p1, %t, 3;\nmul.wide.u32 %rd1, %t, 4;\nadd.s64 %rd1, %out, %rd1;\n"
               "@%p1 st.global.b32 [%rd1], %t;",
               observed(seen, 32));
  ASSERT_TRUE(run.isFine()) << run.message();
  EXPECT_EQ(seen.events["st"][0].reached, ~uint32_t(0));
  EXPECT_EQ(seen.events["st"][0].active, 7u);
  EXPECT_EQ(seen.events["st"][0].global.size(), 3u);
}

TEST(PtxObserver, IsToldOfRowsThatLanesNameForLdmatrix) {
  Recorder seen;
  Executed run("mul.lo.u32 %r1, %t, 16;\nadd.u32 %r1, %r1, mem;\n"
               "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r2, %r3}, [%r1];",
               observed(seen, 32));
  ASSERT_TRUE(run.isFine()) << run.message();
  const Recorder::Event &load = seen.events["ldmatrix"][0];
  ASSERT_EQ(load.shared.size(), 16u);
  EXPECT_EQ(load.shared[9].bytes, 16u);
  EXPECT_EQ(load.shared[9].address, load.shared[0].address + 9 * 16);
}

TEST(PtxObserver, CopiesPastTheRegistersTouchBothMemories) {
  Recorder seen;
  Executed run("mul.lo.u32 %r1, %t, 4;\nadd.u32 %r1, %r1, mem;\nmul.wide.u32 %rd1, %t, 4;\n"
               "add.s64 %rd1, %in, %rd1;\ncp.async.ca.shared.global [%r1], [%rd1], 4;",
               observed(seen, 32), 64, std::vector<uint32_t>(32, 1));
  ASSERT_TRUE(run.isFine()) << run.message();
  EXPECT_EQ(seen.events["cp"][0].global.size(), 32u);
  EXPECT_EQ(seen.events["cp"][0].shared.size(), 32u);
}

TEST(PtxObserver, IsToldWhatHappensToBarriers) {
  struct Signals : Observer {
    std::vector<Signal> list;
    void begin(const Function &, const Module &) override {}
    void executed(const Observed &what) override {
      list.insert(list.end(), what.touched.signals.begin(), what.touched.signals.end());
    }
  } seen;
  Executed run("setp.ne.u32 %p1, %t, 0;\n@%p1 bra END;\nmbarrier.init.shared.b64 [mem], 1;\n"
               "mbarrier.arrive.expect_tx.shared.b64 _, [mem], 32;\n"
               "mbarrier.complete_tx.shared.b64 [mem], 32;\n"
               "mbarrier.try_wait.parity.shared.b64 %p2, [mem], 0;\nEND:\nbar.sync 3, 32;",
               observed(seen, 32));
  ASSERT_TRUE(run.isFine()) << run.message();
  using Kind = Signal::Kind;
  std::vector<std::pair<Kind, int64_t>> expected = {{Kind::Begin, 1},  {Kind::Expect, 32},
                                                    {Kind::Arrive, 1}, {Kind::Deliver, 32},
                                                    {Kind::Ask, 0},    {Kind::Meet, 32}};
  ASSERT_EQ(seen.list.size(), expected.size());
  for (size_t i = 0; i != expected.size(); ++i) {
    EXPECT_EQ(seen.list[i].kind, expected[i].first) << i;
    EXPECT_EQ(seen.list[i].count, expected[i].second) << i;
  }
  EXPECT_TRUE(seen.list[4].isOver);
  EXPECT_EQ(seen.list[5].barrier, 3u);
}

TEST(PtxObserver, FilesHaveTheNumbersOfTheirDirectives) {
  ParseError error;
  std::unique_ptr<Module> module =
      parse(".version 8.0\n.target sm_80\n.address_size 64\n.file 2 \"a b.py\"\n", error);
  ASSERT_TRUE(module) << error.message;
  ASSERT_EQ(module->files.size(), 3u);
  EXPECT_EQ(module->files[2], "a b.py");
  EXPECT_FALSE(parse(".file many \"a.py\"\n", error));
}

} // namespace
} // namespace gluonc::ptx
