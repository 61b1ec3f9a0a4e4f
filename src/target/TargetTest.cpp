#include "target/Features.h"
#include "target/Limits.h"
#include "target/Partitions.h"
#include "target/amd/Chips.h"
#include "target/amd/MatrixInstructions.h"
#include "target/nvidia/MatrixInstructions.h"
#include "target/nvidia/Registers.h"
#include "target/nvidia/TensorMemory.h"

#include "gtest/gtest.h"

using gluonc::target::Feature;
using gluonc::target::has;
using gluonc::target::Target;

TEST(Target, EverySpellingParsesBackToItself) {
  for (const Target &target : Target::all())
    EXPECT_EQ(Target::parse(target.name()), target) << target.name();
}

TEST(Target, SuffixIsImpliedFromHopperOn) {
  EXPECT_EQ(Target::parse("cuda:90"), Target::parse("cuda:90a"));
  EXPECT_EQ(Target::parse("cuda:90")->chip(), "sm_90a");
  EXPECT_EQ(Target::parse("cuda:90")->irName(), "cuda:90");
  EXPECT_FALSE(Target::parse("cuda:80a"));
}

TEST(Target, NonsenseIsNoTarget) {
  for (const char *text : {"", "cuda", "cuda:", "cuda:81", "cuda:90b", "cuda:9999999999999",
                           "hip:", "hip:gfx1", "metal:1", "cuda:90a "})
    EXPECT_FALSE(Target::parse(text)) << text;
}

TEST(Target, ServersFromHopperOnHaveClusters) {
  for (unsigned chip : {90, 100, 103, 110})
    EXPECT_EQ(Target::cuda(chip)->maxCtasPerCluster(), 16u) << chip;
  for (unsigned chip : {80, 89, 120, 121})
    EXPECT_EQ(Target::cuda(chip)->maxCtasPerCluster(), 1u) << chip;
}

TEST(Target, GraphicsCardsOfBlackwellHaveNoTensorMemory) {
  for (unsigned chip : {120, 121}) {
    const Target target = *Target::cuda(chip);
    EXPECT_TRUE(target.hasCodegen());
    EXPECT_EQ(target.maxSharedBytes(), 99u * 1024);
    for (Feature feature :
         {Feature::TensorMemory, Feature::WarpgroupMma, Feature::PaddedFp4, Feature::RowScatter})
      EXPECT_FALSE(has(target, feature)) << chip << ' ' << int(feature);
    for (Feature feature : {Feature::MmaSyncFp8, Feature::TensorCopies, Feature::RowGather,
                            Feature::RegisterReallocation})
      EXPECT_TRUE(has(target, feature)) << chip << ' ' << int(feature);
  }
}

TEST(Target, WavefrontsOfCdnaHave64Lanes) {
  EXPECT_EQ(Target::parse("hip:gfx942")->warpSize(), 64u);
  EXPECT_EQ(Target::parse("hip:gfx1250")->warpSize(), 32u);
}

TEST(Target, WgmmaIsHoppersAlone) {
  EXPECT_FALSE(has(*Target::cuda(89), Feature::WarpgroupMma));
  EXPECT_TRUE(has(*Target::cuda(90), Feature::WarpgroupMma));
  EXPECT_FALSE(has(*Target::cuda(100), Feature::WarpgroupMma));
  EXPECT_EQ(gluonc::target::targetsWith(Feature::WarpgroupMma), "cuda:90");
}

TEST(Target, ChipsOfOtherVendorsLackFeaturesOfNvidia) {
  EXPECT_FALSE(has(*Target::parse("hip:gfx950"), Feature::MatrixLoad));
}

