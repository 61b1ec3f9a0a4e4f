//===- KernelCache.h - Compile, or find it compiled -------------------------===//
#pragma once

#include "driver/Cache.h"
#include "driver/Compiler.h"

#include <mutex>

namespace gluonc::driver {

/// Everything that decides what machine code comes out.
struct KernelRequest {
  KernelSource source;
  CodeOptions code;
  /// Ptx or Cubin.
  Stage last = Stage::Cubin;
  /// Tells apart what names are bound to outside of the source.
  llvm::StringRef bindings = {};
  /// What guards `program`, where several threads compile. Held by the caller; released once only
  /// machine code is left to be made.
  std::unique_lock<std::recursive_mutex> *programLock = nullptr;
};

/// The key of a request: text and path of the kernel's file or of its IR, specialization, options,
/// exact target, build of the compiler, identity of ptxas.
std::string cacheKey(const KernelRequest &request);

/// What `cache` has for a request.
std::optional<CompiledKernel> findCached(const Cache &cache, const KernelRequest &request);

/// "memcpy(*fp32:16, i32, constexpr(2048)) cuda:90a 4 warps": what tells specializations apart.
std::string label(const KernelRequest &request);

/// Compiles, unless `cache` has the result; stores it there. A compilation that said anything is
/// not stored, since its words would be lost. Nullopt after a report.
std::optional<CompiledKernel> compileCached(Compiler &compiler, const Cache &cache,
                                            const KernelRequest &request, diag::Sink &sink,
                                            Timings *timings = nullptr);

} // namespace gluonc::driver
