#include "ir/text/ReadModule.h"

#include "ir/Dialects.h"
#include "ir/Report.h"
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
        kind = kindOf(diagnostic);
      }
      return mlir::success();
    });
    EXPECT_EQ(bool(readModule(context, text, "a.ttgir")), found.empty());
    return found;
  }

  mlir::MLIRContext context;
  /// Of that error.
  std::optional<diag::Kind> kind;
};

TEST_F(ReadModule, TextsAreBounded) {
  EXPECT_EQ(errorOf(std::string(mostSourceBytes + 1, '\n')),
            "loc(\"a.ttgir\":1:1): the text is larger than 32 MiB");
  EXPECT_EQ(kind, diag::Kind::IrTooLarge);
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

TEST_F(ReadModule, ValuesOfARegionAreNotUsedBeforeIt) {
  auto errorIn = [&](const std::string &body) {
    return errorOf("tt.func public @k(%p: i1, %n: i32) {\n" + body + "\ntt.return }");
  };
  auto outside = [](const char *place) {
    return "loc(\"a.ttgir\":" + std::string(place) +
           "): '%c' is used outside of this region before it is defined in it";
  };
  std::string constant = "%c = arith.constant 1 : i32";
  std::string loop = "scf.for %a = %n to %n step %c : i32 {\n";
  EXPECT_EQ(errorIn(loop + constant + " }"), outside("3:1"));
  EXPECT_EQ(errorIn(loop + "%d, %c = \"x.y\"() : () -> (i32, i32) }"), outside("3:5"));
  EXPECT_EQ(errorIn(loop + "scf.if %p {\n" + constant + " } }"), outside("4:1"));
  EXPECT_EQ(errorIn(loop + "scf.for %c = %a to %n step %n : i32 { } }"), outside("3:9"));
  EXPECT_EQ(errorIn(loop + "tt.func @f(%c: i32) { tt.return } }"), outside("3:12"));
  EXPECT_EQ(errorIn("scf.for %c = %n to %n step %c : i32 { }"), outside("2:9"));
  EXPECT_EQ(errorIn("scf.if %c { } else {\n%c = arith.constant true }"), outside("3:1"));
  EXPECT_EQ(errorIn("scf.while (%a = %c) : (i32) -> i32 {\nscf.condition(%p) %a : i32 } do {\n"
                    "^bb0(%c: i32):\nscf.yield %c : i32 }"),
            outside("4:6"));
  // The error comes when the parser has gone on with the value.
  EXPECT_EQ(errorIn("ttg.warp_specialize()\ndefault { %a = arith.addi %c, %c : i32\n"
                    "ttg.warp_yield }\npartition0() num_warps(4) {\n" +
                    constant + "\n%d = arith : i32 }"),
            outside("6:1"));
  EXPECT_EQ(errorIn("%a = arith.cmpi sgt, %c, %n : i32\nscf.if %p {\n" + constant + " }"),
            outside("4:1"));
  EXPECT_EQ(errorIn("%a = arith.addi %c, %c : i32\nscf.if %p {\n" + constant + " \"}"),
            outside("4:1"));
  EXPECT_EQ(errorIn("%r = scf.if %p -> (i32) {\n%a = arith.addi %c, %c : i32\nscf.if %p {\n" +
                    constant + " } }"),
            outside("5:1"));
  // What is used before it is defined, but not so.
  std::string late = "operand #0 does not dominate this use";
  EXPECT_EQ(errorIn("scf.if %c { }\n%c = arith.constant true"), "loc(\"a.ttgir\":2:1): " + late);
  EXPECT_EQ(errorIn("%c = scf.if %c -> (i1) { scf.yield %p : i1 } else { scf.yield %p : i1 }"),
            "loc(\"a.ttgir\":2:6): " + late);
}

TEST_F(ReadModule, NamesMayBeUsedAgain) {
  EXPECT_EQ(errorOf(R"(module attributes {"ttg.num-warps" = 4 : i32} {
    tt.func public @k(%p: i1, %n: i32) {
      %r:2 = scf.while (%a = %n, %b = %n) : (i32, i32) -> (i32, i32) {
        scf.condition(%p) %a, %b : i32, i32
      } do {
      ^bb0(%a: i32, %b: i32):
        %s = scf.if %p -> (i32) {
          %x = arith.addi %a, %b : i32
          scf.yield %x : i32
        } else {
          %x = arith.subi %a, %b : i32
          scf.yield %x : i32
        }
        scf.yield %s, %b : i32, i32
      }
      scf.for %i = %r#0 to %r#1 step %n : i32 {
        %x, %y = arith.addui_extended %i, %n : i32, i1
        scf.if %y {
          %z = arith.addi %x, %n : i32
        }
      } {tt.num_stages = 3 : i32}
      cf.cond_br %p, ^bb1(%n : i32), ^bb2
    ^bb1(%x: i32):
      scf.for %i = %n to %n step %x : i32 {
        tt.store %q, %x : !tt.ptr<i32>
      }
      cf.br ^bb2
    ^bb2:
      tt.return
    }
  })")
                .find("outside of this region"),
            std::string::npos);
}

