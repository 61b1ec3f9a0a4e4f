#include "driver/KernelCache.h"
#include "driver/FindPtxas.h"
#include "support/Hash.h"

#include "llvm/ADT/STLExtras.h"

namespace gluonc::driver {

/// The file that a kernel, or its IR, is written in.
static const diag::SourceFile *fileOf(const KernelSource &source) {
  return source.ir ? source.ir : source.kernel->span.file;
}

std::string cacheKey(const KernelRequest &request) {
  ContentHash hash;
  const KernelSource &source = request.source;
  const diag::SourceFile *file = fileOf(source);
  hash.add(file->path()).add(file->text());
  // A function has a name, so that no IR has the key of a function.
  hash.add(source.ir ? "" : source.kernel->name);
  hash.add(uint64_t(source.ir ? 0 : source.kernel->span.begin)).add(request.bindings);
  hash.add(source.arguments.size());
  for (const sema::ArgSpec &argument : source.arguments)
    hash.add(argument.text());
  const sema::Options &options = source.options;
  hash.add(options.target.name()).add(options.numWarps).add(options.numCtas);
  hash.add(options.maxnreg.value_or(0)).add(options.debug).add(options.sanitizeOverflow);
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
  sema::Program &program = request.source.program;
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler.makeIr(request.source, sink, timings);
  if (dependencies)
    // The kernel's own file is part of the key, and so are values that the host program gave as
    // text: nobody could read `<value>` again to see whether it is the same.
    for (const diag::SourceFile *file : program.files())
      if (file != fileOf(request.source) && !llvm::StringRef(file->path()).starts_with("<"))
        dependencies->push_back({file->path(), hashText(file->text())});
  const diag::SourceManager &sources = program.sources();
  const target::Target &target = request.source.options.target;
  if (request.programLock)
    request.programLock->unlock();
  if (!module || !compiler.transform(*module, target, sources, sink, timings))
    return std::nullopt;
  return compiler.generate(*module, target, request.last, request.code, sources, sink, timings);
}

std::string label(const KernelRequest &request) {
  std::string text;
  llvm::raw_string_ostream out(text);
  const KernelSource &source = request.source;
  const sema::Options &options = source.options;
  out << (source.ir ? source.ir->path() : source.kernel->name) << '(';
  llvm::interleaveComma(source.arguments, out,
                        [&](const sema::ArgSpec &argument) { out << argument.text(); });
  out << ") " << options.target.name() << ' ' << options.numWarps << " warps";
  if (options.numCtas != 1)
    out << ", " << options.numCtas << " CTAs";
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
