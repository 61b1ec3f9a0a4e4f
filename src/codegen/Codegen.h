//===- Codegen.h - What back ends are told, and what they say -----------------===//
//
// The way from ttg to machine code is Backend.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gluonc::codegen {

/// A file of LLVM IR, text or bitcode, with functions that kernels call.
struct Library {
  std::string path;
  std::shared_ptr<const std::string> contents;
};

/// How machine code is made of a module. All of it is part of a kernel's key in the cache.
struct Options {
  /// Lets a multiply and an add contract into one fused operation.
  bool fpFusion = true;
  /// Attaches `.loc` directives, so that tools map instructions to kernel lines.
  bool lineInfo = false;
  /// PTX ISA version times ten; 0 takes the lowest that offers what is emitted.
  unsigned ptxVersion = 0;
  /// Whether what NVIDIA's chips approximate in f32, and libraries that ask (`__nvvm_reflect`), may
  /// take subnormal numbers for zero.
  bool flushesSubnormals = true;
  /// Words for ptxas behind its own, as a shell splits them.
  std::string assemblerOptions = "";
  /// Waves that a SIMD of AMD's chips is to hold at least; 0: as many as come.
  unsigned wavesPerSimd = 0;
  /// Each may call functions of those behind it.
  std::vector<Library> libraries = {};
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

/// A library that cannot be linked, and why.
class LibraryError : public llvm::ErrorInfo<LibraryError> {
public:
  static char ID;
  explicit LibraryError(std::string what) : text(std::move(what)) {}
  const std::string &what() const { return text; }
  void log(llvm::raw_ostream &out) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::string text;
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

} // namespace gluonc::codegen
