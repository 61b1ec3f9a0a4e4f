#include "Session.h"
#include "diag/Render.h"
#include "driver/FindPtxas.h"
#include "driver/KernelOptions.h"
#include "driver/predict/LaunchModel.h"
#include "remote/RemoteCache.h"
#include "sema/names/Imports.h"
#include "support/File.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"

#include <cstdlib>
#include <unistd.h>

namespace gluonc::tool {

using diag::Kind;

void PrintingSink::handle(diag::Diagnostic diagnostic) {
  outcome = driver::combine(outcome, diagnostic);
  if (json)
    diag::renderJson(diagnostic, *out);
  else
    diag::renderText(diagnostic, *out, out == &llvm::errs() && isatty(STDERR_FILENO));
}

std::string Session::readLine(llvm::ArrayRef<llvm::StringRef> words) {
  // One text, with the offset of each word.
  std::string text;
  std::vector<uint32_t> offsets;
  for (llvm::StringRef word : words) {
    text += text.empty() ? "" : " ";
    offsets.push_back(static_cast<uint32_t>(text.size()));
    text += word;
  }
  line = CommandLine();
  return line.parse({command->options, sharedOptions()}, words.drop_front(2),
                    sources.add("<command line>", text), llvm::ArrayRef(offsets).drop_front(2));
}

int Session::usage(const llvm::Twine &problem) {
  *sink.out << "gluonc " << command->name << ": " << problem << "\n"
            << "usage: gluonc " << command->name << " " << command->usage << "\n"
            << "`gluonc " << command->name << " --help` lists the options\n";
  return 2;
}

int Session::finish(int before) {
  llvm::outs().flush();
  if (llvm::outs().has_error()) {
    sink.report(Kind::UnwritableFile, {}, "standard output", llvm::outs().error().message()).end();
    // Left alone, the stream would end the process as a bug of ours.
    llvm::outs().clear_error();
  }
  // Nowhere is left to say what became of this one.
  llvm::errs().clear_error();
  return before ? before : status();
}

std::optional<std::string> Session::readFile(const Word &path) {
  llvm::Expected<std::string> text = gluonc::readFile(path.text, mostSourceBytes);
  if (text)
    return std::move(*text);
  sink.report(Kind::UnreadableFile, path.span, path.text, llvm::toString(text.takeError())).end();
  return std::nullopt;
}

bool Session::canBeTraced(const target::Target &target, const Word &option) {
  if (driver::LaunchModel::knows(target))
    return true;
  sink.report(Kind::InvalidOption, option.span,
              "the performance model has no figures of " + target.name())
      .end();
  return false;
}

bool Session::writeFile(const Word &path, llvm::StringRef bytes) {
  std::error_code error;
  llvm::raw_fd_ostream out(path.text, error);
  if (!error) {
    out << bytes;
    out.close();
    error = out.error();
    out.clear_error();
  }
  if (!error)
    return true;
  sink.report(Kind::UnwritableFile, path.span, path.text, error.message()).end();
  return false;
}

Session::Input Session::splitInput(const Word &word) {
  size_t at = word.text.rfind("::");
  if (at == std::string::npos)
    return {word, std::nullopt};
  uint32_t split = word.span.begin + static_cast<uint32_t>(at);
  return {{word.text.substr(0, at), {word.span.file, word.span.begin, split}},
          Word{word.text.substr(at + 2), {word.span.file, split + 2, word.span.end}}};
}

std::shared_ptr<const sema::Function>
Session::findKernel(sema::Program &program, sema::Module &module, const Input &input) {
  if (input.kernel)
    return program.kernel(module, input.kernel->text, sink);
  std::vector<std::shared_ptr<const sema::Function>> kernels = program.kernels(module, sink);
  if (kernels.size() == 1)
    return kernels.front();
  auto report = sink.report(Kind::KernelNotNamed, input.path.span, input.path.text, kernels.size());
  for (const std::shared_ptr<const sema::Function> &kernel : kernels)
    std::move(report).hint("{0}::{1}", input.path.text, kernel->name);
  return nullptr;
}

std::unique_ptr<LoadedKernel> Session::loadKernel(const Input &input) {
  std::optional<std::string> text = readFile(input.path);
  return text ? loadKernel(input, std::move(*text), sources) : nullptr;
}

std::unique_ptr<LoadedKernel> Session::loadKernel(const Input &input, std::string text,
                                                  diag::SourceManager &files, Timings *timings) {
  auto loaded = std::make_unique<LoadedKernel>(files);
  prepare(loaded->program);
  sema::Module *module = nullptr;
  {
    TimingScope timing(timings, "syntax");
    module = loaded->program.load(input.path.text, std::move(text), sink);
  }
  if (sink.hasErrors())
    return nullptr;
  loaded->kernel = findKernel(loaded->program, *module, input);
  loaded->scope.emplace(loaded->program, *module);
  loaded->place = input.kernel ? input.kernel->span : input.path.span;
  return loaded->kernel ? std::move(loaded) : nullptr;
}

std::vector<std::string> Session::searchPath() const {
  std::vector<std::string> folders;
  for (const Word &word : line.all("-I"))
    folders.push_back(word.text);
  llvm::SmallVector<llvm::StringRef, 8> more;
  const char *path = std::getenv("PYTHONPATH");
  llvm::StringRef(path ? path : "").split(more, ':', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef folder : more)
    folders.push_back(folder.str());
  return folders;
}

void Session::prepare(sema::Program &program) const { sema::setSearchPath(program, searchPath()); }

int Session::readRequest(SourceRequest &request, std::optional<target::Target> otherwise) {
  if (line.positional().empty())
    return usage("no kernel given");
  request.input = splitInput(line.positional().front());
  if (request.input.isIr())
    return usage("it takes the source of a kernel, not IR");
  std::string problem;
  if (!line.namedValues(1, request.arguments, problem) ||
      !driver::readOptions(line, request.options, problem))
    return usage(problem);
  const Word *target = line.find("--target");
  if (!target && !otherwise)
    return usage("--target is needed, e.g. --target cuda:90a");
  std::optional<target::Target> parsed = target ? driver::parseTarget(*target, sink) : otherwise;
  if (!parsed)
    return status();
  request.options.target = *parsed;
  return 0;
}

std::optional<BoundLaunch> Session::bindLaunch(LoadedKernel &loaded,
                                               llvm::ArrayRef<driver::ArgumentText> texts,
                                               std::vector<std::string> later) {
  const Word *grid = line.find("--grid");
  if (grid)
    later.push_back(grid->text);
  std::optional<driver::KernelArguments> arguments =
      driver::bindValues(*loaded.scope, *loaded.kernel, texts, later, loaded.place, sink);
  if (!arguments)
    return std::nullopt;
  std::optional<driver::Grid> size = driver::Grid{1, 1, 1};
  if (grid)
    size = driver::evaluateGrid(*loaded.scope, grid->text, grid->span, sink);
  if (!size)
    return std::nullopt;
  return BoundLaunch{std::move(*arguments), *size};
}

/// `--races warn` and the like. False with a usage problem.
static bool readVerdict(const CommandLine &line, llvm::StringRef option, sim::Verdict &verdict,
                        std::string &problem) {
  const Word *word = line.find(option);
  if (!word)
    return true;
  std::optional<sim::Verdict> read = llvm::StringSwitch<std::optional<sim::Verdict>>(word->text)
                                         .Case("ignore", sim::Verdict::Ignore)
                                         .Case("warn", sim::Verdict::Warn)
                                         .Case("fault", sim::Verdict::Fault)
                                         .Default(std::nullopt);
  if (!read)
    problem = (option + " takes ignore, warn or fault, not `" + word->text + "`").str();
  verdict = read.value_or(verdict);
  return read.has_value();
}

bool Session::readSimulation(driver::SimulatedRun &how, std::string &problem) {
  std::optional<uint64_t> branches;
  if (!line.integer("--schedule-seed", how.scheduleSeed, problem) ||
      !line.integer("--max-branches", branches, problem) ||
      !readVerdict(line, "--races", how.races, problem) ||
      !readVerdict(line, "--masked-off", how.maskedOff, problem) ||
      !readVerdict(line, "--unknown-reads", how.unknownReads, problem))
    return false;
  how.maxBranches = branches.value_or(how.maxBranches);
  return true;
}

std::optional<bool> Session::wantsJson() {
  const Word *format = line.find("--format");
  if (!format || format->text == "text" || format->text == "json")
    return format && format->text == "json";
  usage("--format takes text or json");
  return std::nullopt;
}

driver::CodeOptions Session::codeOptions() const {
  driver::CodeOptions options;
  options.assembler = findPtxasHere();
  options.backend.lineInfo = line.has("--line-info");
  options.backend.fpFusion = !line.has("--no-fp-fusion");
  options.backend.flushesSubnormals = !line.has("--keep-subnormals");
  return options;
}

bool Session::readLibraries(codegen::Options &options) {
  for (const Word &word : line.all("--library")) {
    std::optional<std::string> contents = readFile(word);
    if (!contents)
      return false;
    options.libraries.push_back({word.text, std::make_shared<std::string>(std::move(*contents))});
  }
  return true;
}

std::string quotedForShell(llvm::StringRef word) {
  bool isPlain = !word.empty() && llvm::all_of(word, [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef("_-./:=,+@%").contains(c);
  });
  if (isPlain)
    return word.str();
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

static std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

static driver::PtxasPlaces ptxasPlaces() {
  driver::PtxasPlaces places;
  places.explicitPath = environment("GLUONC_PTXAS");
  places.path = environment("PATH");
  places.cudaHome = environment("CUDA_HOME");
  if (places.cudaHome.empty())
    places.cudaHome = environment("CUDA_PATH");
  for (const char *name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (std::string prefix = environment(name); !prefix.empty())
      places.pythonPrefixes.push_back(prefix);
  if (std::string home = environment("HOME"); !home.empty())
    places.pythonPrefixes.push_back(home + "/.local");
  return places;
}

std::string findPtxasHere() { return driver::findPtxas(ptxasPlaces()); }
std::string findCudaToolHere(llvm::StringRef name) {
  return driver::findCudaTool(ptxasPlaces(), name);
}

std::optional<driver::Cache> Session::openCache() {
  if (line.has("--no-cache"))
    return driver::Cache("");
  auto given = [&](llvm::StringRef option, const char *variable) {
    const Word *word = line.find(option);
    return word ? word->text : environment(variable);
  };
  remote::Settings settings;
  settings.place = given("--remote", "GLUONC_REMOTE_CACHE");
  settings.keyFile = given("--keys", "GLUONC_REMOTE_CACHE_KEYS");
  std::string mode = environment("GLUONC_REMOTE_CACHE_MODE");
  settings.readOnly = mode == "read";
  settings.stateFolder = cacheDirectory();
  if (settings.place.empty())
    return driver::Cache(cacheDirectory());
  const Word *place = line.find("--remote");
  auto refuse = [&](const std::string &what) {
    sink.report(Kind::InvalidOption, place ? place->span : diag::Span(), what)
        .hint("docs/remote-cache.md says what GLUONC_REMOTE_CACHE takes");
    return std::nullopt;
  };
  if (!mode.empty() && mode != "read" && mode != "readwrite")
    return refuse("GLUONC_REMOTE_CACHE_MODE is `read` or `readwrite`, not `" + mode + "`");
  auto opened = remote::RemoteCache::open(std::move(settings));
  if (!opened)
    return refuse(llvm::toString(opened.takeError()));
  return driver::Cache(cacheDirectory(), std::move(*opened));
}

std::string cacheDirectory() {
  if (std::getenv("GLUONC_CACHE_DIR"))
    return environment("GLUONC_CACHE_DIR");
  if (std::string xdg = environment("XDG_CACHE_HOME"); !xdg.empty())
    return xdg + "/gluonc";
  if (std::string home = environment("HOME"); !home.empty())
    return home + "/.cache/gluonc";
  return "";
}

} // namespace gluonc::tool