TEST(Target, ChipsOfAmdHaveWhatTheirFamilyHas) {
  auto hip = [](const char *name) { return *Target::parse(std::string("hip:") + name); };
  EXPECT_EQ(hip("gfx942").amdChip()->matrixVersion, 3);
  EXPECT_EQ(hip("gfx950").amdChip()->ldsBanks, 64u);
  EXPECT_EQ(Target::cuda(90)->amdChip(), nullptr);
  EXPECT_TRUE(has(hip("gfx950"), Feature::ScaledMfma));
  EXPECT_FALSE(has(hip("gfx942"), Feature::ScaledMfma));
  EXPECT_FALSE(has(hip("gfx1100"), Feature::BufferAtomics));
  EXPECT_TRUE(has(hip("gfx1250"), Feature::TensorMover));
  EXPECT_FALSE(has(*Target::cuda(90), Feature::BufferAccess));
  // Clusters by NVIDIA's names stay NVIDIA's.
  EXPECT_FALSE(has(hip("gfx1250"), Feature::Clusters));
  EXPECT_EQ(hip("gfx1250").maxCtasPerCluster(), 16u);
  EXPECT_EQ(hip("gfx1200").maxCtasPerCluster(), 1u);
}

TEST(MatrixCores, MfmaTakesTheDeepestInstructionThatFits) {
  using namespace gluonc::target::amd;
  using E = MatrixElement;
  EXPECT_EQ(mfma(3, 32, 32, 64, E::F16, E::F16, E::F32), (MatrixInstruction{8, 4}));
  EXPECT_EQ(mfma(4, 32, 32, 64, E::F16, E::F16, E::F32), (MatrixInstruction{16, 8}));
  EXPECT_EQ(mfma(4, 32, 32, 8, E::F16, E::F16, E::F32), (MatrixInstruction{8, 4}));
  EXPECT_EQ(mfma(1, 32, 32, 64, E::BF16, E::BF16, E::F32), (MatrixInstruction{4, 2}));
  EXPECT_EQ(mfma(4, 16, 16, 64, E::I8, E::I8, E::I32), (MatrixInstruction{64, 16}));
  EXPECT_EQ(mfma(3, 16, 16, 64, E::F64, E::F64, E::F64), (MatrixInstruction{4, 1}));
  EXPECT_EQ(mfma(3, 4, 64, 64, E::F16, E::F16, E::F32), (MatrixInstruction{64, 4}));
  EXPECT_EQ(mfma(3, 16, 16, 64, E::F32, E::F32, E::F32, true), (MatrixInstruction{8, 2}));
  EXPECT_FALSE(mfma(4, 16, 16, 64, E::F32, E::F32, E::F32, true));
  EXPECT_FALSE(mfma(3, 16, 16, 64, E::E4M3, E::E5M2, E::F32));
  EXPECT_TRUE(mfma(4, 16, 16, 64, E::E4M3, E::E5M2, E::F32));
  EXPECT_FALSE(mfma(4, 16, 16, 64, E::F16, E::BF16, E::F32));
}

TEST(MatrixCores, WmmaGrowsFromVersionToVersion) {
  using namespace gluonc::target::amd;
  using E = MatrixElement;
  EXPECT_EQ(wmma(1, 64, E::F16, E::F16, E::F32), (MatrixInstruction{16, 16}));
  EXPECT_EQ(wmma(2, 64, E::E4M3, E::E5M2, E::F32), (MatrixInstruction{16, 8}));
  EXPECT_EQ(wmma(3, 64, E::E4M3, E::E4M3, E::F32), (MatrixInstruction{64, 32}));
  EXPECT_EQ(wmma(3, 128, E::E4M3, E::E4M3, E::F32), (MatrixInstruction{128, 64}));
  EXPECT_EQ(wmma(3, 4, E::F32, E::F32, E::F32), (MatrixInstruction{4, 2}));
  EXPECT_FALSE(wmma(1, 64, E::E4M3, E::E4M3, E::F32));
  EXPECT_FALSE(wmma(2, 64, E::F32, E::F32, E::F32));
  EXPECT_FALSE(wmma(3, 64, E::F16, E::F16, E::F16));
}

