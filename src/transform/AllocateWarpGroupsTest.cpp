// Which warps and registers partitions get.
#include "target/nvidia/Registers.h"
#include "transform/PassTesting.h"

#include <random>

using namespace gluonc;

namespace {

using Numbers = std::vector<int>;

class AllocateWarpGroupsTest : public PassTest {
protected:
  /// A warp_specialize of four default warps and partitions of so many, which request so many
  /// registers.
  bool specialize(const Numbers &warps, const Numbers &registers) {
    std::string list, partitions;
    for (size_t i = 0; i < warps.size(); ++i) {
      list += (i ? ", " : "") + std::to_string(registers[i]);
      partitions += "partition" + std::to_string(i) + "() num_warps(" + std::to_string(warps[i]) +
                    ") {\nttg.warp_return\n}\n";
    }
    parse("", "ttg.warp_specialize() attributes {name, requestedRegisters = array<i32: " + list +
                  ">}\ndefault {\nttg.warp_yield\n}\n" + partitions + ": () -> ()\n");
    return run(createAllocateWarpGroupsPass(target));
  }

  ttg::WarpSpecializeOp op() { return llvm::cast<ttg::WarpSpecializeOp>(named("name")); }
  Numbers starts() {
    auto ids = op().getWarpGroupStartIds();
    return ids ? Numbers(ids->begin(), ids->end()) : Numbers();
  }
  /// Of the default warps, then of each partition; empty where they stay as they were.
  Numbers registers() {
    auto actual = op().getActualRegisters();
    return actual ? Numbers(actual->begin(), actual->end()) : Numbers();
  }
  int ofModule(llvm::StringRef attribute) {
    return (*module)->getAttrOfType<mlir::IntegerAttr>(attribute).getInt();
  }
};

} // namespace

TEST_F(AllocateWarpGroupsTest, TheLargestPartitionsComeFirst) {
  ASSERT_TRUE(specialize({1, 4, 2}, {24, 24, 24}));
  EXPECT_EQ(starts(), (Numbers{10, 4, 8}));
  EXPECT_EQ(ofModule(ttg::totalNumWarpsAttr), 12);
}

TEST_F(AllocateWarpGroupsTest, PartitionsOfOneSizeStayInOrder) {
  ASSERT_TRUE(specialize({4, 4, 4}, {24, 24, 24}));
  EXPECT_EQ(starts(), (Numbers{4, 8, 12}));
}

TEST_F(AllocateWarpGroupsTest, DefaultWarpsGetTheRegistersThatAreLeft) {
  // 12 warps begin with 168 each; two groups give away what they do not request.
  ASSERT_TRUE(specialize({4, 1}, {200, 41}));
  EXPECT_EQ(registers(), (Numbers{256, 200, 48}));
  EXPECT_EQ(ofModule(ttg::maxRegistersAttr), 168);
}

TEST_F(AllocateWarpGroupsTest, AGroupGetsTheMostThatOneOfItsPartitionsRequests) {
  ASSERT_TRUE(specialize({1, 2}, {24, 96}));
  EXPECT_EQ(starts(), (Numbers{6, 4}));
  EXPECT_EQ(registers()[1], 96);
  EXPECT_EQ(registers()[2], 96);
}

TEST_F(AllocateWarpGroupsTest, MoreWarpsThanACtaHasAreReported) {
  EXPECT_FALSE(specialize({16, 16}, {24, 24}));
  EXPECT_EQ(kind, diag::Kind::TooManyWarps);
}

TEST_F(AllocateWarpGroupsTest, MorePartitionsThanBarriersAreReported) {
  EXPECT_FALSE(specialize(Numbers(15, 1), Numbers(15, 24)));
  EXPECT_EQ(kind, diag::Kind::TooManyPartitions);
}

TEST_F(AllocateWarpGroupsTest, RequestsThatLeaveTheDefaultWarpsTooFewAreNotFollowed) {
  specialize({4, 4, 4}, {240, 240, 240});
  EXPECT_EQ(kind, diag::Kind::RegistersNotFollowed);
  EXPECT_TRUE(registers().empty());
}

// Whatever partitions request: nobody has more registers than there are, each at least what it
// asked for, and no two partitions share a warp.
TEST_F(AllocateWarpGroupsTest, RegistersAndWarpsAreGivenOnce) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    Numbers warps, requests;
    for (int i = 0, count = 1 + int(random() % 4); i < count; ++i) {
      warps.push_back(1 << random() % 3);
      requests.push_back(24 + int(random() % 200));
    }
    ASSERT_TRUE(specialize(warps, requests));
    const int total = ofModule(ttg::totalNumWarpsAttr);
    Numbers used(total, 0), begins = starts(), given = registers();
    for (size_t i = 0; i < warps.size(); ++i)
      for (int warp = begins[i]; warp < begins[i] + warps[i]; ++warp)
        EXPECT_EQ(used.at(warp)++, 0);
    EXPECT_EQ(total % 4, 0);
    if (given.empty())
      continue;
    Numbers ofGroup(total / 4, target::nvidia::minReallocatedRegisters);
    ofGroup[0] = given[0];
    for (size_t i = 0; i < warps.size(); ++i) {
      EXPECT_GE(given[1 + i], requests[i]);
      ofGroup[begins[i] / 4] = given[1 + i];
    }
    int sum = 0;
    for (int registers : ofGroup)
      sum += registers * 4 * 32;
    EXPECT_LE(sum, target::nvidia::registerFile) << "round " << round;
  }
}
