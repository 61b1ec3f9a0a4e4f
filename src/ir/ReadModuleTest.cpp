#include "ir/ReadModule.h"

#include "ir/Dialects.h"
#include "support/File.h"

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

TEST_F(ReadModule, TextsAreBounded) {
  EXPECT_EQ(errorOf(std::string(mostSourceBytes + 1, '\n')),
            "loc(\"a.ttgir\":1:1): the text is larger than 32 MiB");
}

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

TEST_F(ReadModule, CountsOfTheModuleAreNumbersInRange) {
  EXPECT_EQ(errorOf("module attributes {\"ttg.num-warps\" = 8 : i32} {}"), "");
  std::string warps = "loc(\"a.ttgir\":1:1): `ttg.num-warps` is an i32 from 1 to 64";
  EXPECT_EQ(errorOf("module attributes {\"ttg.num-warps\" = \"x\"} {}"), warps);
  EXPECT_EQ(errorOf("module attributes {\"ttg.num-warps\" = 4 : i64} {}"), warps);
  EXPECT_EQ(errorOf("module attributes {\"ttg.num-warps\" = -4 : i32} {}"), warps);
  EXPECT_EQ(errorOf("module attributes {ttg.maxnreg = -1 : i32} {}"),
            "loc(\"a.ttgir\":1:1): `ttg.maxnreg` is an i32 from 1 to 255");
}

} // namespace