TEST(Registers, TheMostUsefulNumberIsWhatAnInstructionCanNameInWholeUnits) {
  using namespace gluonc::target::nvidia;
  EXPECT_EQ(maxUsefulRegisters, 248u);
  EXPECT_LE(maxUsefulRegisters, maxReallocatedRegisters);
  EXPECT_TRUE(isRegisterLimit(255));
  EXPECT_FALSE(isRegisterLimit(256));
}

TEST(Limits, WarpsAndCtasArePowersOfTwo) {
  using namespace gluonc::target;
  EXPECT_TRUE(isNumWarps(32));
  EXPECT_FALSE(isNumWarps(0));
  EXPECT_FALSE(isNumWarps(12));
  EXPECT_FALSE(isNumWarps(64));
  EXPECT_TRUE(isNumCtas(16));
  EXPECT_FALSE(isNumCtas(32));
}

TEST(Limits, WiderWarpsAreFewer) {
  using namespace gluonc::target;
  EXPECT_TRUE(isNumWarps(16, 64));
  EXPECT_FALSE(isNumWarps(32, 64));
  for (const Target &target : Target::all())
    EXPECT_EQ(maxWarpsPerCta(target.warpSize()) * target.warpSize(), maxThreadsPerCta);
  EXPECT_EQ(powersOfTwoUpTo(1), "1");
  EXPECT_EQ(powersOfTwoUpTo(2), "1 or 2");
  EXPECT_EQ(powersOfTwoUpTo(16), "1, 2, 4, 8 or 16");
}

TEST(Partitions, OnlyChipsThatCanMoveRegisters) {
  using namespace gluonc::target;
  EXPECT_TRUE(registerRules(*Target::cuda(90))->areMovable);
  EXPECT_FALSE(registerRules(*Target::cuda(80))->areMovable);
  EXPECT_FALSE(registerRules(*Target::parse("hip:gfx1250")));
  EXPECT_EQ(partitionRules(*Target::cuda(80)).groupWarps, 4u);
  EXPECT_EQ(partitionRules(*Target::parse("hip:gfx942")).maxPartitions, 15u);
}

TEST(MatrixInstructions, TypesOfOperandsAndSums) {
  using namespace gluonc::target::nvidia;
  using enum MatrixElement;
  for (auto multiplies : {mma::multiplies, wgmma::multiplies}) {
    EXPECT_TRUE(multiplies(F16, F16, F16));
    EXPECT_TRUE(multiplies(BF16, BF16, F32));
    EXPECT_FALSE(multiplies(BF16, BF16, F16));
    EXPECT_FALSE(multiplies(F16, BF16, F32));
    EXPECT_TRUE(multiplies(I8, I8, I32));
    EXPECT_FALSE(multiplies(I32, I32, I32));
    EXPECT_TRUE(multiplies(E4M3, E5M2, F32));
  }
  // Only one warp multiplies f64; only four add 8-bit floats up in f16.
  EXPECT_TRUE(mma::multiplies(F64, F64, F64));
  EXPECT_FALSE(wgmma::multiplies(F64, F64, F64));
  EXPECT_FALSE(mma::multiplies(E5M2, E5M2, F16));
  EXPECT_TRUE(wgmma::multiplies(E5M2, E5M2, F16));
}

TEST(MatrixInstructions, InstructionsAreAsDeepAs256Bits) {
  using namespace gluonc::target::nvidia;
  EXPECT_EQ(matrixDepth(16), 16u);
  EXPECT_EQ(mma::depth(MatrixElement::F32, 32), 8u);
  EXPECT_EQ(mma::depth(MatrixElement::F64, 64), 4u);
}

