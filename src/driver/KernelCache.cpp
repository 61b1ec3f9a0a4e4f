#include "driver/KernelCache.h"
#include "driver/FindPtxas.h"
#include "remote/RemoteCache.h"
#include "support/Hash.h"

#include "llvm/ADT/STLExtras.h"

namespace gluonc::driver {

/// All of a module: the generic form leaves out nothing that a custom one might.
static std::string wholeText(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module->print(out,
                mlir::OpPrintingFlags().printGenericOpForm().enableDebugInfo().assumeVerified());
  return text;
}

/// Only machine code of NVIDIA's chips is an assembler's.
static llvm::StringRef assemblerFor(llvm::StringRef target, llvm::StringRef assembler) {
  return target.starts_with("cuda:") ? assembler : "";
}

std::string localKey(llvm::StringRef code, llvm::StringRef target, llvm::StringRef assembler) {
  ContentHash hash;
  hash.add(std::string_view(code)).add(fileIdentity(assemblerFor(target, assembler)));
  return hash.hex();
}

std::string remoteKey(llvm::StringRef code, llvm::StringRef target, const std::string &assembler) {
  ContentHash hash;
  hash.add(std::string_view(code)).add(contentIdentity(assemblerFor(target, assembler).str()));
  return hash.hex();
}

KernelKey cacheKey(const KernelRequest &request) {
  ContentHash hash;
  hash.add(wholeText(request.ir)).add(request.target.name()).add(info(request.last).name);
  // A list that lacks a field does not compile.
  const auto &[assembler, backend, given] = request.code;
  const auto &[fpFusion, lineInfo, ptxVersion, flushes, ptxasOptions, waves, libraries] = backend;
  hash.add(fpFusion).add(lineInfo).add(ptxVersion).add(flushes).add(ptxasOptions).add(waves);
  for (const codegen::Library &library : libraries)
    hash.add(*library.contents);
  if (given)
    hash.add(info(given->stage).name).add(given->text);
  hash.add(buildId());
  std::string code = hash.hex();
  return {localKey(code, request.target.name(), assembler), code};
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

// The fields of what entries hold, once for both ways. A list that lacks one does not compile.

template <typename Visitor> static void visitFields(codegen::KernelInfo &value, Visitor &visitor) {
  auto &[name, numWarps, numCtas, sharedBytes, scratchBytes, scratchAlignment] = value;
  visitor(name, numWarps, numCtas, sharedBytes, scratchBytes, scratchAlignment);
}

template <typename Visitor>
static void visitFields(codegen::ResourceUsage &value, Visitor &visitor) {
  auto &[kernel, registers, spillStoreBytes, spillLoadBytes, spillsByChoice, stackBytes,
         sharedBytes, serialization] = value;
  visitor(kernel, registers, spillStoreBytes, spillLoadBytes, spillsByChoice, stackBytes,
          sharedBytes, serialization);
}

template <typename Visitor> static void visitFields(codegen::Artifact &value, Visitor &visitor) {
  auto &[kind, bytes, resources, sharedBytes] = value;
  visitor(kind, bytes, resources, sharedBytes);
}

template <typename Visitor> static void visitFields(CompiledKernel &value, Visitor &visitor) {
  auto &[kernel, artifact, assembly] = value;
  visitor(kernel, artifact, assembly);
}

namespace {

struct Encoder {
  RecordWriter writer;

  template <typename... Fields> void operator()(Fields &...fields) { (add(fields), ...); }

  void add(std::string &text) { writer.add(text); }
  void add(unsigned &number) { writer.add(uint64_t(number)); }
  void add(bool &flag) { writer.add(uint64_t(flag)); }
  template <typename Struct> void add(Struct &value) { visitFields(value, *this); }
  template <typename Struct> void add(std::optional<Struct> &value) {
    writer.add(uint64_t(value.has_value()));
    if (value)
      add(*value);
  }
};

struct Decoder {
  RecordReader reader;

  template <typename... Fields> void operator()(Fields &...fields) { (read(fields), ...); }

  void read(std::string &text) { text = reader.text().str(); }
  void read(unsigned &number) { number = static_cast<unsigned>(reader.number()); }
  void read(bool &flag) { flag = reader.number() != 0; }
  template <typename Struct> void read(Struct &value) { visitFields(value, *this); }
  template <typename Struct> void read(std::optional<Struct> &value) {
    if (reader.number())
      read(value.emplace());
  }
};

} // namespace

std::string encodeKernel(CompiledKernel compiled) {
  Encoder encoder;
  encoder.add(compiled);
  return encoder.writer.take();
}

std::optional<CompiledKernel> decodeKernel(llvm::StringRef bytes) {
  Decoder decoder{RecordReader(bytes)};
  CompiledKernel compiled;
  decoder.read(compiled);
  if (decoder.reader.failed() || !decoder.reader.atEnd())
    return std::nullopt;
  return compiled;
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

namespace {
/// Hands everything on and notices whether there was anything.
class Noticing : public diag::Sink {
public:
  explicit Noticing(diag::Sink &inner) : inner(inner) {}
  bool silent = true;

protected:
  void handle(diag::Diagnostic diagnostic) override {
    silent = false;
    inner.submit(std::move(diagnostic));
  }

private:
  diag::Sink &inner;
};
} // namespace

std::string label(const KernelSource &source) {
  std::string text;
  llvm::raw_string_ostream out(text);
  const sema::Options &options = source.options;
  out << (source.ir ? source.ir->path() : source.kernel->name) << '(';
  llvm::interleaveComma(source.arguments, out,
                        [&](const sema::ArgSpec &argument) { out << argument.text(); });
  out << ") " << options.target.name() << ' ' << options.numWarps << " warps";
  if (options.numCtas != 1)
    out << ", " << options.numCtas << " CTAs";
  return text;
}

/// Also on disk, where that can be written.
static void keep(const Cache &cache, llvm::StringRef key, remote::Entry entry) {
  CacheEntry local = {std::move(entry.label), std::move(entry.payload), std::move(entry.code),
                      std::move(entry.target), std::move(entry.build)};
  llvm::consumeError(cache.store(key, local));
}

std::optional<CompiledKernel> findCached(const Cache &cache, const KernelRequest &request,
                                         const KernelKey &key) {
  if (std::optional<CacheEntry> entry = cache.find(key.text))
    if (std::optional<CompiledKernel> compiled = decodeKernel(entry->payload))
      return compiled;
  if (!cache.remote())
    return std::nullopt;
  std::string target = request.target.name();
  std::optional<remote::Entry> entry =
      cache.remote()->find(remoteKey(key.code, target, request.code.assembler), buildId(), target);
  std::optional<CompiledKernel> compiled = entry ? decodeKernel(entry->payload) : std::nullopt;
  if (compiled)
    keep(cache, key.text, std::move(*entry));
  return compiled;
}

bool push(const Cache &cache, const std::string &key, const std::string &assembler,
          std::string &remoteName) {
  std::optional<CacheEntry> entry = cache.find(key);
  if (!entry || entry->build != buildId() || localKey(entry->code, entry->target, assembler) != key)
    return false;
  remoteName = remoteKey(entry->code, entry->target, assembler);
  return cache.remote()->store(
      remoteName, {entry->build, entry->target, entry->code, entry->label, entry->payload});
}

bool pull(const Cache &cache, const std::string &remoteName, const std::string &assembler) {
  std::optional<remote::Entry> entry = cache.remote()->find(remoteName, buildId(), "");
  // Another assembler's.
  if (!entry || remoteKey(entry->code, entry->target, assembler) != remoteName)
    return false;
  std::string key = localKey(entry->code, entry->target, assembler);
  keep(cache, key, std::move(*entry));
  return true;
}

std::optional<CompiledKernel> compileCached(Compiler &compiler, const Cache &cache,
                                            const KernelRequest &request, const KernelKey &key,
                                            const std::string &label,
                                            const diag::SourceManager &sources, diag::Sink &sink,
                                            Timings *timings) {
  std::optional<CompiledKernel> found = findCached(cache, request, key);
  if (std::optional<std::string> why = cache.takeRefusal())
    sink.report(diag::Kind::KernelWarning, {}, "not taken from the cache: " + *why)
        .hint("only what nobody else can write is used: without the folder, it is made anew");
  if (std::optional<std::string> why =
          cache.remote() ? cache.remote()->takeProblem() : std::nullopt)
    sink.report(diag::Kind::KernelWarning, {}, "remote cache: " + *why)
        .hint("kernels are compiled as without it; `gluonc cache stats` counts");
  if (found)
    return found;
  Noticing noticing(sink);
  if (!compiler.transform(request.ir, request.target, sources, noticing, timings))
    return std::nullopt;
  std::optional<CompiledKernel> compiled = compiler.generate(
      request.ir, request.target, request.last, request.code, sources, noticing, timings);
  if (!compiled || !noticing.silent || !cache.keeps())
    return compiled;
  // A cache that cannot be written costs time and nothing else.
  CacheEntry entry = {label, encodeKernel(*compiled), key.code, request.target.name(), buildId()};
  if (cache.remote())
    cache.remote()->store(remoteKey(key.code, entry.target, request.code.assembler),
                          {entry.build, entry.target, entry.code, entry.label, entry.payload});
  if (llvm::Error error = cache.store(key.text, entry)) {
    std::string why = llvm::toString(std::move(error));
    if (cache.takeUnwritable())
      sink.report(diag::Kind::KernelWarning, {}, "not kept in the cache: " + why)
          .hint("GLUONC_CACHE_DIR names another folder, or, empty, none");
  }
  return compiled;
}

} // namespace gluonc::driver