TEST_F(ReadModule, AStringHasAnEnd) {
  EXPECT_EQ(errorOf("\"cuda\nmodule {}"), "loc(\"a.ttgir\":1:6): expected '\"' in string literal");
}

TEST_F(ReadModule, ArraysHoldNoIndices) {
  EXPECT_EQ(errorOf("module attributes {a = array<index: 1>} {}"),
            "loc(\"a.ttgir\":1:30): an array attribute cannot hold 'index'");
  EXPECT_EQ(errorOf("module attributes {tt.a = array<i32: 1>} {}"), "");
}

TEST_F(ReadModule, OnlyWhatKernelsAreMadeOfIsRead) {
  EXPECT_EQ(errorOf("tt.func public @k() {\nscf.execute_region { scf.yield }\ntt.return }"),
            "loc(\"a.ttgir\":2:1): unknown operation 'scf.execute_region'");
  EXPECT_EQ(errorOf("ML\xefR"), "loc(\"a.ttgir\":1:1): bytecode of MLIR is not read, only text");
}

TEST_F(ReadModule, PartitionsOutsideOfWarpSpecializeAreRefused) {
  EXPECT_NE(errorOf("module { tt.func public @f(%i: i32) {\n"
                    "\"ttg.warp_specialize.partitions\"(%i) ({ ttg.warp_return }) : (i32) -> ()\n"
                    "tt.return } }"),
            "");
}

TEST_F(ReadModule, CountsOfTheModuleAreNumbersInRange) {
  EXPECT_EQ(errorOf("module attributes {\"ttg.num-warps\" = 8 : i32} {}"), "");
  std::string warps = "loc(\"a.ttgir\":1:1): `ttg.num-warps` is an i32 from 1 to 32";
  EXPECT_EQ(errorOf("module attributes {\"ttg.num-warps\" = \"x\"} {}"), warps);
  EXPECT_EQ(kind, diag::Kind::LaunchAttribute);
  EXPECT_EQ(errorOf("module attributes {\"ttg.num-warps\" = 4 : i64} {}"), warps);
  EXPECT_EQ(errorOf("module attributes {\"ttg.num-warps\" = -4 : i32} {}"), warps);
  // A CTA has 1024 threads.
  EXPECT_EQ(errorOf("module attributes {\"ttg.num-warps\" = 32 : i32, "
                    "\"ttg.threads-per-warp\" = 64 : i32} {}"),
            "loc(\"a.ttgir\":1:1): `ttg.num-warps` is an i32 from 1 to 16");
  EXPECT_EQ(errorOf("module attributes {ttg.maxnreg = -1 : i32} {}"),
            "loc(\"a.ttgir\":1:1): `ttg.maxnreg` is an i32 from 1 to 255");
}

} // namespace
