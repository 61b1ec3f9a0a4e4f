#include "explain/MachineFlow.h"

#include <gtest/gtest.h>

#include "llvm/ADT/StringExtras.h"

#include <numeric>

namespace gluonc::explain {
namespace {

/// A launch on a chip of compute capability 9.0 whose only parameters are these words, from
/// c[0x0][0x210] on.
MachineLaunch launchWith(std::vector<uint32_t> words, unsigned threads = 32) {
  MachineLaunch launch;
  launch.threads = threads;
  ptx::Function kernel;
  std::vector<uint64_t> slots;
  for (uint32_t word : words) {
    kernel.parameters.push_back({kernel.parameterBytes, 4});
    kernel.parameterBytes += 4;
    slots.push_back(word);
  }
  launch.constants = constantsOf(*target::Target::parse("cuda:90a"), launch, kernel, slots);
  return launch;
}

std::optional<MachineFlow> flowOf(const std::string &code, const MachineLaunch &launch,
                                  std::vector<double> guesses = {}) {
  std::string text;
  for (llvm::StringRef line : llvm::split(code, '\n')) {
    llvm::StringRef trimmed = line.trim();
    if (!trimmed.empty())
      text += trimmed.ends_with(":") ? trimmed.str() + "\n" : "/*0000*/ " + trimmed.str() + "\n";
  }
  const std::vector<MachineInstruction> read = readDisassembly(text);
  guesses.resize(read.size(), 1);
  return followMachineCode(read, launch, guesses, 100'000);
}

/// How often warps execute the instruction of each line that has one.
std::vector<double> follow(const std::string &code, const MachineLaunch &launch,
                           std::vector<double> guesses = {}) {
  std::optional<MachineFlow> flow = flowOf(code, launch, std::move(guesses));
  return flow ? flow->executions : std::vector<double>();
}

using Counts = std::vector<double>;

/// What ptxas makes of a loop of n rounds: the first one if n is 0, fours, a pair, and the rest.
/// The parameter at 0x220 is n.
const char *const unrolled = R"(
  LDC R0, c[0x0][0x220] ;
  CS2R R6, SRZ ;
  ISETP.GE.AND P0, PT, R0, 0x1, PT ;
  @!P0 BRA `(.L_x_0) ;
  ISETP.GT.U32.AND P0, PT, R0, RZ, PT ;
  IMAD.MOV.U32 R5, RZ, RZ, RZ ;
  @!P0 MOV R5, 0x1 ;
  IMAD.IADD R6, R0, 0x1, -R5 ;
  ISETP.GT.AND P1, PT, R6, 0x3, PT ;
  @!P1 BRA `(.L_x_1) ;
  PLOP3.LUT P0, PT, PT, PT, PT, 0x8, 0x0 ;
  VIADD R16, R0, 0xfffffffd ;
  .L_x_2:
  VIADD R5, R5.reuse, 0x4 ;
  ISETP.GE.AND P1, PT, R5, R16, PT ;
  @!P1 BRA `(.L_x_2) ;
  .L_x_1:
  IMAD.IADD R8, R0, 0x1, -R5 ;
  ISETP.GT.AND P1, PT, R8, 0x1, PT ;
  @!P1 BRA `(.L_x_3) ;
  PLOP3.LUT P0, PT, PT, PT, PT, 0x8, 0x0 ;
  VIADD R5, R5, 0x2 ;
  .L_x_3:
  ISETP.NE.U32.OR P0, PT, R5, R0, P0 ;
  @!P0 BRA `(.L_x_0) ;
  .L_x_4:
  VIADD R5, R5, 0x1 ;
  ISETP.NE.U32.AND P0, PT, R5, R0, PT ;
  @P0 BRA `(.L_x_4) ;
  .L_x_0:
  EXIT ;
)";

TEST(MachineFlow, UnrolledLoopsGoAsTheirCounts) {
  // 11 = 4 + 4 + 2 + 1.
  Counts runs = follow(unrolled, launchWith({0, 0, 0, 0, 11}));
  ASSERT_EQ(runs.size(), 26u);
  EXPECT_EQ(runs[12], 2);
  EXPECT_EQ(runs[19], 1);
  EXPECT_EQ(runs[22], 1);
  EXPECT_EQ(runs[25], 1);
  // 6 = 4 + 2.
  runs = follow(unrolled, launchWith({0, 0, 0, 0, 6}));
  EXPECT_EQ(runs[12], 1);
  EXPECT_EQ(runs[19], 1);
  EXPECT_EQ(runs[22], 0);
  // None.
  runs = follow(unrolled, launchWith({0, 0, 0, 0, 0}));
  EXPECT_EQ(std::accumulate(runs.begin(), runs.end(), 0.0), 5);
}

TEST(MachineFlow, LanesOfAWarpGoTheirWaysAndMeet) {
  // Lane i goes round i % 4 + 1 times; the warp as often as the lane that goes most.
  EXPECT_EQ(follow(R"(
    S2R R0, SR_TID.X ;
    LOP3.LUT R1, R0, 0x3, RZ, 0xc0, !PT ;
    BSSY B0, `(.L_x_1) ;
    ISETP.GE.AND P0, PT, R1, 0x2, PT ;
    @P0 BRA `(.L_x_2) ;
    IADD3 R2, R1, 0x1, RZ ;
    BRA `(.L_x_1) ;
    .L_x_2:
    IADD3 R2, R1, 0x2, RZ ;
    .L_x_1:
    BSYNC B0 ;
    .L_x_3:
    IADD3 R1, R1, -0x1, RZ ;
    ISETP.GE.AND P0, PT, R1, RZ, PT ;
    @P0 BRA `(.L_x_3) ;
    EXIT ;
)",
                   launchWith({}, 64)),
            (Counts{2, 2, 2, 2, 2, 2, 2, 2, 4, 8, 8, 8, 2}));
}

TEST(MachineFlow, WarpsThatEndEarlyExecuteNoMore) {
  // 40 threads of 128 are within the bound: the last two warps are not.
  EXPECT_EQ(follow(R"(
    S2R R0, SR_TID.X ;
    ISETP.GE.AND P0, PT, R0, c[0x0][0x210], PT ;
    @P0 EXIT ;
    MOV R1, R0 ;
    EXIT ;
)",
                   launchWith({40}, 128)),
            (Counts{4, 4, 4, 2, 2}));
}

