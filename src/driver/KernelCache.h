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

struct KernelKey {
  /// Of this machine's cache: `code`, and which file the assembler is. Costs no reading of it.
  std::string text;
  /// The IR with all attributes and locations, options of code generation, exact target, build of
  /// the compiler.
  std::string code;
};

KernelKey cacheKey(const KernelRequest &request);
/// KernelKey::text of a `code` that is for the target of this name.
std::string localKey(llvm::StringRef code, llvm::StringRef target, llvm::StringRef assembler);
/// The same for caches that machines share: what the assembler is, wherever it lies.
std::string remoteKey(llvm::StringRef code, llvm::StringRef target, const std::string &assembler);

/// A compiled kernel as entries of the cache hold it. Nullopt for other bytes.
std::string encodeKernel(CompiledKernel compiled);
std::optional<CompiledKernel> decodeKernel(llvm::StringRef bytes);

/// What `cache`, or the remote one behind it, has under the key of a request. What came from
/// there is then on disk.
std::optional<CompiledKernel> findCached(const Cache &cache, const KernelRequest &request,
                                         const KernelKey &key);

/// Puts an entry of the cache where other machines find it. False where it cannot: made by another
/// build or assembler, or the storage fails.
bool push(const Cache &cache, const std::string &key, const std::string &assembler,
          std::string &remoteName);
/// Takes what the remote cache has under a name. False where that is nothing for this machine.
bool pull(const Cache &cache, const std::string &remoteName, const std::string &assembler);

/// "memcpy(*fp32:16, i32, constexpr(2048)) cuda:90a 4 warps": what tells specializations apart.
std::string label(const KernelSource &source);

/// Compiles, unless `cache` has the result under `key`; stores it there with `label`. A compilation
/// that said anything is not stored, since its words would be lost. Nullopt after a report.
std::optional<CompiledKernel> compileCached(Compiler &compiler, const Cache &cache,
                                            const KernelRequest &request, const KernelKey &key,
                                            const std::string &label,
                                            const diag::SourceManager &sources, diag::Sink &sink,
                                            Timings *timings = nullptr);

} // namespace gluonc::driver
