#include "driver/KernelCache.h"
#include "driver/FindPtxas.h"
#include "support/Hash.h"

#include "llvm/ADT/STLExtras.h"

namespace gluonc::driver {

/// The file that a kernel is written in.
static const diag::SourceFile *fileOf(const sema::Function &kernel) { return kernel.span.file; }

std::string cacheKey(const KernelRequest &request) {
  ContentHash hash;
  const diag::SourceFile *file = fileOf(request.kernel);
  hash.add(file->path()).add(file->text()).add(request.kernel.name);
  hash.add(uint64_t(request.kernel.span.begin)).add(request.bindings);
  hash.add(request.arguments.size());
  for (const sema::ArgSpec &argument : request.arguments)
    hash.add(argument.text());
  const sema::Options &options = request.options;
  hash.add(options.target.name()).add(options.numWarps).add(options.numCtas);
  hash.add(options.maxnreg.value_or(0)).add(options.debug).add(options.sanitizeOverflow);
  hash.add(options.enableFpFusion);
  hash.add(request.code.lineInfo).add(request.code.fpFusion).add(request.code.ptxVersion);
  hash.add(info(request.last).name);
  hash.add(buildId()).add(fileIdentity(request.code.ptxas));
  return hash.hex();
}

static std::string encode(const CompiledKernel &compiled) {
  const codegen::KernelInfo &kernel = compiled.kernel;
  RecordWriter writer;
  writer.add(kernel.name).add(kernel.numWarps).add(kernel.numCtas).add(kernel.sharedBytes);
  writer.add(kernel.globalScratchBytes).add(kernel.globalScratchAlignment);
  writer.add(compiled.output).add(compiled.ptx).add(compiled.resources.has_value());
  const codegen::nvidia::ResourceUsage usage =
      compiled.resources.value_or(codegen::nvidia::ResourceUsage());
  writer.add(usage.kernel).add(usage.registers).add(usage.spillStoreBytes);
  writer.add(usage.spillLoadBytes).add(usage.stackBytes).add(usage.sharedBytes);
  return writer.take();
}

static std::optional<CompiledKernel> decode(llvm::StringRef bytes) {
  RecordReader reader(bytes);
  auto number = [&] { return static_cast<unsigned>(reader.number()); };
  CompiledKernel compiled;
  compiled.kernel.name = reader.text().str();
  compiled.kernel.numWarps = number();
  compiled.kernel.numCtas = number();
  compiled.kernel.sharedBytes = number();
  compiled.kernel.globalScratchBytes = number();
  compiled.kernel.globalScratchAlignment = number();
  compiled.output = reader.text().str();
  compiled.ptx = reader.text().str();
  bool hasUsage = number() != 0;
  codegen::nvidia::ResourceUsage usage;
  usage.kernel = reader.text().str();
  usage.registers = number();
  usage.spillStoreBytes = number();
  usage.spillLoadBytes = number();
  usage.stackBytes = number();
  usage.sharedBytes = number();
  if (hasUsage)
    compiled.resources = std::move(usage);
  if (reader.failed() || !reader.atEnd())
    return std::nullopt;
  return compiled;
}

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

/// `dependencies`, where asked for, gets what the kernel's source reached.
static std::optional<CompiledKernel> compile(Compiler &compiler, const KernelRequest &request,
                                             std::vector<CacheDependency> *dependencies,
                                             diag::Sink &sink, Timings *timings) {
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler.specialize(
      request.program, request.kernel, request.arguments, request.options, sink, timings);
  if (dependencies)
    // The kernel's own file is part of the key, and so are values that the host program gave as
    // text: nobody could read `<value>` again to see whether it is the same.
    for (const diag::SourceFile *file : request.program.files())
      if (file != fileOf(request.kernel) && !llvm::StringRef(file->path()).starts_with("<"))
        dependencies->push_back({file->path(), hashText(file->text())});
  const diag::SourceManager &sources = request.program.sources();
  if (request.programLock)
    request.programLock->unlock();
  if (!module || !compiler.transform(*module, request.options.target, sources, sink, timings))
    return std::nullopt;
  return compiler.generate(*module, request.options.target, request.last, request.code, sources,
                           sink, timings);
}

std::string label(const KernelRequest &request) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << request.kernel.name << '(';
  llvm::interleaveComma(request.arguments, out,
                        [&](const sema::ArgSpec &argument) { out << argument.text(); });
  out << ") " << request.options.target.name() << ' ' << request.options.numWarps << " warps";
  if (request.options.numCtas != 1)
    out << ", " << request.options.numCtas << " CTAs";
  return text;
}

std::optional<CompiledKernel> findCached(const Cache &cache, const KernelRequest &request) {
  if (!cache.isOn())
    return std::nullopt;
  std::optional<CacheEntry> entry = cache.find(cacheKey(request));
  return entry ? decode(entry->payload) : std::nullopt;
}

std::optional<CompiledKernel> compileCached(Compiler &compiler, const Cache &cache,
                                            const KernelRequest &request, diag::Sink &sink,
                                            Timings *timings) {
  if (!cache.isOn())
    return compile(compiler, request, nullptr, sink, timings);
  std::string key = cacheKey(request);
  if (std::optional<CacheEntry> entry = cache.find(key))
    if (std::optional<CompiledKernel> compiled = decode(entry->payload))
      return compiled;
  Noticing noticing(sink);
  CacheEntry entry;
  entry.label = label(request);
  std::optional<CompiledKernel> compiled =
      compile(compiler, request, &entry.dependencies, noticing, timings);
  if (!compiled || !noticing.silent)
    return compiled;
  entry.payload = encode(*compiled);
  // A cache that cannot be written costs time and nothing else.
  llvm::consumeError(cache.store(key, entry));
  return compiled;
}

} // namespace gluonc::driver
