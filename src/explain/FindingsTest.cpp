//===- FindingsTest.cpp - Which counts and facts are worth a word ---------------===//
#include "explain/Findings.h"
#include "target/nvidia/Occupancy.h"

#include <gtest/gtest.h>

namespace gluonc::explain {
namespace {

using diag::Kind;

/// A launch of one program with four warps on an H100; accesses are on lines of their own.
struct Launch {
  diag::SourceFile file{"k.py", "1\n2\n3\n4\n5\n6\n7\n8\n"};
  Profile profile;

  Launch() { profile.target = *target::Target::parse("cuda:90a"); }

  diag::Span line(uint32_t number) const {
    return {&file, file.lineStart(number), file.lineStart(number) + 1};
  }
  Site &site(uint32_t number) {
    Site &site = profile.sites.emplace_back();
    site.span = line(number);
    return site;
  }
  /// Loads of 4 bytes by full warps.
  GlobalCount &loads(uint32_t number, uint64_t requests, uint64_t sectors, int64_t stride) {
    GlobalCount &count = site(number).cost.loads;
    count.requests = requests;
    count.sectors = sectors;
    count.idealSectors = 4 * requests;
    count.usedBytes = 128 * requests;
    count.bytesOfLane = 4;
    count.stride = stride;
    count.pieces = stride == 4 ? requests : 32 * requests;
    profile.total.loads += count;
    return count;
  }
  GlobalFact &fact(uint32_t number) {
    GlobalFact &fact = profile.facts.global.emplace_back();
    fact.span = line(number);
    fact.elementBytes = 4;
    fact.layout = "BlockedLayout([1], [32], [4], [0])";
    fact.maskRun = 1024;
    return fact;
  }
  SharedFact &buffer(uint32_t number) {
    SharedFact &fact = profile.facts.shared.emplace_back();
    fact.span = line(number);
    fact.layout = "SwizzledSharedLayout(1, 1, 1, [1, 0])";
    return fact;
  }
  std::vector<Kind> kinds() const {
    std::vector<Kind> kinds;
    for (const Finding &finding : findWaste(profile))
      kinds.push_back(finding.diagnostic.kind);
    return kinds;
  }
  std::string hint() const { return findWaste(profile).front().diagnostic.hints.front(); }
};

using Kinds = std::vector<Kind>;

TEST(ExplainFindings, NothingIsFoundInFullSectors) {
  Launch launch;
  launch.loads(1, 8, 32, 4);
  launch.fact(1).layoutRun = 1;
  EXPECT_EQ(launch.kinds(), Kinds());
}

TEST(ExplainFindings, LanesFarApartWantAnotherLayoutIfThereIsOne) {
  Launch launch;
  launch.loads(1, 8, 256, 4096);
  EXPECT_EQ(launch.kinds(), Kinds{Kind::StridedElements});
  GlobalFact &fact = launch.fact(1);
  fact.suggestion = "BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])";
  EXPECT_EQ(launch.kinds(), Kinds{Kind::UncoalescedAccess});
  EXPECT_NE(launch.hint().find("gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])"),
            std::string::npos);
  launch.profile.facts.hasChosenLayouts = true;
  EXPECT_NE(launch.hint().find("gluonc lift"), std::string::npos);
  // Lanes that fill sectors already are not to blame.
  launch.profile.facts.global.front().warpRun = 8;
  EXPECT_EQ(launch.kinds(), Kinds{Kind::StridedElements});
}

TEST(ExplainFindings, ElementsOfAThreadThatHaveToGoOneByOneAreBetterSpread) {
  Launch launch;
  launch.loads(1, 16, 256, 16);
  GlobalFact &fact = launch.fact(1);
  fact.layoutRun = 4;
  fact.warpRun = 128;
  fact.suggestion = "BlockedLayout([1], [32], [4], [0])";
  EXPECT_EQ(launch.kinds(), Kinds{Kind::UncoalescedAccess});
}

TEST(ExplainFindings, OneSectorMoreIsMisaligned) {
  Launch launch;
  launch.loads(1, 8, 40, 4).misaligned = 8;
  EXPECT_EQ(launch.kinds(), Kinds{Kind::MisalignedRun});
  // Of a few requests only it is not worth a word.
  launch.profile.sites.front().cost.loads.sectors = 34;
  EXPECT_EQ(launch.kinds(), Kinds());
}

TEST(ExplainFindings, NarrowAccessesSayWhatKeepsThemNarrow) {
  Launch launch;
  launch.loads(1, 32, 128, 4);
  GlobalFact &fact = launch.fact(1);
  fact.possibleRun = fact.addressRun = 4;
  fact.suggestion = "BlockedLayout([4], [32], [4], [0])";
  EXPECT_EQ(launch.kinds(), Kinds{Kind::NarrowAccess});
  EXPECT_EQ(launch.hint(), "gl.BlockedLayout([4], [32], [4], [0]) in place of BlockedLayout([1], "
                           "[32], [4], [0])");
  fact.layoutRun = 4;
  fact.addressRun = 1;
  fact.unaligned = {"stride"};
  EXPECT_NE(launch.hint().find("since `stride` may be any number"), std::string::npos);
  fact.addressRun = 4;
  fact.maskRun = 1;
  EXPECT_NE(launch.hint().find("the mask may differ"), std::string::npos);
}

TEST(ExplainFindings, KernelsOfTritonAreToldWhatTheyCanChange) {
  Launch launch;
  launch.profile.facts.hasChosenLayouts = true;
  launch.loads(1, 32, 128, 4);
  GlobalFact &fact = launch.fact(1);
  fact.possibleRun = 4;
  fact.suggestion = "BlockedLayout([4], [32], [4], [0])";
  EXPECT_NE(launch.hint().find("say so by tl.multiple_of"), std::string::npos);
  fact.addressRun = 4;
  EXPECT_NE(launch.hint().find("gluonc lift"), std::string::npos);
  // Conflicts in a buffer that the compiler made, and knows nothing better for.
  launch.profile.facts.global.clear();
  launch.site(2).cost.shared = {8, 64, 8, 4};
  launch.buffer(2);
  launch.profile.total.instructions = 100 * 56 + 1;
  EXPECT_EQ(launch.kinds(), Kinds()) << "too few";
  launch.profile.total.instructions = 400;
  EXPECT_EQ(launch.kinds(), Kinds{Kind::BankConflicts});
  EXPECT_NE(launch.hint().find("knows no better one"), std::string::npos);
  launch.profile.facts.shared.front().suggestion = "SwizzledSharedLayout(1, 1, 32, [1, 0])";
  EXPECT_EQ(launch.kinds(), Kinds{Kind::BankConflicts});
}

TEST(ExplainFindings, RepeatsComeBeforeWhatElseIsWrong) {
  Launch launch;
  launch.loads(1, 8, 256, 4096).repeats = 7;
  EXPECT_EQ(launch.kinds(), Kinds{Kind::RepeatedLoad});
  launch.profile.sites.front().cost.loads.repeats = 3;
  EXPECT_EQ(launch.kinds(), Kinds{Kind::StridedElements});
}

TEST(ExplainFindings, WhatAnotherLineHasLoadedIsNamed) {
  Launch launch;
  launch.loads(2, 8, 32, 4).repeats = 8;
  launch.profile.sites.front().earlier = launch.line(1);
  EXPECT_EQ(launch.kinds(), Kinds{Kind::RepeatedLoad});
  EXPECT_EQ(launch.hint(), "use what line 1 has loaded");
  EXPECT_EQ(findWaste(launch.profile).front().diagnostic.labels.front().span.begin,
            launch.line(1).begin);
  launch.profile.sites.front().earlier = launch.line(2);
  EXPECT_NE(launch.hint().find("written out"), std::string::npos);
  // A length that a program asks for in two places.
  launch.fact(2).isScalar = true;
  launch.loads(3, 100, 400, 4);
  EXPECT_EQ(launch.kinds(), Kinds());
}

TEST(ExplainFindings, ScalarsMayBeReadOnceButNotAllTheTime) {
  Launch launch;
  GlobalCount &count = launch.loads(1, 4, 4, 0);
  count.idealSectors = 4;
  launch.fact(1).isScalar = true;
  EXPECT_EQ(launch.kinds(), Kinds());
  count.requests = count.sectors = count.idealSectors = 400;
  EXPECT_EQ(launch.kinds(), Kinds{Kind::ScalarAccess});
  EXPECT_NE(launch.hint().find("gl.BlockedLayout([4], [32], [4], [0])"), std::string::npos);
  // A table that is read beside much else.
  launch.profile.total.loads.requests = 40000;
  EXPECT_EQ(launch.kinds(), Kinds());
}

TEST(ExplainFindings, ConflictsOfAQuarterAndMoreAreTold) {
  Launch launch;
  launch.site(1).cost.shared = {8, 9, 8, 4};
  // Of nothing that anybody knows.
  launch.site(2).cost.shared = {8, 64, 8, 4};
  SharedFact &fact = launch.buffer(1);
  EXPECT_EQ(launch.kinds(), Kinds());
  launch.profile.sites.front().cost.shared.wavefronts = 16;
  EXPECT_EQ(launch.kinds(), Kinds{Kind::BankConflicts});
  EXPECT_NE(launch.hint().find("a swizzled or padded"), std::string::npos);
  fact.suggestion = "SwizzledSharedLayout(1, 1, 32, [1, 0])";
  EXPECT_EQ(launch.hint(), "gl.SwizzledSharedLayout(1, 1, 32, [1, 0]) in place of "
                           "SwizzledSharedLayout(1, 1, 1, [1, 0])");
}

TEST(ExplainFindings, ConflictsInWhatTheCompilerExchangesAreToldWithAWayRound) {
  Launch launch;
  launch.site(1).cost.shared = {8, 64, 8, 4};
  launch.profile.total.instructions = 400;
  explain::ExchangeFact &fact = launch.profile.facts.exchanges.emplace_back();
  fact.span = launch.line(1);
  fact.cause = explain::ExchangeFact::Cause::Combine;
  fact.layout = "BlockedLayout([1], [32], [4], [0])";
  EXPECT_EQ(launch.kinds(), Kinds{Kind::BankConflicts});
  EXPECT_EQ(
      findWaste(launch.profile).front().diagnostic.message,
      "64 wavefronts of shared memory where 8 would do: lanes of a warp access the same banks");
  EXPECT_NE(launch.hint().find("fewer warps along it"), std::string::npos);
  // Less than twice what is needed is the way of the exchange, unless it can be saved.
  launch.profile.sites.front().cost.shared.wavefronts = 15;
  EXPECT_EQ(launch.kinds(), Kinds());
  fact.suggestion = "BlockedLayout([1, 4], [1, 32], [1, 4], [1, 0])";
  EXPECT_EQ(launch.kinds(), Kinds{Kind::BankConflicts});
  EXPECT_EQ(launch.hint(), "gl.BlockedLayout([1, 4], [1, 32], [1, 4], [1, 0]) in place of "
                           "BlockedLayout([1], [32], [4], [0])");
  launch.profile.facts.hasChosenLayouts = true;
  EXPECT_NE(launch.hint().find("gluonc lift"), std::string::npos);
  // Not worth a word beside so much else.
  fact.suggestion.clear();
  launch.profile.sites.front().cost.shared.wavefronts = 64;
  launch.profile.total.instructions = 100 * 56 + 1;
  EXPECT_EQ(launch.kinds(), Kinds());
}

TEST(ExplainFindings, ConversionsNeedACauseAndACost) {
  Launch launch;
  launch.site(1).cost.instructions = 100;
  ConversionFact &fact = launch.profile.facts.conversions.emplace_back();
  fact.span = launch.line(1);
  fact.how = "shared";
  EXPECT_EQ(launch.kinds(), Kinds());
  fact.cause = ConversionFact::Cause::Invariant;
  EXPECT_EQ(launch.kinds(), Kinds{Kind::NeedlessConversion});
  fact.how = "registers";
  EXPECT_EQ(launch.kinds(), Kinds());
}

TEST(ExplainFindings, FewWarpsMatterWhereNothingElseHidesLatency) {
  Launch launch;
  launch.profile.resources.sharedBytes = 100 * 1024;
  launch.profile.occupancy =
      target::nvidia::occupancyOf(launch.profile.target, {4, 32, 100 * 1024});
  EXPECT_EQ(launch.kinds(), Kinds{Kind::LowOccupancy});
  EXPECT_EQ(findWaste(launch.profile).front().diagnostic.message,
            "a multiprocessor holds 8 of 64 warps, for want of shared memory: a CTA has 102400 "
            "bytes");
  launch.profile.facts.hasAsynchronousWork = true;
  EXPECT_EQ(launch.kinds(), Kinds());
}

TEST(ExplainFindings, TwoThingsThatAreEquallyShortAreBothNamed) {
  Launch launch;
  launch.profile.resources.sharedBytes = 100 * 1024;
  launch.profile.resources.registers = {.count = 255};
  launch.profile.occupancy =
      target::nvidia::occupancyOf(launch.profile.target, {4, 255, 100 * 1024});
  const diag::Diagnostic finding = findWaste(launch.profile).front().diagnostic;
  EXPECT_EQ(finding.message,
            "a multiprocessor holds 8 of 64 warps, for want of registers and shared memory: a "
            "thread has 255 and a CTA has 102400 bytes");
  EXPECT_EQ(finding.hints.size(), 2u);
}

TEST(ExplainFindings, CallsThatLedToAnOperationAreShownOnce) {
  Launch launch;
  launch.loads(1, 8, 256, 4096);
  launch.fact(1).calls = {launch.line(5)};
  launch.fact(1).calls = {launch.line(7)};
  launch.fact(1).calls = {launch.line(5)};
  launch.fact(2).calls = {launch.line(6)};
  std::vector<diag::Label> labels = findWaste(launch.profile).front().diagnostic.labels;
  ASSERT_EQ(labels.size(), 2u);
  EXPECT_EQ(labels[0].span.begin, launch.line(5).begin);
  EXPECT_EQ(labels[1].span.begin, launch.line(7).begin);
}

TEST(ExplainFindings, SpillsNameTheLineWhereMostIsLiveAndWhatThatIs) {
  Launch launch;
  launch.profile.pressure = {launch.line(4), 90, {{launch.line(2), 64}, {launch.line(3), 1}}};
  explain::ValueFact value{{launch.line(2)}, {"tile"}, "64x64xf32", "BlockedLayout(…)", 64};
  launch.profile.facts.values.push_back(value);
  launch.profile.resources.registers = {32, 400, 400};
  diag::Diagnostic spills = findWaste(launch.profile).front().diagnostic;
  ASSERT_EQ(spills.labels.size(), 2u);
  EXPECT_EQ(spills.labels[0].span.begin, launch.line(4).begin);
  EXPECT_EQ(spills.labels[0].text, "most values are live here: 90 registers of PTX");
  EXPECT_EQ(spills.labels[1].span.begin, launch.line(2).begin);
  EXPECT_EQ(spills.labels[1].text, "`tile`, 64x64xf32 in BlockedLayout(…): 64 registers");
}

TEST(ExplainFindings, WhatMendsAWaitDependsOnWhoWroteIt) {
  Launch launch;
  launch.site(5).cost.instructions = 64;
  launch.profile.facts.waits.push_back(
      {{launch.line(5)}, WaitFact::Awaited::Copies, launch.line(4), true, launch.line(4)});
  EXPECT_EQ(launch.kinds(), (Kinds{Kind::WaitAlone}));
  auto hint = [&] { return findWaste(launch.profile).front().diagnostic.hints.front(); };
  EXPECT_NE(hint().find("before this wait"), std::string::npos);
  launch.profile.facts.waits.back().handedOver = "`ring`";
  EXPECT_NE(hint().find("give `ring` and its barriers two slots"), std::string::npos);
  launch.profile.facts.hasChosenLayouts = true;
  EXPECT_NE(hint().find("num_stages"), std::string::npos);
}

TEST(ExplainFindings, LoadsThatDoNotRunAheadAreOfChosenLayouts) {
  Launch launch;
  launch.site(4).cost.instructions = launch.site(5).cost.instructions = 64;
  launch.profile.facts.waits = {
      {{launch.line(5)}, WaitFact::Awaited::Products, launch.line(5), true, launch.line(4)},
      {{launch.line(4)}, WaitFact::Awaited::Loads, {}, true, {}}};
  EXPECT_EQ(launch.kinds(), (Kinds{Kind::WaitAlone})) << "the product's; loads are where it says";
  launch.profile.facts.hasChosenLayouts = true;
  EXPECT_EQ(launch.kinds(), (Kinds{Kind::WaitAlone})) << "the loads', which is why products wait";
}

TEST(ExplainFindings, TheMostExpensiveComesFirst) {
  Launch launch;
  launch.loads(1, 8, 40, 4).misaligned = 8;
  launch.site(2).cost.shared = {8, 256, 8, 4};
  launch.buffer(2);
  launch.profile.resources.registers = {255, 4000, 4000};
  EXPECT_EQ(launch.kinds(),
            (Kinds{Kind::SpilledRegisters, Kind::BankConflicts, Kind::MisalignedRun}));
}

} // namespace
} // namespace gluonc::explain