TEST(MachineFlow, LoadsIntoTheRegistersOfTheAddress) {
  const int32_t number = -70;
  const auto address = reinterpret_cast<uint64_t>(&number);
  MachineLaunch launch = launchWith({uint32_t(address), uint32_t(address >> 32)});
  launch.memory = {{address, address + sizeof number}};
  EXPECT_EQ(follow(R"(
    LDC.64 R10, c[0x0][0x210] ;
    LDG.E R10, desc[UR14][R10.64] ;
    IABS R12, R10 ;
    ISETP.NE.U32.AND P0, PT, R12, 0x46, PT ;
    @P0 EXIT ;
    MOV R1, R0 ;
    EXIT ;
)",
                   launch),
            (Counts{1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(flowOf("LDC.64 R10, c[0x0][0x210] ; \n LDG.E R10, desc[UR14][R10.64] ; \n"
                   "ISETP.NE.U32.AND P0, PT, R10, RZ, PT ; \n @P0 EXIT ; \n EXIT ;",
                   launch)
                ->guessed,
            0u);
}

TEST(MachineFlow, DividesAsPtxasDoes) {
  // 1000000007 / 12345 = 81004, which is compared with a parameter.
  const Counts runs = follow(R"(
    LDC R5, c[0x0][0x214] ;
    I2F.U32.RP R2, R5 ;
    MUFU.RCP R2, R2 ;
    VIADD R2, R2, 0xffffffe ;
    F2I.FTZ.U32.TRUNC.NTZ R3, R2 ;
    IMAD.MOV.U32 R2, RZ, RZ, RZ ;
    IADD3 R4, RZ, -R3, RZ ;
    IMAD R7, R4, R5, RZ ;
    IMAD.HI.U32 R3, R3, R7, R2 ;
    LDC R0, c[0x0][0x210] ;
    IMAD.HI.U32 R3, R3, R0, RZ ;
    IADD3 R6, -R3, RZ, RZ ;
    IMAD R0, R5, R6, R0 ;
    ISETP.GE.U32.AND P0, PT, R0, R5, PT ;
    @P0 IADD3 R0, -R5, R0, RZ ;
    @P0 VIADD R3, R3, 0x1 ;
    ISETP.GE.U32.AND P1, PT, R0, R5, PT ;
    @P1 VIADD R3, R3, 0x1 ;
    ISETP.NE.U32.AND P0, PT, R3, c[0x0][0x218], PT ;
    @P0 EXIT ;
    MOV R1, R0 ;
    EXIT ;
)",
                             launchWith({1000000007, 12345, 81004}));
  ASSERT_EQ(runs.size(), 22u);
  EXPECT_EQ(runs[20], 1);
}

TEST(MachineFlow, CarriesGoToTheUpperWord) {
  // 0xffffffff:0 - 1 and a shifted index, compared in 64 bits.
  const Counts runs = follow(R"(
    MOV R2, 0x0 ;
    MOV R3, 0x5 ;
    IADD3 R4, P0, R2, -0x1, RZ ;
    IADD3.X R5, R3, -0x1, RZ, P0, !PT ;
    ISETP.NE.AND P1, PT, R5, 0x4, PT ;
    @P1 EXIT ;
    LEA R6, P0, R4, R4, 0x1 ;
    LEA.HI.X R7, R4, R5, RZ, 0x1, P0 ;
    ISETP.NE.AND P1, PT, R7, 0x6, PT ;
    @P1 EXIT ;
    ISETP.GE.U32.AND P0, PT, R6, R4, PT ;
    ISETP.GE.AND.EX P0, PT, R5, 0x4, PT, P0 ;
    @P0 EXIT ;
    MOV R1, R0 ;
    EXIT ;
)",
                             launchWith({}));
  // 3 * 0xffffffff = 0x2fffffffd: the upper word is 4 + 1 + 1.
  ASSERT_EQ(runs.size(), 15u);
  EXPECT_EQ(runs[6], 1);
  EXPECT_EQ(runs[10], 1);
  EXPECT_EQ(runs[13], 1);
}