// Values that Triton 3.6 emits for cuda:100.
TEST(TensorMemory, InstructionDescriptorsHaveTheBitsOfThePtxIsa) {
  using namespace gluonc::target::nvidia;
  using enum MatrixElement;
  using tcgen05::Kind;
  auto bits = [](Kind kind, MatrixElement a, MatrixElement sum, bool transposesA, bool transposesB,
                 unsigned rows = 128, unsigned columns = 128) {
    return tcgen05::instructionDescriptor(
        {kind, a, a, sum, false, false, transposesA, transposesB, rows, columns});
  };
  EXPECT_EQ(bits(Kind::F16, F16, F32, false, false), 0x08200010u);
  EXPECT_EQ(bits(Kind::F16, F16, F32, false, true), 0x08210010u);
  EXPECT_EQ(bits(Kind::F16, F16, F32, true, false), 0x08208010u);
  EXPECT_EQ(bits(Kind::F16, F16, F32, false, false, 64), 0x04200010u);
  EXPECT_EQ(bits(Kind::F16, F16, F32, false, false, 128, 256), 0x08400010u);
  EXPECT_EQ(bits(Kind::F16, F16, F16, false, false), 0x08200000u);
  EXPECT_EQ(bits(Kind::Tf32, F32, F32, false, false), 0x08200910u);
  EXPECT_EQ(bits(Kind::F8F6F4, E4M3, F32, false, false), 0x08200010u);
}

TEST(TensorMemory, DescriptorsOfScaledProductsSayWhichByteIsTheFirstScale) {
  using namespace gluonc::target::nvidia;
  using enum MatrixElement;
  using tcgen05::Kind;
  tcgen05::Form form{Kind::Mxf8f6f4, E4M3, E4M3, F32, false, false, false, false, 128, 64};
  EXPECT_EQ(tcgen05::instructionDescriptor(form), 0x08900000u);
  form.scaleByte = 1;
  EXPECT_EQ(tcgen05::instructionDescriptor(form), 0x28900010u);
  form = {Kind::Mxf4Nvf4, E2M1, E2M1, F32, false, false, false, false, 128, 128};
  form.scale = tcgen05::ScaleElement::UE4M3;
  EXPECT_EQ(tcgen05::instructionDescriptor(form), 0x08200480u);
}

TEST(TensorMemory, ScalesDecideTheKind) {
  using namespace gluonc::target::nvidia;
  using enum MatrixElement;
  using tcgen05::Kind;
  using enum tcgen05::ScaleElement;
  EXPECT_EQ(tcgen05::scaledKindOf(E4M3, E2M1, UE8M0, 32), Kind::Mxf8f6f4);
  EXPECT_EQ(tcgen05::scaledKindOf(E2M1, E2M1, UE8M0, 32), Kind::Mxf4);
  EXPECT_EQ(tcgen05::scaledKindOf(E2M1, E2M1, UE4M3, 16), Kind::Mxf4Nvf4);
  EXPECT_EQ(tcgen05::scaledKindOf(E2M1, E2M1, UE8M0, 16), std::nullopt);
  EXPECT_EQ(tcgen05::scaledKindOf(E4M3, E4M3, UE4M3, 16), std::nullopt);
}

TEST(TensorMemory, KindsAreThoseOfTheChip) {
  using namespace gluonc::target::nvidia;
  using enum MatrixElement;
  EXPECT_EQ(tcgen05::kindOf(E4M3, E5M2, F16), tcgen05::Kind::F8F6F4);
  EXPECT_EQ(tcgen05::kindOf(F16, BF16, F32), std::nullopt);
  EXPECT_EQ(tcgen05::kindOf(BF16, BF16, F16), std::nullopt);
  EXPECT_TRUE(tcgen05::has(*Target::parse("cuda:100a"), tcgen05::Kind::I8));
  EXPECT_FALSE(tcgen05::has(*Target::parse("cuda:103a"), tcgen05::Kind::I8));
  EXPECT_FALSE(tcgen05::has(*Target::parse("cuda:120a"), tcgen05::Kind::F16));
  EXPECT_FALSE(has(*Target::parse("cuda:90a"), Feature::TensorMemory));
  EXPECT_FALSE(has(*Target::parse("cuda:120a"), Feature::TensorMemory));
  EXPECT_TRUE(has(*Target::parse("cuda:103a"), Feature::TensorMemory));
}
