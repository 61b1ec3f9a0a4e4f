//===- main.cpp - gluon-opt: reads, checks, transforms and prints IR ---------===//
//
//   gluon-opt kernel.ttgir                              parse, verify, print
//   gluon-opt kernel.ttgir -gluonc-pipeline=cuda:90a    everything before code generation
//   gluon-opt kernel.ttgir -gluonc-allocate-shared      one pass
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "ir/Dialects.h"
#include "ir/text/CheckText.h"
#include "support/Error.h"
#include "transform/Pipeline.h"

#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

static void printInternalError(const char *file, int line, std::string_view what) {
  llvm::errs() << file << ':' << line << ": internal error: " << what << '\n';
}

/// Each part of a split file is read for itself.
static bool isReadable(const llvm::MemoryBuffer &input, llvm::StringRef marker) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(input.getMemBufferRef()), {});
  for (llvm::StringRef rest = input.getBuffer(), part; !rest.empty();) {
    std::tie(part, rest) = marker.empty() ? std::pair(rest, llvm::StringRef()) : rest.split(marker);
    if (std::optional<gluonc::TextProblem> problem = gluonc::checkText(part)) {
      sources.PrintMessage(llvm::SMLoc::getFromPointer(problem->where), llvm::SourceMgr::DK_Error,
                           problem->what);
      return false;
    }
  }
  return true;
}

int main(int argc, char **argv) {
  gluonc::setInternalErrorHandler(printInternalError);
  mlir::DialectRegistry registry;
  gluonc::registerAllDialects(registry);
  gluonc::registerAssignPasses();
  gluonc::registerPasses();
  auto [inputName, outputName] =
      mlir::registerAndParseCLIOptions(argc, argv, "gluonc IR transformation tool\n", registry);
  mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = mlir::openInputFile(inputName, &error);
  std::unique_ptr<llvm::ToolOutputFile> output =
      input ? mlir::openOutputFile(outputName, &error) : nullptr;
  if (!output) {
    llvm::errs() << error << '\n';
    return EXIT_FAILURE;
  }
  if (!isReadable(*input, config.inputSplitMarker()) ||
      failed(mlir::MlirOptMain(output->os(), std::move(input), registry, config)))
    return EXIT_FAILURE;
  output->keep();
  return EXIT_SUCCESS;
}