TEST(MachineFlow, SumsAreCutOffAsPtxasDoes) {
  // The least of 60 + 8 and n, and the greatest.
  const char *const code = R"(
    LDC R0, c[0x0][0x210] ;
    MOV R7, 0x3c ;
    VIADDMNMX R1, R7, 0x8, R0, PT ;
    VIADDMNMX R2, R7, 0x8, R0, !PT ;
    .L_x_0:
    IADD3 R7, R7, 0x1, RZ ;
    ISETP.GE.AND P0, PT, R7, R1, PT ;
    @!P0 BRA `(.L_x_0) ;
    .L_x_1:
    IADD3 R7, R7, 0x1, RZ ;
    ISETP.GE.AND P0, PT, R7, R2, PT ;
    @!P0 BRA `(.L_x_1) ;
    EXIT ;
)";
  EXPECT_EQ(follow(code, launchWith({64})), (Counts{1, 1, 1, 1, 4, 4, 4, 4, 4, 4, 1}));
  EXPECT_EQ(follow(code, launchWith({70})), (Counts{1, 1, 1, 1, 8, 8, 8, 2, 2, 2, 1}));
}

/// Wavefronts of the instruction with this number, and executions of which they are not known.
std::pair<double, double> wavefrontsOf(const std::string &code, size_t number,
                                       const MachineLaunch &launch) {
  std::optional<MachineFlow> flow = flowOf(code, launch);
  return flow ? std::pair(flow->shared[number].wavefronts, flow->shared[number].unknown)
              : std::pair(-1.0, -1.0);
}

TEST(MachineFlow, WavefrontsComeOfTheAddressesOfLanes) {
  const std::string start = "S2R R0, SR_TID.X ;\nIMAD.SHL.U32 R1, R0, 0x80, RZ ;\n"
                            "ISETP.EQ.U32.AND P0, PT, R0, RZ, PT ;\n";
  const MachineLaunch launch = launchWith({}, 64);
  using Pair = std::pair<double, double>;
  // Lanes of two warps, 128 bytes apart; the first lane of the first warp; what nobody knows.
  EXPECT_EQ(wavefrontsOf(start + "STS [R1+0x400], R0 ;\nEXIT ;\n", 3, launch), Pair(64, 0));
  EXPECT_EQ(wavefrontsOf(start + "@P0 LDS R2, [R1] ;\nEXIT ;\n", 3, launch), Pair(1, 0));
  EXPECT_EQ(wavefrontsOf(start + "LDS R2, [R9] ;\nEXIT ;\n", 3, launch), Pair(0, 2));
  EXPECT_EQ(wavefrontsOf(start + "LDSM.16.M88.2 R2, [R1] ;\nEXIT ;\n", 3, launch), Pair(32, 0));
}

