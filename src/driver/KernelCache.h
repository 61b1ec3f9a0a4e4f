//===- KernelCache.h - Compile, or find it compiled -------------------------===//
#pragma once

#include "driver/Cache.h"
#include "driver/Compiler.h"

namespace gluonc::driver {

/// Everything that decides what machine code comes out.
struct KernelRequest {
  sema::Program &program;
  const sema::Function &kernel;
  llvm::ArrayRef<sema::ArgSpec> arguments;
  sema::Options options;
  CodeOptions code;
  /// Ptx or Cubin.
  Stage last = Stage::Cubin;
  /// Tells apart what names are bound to outside of the source.
  llvm::StringRef bindings = {};
};

/// The key of a request: source text and path of the kernel's file, specialization, options, exact
/// target, build of the compiler, identity of ptxas.
std::string cacheKey(const KernelRequest &request);

/// Compiles, unless `cache` has the result; stores it there. A compilation that said anything is
/// not stored, since its words would be lost. Nullopt after a report.
std::optional<CompiledKernel> compileCached(Compiler &compiler, const Cache &cache,
                                            const KernelRequest &request, diag::Sink &sink,
                                            Timings *timings = nullptr);

} // namespace gluonc::driver
