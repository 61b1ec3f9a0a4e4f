//===- ErrorListener.h - What LLVM reports about a context's modules -------------===//
#pragma once

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace gluonc::codegen {

/// Holds what LLVM reports about modules of a context, which would print it otherwise.
class ErrorListener {
public:
  explicit ErrorListener(llvm::LLVMContext &context) : context(context) {
    context.setDiagnosticHandlerCallBack(hear, &problem);
  }
  ~ErrorListener() { context.setDiagnosticHandlerCallBack(nullptr); }
  ErrorListener(const ErrorListener &) = delete;

  /// The first error; empty where there was none.
  std::string problem;

private:
  static void hear(const llvm::DiagnosticInfo *diagnostic, void *text) {
    std::string &problem = *static_cast<std::string *>(text);
    if (diagnostic->getSeverity() != llvm::DS_Error || !problem.empty())
      return;
    llvm::raw_string_ostream out(problem);
    llvm::DiagnosticPrinterRawOStream printer(out);
    diagnostic->print(printer);
  }

  llvm::LLVMContext &context;
};

} // namespace gluonc::codegen
