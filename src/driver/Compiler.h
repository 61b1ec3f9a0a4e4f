//===- Compiler.h - Source to machine code, stage by stage ------------------===//
//
//   Program + arguments ─specialize─▶ ttg ─transform─▶ ttg ─generate─▶ LLVM IR ▶ assembly ▶ machine
//   code
//        file of ttg IR ───parseIr──▶
//
// A Compiler owns one MLIRContext and reuses it: making one and loading the
// dialects costs more than compiling a small kernel. It serves one compilation at
// a time; an Engine keeps several.
//
// Where the vendor's assembler is, is decided by the program around (FindPtxas.h) and
// passed in.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/Backend.h"
#include "driver/Stage.h"
#include "sema/Specialize.h"

#include "mlir/IR/MLIRContext.h"

namespace mlir {
class PassManager;
}

namespace gluonc::driver {

/// A form of the code that is given, in place of what the stages up to it make: LLVM IR, or text
/// for the vendor's assembler. The kernel's name, parameters and memory are those of its source.
struct GivenCode {
  Stage stage = Stage::Assembly;
  std::string text;
};

/// How machine code is made, beyond what the source and its specialization say.
struct CodeOptions {
  /// Path of the vendor's assembler; empty where there is none.
  std::string assembler = "";
  codegen::Options backend = {};
  std::optional<GivenCode> given = std::nullopt;
  /// What a launch loads. Without an assembler the driver of an NVIDIA GPU compiles assembly when
  /// it loads that; code for AMD GPUs needs none.
  Stage launchedStage(const target::Target &target) const {
    return assembler.empty() && target.isNvidia() ? Stage::Assembly : Stage::Binary;
  }
};

/// A kernel after its last stage.
struct CompiledKernel {
  codegen::KernelInfo kernel;
  /// What the last stage gave.
  codegen::Artifact artifact;
  /// What machine code was assembled from.
  codegen::Artifact assembly;
};

/// What a kernel's IR is made from: a function and what its parameters are, or a file of IR.
struct KernelSource {
  /// Its sources hold the file of IR, too.
  sema::Program &program;
  /// Null where there is a file of IR.
  const sema::Function *kernel = nullptr;
  llvm::ArrayRef<sema::ArgSpec> arguments;
  /// For a file of IR they say again what its attributes do, but for the target and maxnreg.
  sema::Options options;
  const diag::SourceFile *ir = nullptr;
};

class Compiler {
public:
  Compiler();
  ~Compiler();

  mlir::MLIRContext &context() { return *mlirContext; }

  /// From now on, say as remarks what is chosen for kernels that state no layouts, and why.
  void wantRemarks() { remarks = true; }

  /// Null after a report.
  mlir::OwningOpRef<mlir::ModuleOp> specialize(sema::Program &program, const sema::Function &kernel,
                                               llvm::ArrayRef<sema::ArgSpec> arguments,
                                               const sema::Options &options, diag::Sink &sink,
                                               Timings *timings = nullptr,
                                               sema::ValueObserver observer = {});

  /// Reads a `.ttgir` file's text, ours or Triton's. Null after a report.
  mlir::OwningOpRef<mlir::ModuleOp> parseIr(const diag::SourceFile &file,
                                            const diag::SourceManager &sources, diag::Sink &sink,
                                            Timings *timings = nullptr);

  /// From whichever of the two there is. Null after a report.
  mlir::OwningOpRef<mlir::ModuleOp> makeIr(const KernelSource &source, diag::Sink &sink,
                                           Timings *timings = nullptr);

  /// The part of `transform` that chooses layouts, after which every tensor has one. False after a
  /// report.
  bool assignLayouts(mlir::ModuleOp module, const target::Target &target,
                     const diag::SourceManager &sources, diag::Sink &sink);

  /// The transform pipeline, in place. False after a report.
  bool transform(mlir::ModuleOp module, const target::Target &target,
                 const diag::SourceManager &sources, diag::Sink &sink, Timings *timings = nullptr);

  /// Whether a transformed module can become machine code, as far as that shows before the
  /// assembler runs; true for chips without code generation. For simulated launches: what they
  /// accept compiles for the chip that they stand for. False after a report.
  bool isLegal(mlir::ModuleOp module, const target::Target &target,
               const diag::SourceManager &sources, diag::Sink &sink, Timings *timings = nullptr);

  /// From transformed ttg to `last` (Llir, Assembly or Binary). Nullopt after a report.
  std::optional<CompiledKernel> generate(mlir::ModuleOp module, const target::Target &target,
                                         Stage last, const CodeOptions &options,
                                         const diag::SourceManager &sources, diag::Sink &sink,
                                         Timings *timings = nullptr);

private:
  bool runPasses(mlir::PassManager &passes, mlir::ModuleOp module,
                 const diag::SourceManager &sources, diag::Sink &sink);

  std::unique_ptr<mlir::MLIRContext> mlirContext;
  bool remarks = false;
};

/// The textual form of a module, as `--emit ttgir` prints it; `withNames`, values are called as in
/// the source.
std::string printIr(mlir::ModuleOp module, bool withNames = false);

/// Identifies this build of the compiler: the linker's build id of the program or library that
/// holds this code. Part of every cache key.
std::string buildId();

} // namespace gluonc::driver
