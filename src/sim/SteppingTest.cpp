// A launch one instruction at a time, and the variables that it tells of.
#include "sim/Stepping.h"
#include "sim/KernelTesting.h"
#include "sim/machine/Variables.h"

using namespace gluonc::sim;
using namespace gluonc::sim::testing;

namespace {

/// %out[program] = 2 * %a[program], at lines and with variables of "k.py".
const char *const kDoubling = R"(
tt.func public @k(%a: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %pid = tt.get_program_id x : i32
  %p = tt.addptr %a, %pid : !tt.ptr<i32>, i32
  %x = tt.load %p : !tt.ptr<i32>
  %y = arith.addi %x, %x : i32 loc("y"("k.py":3:1))
  %q = tt.addptr %out, %pid : !tt.ptr<i32>, i32
  tt.store %q, %y : !tt.ptr<i32>
  tt.return
})";

} // namespace

TEST(Stepping, GivesWhatRunGives) {
  std::vector<int32_t> a = {1, 2, 3, 4}, ran(4), stepped(4);
  Kernel whole(kDoubling);
  whole.buffer("a", a).buffer("out", ran);
  ASSERT_TRUE(whole.run(4)) << whole.allMessages();
  Kernel kernel(kDoubling);
  kernel.buffer("a", a).buffer("out", stepped);
  kernel.launch.grid = {4, 1, 1};
  kernel.launch.memory = &kernel.memory;
  auto launch = SteppedLaunch::begin(*kernel.executable, kernel.launch, kernel.sink);
  ASSERT_TRUE(launch);
  while (launch->next())
    launch->step();
  EXPECT_FALSE(launch->isAtFault());
  launch->report(kernel.sink);
  EXPECT_EQ(kernel.allMessages(), "");
  EXPECT_EQ(stepped, ran);
}

TEST(Stepping, StaysAtAFaultUntilItIsToldToLeave) {
  std::vector<int32_t> a = {1, 2}, out(4);
  Kernel kernel(kDoubling);
  kernel.buffer("a", a).buffer("out", out);
  kernel.launch.grid = {3, 1, 1};
  kernel.launch.memory = &kernel.memory;
  auto launch = SteppedLaunch::begin(*kernel.executable, kernel.launch, kernel.sink);
  while (launch->next())
    launch->step();
  EXPECT_TRUE(launch->isAtFault());
  ASSERT_TRUE(launch->fault());
  EXPECT_EQ(launch->fault()->kind, gluonc::diag::Kind::OutOfBoundsAccess);
  EXPECT_EQ(launch->machine().programIndex, 2u);
  EXPECT_FALSE(launch->leaveFault()) << "it was the last program";
}

TEST(Stepping, ArgumentsThatDoNotFitAreReported) {
  Kernel kernel(kDoubling);
  kernel.launch.memory = &kernel.memory;
  EXPECT_FALSE(SteppedLaunch::begin(*kernel.executable, kernel.launch, kernel.sink));
  EXPECT_EQ(kernel.firstKind(), gluonc::diag::Kind::SimulatedArgumentCount);
}

TEST(Stepping, VariablesKeepTheirSlots) {
  Kernel kernel(kDoubling);
  kernel.sources.add("k.py", "a\nb\nc\n");
  auto executable =
      Executable::prepare(*kernel.module, "k", kernel.sink, kernel.sources, Purpose::Debug);
  std::vector<int32_t> a = {21}, out(1);
  kernel.buffer("a", a).buffer("out", out);
  kernel.launch.memory = &kernel.memory;
  auto launch = SteppedLaunch::begin(*executable, kernel.launch, kernel.sink);
  const Variable *y = nullptr;
  while (const Instruction *next = launch->next()) {
    if (const VariableData *bound = variablesAt(*next))
      y = &bound->variables.front();
    launch->step();
  }
  ASSERT_TRUE(y);
  EXPECT_EQ(y->name, "y");
  EXPECT_EQ(y->kind, ElementKind::I32);
  EXPECT_EQ(*launch->machine().at<int32_t>(y->slot), 42);
}

TEST(Stepping, ARunHasNoInstructionsForVariables) {
  Kernel kernel(kDoubling);
  for (const Instruction &instruction : kernel.executable->code().code)
    EXPECT_FALSE(variablesAt(instruction));
}
