#include "BuildGraph.h"
#include "Session.h"
#include "bundle/Contents.h"
#include "pack/Header.h"
#include "pack/Pack.h"
#include "support/File.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileUtilities.h"

#include <thread>

namespace gluonc::tool {

using diag::Kind;

/// `-j N`, or one for each processor. Nullopt with a usage problem.
static std::optional<unsigned> threadCount(const CommandLine &line, std::string &problem) {
  std::optional<uint64_t> count;
  if (!line.integer("-j", count, problem))
    return std::nullopt;
  if (count && (*count < 1 || *count > 1024)) {
    problem = "-j takes 1 to 1024";
    return std::nullopt;
  }
  return count ? static_cast<unsigned>(*count) : std::max(1u, std::thread::hardware_concurrency());
}

/// A path in a rule of make.
static std::string forMake(llvm::StringRef path) {
  std::string text;
  for (char c : path) {
    if (c == ' ' || c == '#' || c == '\\')
      text += '\\';
    text += c == '$' ? "$$" : std::string(1, c);
  }
  return text;
}

/// What the bundle is made from, for make and ninja.
static std::string depfile(llvm::StringRef output, llvm::StringRef manifest,
                           const std::set<std::string> &sources) {
  std::string text = forMake(output) + ": " + forMake(manifest);
  for (const std::string &path : sources)
    text += " \\\n  " + forMake(path);
  return text + "\n";
}

/// One line that is written over again, where somebody looks at it.
static std::function<void(size_t, size_t, llvm::StringRef)> progressLine() {
  if (!llvm::errs().is_displayed())
    return {};
  return [](size_t done, size_t all, llvm::StringRef label) {
    llvm::errs() << "\r\033[K[" << done << '/' << all << "] " << label;
    if (done == all)
      llvm::errs() << "\r\033[K";
    llvm::errs().flush();
  };
}

static bool write(Session &session, llvm::StringRef option, llvm::StringRef bytes) {
  const Word *path = session.line.find(option);
  return !path || session.writeFile(*path, bytes);
}

/// --variant. False with a usage problem.
static bool readPart(const CommandLine &line, std::optional<pack::Part> &part,
                     std::string &problem) {
  const Word *word = line.find("--variant");
  if (!word)
    return true;
  auto [kernel, number] = llvm::StringRef(word->text).rsplit(':');
  part.emplace().kernel = kernel.str();
  if (!kernel.empty() && !number.getAsInteger(10, part->number))
    return true;
  problem = "--variant takes KERNEL:N, not `" + word->text + "`";
  return false;
}

int buildCommand(Session &session) {
  const CommandLine &line = session.line;
  const Word *output = line.find("-o");
  if (line.positional().size() != 1 || !output)
    return session.usage("build takes a manifest, and -o FILE.gluonpack");
  const Word &path = line.positional().front();
  pack::Builder builder;
  std::string problem;
  std::optional<unsigned> threads = threadCount(line, problem);
  if (!threads)
    return session.usage(problem);
  std::optional<std::string> text = session.readFile(path);
  if (!text)
    return session.status();
  const diag::SourceFile *file = session.sources.add(path.text, std::move(*text));
  std::optional<pack::Manifest> manifest =
      pack::readManifest(*file, line.all("--target"), session.sink);
  if (!manifest)
    return session.status();
  builder.threads = *threads;
  builder.code = session.codeOptions();
  builder.searchPath = session.searchPath();
  if (line.has("--ptx")) {
    builder.allowsPtx = true;
    builder.code.assembler.clear();
  }
  builder.progress = progressLine();
  if (line.has("--graph"))
    return writeGraph(session, *manifest, builder);
  std::optional<driver::Cache> cache = session.openCache();
  if (!cache)
    return session.status();
  builder.cache = *cache;
  if (!readPart(line, builder.only, problem))
    return session.usage(problem);
  if (builder.only && line.has("--header"))
    return session.usage("--header is of the whole bundle, --variant of a part");
  std::optional<pack::Packed> packed =
      pack::pack(*manifest, builder, session.sources, session.sink);
  if (!packed)
    return session.status();
  llvm::Expected<std::string> bytes = bundle::write(std::move(packed->contents));
  if (!bytes) {
    session.sink
        .report(Kind::UnwritableFile, output->span, output->text, llvm::toString(bytes.takeError()))
        .end();
    return session.status();
  }
  if (!session.writeFile(*output, *bytes))
    return session.status();
  bundle::Bundle made = llvm::cantFail(bundle::Bundle::open(*bytes));
  write(session, "--header", pack::writeHeader(made, manifest->nameSpace));
  write(session, "--depfile", depfile(output->text, path.text, packed->sources));
  return session.status();
}

} // namespace gluonc::tool
