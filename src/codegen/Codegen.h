//===- Codegen.h - ttg to LLVM IR to PTX ------------------------------------===//
//
// Three steps, each usable alone (`--emit llir | ptx`):
//
//   emitLlvm   verified ttg, after the transform pipeline  ->  LLVM IR
//   optimize   LLVM IR, in place
//   emitPtx    LLVM IR -> PTX text, headed by the version and chip asked for
//
// codegen/nvidia/Ptxas.h turns the text into a cubin. Nothing here prints,
// reads the environment or keeps state that a caller could see; every function
// may be called from several threads on different modules.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "support/Timing.h"
#include "target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>

namespace gluonc::codegen {

struct Options {
  /// Lets a multiply and an add contract into one fused operation.
  bool fpFusion = true;
  /// Attaches `.loc` directives, so that tools map instructions to kernel lines.
  bool lineInfo = false;
  /// `.maxnreg`; the module attribute `ttg.maxnreg` counts where this is not set.
  std::optional<unsigned> maxRegisters = std::nullopt;
  /// PTX ISA version times ten; 0 takes the lowest that offers what is emitted.
  unsigned ptxVersion = 0;
};

/// What a launcher must know about a compiled kernel. Parameters are the kernel's own in order,
/// then two hidden pointers (global scratch, profiling scratch).
struct KernelInfo {
  std::string name;
  /// All warps of a CTA, specialized ones included.
  unsigned numWarps = 4;
  unsigned numCtas = 1;
  /// Dynamic shared memory to ask for, bytes.
  unsigned sharedBytes = 0;
  /// Per program and CTA; zero asks for none.
  unsigned globalScratchBytes = 0;
  unsigned globalScratchAlignment = 1;
};

/// An LLVM module with the context that owns its types.
struct LlvmModule {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  KernelInfo kernel;
  /// The LLVM IR text.
  std::string print() const;
};

/// An operation, type or layout that has no machine code yet, at its place in
/// the source. Drivers report it as diag::Kind::UnsupportedInCodegen.
class UnsupportedError : public llvm::ErrorInfo<UnsupportedError> {
public:
  static char ID;
  UnsupportedError(mlir::Location location, std::string what)
      : loc(location), text(std::move(what)) {}
  mlir::Location location() const { return loc; }
  /// A noun phrase: "`tt.reduce`", "`tt.load` of f8E5M2 …".
  const std::string &what() const { return text; }
  void log(llvm::raw_ostream &out) const override;
  std::error_code convertToErrorCode() const override;

private:
  mlir::Location loc;
  std::string text;
};

/// Needs exactly one public `tt.func`, the kernel; private functions are
/// emitted as internal ones. Fails with UnsupportedError.
llvm::Expected<LlvmModule> emitLlvm(mlir::ModuleOp module, const target::Target &target,
                                    const Options &options = {});

void optimize(LlvmModule &module, const target::Target &target, const Options &options = {});

/// Leaves `module` in a state that is good for printing only.
llvm::Expected<std::string> emitPtx(LlvmModule &module, const target::Target &target,
                                    const Options &options = {});

struct PtxResult {
  std::string ptx;
  KernelInfo kernel;
};
/// The three steps in a row, each timed under its own name.
llvm::Expected<PtxResult> compileToPtx(mlir::ModuleOp module, const target::Target &target,
                                       const Options &options = {}, Timings *timings = nullptr);

} // namespace gluonc::codegen
