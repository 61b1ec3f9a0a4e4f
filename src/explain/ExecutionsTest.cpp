#include "explain/Executions.h"

#include <gtest/gtest.h>

namespace gluonc::explain {
namespace {

InstructionCount executed(const char *text, Pipe pipe, unsigned line, uint64_t warps) {
  InstructionCount count;
  count.text = text;
  count.pipe = pipe;
  count.source = {1, line, 5};
  count.warps = warps;
  return count;
}

Counts countsOf(std::vector<InstructionCount> instructions) {
  Counts counts;
  counts.files = {"", "folder/k.py"};
  counts.instructions = std::move(instructions);
  return counts;
}

TEST(Executions, BlocksRunAsOftenAsTheirLines) {
  const std::vector<MachineInstruction> code = readDisassembly(R"(
	//## File "k.py", line 3
        /*0010*/                   IADD3 R4, R4, 1, RZ ;
.L_x_0:
	//## File "k.py", line 4
        /*0020*/                   FADD R4, R4, R5 ;
        /*0030*/              @!P0 BRA `(.L_x_0) ;
        /*0040*/                   EXIT ;
.L_x_1:
        /*0050*/                   BRA `(.L_x_1);
        /*0060*/                   NOP;
)");
  std::vector<double> runs =
      estimateExecutions(code, countsOf({executed("add.s32", Pipe::Integer, 3, 4),
                                         executed("add.rn.f32", Pipe::Float, 4, 40)}));
  // Nothing gets to the last branch.
  EXPECT_EQ(runs, (std::vector<double>{4, 40, 40, 40, 0}));
}

TEST(Executions, UnrolledLoopsRunTheirCopiesLessOften) {
  // Four copies of one load that 40 warps execute, with a sum each.
  std::string text = "\t//## File \"k.py\", line 4\n";
  for (int i = 0; i != 4; ++i)
    text += "        /*0020*/                   LDG.E R4, desc[UR4][R2.64] ;\n"
            "        /*0030*/                   FADD R4, R4, R5 ;\n";
  std::vector<double> runs = estimateExecutions(
      readDisassembly(text), countsOf({executed("ld.global.b32", Pipe::Memory, 4, 40),
                                       executed("add.rn.f32", Pipe::Float, 4, 40)}));
  ASSERT_EQ(runs.size(), 8u);
  for (double each : runs)
    EXPECT_EQ(each, 10);
}

TEST(Executions, LinesThatPtxDoesNotHaveSayNothing) {
  std::vector<double> runs = estimateExecutions(
      readDisassembly("\t//## File \"other.py\", line 4\n        /*0020*/  MOV R1, R2 ;\n"),
      countsOf({executed("add.rn.f32", Pipe::Float, 4, 40)}));
  EXPECT_EQ(runs, std::vector<double>{0});
}

} // namespace
} // namespace gluonc::explain
