#include "tune/Candidates.h"

#include "driver/KernelCache.h"
#include "driver/KernelOptions.h"
#include "driver/verify/Compare.h"
#include "sema/names/Imports.h"
#include "support/File.h"

#include "llvm/ADT/STLExtras.h"

namespace gluonc::tune {

using diag::Kind;
using pack::Argument;
using sema::ArgSpec;

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

static std::optional<uint64_t> *numberOf(driver::OptionNumbers &numbers, llvm::StringRef key) {
  return key == "num-warps"    ? &numbers.warps
         : key == "num-ctas"   ? &numbers.ctas
         : key == "num-stages" ? &numbers.stages
                               : &numbers.registers;
}

/// Each of `candidates`, once for each of `values`.
template <typename Value, typename Set>
static std::vector<Candidate> multiply(const std::vector<Candidate> &candidates,
                                       llvm::StringRef name, llvm::ArrayRef<Value> values,
                                       Set set) {
  std::vector<Candidate> more;
  for (const Candidate &candidate : candidates)
    for (const Value &value : values) {
      Candidate &made = more.emplace_back(candidate);
      set(made, value);
      if (values.size() > 1)
        made.text += (made.text.empty() ? "" : ", ") + (name + " = " + value.text).str();
    }
  return more;
}

std::optional<std::vector<Candidate>> candidatesOf(const pack::KernelEntry &entry,
                                                   diag::Sink &sink) {
  const pack::Tuning &tuning = *entry.tuning;
  size_t count = 1;
  for (const auto &[key, values] : tuning.numbers)
    count = std::min(count * values.size(), mostCandidates + 1);
  for (const Argument &argument : tuning.arguments)
    count = std::min(count * argument.values.size(), mostCandidates + 1);
  if (count > mostCandidates) {
    sink.report(Kind::InvalidOption, entry.name.span,
                "a kernel has at most " + std::to_string(mostCandidates) + " candidates")
        .end();
    return std::nullopt;
  }
  std::vector<Candidate> candidates(1);
  for (const auto &[key, values] : tuning.numbers)
    candidates = multiply(candidates, key, llvm::ArrayRef(values),
                          [&](Candidate &candidate, const driver::Word &value) {
                            *numberOf(candidate.settings.numbers, key) = std::stoull(value.text);
                          });
  for (const Argument &argument : tuning.arguments)
    candidates =
        multiply(candidates, argument.name.text, llvm::ArrayRef(argument.values),
                 [&](Candidate &candidate, const driver::Word &value) {
                   candidate.settings.arguments.push_back({argument.name, {value}, false, false});
                 });
  for (Candidate &candidate : candidates) {
    if (candidate.text.empty())
      candidate.text = "as it is";
    pack::Settings whole = pack::merge(entry.settings, candidate.settings);
    if (std::string problem = driver::whyNotPossible(whole.numbers, ""); !problem.empty()) {
      sink.report(Kind::InvalidOption, tuning.numbers.front().second.front().span,
                  candidate.text + ": " + problem)
          .end();
      return std::nullopt;
    }
  }
  return candidates;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// The type that an alternative of the manifest is; nullopt for values and descriptors.
static std::optional<ArgSpec> typeOf(const driver::Word &word) {
  std::optional<ArgSpec> spec = ArgSpec::parse(word.text);
  return spec && spec->kind == ArgSpec::Kind::Runtime ? spec : std::nullopt;
}

namespace {

class Preparation {
public:
  Preparation(const pack::KernelEntry &entry, const Candidate &candidate, size_t launch,
              const target::Target &target, const pack::Builder &builder,
              diag::SourceManager &sources, PreparedOrNot &made)
      : entry(entry), tuning(*entry.tuning), launch(launch),
        settings(pack::merge(entry.settings, candidate.settings)), target(target), builder(builder),
        sources(sources), made(made), sink(made.said) {}

  bool bind() {
    Prepared &prepared = *made.prepared;
    made.isEveryCandidates = true;
    sema::setSearchPath(prepared.program, builder.searchPath);
    llvm::Expected<std::string> text = readFile(entry.path.text, mostSourceBytes);
    if (!text) {
      sink.report(Kind::UnreadableFile, entry.path.span, entry.path.text,
                  llvm::toString(text.takeError()))
          .end();
      return false;
    }
    sema::Module *module = prepared.program.load(entry.path.text, std::move(*text), sink);
    if (sink.hasErrors())
      return false;
    prepared.kernel = prepared.program.kernel(*module, entry.kernel.text, sink);
    if (!prepared.kernel)
      return false;
    std::optional<std::vector<driver::ArgumentText>> texts = textsOfLaunch();
    if (!texts)
      return false;
    host::HostScope &scope = prepared.scope.emplace(prepared.program, *module);
    std::optional<driver::KernelArguments> arguments = driver::bindValues(
        scope, *prepared.kernel, *texts, {tuning.grid.text}, entry.name.span, sink);
    if (!arguments)
      return false;
    prepared.arguments = std::move(*arguments);
    assumeWhatTheManifestDoes();
    std::optional<driver::Grid> grid =
        driver::evaluateGrid(scope, tuning.grid.text, tuning.grid.span, sink);
    if (!grid)
      return false;
    prepared.grid = *grid;
    made.isEveryCandidates = false;
    return true;
  }

  void compile() {
    Prepared &prepared = *made.prepared;
    sema::Options options;
    options.target = target;
    driver::apply(settings.numbers, options);
    options.debug = settings.debug.value_or(false);
    driver::KernelSource source = {prepared.program, prepared.kernel.get(),
                                   prepared.arguments.specs, options};
    driver::Compiler compiler;
    mlir::OwningOpRef<mlir::ModuleOp> ir = compiler.makeIr(source, sink);
    if (!ir || sink.hasErrors())
      return;
    driver::CodeOptions code = builder.code;
    code.backend.fpFusion = settings.fpFusion.value_or(true);
    driver::KernelRequest request = {*ir, target, code, code.launchedStage(target)};
    prepared.compiled =
        driver::compileCached(compiler, builder.cache, request, driver::cacheKey(request),
                              driver::label(source), sources, sink);
  }

private:
  /// Those of the launch, then `data`, the candidate's, and what is left of the kernel's.
  std::optional<std::vector<driver::ArgumentText>> textsOfLaunch() {
    std::vector<driver::ArgumentText> texts;
    auto isKnown = [&](const Argument &argument) {
      return llvm::any_of(
          texts, [&](const driver::ArgumentText &text) { return text.name == argument.name.text; });
    };
    auto add = [&](const Argument &argument) {
      const driver::Word &value = argument.values.front();
      texts.push_back({argument.name.text, value.text, argument.name.span, value.span});
    };
    // Values that others depend on come first: blocks, whose sizes tensors may have.
    for (const Argument &argument : settings.arguments)
      if (!isRuntime(argument) && !isOfLaunch(argument))
        add(argument);
    for (const Argument &argument : tuning.launches[launch])
      add(argument);
    for (const Argument &argument : tuning.data)
      if (!isKnown(argument))
        add(argument);
    for (const Argument &argument : settings.arguments)
      if (!isKnown(argument)) {
        sink.report(Kind::InvalidOption, argument.name.span,
                    "no launch gives a value of `" + argument.name.text + "`")
            .hint("add it to each of `launches`, or to `data`: " + argument.name.text +
                  " = \"randn(n, f32)\"");
        return std::nullopt;
      }
    return texts;
  }

  static bool isRuntime(const Argument &argument) {
    return llvm::any_of(argument.values, [](const driver::Word &word) {
      return typeOf(word) || llvm::StringRef(word.text).starts_with("tensordesc");
    });
  }

  bool isOfLaunch(const Argument &argument) const {
    auto isIt = [&](const Argument &other) { return other.name.text == argument.name.text; };
    return llvm::any_of(tuning.launches[launch], isIt) || llvm::any_of(tuning.data, isIt);
  }

  /// `gluonc run` assumes whatever holds; a variant what its manifest says.
  void assumeWhatTheManifestDoes() {
    Prepared &prepared = *made.prepared;
    for (auto [parameter, spec] :
         llvm::zip(prepared.kernel->parameters, prepared.arguments.specs)) {
      auto argument = llvm::find_if(settings.arguments, [&](const Argument &each) {
        return each.name.text == parameter.name;
      });
      if (spec.kind != ArgSpec::Kind::Runtime || argument == settings.arguments.end())
        continue;
      std::optional<ArgSpec> fitting;
      for (const driver::Word &word : argument->values)
        if (std::optional<ArgSpec> type = typeOf(word);
            type && type->dtype == spec.dtype && (spec.divisibleBy16 || !type->divisibleBy16) &&
            (!fitting || type->divisibleBy16))
          fitting = type;
      if (fitting)
        spec = *fitting;
    }
  }

  const pack::KernelEntry &entry;
  const pack::Tuning &tuning;
  size_t launch;
  pack::Settings settings;
  const target::Target &target;
  const pack::Builder &builder;
  diag::SourceManager &sources;
  PreparedOrNot &made;
  diag::Collector &sink;
};

} // namespace

std::vector<std::pair<std::string, host::Tensor>> Prepared::tensors() const {
  std::vector<std::pair<std::string, host::Tensor>> copies;
  for (const auto &[name, array] : scope->tensors)
    if (array.tensor.storage()->reached.empty() && array.tensor.dtype() == array.dtype)
      copies.emplace_back(name, driver::snapshot(array.tensor));
  return copies;
}

PreparedOrNot prepare(const pack::KernelEntry &entry, const Candidate &candidate, size_t launch,
                      const target::Target &target, const pack::Builder &builder,
                      diag::SourceManager &sources) {
  PreparedOrNot made;
  made.prepared = std::make_unique<Prepared>(sources);
  Preparation preparation(entry, candidate, launch, target, builder, sources, made);
  if (preparation.bind())
    preparation.compile();
  return made;
}

} // namespace gluonc::tune
