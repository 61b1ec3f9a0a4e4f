//===- KernelCache.h - Compile, or find it compiled -------------------------===//
//
// The key of a compiled kernel is what its machine code is made from: the IR that
// specialization gave. Nothing that specialization read, and nothing that it did not
// read, has to be named beside it. So the front end always runs; what is found is the
// rest, which takes nearly all of the time.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "driver/Cache.h"
#include "driver/Compiler.h"

namespace gluonc::driver {

/// Everything that decides what machine code comes out.
struct KernelRequest {
  /// From Compiler::makeIr. Compiling changes it.
  mlir::ModuleOp ir;
  const target::Target &target;
  CodeOptions code;
  /// Ptx or Cubin.
  Stage last = Stage::Binary;
};

/// The key of a request: the IR with all attributes and locations, options of code generation,
/// exact target, build of the compiler, identity of the assembler.
std::string cacheKey(const KernelRequest &request);

/// A compiled kernel as entries of the cache hold it. Nullopt for other bytes.
std::string encodeKernel(CompiledKernel compiled);
std::optional<CompiledKernel> decodeKernel(llvm::StringRef bytes);

/// What `cache` has under a key.
std::optional<CompiledKernel> findCached(const Cache &cache, llvm::StringRef key);

/// "memcpy(*fp32:16, i32, constexpr(2048)) cuda:90a 4 warps": what tells specializations apart.
std::string label(const KernelSource &source);

/// Compiles, unless `cache` has the result under `key`; stores it there with `label`. A compilation
/// that said anything is not stored, since its words would be lost. Nullopt after a report.
std::optional<CompiledKernel> compileCached(Compiler &compiler, const Cache &cache,
                                            const KernelRequest &request, llvm::StringRef key,
                                            const std::string &label,
                                            const diag::SourceManager &sources, diag::Sink &sink,
                                            Timings *timings = nullptr);

} // namespace gluonc::driver
