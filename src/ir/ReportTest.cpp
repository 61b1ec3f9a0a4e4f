#include "ir/Report.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace gluonc;
using diag::Kind;

namespace {

struct Report : testing::Test {
  mlir::MLIRContext context;
  diag::SourceManager sources;
  diag::Collector collector;
  DiagnosticBridge bridge{&context, sources, collector, Kind::KernelRejected};
  mlir::Location somewhere = mlir::UnknownLoc::get(&context);

  const diag::Diagnostic &last() { return collector.diagnostics.back(); }
};

TEST_F(Report, TheKindComesThrough) {
  report(Kind::TooManyWarps, somewhere, 36, 32).attachNote() << "here";
  EXPECT_EQ(last().kind, Kind::TooManyWarps);
  EXPECT_EQ(last().message, "the kernel needs 36 warps with its partitions; a CTA has at most 32");
  ASSERT_EQ(last().labels.size(), 1u);
  EXPECT_EQ(last().labels[0].text, "here");
}

TEST_F(Report, SeverityIsThatOfTheKind) {
  EXPECT_TRUE(mlir::failed(report(Kind::RecursiveFunction, somewhere)));
  report(Kind::BoxStartMisaligned, somewhere, 4, 8);
  EXPECT_EQ(last().severity, diag::Severity::Warning);
  EXPECT_EQ(collector.errorCount(), 1u);
}

TEST_F(Report, OthersGetTheKindOfTheirReceiver) {
  mlir::emitError(somewhere) << "no kind";
  EXPECT_EQ(last().kind, Kind::KernelRejected);
  mlir::emitWarning(somewhere) << "no kind";
  EXPECT_EQ(last().kind, Kind::KernelWarning);
  mlir::emitRemark(somewhere) << "for nobody";
  EXPECT_EQ(collector.diagnostics.size(), 2u);
}

TEST_F(Report, WarningsAreToldOncePerPlace) {
  mlir::Location other = mlir::FileLineColLoc::get(&context, "a", 1, 1);
  for (mlir::Location location : {somewhere, somewhere, other})
    report(Kind::BoxStartMisaligned, location, 4, 8);
  EXPECT_EQ(collector.diagnostics.size(), 2u);
}

} // namespace
