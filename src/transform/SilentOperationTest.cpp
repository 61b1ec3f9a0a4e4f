// An operation of ours that answers no interface is taken to do anything: new operations are safe
// before they say what they do.
#include "ir/Encoding.h"
#include "transform/PassTesting.h"

using namespace gluonc;

namespace {

/// `"ttg.silent"`: any operands, any results, no answer to anything.
class SilentOp
    : public mlir::Op<SilentOp, mlir::OpTrait::ZeroRegions, mlir::OpTrait::ZeroSuccessors,
                      mlir::OpTrait::VariadicOperands, mlir::OpTrait::VariadicResults> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SilentOp)
  using Op::Op;
  static llvm::StringRef getOperationName() { return "ttg.silent"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
};

class SilentOperationTest : public PassTest {
protected:
  SilentOperationTest() {
    mlir::RegisteredOperationName::insert<SilentOp>(*context.getLoadedDialect<ttg::TTGDialect>());
  }

  void parseBody(const std::string &body) {
    parse("%d: !desc, %x: !x, %t: !tile, %n: i32, %q: i1",
          "%row = ttg.local_alloc : () -> !row\n%buf = ttg.local_alloc {buf} : () -> !buf\n"
          "%bar = ttg.local_alloc : () -> !bar\n" +
              body);
  }

  std::string after(std::unique_ptr<mlir::Pass> pass, const std::string &body) {
    parseBody(body);
    allocate();
    EXPECT_TRUE(run(std::move(pass))) << first;
    return order();
  }
};

const std::string kSilent = "\"ttg.silent\"() : () -> ()\n";
const std::string kStore = "ttg.local_store %x, %row : !x -> !row\n";
const std::string kLoad = "%y = ttg.local_load %row : !row -> !x\n";

} // namespace

TEST_F(SilentOperationTest, ItsAccessesAreSynchronizedWithThoseOfOthers) {
  EXPECT_EQ(after(createInsertBarriersPass(), kStore + kSilent + kLoad),
            "local_store barrier barrier local_load");
}

TEST_F(SilentOperationTest, SoAreTwoOfThem) {
  EXPECT_EQ(after(createInsertBarriersPass(), kSilent + kSilent), "barrier");
}

TEST_F(SilentOperationTest, ABufferThatItGivesMayBeThatWhichItTook) {
  EXPECT_EQ(after(createInsertBarriersPass(), kStore +
                                                  "%v = \"ttg.silent\"(%row) : (!row) -> !row\n"
                                                  "ttg.barrier local\n"
                                                  "ttg.local_store %x, %v : !x -> !row\n" +
                                                  kLoad),
            "local_store barrier barrier local_store barrier local_load");
}

TEST_F(SilentOperationTest, ABufferThatItGivesKeepsThatWhichItTookAlive) {
  parseBody(
      "%v = \"ttg.silent\"(%row) : (!row) -> !row\n"
      "%other = ttg.local_alloc {other} : () -> !row\nttg.local_store %x, %other : !x -> !row\n"
      "%y = ttg.local_load %v : !row -> !x\n");
  named("buf")->erase();
  allocate();
  auto offset = named("other")->getAttrOfType<mlir::IntegerAttr>(ttg::allocationOffsetAttr);
  EXPECT_EQ(offset.getInt(), 512 * 4);
}

TEST_F(SilentOperationTest, AsynchronousUnitsSeeWhatItDidBehindAFence) {
  EXPECT_EQ(after(createInsertProxyFencesPass(),
                  kSilent + "ttng.async_tma_copy_local_to_global %d[%n, %n] %buf : !desc, !buf\n"),
            "fence_async_shared async_tma_copy_local_to_global");
}

TEST_F(SilentOperationTest, ItMayReachOtherCtas) {
  parse("", kSilent);
  (*module)->setAttr("ttg.num-ctas", mlir::OpBuilder(&context).getI32IntegerAttr(2));
  allocate();
  EXPECT_TRUE(run(createInsertClusterBarriersPass()));
  EXPECT_TRUE(
      llvm::isa<ttng::ClusterBarrierOp>(kernel().getBody().front().getTerminator()->getPrevNode()));
}

TEST_F(SilentOperationTest, ItMayBringBytesToABarrier) {
  const std::string expect = "ttng.init_barrier %bar, 1 : !bar\n"
                             "ttng.barrier_expect %bar, 16384, %q : !bar\n";
  const std::string wait = "ttng.wait_barrier %bar, %n : !bar\n";
  parseBody(expect + wait);
  EXPECT_FALSE(run(createCheckBarrierBytesPass()));
  parseBody(expect + "\"ttg.silent\"(%bar) : (!bar) -> ()\n" + wait);
  EXPECT_TRUE(run(createCheckBarrierBytesPass()));
}

TEST_F(SilentOperationTest, NoLayoutTravelsThroughIt) {
  const std::string open = "tensor<64xi32, #gluon.auto_encoding>";
  parse("%p: tensor<64x!tt.ptr<i32>, #l>",
        "%r = tt.make_range {end = 64 : i32, start = 0 : i32} : " + open +
            "\n%y = \"ttg.silent\"(%r) : (" + open + ") -> " + open +
            "\n%s = gluon.set_auto_layout %y : " + open +
            " -> tensor<64xi32, #l>\ntt.store %p, %s : tensor<64x!tt.ptr<i32>, #l>\n");
  EXPECT_FALSE(run(createResolveLayoutsPass()));
  EXPECT_EQ(kind, diag::Kind::LayoutUndecided);
}
