// Every operation that may reach code generation has an emit function or is excused here.
#include "codegen/Backend.h"
#include "ir/Dialects.h"

#include <gtest/gtest.h>

#include <vector>

using namespace gluonc;

namespace {

struct Exemption {
  const char *why;
  std::vector<const char *> operations;
};

/// Operations without an emit function.
const Exemption kExempt[] = {
    {"the function itself", {"tt.func"}},
    {"products with scales of operands in registers are AMD's", {"tt.dot_scaled"}},
    {"transform replaces it", {"tt.make_tensor_descriptor", "gluon.set_auto_layout"}},
    {"assign replaces it", {"tt.descriptor_load", "tt.descriptor_store", "tt.descriptor_reduce"}},
    {"these functions are libdevice's, which the language calls by name",
     {"math.acos",  "math.acosh",  "math.asin",     "math.asinh",  "math.atan",  "math.atan2",
      "math.atanh", "math.cbrt",   "math.cosh",     "math.ctlz",   "math.ctpop", "math.cttz",
      "math.erfc",  "math.expm1",  "math.isfinite", "math.isinf",  "math.isnan", "math.log10",
      "math.log1p", "math.powf",   "math.round",    "math.sincos", "math.sinh",  "math.tan",
      "math.tanh",  "math.clampf", "math.isnormal"}},
    {"** is for compile-time values only", {"math.ipowi", "math.fpowi"}},
    {"programs are the parallel loop",
     {"scf.parallel", "scf.reduce", "scf.reduce.return", "scf.forall", "scf.forall.in_parallel"}},
    {"the language has no switch", {"scf.index_switch", "cf.switch"}},
    {"the language asserts with tt.assert", {"cf.assert"}},
    {"never made",
     {"arith.addui_extended", "arith.scaling_extf", "arith.scaling_truncf", "scf.execute_region",
      "ub.unreachable"}},
};

bool isExempt(llvm::StringRef name) {
  return llvm::any_of(kExempt, [&](const Exemption &exemption) {
    return llvm::is_contained(exemption.operations, name);
  });
}

} // namespace

TEST(Coverage, EveryRegisteredOperationIsEmittedOrExcused) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  auto backend = codegen::createBackend(*target::Target::parse("cuda:100a"));
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    // Those of another vendor are no business of this back end.
    if (llvm::is_contained({"builtin", "amdg", "rocdl"}, name.getDialectNamespace()))
      continue;
    bool exempt = isExempt(name.getStringRef());
    EXPECT_NE(backend->emits(name), exempt)
        << name.getStringRef().str()
        << (exempt ? " is both emitted and excused" : " is neither emitted nor excused");
  }
}

TEST(Coverage, NothingIsExcusedThatDoesNotExist) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  for (const Exemption &exemption : kExempt)
    for (const char *name : exemption.operations)
      EXPECT_TRUE(mlir::RegisteredOperationName::lookup(name, &context)) << name;
}
