#include "driver/KernelCache.h"
#include "driver/FindPtxas.h"
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

std::string cacheKey(const KernelRequest &request) {
  ContentHash hash;
  hash.add(wholeText(request.ir)).add(request.target.name()).add(info(request.last).name);
  // A list that lacks a field does not compile.
  const auto &[assembler, backend, given] = request.code;
  const auto &[fpFusion, lineInfo, ptxVersion] = backend;
  hash.add(fileIdentity(assembler)).add(fpFusion).add(lineInfo).add(ptxVersion);
  if (given)
    hash.add(info(given->stage).name).add(given->text);
  hash.add(buildId());
  return hash.hex();
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
  auto &[kernel, registers, spillStoreBytes, spillLoadBytes, stackBytes, sharedBytes] = value;
  visitor(kernel, registers, spillStoreBytes, spillLoadBytes, stackBytes, sharedBytes);
}

template <typename Visitor> static void visitFields(codegen::Artifact &value, Visitor &visitor) {
  auto &[kind, bytes, resources] = value;
  visitor(kind, bytes, resources);
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

std::optional<CompiledKernel> findCached(const Cache &cache, llvm::StringRef key) {
  std::optional<CacheEntry> entry = cache.find(key);
  return entry ? decodeKernel(entry->payload) : std::nullopt;
}

std::optional<CompiledKernel> compileCached(Compiler &compiler, const Cache &cache,
                                            const KernelRequest &request, llvm::StringRef key,
                                            const std::string &label,
                                            const diag::SourceManager &sources, diag::Sink &sink,
                                            Timings *timings) {
  std::optional<CompiledKernel> found = findCached(cache, key);
  if (std::optional<std::string> why = cache.takeRefusal())
    sink.report(diag::Kind::KernelWarning, {}, "not taken from the cache: " + *why)
        .hint("only what nobody else can write is used: without the folder, it is made anew");
  if (found)
    return found;
  Noticing noticing(sink);
  if (!compiler.transform(request.ir, request.target, sources, noticing, timings))
    return std::nullopt;
  std::optional<CompiledKernel> compiled = compiler.generate(
      request.ir, request.target, request.last, request.code, sources, noticing, timings);
  if (!compiled || !noticing.silent || !cache.isOn())
    return compiled;
  // A cache that cannot be written costs time and nothing else.
  if (llvm::Error error = cache.store(key, {label, encodeKernel(*compiled)})) {
    std::string why = llvm::toString(std::move(error));
    if (cache.takeUnwritable())
      sink.report(diag::Kind::KernelWarning, {}, "not kept in the cache: " + why)
          .hint("GLUONC_CACHE_DIR names another folder, or, empty, none");
  }
  return compiled;
}

} // namespace gluonc::driver
