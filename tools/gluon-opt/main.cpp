//===- main.cpp - gluon-opt: reads, checks, transforms and prints IR ---------===//
//
//   gluon-opt kernel.ttgir                              parse, verify, print
//   gluon-opt kernel.ttgir -gluonc-pipeline=cuda:90a    everything before code generation
//   gluon-opt kernel.ttgir -gluonc-allocate-shared      one pass
//
//===----------------------------------------------------------------------===//
#include "ir/Dialects.h"
#include "support/Error.h"
#include "transform/Pipeline.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

static void printInternalError(const char *file, int line, std::string_view what) {
  llvm::errs() << file << ':' << line << ": internal error: " << what << '\n';
}

int main(int argc, char **argv) {
  gluonc::setInternalErrorHandler(printInternalError);
  mlir::DialectRegistry registry;
  gluonc::registerAllDialects(registry);
  gluonc::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "gluonc IR transformation tool\n", registry));
}
