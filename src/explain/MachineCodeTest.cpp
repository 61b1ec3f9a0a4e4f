#include "explain/MachineCode.h"

#include <gtest/gtest.h>

namespace gluonc::explain {
namespace {

constexpr llvm::StringLiteral text = R"(
	.section	.text.copy,"ax",@progbits
.text.copy:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File "k.py", line 3
        /*0010*/              @!P0 LDG.E.128 R4, desc[UR4][R2.64] ;
        /*0020*/                   FADD R4, R4, R5 ;
	//## File "k.py", line 4
        /*0030*/                   EXIT ;
.L_x_0:
        /*0040*/                   NOP;
)";

TEST(MachineCode, InstructionsHaveThePlaceAboveThem) {
  std::vector<MachineInstruction> read = readDisassembly(text);
  ASSERT_EQ(read.size(), 4u);
  EXPECT_EQ(read[0].name, "LDC");
  EXPECT_EQ(read[0].line, 0u);
  EXPECT_EQ(read[1].name, "LDG.E.128");
  EXPECT_EQ(read[1].file, "k.py");
  EXPECT_EQ(read[1].line, 3u);
  EXPECT_EQ(read[3].line, 4u);
}

TEST(MachineCode, LinesOfTheProfileGetTheirs) {
  diag::SourceManager sources;
  const diag::SourceFile *file = sources.add("folder/k.py", "a\nb\nc\nd\n");
  Profile profile;
  profile.lines.push_back({file, 3, {}});
  addMachineCode(profile, readDisassembly(text));
  const auto &machine = profile.lines[0].cost.machine;
  EXPECT_EQ(machine[unsigned(Pipe::Memory)], 1u);
  EXPECT_EQ(machine[unsigned(Pipe::Float)], 1u);
  EXPECT_EQ(profile.total.machine[unsigned(Pipe::Control)], 1u);
  EXPECT_EQ(profile.total.machineInstructions(), 4u);
}

TEST(MachineCode, CallsThatWereInlinedGetTheirs) {
  std::vector<MachineInstruction> read = readDisassembly(R"(
	.section	.text.copy,"ax",@progbits
	//## File "k.py", line 1 inlined at "k.py", line 2
	//## File "k.py", line 2 inlined at "k.py", line 4
	//## File "k.py", line 4
        /*0010*/                   FADD R4, R4, R5 ;
	//## File "k.py", line 3
        /*0020*/                   EXIT ;
)");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].line, 1u);
  using Places = std::vector<std::pair<std::string, uint32_t>>;
  EXPECT_EQ(read[0].calls, (Places{{"k.py", 2}, {"k.py", 4}}));
  EXPECT_EQ(read[1].line, 3u);
  EXPECT_EQ(read[1].calls, Places());

  diag::SourceManager sources;
  const diag::SourceFile *file = sources.add("folder/k.py", "a\nb\nc\nd\n");
  auto at = [&](unsigned line) { return sources.spanAt("folder/k.py", line, 1); };
  Profile profile;
  profile.calls.push_back({"outer", {at(4)}, {}, {{file, 1, {}}}});
  profile.calls.push_back({"inner", {at(2), at(4)}, {}, {{file, 1, {}}}});
  profile.calls.push_back({"inner", {at(2), at(3)}, {}, {{file, 1, {}}}});
  addMachineCode(profile, read);
  EXPECT_EQ(profile.calls[0].cost.machineInstructions(), 1u);
  EXPECT_EQ(profile.calls[1].cost.machineInstructions(), 1u);
  EXPECT_EQ(profile.calls[1].lines[0].cost.machineInstructions(), 1u);
  EXPECT_EQ(profile.calls[2].cost.machineInstructions(), 0u);
}

TEST(MachineCode, PipesByName) {
  EXPECT_EQ(machinePipeOf("HGMMA.64x64x16.F32"), Pipe::Tensor);
  EXPECT_EQ(machinePipeOf("HMMA.16816.F32"), Pipe::Tensor);
  EXPECT_EQ(machinePipeOf("LDS.128"), Pipe::Memory);
  EXPECT_EQ(machinePipeOf("LDGDEPBAR"), Pipe::Control);
  EXPECT_EQ(machinePipeOf("LDC.64"), Pipe::Move);
  EXPECT_EQ(machinePipeOf("UMOV"), Pipe::Move);
  EXPECT_EQ(machinePipeOf("MUFU.EX2"), Pipe::Special);
  EXPECT_EQ(machinePipeOf("IMAD.WIDE"), Pipe::Integer);
  EXPECT_EQ(machinePipeOf("UFLO.U32"), Pipe::Integer);
  EXPECT_EQ(machinePipeOf("REDUX.SUM"), Pipe::Shuffle);
  EXPECT_EQ(machinePipeOf("RED.E.ADD"), Pipe::Memory);
  EXPECT_EQ(machinePipeOf("FFMA"), Pipe::Float);
}

} // namespace
} // namespace gluonc::explain
