// Every operation that may reach the simulator is either executed or excused here.
#include "sim/KernelTesting.h"

#include <map>

using namespace gluonc::sim;
using namespace gluonc::sim::testing;

namespace {

/// Operations that the simulator has no entry for, and why.
const std::map<std::string, std::string> kExempt = {
    {"tt.func", "the kernel itself"},
    {"tt.descriptor_load", "assign replaces it"},
    {"tt.descriptor_store", "assign replaces it"},
    {"tt.descriptor_reduce", "assign replaces it"},
    {"tt.reduce.return", "lowered with tt.reduce"},
    {"tt.scan.return", "lowered with tt.scan"},
    {"tt.map_elementwise.return", "lowered with tt.map_elementwise"},
    {"arith.addui_extended", "never emitted by the front end"},
    {"arith.index_cast", "the language has no index type"},
    {"arith.index_castui", "the language has no index type"},
    {"math.ipowi", "** is for compile-time values only"},
    {"math.fpowi", "** is for compile-time values only"},
    {"math.clampf", "never emitted: gl.clamp is maximum and minimum"},
    {"math.erfc", "never emitted"},
    {"math.isfinite", "never emitted"},
    {"math.isinf", "never emitted: libdevice's is an extern call"},
    {"math.isnan", "never emitted: libdevice's is an extern call"},
    {"math.isnormal", "never emitted"},
    {"math.sincos", "never emitted"},
    {"arith.scaling_extf", "never emitted"},
    {"arith.scaling_truncf", "never emitted"},
    {"ub.unreachable", "never emitted"},
    {"ttg.warp_specialize.partitions", "lowered with ttg.warp_specialize"},
    {"scf.yield", "lowered with the operation that holds it"},
    {"scf.condition", "lowered with scf.while"},
    {"scf.reduce", "belongs to scf.parallel"},
    {"scf.reduce.return", "belongs to scf.parallel"},
    {"scf.parallel", "never emitted: programs are the parallel loop"},
    {"scf.forall", "never emitted: programs are the parallel loop"},
    {"scf.forall.in_parallel", "belongs to scf.forall"},
    {"scf.execute_region", "never emitted"},
    {"scf.index_switch", "never emitted: the language has no switch"},
    {"cf.assert", "the language asserts with tt.assert"},
    {"cf.switch", "never emitted: the language has no switch"},
};

} // namespace

TEST(Coverage, EveryRegisteredOperationIsExecutedOrExcused) {
  mlir::MLIRContext context;
  gluonc::loadAllDialects(context);
  unsigned supported = 0;
  for (mlir::RegisteredOperationName operation : context.getRegisteredOperations()) {
    llvm::StringRef dialect = operation.getDialectNamespace();
    if (!llvm::is_contained(
            {"tt", "ttg", "ttng", "amdg", "rocdl", "arith", "math", "scf", "cf", "ub"}, dialect))
      continue;
    std::string name = operation.getStringRef().str();
    bool exempt = kExempt.count(name);
    EXPECT_NE(supportsOperation(name), exempt)
        << name << (exempt ? " is both executed and excused" : " is neither executed nor excused");
    supported += supportsOperation(name);
  }
  EXPECT_GT(supported, 100u);
}

TEST(Coverage, NothingIsExcusedThatDoesNotExist) {
  mlir::MLIRContext context;
  gluonc::loadAllDialects(context);
  for (const auto &[name, reason] : kExempt)
    EXPECT_TRUE(mlir::RegisteredOperationName::lookup(name, &context)) << name;
}
