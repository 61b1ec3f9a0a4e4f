// Any text as IR: reading it never crashes, and what was read prints as text that reads as the
// same.

#include "ir/Dialects.h"
#include "ir/text/ReadModule.h"
#include "support/Error.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace gluonc;

static std::string printed(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out);
  return text;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A fresh context from time to time: types are never freed.
  static std::unique_ptr<mlir::MLIRContext> context;
  static unsigned runs = 0;
  if (runs++ % 10000 == 0) {
    context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
    loadAllDialects(*context);
  }
  mlir::ScopedDiagnosticHandler silent(context.get(),
                                       [](mlir::Diagnostic &) { return mlir::success(); });
  // MLIR's lexer stops at the null character behind the text.
  std::string text(reinterpret_cast<const char *>(data), size);
  auto module = readModule(*context, text);
  if (!module)
    return 0;
  std::string once = printed(*module);
  auto again = readModule(*context, once);
  GL_CHECK(bool(again));
  GL_CHECK(printed(*again) == once);
  return 0;
}