TEST(MachineFlow, MemoryOfOtherCtasTakesNoWavefronts) {
  // The second half of the lanes reads from the other CTA of the pair.
  const std::string code = R"(
    S2R R0, SR_TID.X ;
    S2R R3, SR_SWINHI ;
    S2R R5, SR_CgaCtaId ;
    IMAD.SHL.U32 R1, R0, 0x4, RZ ;
    SHF.R.U32.HI R4, RZ, 0x4, R0 ;
    LOP3.LUT R4, R4, R5, RZ, 0x3c, !PT ;
    PRMT R2, R4, 0x654, R1 ;
    LD.E R6, [R2] ;
    EXIT ;
)";
  MachineLaunch launch = launchWith({});
  launch.grid = {2, 1, 1};
  launch.ctasOfCluster = 2;
  EXPECT_EQ(wavefrontsOf(code, 7, launch), std::pair(2.0, 0.0));
}

TEST(MachineFlow, WarpsTellEachOtherWhatToRun) {
  // The second warp runs what the first one asks for, until that is 0.
  const char *const code = R"(
    S2R R0, SR_TID.X ;
    ISETP.GE.U32.AND P0, PT, R0, 0x20, PT ;
    ISETP.EQ.U32.AND P2, PT, R0, RZ, PT ;
    @!P0 BRA `(.L_x_1) ;
    LOP3.LUT P1, RZ, R0, 0x1f, RZ, 0xc0, !PT ;
    .L_x_0:
    BAR.SYNC.DEFER_BLOCKING 0x1, 0x40 ;
    IMAD.MOV.U32 R1, RZ, RZ, RZ ;
    @!P1 ATOMS.OR R1, [RZ+0x20], RZ ;
    SHFL.IDX PT, R1, R1, RZ, 0x1f ;
    ISETP.NE.U32.AND P3, PT, R1, RZ, PT ;
    @!P3 EXIT ;
    BAR.SYNC.DEFER_BLOCKING 0x1, 0x40 ;
    BRA `(.L_x_0) ;
    .L_x_1:
    MOV R2, 0x2 ;
    @P2 ATOMS.EXCH RZ, [RZ+0x20], R2 ;
    BAR.SYNC.DEFER_BLOCKING 0x1, 0x40 ;
    BAR.SYNC.DEFER_BLOCKING 0x1, 0x40 ;
    @P2 ATOMS.EXCH RZ, [RZ+0x20], RZ ;
    BAR.SYNC.DEFER_BLOCKING 0x1, 0x40 ;
    EXIT ;
)";
  EXPECT_EQ(follow(code, launchWith({}, 64)),
            (Counts{2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(MachineFlow, ATensorMapAmongParametersAlignsThem) {
  ptx::Function kernel;
  kernel.parameters = {{0, 128}, {128, 4}};
  kernel.parameterBytes = 132;
  const uint64_t slots[] = {0x1234, 77};
  auto wordAt = [&](uint64_t at) {
    auto constants = constantsOf(*target::Target::parse("cuda:90a"), {}, kernel, slots);
    return at < constants.size() ? constants[at] : -1;
  };
  EXPECT_EQ(wordAt(0x240 + 128), 77);
  EXPECT_EQ(wordAt(0x240), -1) << "what the map holds";
  kernel.parameters = {{0, 8}, {8, 4}};
  EXPECT_EQ(wordAt(0x210 + 8), 77);
}

TEST(MachineFlow, WhatOneLaneStoresOthersLoad) {
  // The second warp loops as often as the first one says; the guesses say nothing of it.
  const std::string code = R"(
    S2R R0, SR_TID.X ;
    ISETP.NE.U32.AND P0, PT, R0, RZ, PT ;
    ISETP.GE.U32.AND P1, PT, R0, 0x20, PT ;
    MOV R2, 0x3 ;
    MOV R3, 0x7 ;
    @!P0 STS.64 [RZ+0x20], R2 ;
    BAR.SYNC.DEFER_BLOCKING 0x1, 0x40 ;
    @!P1 EXIT ;
    LDS R4, [RZ+0x20] ;
    .L_x_0:
    VIADD R4, R4, 0xffffffff ;
    ISETP.NE.AND P2, PT, R4, RZ, PT ;
    @P2 BRA `(.L_x_0) ;
    EXIT ;
)";
  const Counts counts = {2, 2, 2, 2, 2, 2, 2, 2, 1, 3, 3, 3, 1};
  EXPECT_EQ(follow(code.c_str(), launchWith({}, 64)), counts);
  // The other word of the two.
  std::string other = code;
  other.replace(other.find("R4, [RZ+0x20]"), 13, "R4, [RZ+0x24]");
  EXPECT_EQ(follow(other.c_str(), launchWith({}, 64)),
            (Counts{2, 2, 2, 2, 2, 2, 2, 2, 1, 7, 7, 7, 1}));
  // All lanes store something else there later: nobody knows whose is left.
  std::string later = code;
  later.insert(later.find("    BAR"), "    STS [RZ+0x20], R0 ;\n");
  EXPECT_EQ(follow(later.c_str(), launchWith({}, 64)),
            (Counts{2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1}));
}

TEST(MachineFlow, WhatIsUnknownIsGuessed) {
  // Of 4 warps one gets behind the branch.
  const char *const code = R"(
    LDS R0, [R2] ;
    ISETP.NE.AND P0, PT, R0, RZ, PT ;
    @P0 BRA `(.L_x_0) ;
    MOV R1, R0 ;
    .L_x_0:
    EXIT ;
)";
  EXPECT_EQ(follow(code, launchWith({}, 128), {4, 4, 4, 1, 4}), (Counts{4, 4, 4, 1, 4}));
  // A comparison that does not say how.
  EXPECT_EQ(follow("ISETP P0, PT, R0, R1, PT ;\nEXIT ;\n", launchWith({})), (Counts{1, 1}));
}

TEST(MachineFlow, OfLargeLaunchesAPartIsFollowed) {
  MachineLaunch launch = launchWith({0, 0, 0, 0, 11});
  launch.grid = {100, 1000, 1};
  const Counts runs = follow(unrolled, launch);
  ASSERT_EQ(runs.size(), 26u);
  EXPECT_EQ(runs[0], 100'000);
  EXPECT_EQ(runs[12], 200'000);
}

/// Each warp goes to the part that a table says for it.
const char *const switched = R"(
  S2R R0, SR_TID.X ;
  SHF.R.U32.HI R0, RZ, 0x5, R0 ;
  SHF.L.U32 R4, R0, 0x2, RZ ;
  LDC R2, c[0x2][R4] ;
  SHF.R.S32.HI R3, RZ, 0x1f, R2 ;
  BRX R2 -0x60                                         (*"BRANCH_TARGETS .L_x_1,.L_x_0,.L_x_2"*);
.L_x_0:
  NOP ;
  EXIT ;
.L_x_1:
  NOP ;
  NOP ;
.L_x_2:
  EXIT ;
)";

TEST(MachineFlow, FollowsTablesOfPlaces) {
  MachineLaunch launch = launchWith({}, 128);
  auto put = [&](int16_t place) { launch.tables.insert(launch.tables.end(), {place, 0, 0, 0}); };
  for (int16_t place : {0x80, 0x60, 0xa0, 0xa0})
    put(place);
  EXPECT_EQ(follow(switched, launch), (Counts{4, 4, 4, 4, 4, 4, 1, 1, 1, 1, 3}));
  // A place that is not known, and one that no code goes to.
  launch.tables[0] = -1;
  EXPECT_EQ(follow(switched, launch), Counts());
  launch.tables[0] = 0x90;
  EXPECT_EQ(follow(switched, launch), Counts());
}

TEST(MachineFlow, LanesGoToPlacesOfTheirOwn) {
  MachineLaunch launch = launchWith({});
  launch.tables = {0x50, 0, 0, 0, 0x70, 0, 0, 0};
  EXPECT_EQ(follow(R"(
    S2R R0, SR_LANEID ;
    LOP3.LUT R4, R0, 0x1, RZ, 0xc0, !PT ;
    SHF.L.U32 R4, R4, 0x2, RZ ;
    LDC R2, c[0x2][R4] ;
    BRX R2 -0x50 (*"BRANCH_TARGETS .L_x_1,.L_x_2"*);
  .L_x_1:
    NOP ;
    EXIT ;
  .L_x_2:
    EXIT ;
  )",
                   launch),
            (Counts{1, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(MachineFlow, CodeThatGoesToNoPlaceIsNotFollowed) {
  EXPECT_EQ(follow("BRX R2 -0x100 ;\nEXIT ;\n", launchWith({})), Counts());
  EXPECT_EQ(follow(".L_x_0:\nBRA `(.L_x_0) ;\n", launchWith({})), Counts());
}

} // namespace
} // namespace gluonc::explain
