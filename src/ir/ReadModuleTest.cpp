#include "ir/ReadModule.h"

#include "ir/Dialects.h"

#include "mlir/IR/Diagnostics.h"

#include <gtest/gtest.h>

using namespace gluonc;

namespace {

struct ReadModule : testing::Test {
  ReadModule() { loadAllDialects(context); }

  /// The first error with its place; empty if there is none.
  std::string errorOf(const std::string &text) {
    std::string found;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      if (found.empty()) {
        llvm::raw_string_ostream out(found);
        diagnostic.getLocation().print(out);
        out << ": " << diagnostic.str();
      }
      return mlir::success();
    });
    EXPECT_EQ(bool(readModule(context, text, "a.ttgir")), found.empty());
    return found;
  }

  mlir::MLIRContext context;
};

TEST_F(ReadModule, BracketsNestSoDeep) {
  std::string open(256, '['), close(256, ']');
  EXPECT_EQ(errorOf("module attributes {tt.a = [[[1]]]} {}"), "");
  EXPECT_EQ(errorOf("\n#l = [" + open + close + "]"),
            "loc(\"a.ttgir\":2:262): brackets nest deeper than 256");
}

TEST_F(ReadModule, StringsCommentsAndArrowsHoldNoBrackets) {
  std::string many(400, '<');
  EXPECT_EQ(errorOf("// " + many + "\nmodule attributes {tt.a = \"" + many + "\\\"\"} {}"), "");
  std::string functions;
  for (int i = 0; i < 300; ++i)
    functions += "tt.func private @f" + std::to_string(i) + "() -> i32\n";
  EXPECT_EQ(errorOf("module {\n" + functions + "}"), "");
}

TEST_F(ReadModule, PartitionsOutsideOfWarpSpecializeAreRefused) {
  EXPECT_NE(errorOf("module { tt.func public @f(%i: i32) {\n"
                    "\"ttg.warp_specialize.partitions\"(%i) ({ ttg.warp_return }) : (i32) -> ()\n"
                    "tt.return } }"),
            "");
}

} // namespace
