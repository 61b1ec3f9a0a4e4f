#include "Gpu.h"
#include "Session.h"
#include "tune/Write.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <thread>

namespace gluonc::tool {

using diag::Kind;
using tune::Tuned;

namespace {

/// --device and --target. Null after a report, or with a usage problem.
std::unique_ptr<tune::Device> chooseDevice(Session &session, std::string &problem) {
  const Word *wanted = session.line.find("--device"), *chip = session.line.find("--target");
  bool isModel = wanted && wanted->text == "model";
  if (chip && !isModel) {
    problem = "--target is of --device model: a GPU is what it is";
    return nullptr;
  }
  if (!isModel) {
    std::optional<GpuName> name = GpuName::parse(wanted ? wanted->text : "cuda");
    if (!name) {
      problem = "--device takes cuda, cuda:N, hip, hip:N or model";
      return nullptr;
    }
    llvm::Expected<Gpu> gpu = Gpu::open(*name);
    if (!gpu && !wanted) {
      llvm::consumeError(gpu.takeError());
      gpu = Gpu::open({target::Vendor::Amd, 0});
    }
    if (gpu)
      return tune::openGpu(gpu->cuda, gpu->hip, gpu->target, gpu->text());
    std::string why = llvm::toString(gpu.takeError());
    if (wanted) {
      session.sink.report(Kind::DeviceMissing, wanted->span, why).end();
      return nullptr;
    }
  }
  std::optional<target::Target> target = target::Target::parse("cuda:90a");
  if (chip && !(target = driver::parseTarget(*chip, session.sink)))
    return nullptr;
  std::unique_ptr<tune::Device> model = tune::openModel(*target);
  if (!model)
    session.sink
        .report(Kind::InvalidOption, chip->span,
                "the performance model does not know " + chip->text)
        .hint("docs/model.md has the chips that it knows");
  return model;
}

std::string describe(const Tuned &tuned, const tune::Sample &sample) {
  std::string text;
  for (auto [variable, value] : llvm::zip(tuned.variables, sample.at))
    text += (text.empty() ? "" : ", ") + variable + " = " + std::to_string(value);
  return text.empty() ? "all launches" : text;
}

void printText(const Tuned &tuned, llvm::raw_ostream &out) {
  out << tuned.entry->name.text << ": " << tuned.candidates.size() << " candidates, "
      << tuned.launches.size() << " launches\n";
  for (const auto &[candidate, why] : tuned.leftOut)
    out << "  left out: " << tuned.candidates[candidate].text << ": " << why << '\n';
  for (const tune::Sample &sample : tuned.launches) {
    out << "  " << describe(tuned, sample) << '\n';
    std::vector<size_t> order(sample.times.size());
    for (auto [i, place] : llvm::enumerate(order))
      place = i;
    llvm::sort(order, [&](size_t a, size_t b) {
      return std::pair(sample.times[a], a) < std::pair(sample.times[b], b);
    });
    constexpr size_t shown = 5;
    for (size_t place : llvm::ArrayRef(order).take_front(shown))
      if (std::isfinite(sample.times[place]))
        out << llvm::format("    %10.2f us  ", sample.times[place]) << tuned.candidates[place].text
            << '\n';
  }
  for (const tune::Rule &rule : tuned.rules) {
    std::string when;
    for (const tune::Bound &bound : rule.bounds)
      when += (when.empty() ? "" : ", ") + tune::conditionText(bound, tuned.variables);
    out << "  " << (when.empty() ? "else" : when) << ": " << tuned.candidates[rule.candidate].text
        << '\n';
  }
}

llvm::json::Value toJson(const Tuned &tuned) {
  llvm::json::Array candidates, launches, rules, leftOut;
  for (const tune::Candidate &candidate : tuned.candidates)
    candidates.push_back(candidate.text);
  for (const tune::Sample &sample : tuned.launches) {
    llvm::json::Object variables;
    for (auto [name, value] : llvm::zip(tuned.variables, sample.at))
      variables[name] = value;
    llvm::json::Array times;
    for (double time : sample.times)
      times.push_back(std::isfinite(time) ? llvm::json::Value(time) : nullptr);
    launches.push_back(llvm::json::Object{{"variables", std::move(variables)},
                                          {"microseconds", std::move(times)}});
  }
  for (const tune::Rule &rule : tuned.rules) {
    llvm::json::Array when;
    for (const tune::Bound &bound : rule.bounds)
      when.push_back(tune::conditionText(bound, tuned.variables));
    rules.push_back(
        llvm::json::Object{{"when", std::move(when)}, {"candidate", int64_t(rule.candidate)}});
  }
  for (const auto &[candidate, why] : tuned.leftOut)
    leftOut.push_back(
        llvm::json::Object{{"candidate", int64_t(candidate)}, {"why", llvm::json::fixUTF8(why)}});
  return llvm::json::Object{{"kernel", tuned.entry->name.text},
                            {"candidates", std::move(candidates)},
                            {"launches", std::move(launches)},
                            {"rules", std::move(rules)},
                            {"left_out", std::move(leftOut)}};
}

void print(llvm::ArrayRef<Tuned> all, const tune::Device &device, bool json,
           llvm::raw_ostream &out) {
  if (!json) {
    out << "measured on " << device.name() << (device.isPrediction() ? ", a prediction" : "")
        << '\n';
    for (const Tuned &tuned : all)
      printText(tuned, out);
    return;
  }
  llvm::json::Array kernels;
  for (const Tuned &tuned : all)
    kernels.push_back(toJson(tuned));
  out << llvm::formatv(
      "{0:2}\n", llvm::json::Value(llvm::json::Object{{"device", device.name()},
                                                      {"target", device.target().name()},
                                                      {"is_prediction", device.isPrediction()},
                                                      {"kernels", std::move(kernels)}}));
}

/// Whether `entry` is to be tuned for `target`; reports where it cannot.
bool isWanted(Session &session, const pack::KernelEntry &entry, const target::Target &target) {
  std::vector<Word> names = session.line.all("--kernel");
  bool isNamed =
      llvm::any_of(names, [&](const Word &name) { return name.text == entry.name.text; });
  if (!entry.tuning || (!names.empty() && !isNamed))
    return false;
  auto refuse = [&](const std::string &what, llvm::StringRef hint) {
    session.sink.report(Kind::InvalidOption, entry.name.span, what).hint(hint.str());
    return false;
  };
  if (entry.hasVariants)
    return refuse("`" + entry.name.text + "` has variants and a [kernel.tune] table",
                  "variants are what gluonc tune writes: leave them out of what it reads");
  if (llvm::none_of(entry.settings.targets,
                    [&](const Word &word) { return word.text == target.name(); }))
    return refuse("`" + entry.name.text + "` is not for " + target.name() + ", which is measured",
                  "--device and --target choose another");
  return true;
}

std::string problemWith(const CommandLine &line) {
  const Word *output = line.find("-o");
  if (line.positional().size() != 1 || !output)
    return "tune takes a manifest, and -o TUNED.toml";
  // Sources are named from where the manifest is.
  auto folder = [](llvm::StringRef path) { return llvm::sys::path::parent_path(path); };
  if (output->text != "-" && folder(output->text) != folder(line.positional().front().text))
    return "the manifest of -o lies beside the given one, since it names the same sources";
  return output->text == line.positional().front().text
             ? "-o is the manifest that is read: tune once more needs it"
             : "";
}

} // namespace

int tuneCommand(Session &session) {
  const CommandLine &line = session.line;
  std::string problem = problemWith(line);
  std::optional<uint64_t> threads, rounds;
  if (!problem.empty() || !line.integer("-j", threads, problem) ||
      !line.integer("--rounds", rounds, problem))
    return session.usage(problem);
  constexpr uint64_t most = 1024;
  if (threads.value_or(1) - 1 >= most || rounds.value_or(1) - 1 >= most)
    return session.usage("-j and --rounds take 1 to 1024");
  std::optional<bool> json = session.wantsJson();
  if (!json)
    return 2;
  const Word &path = line.positional().front();
  std::optional<std::string> text = session.readFile(path);
  if (!text)
    return session.status();
  std::unique_ptr<tune::Device> device = chooseDevice(session, problem);
  if (!device)
    return problem.empty() ? session.status() : session.usage(problem);
  std::optional<pack::Manifest> manifest =
      pack::readManifest(*session.sources.add(path.text, *text), {}, session.sink);
  std::optional<driver::Cache> cache = session.openCache();
  if (!manifest || !cache)
    return session.status();
  tune::Tuner tuner{.builder = {}, .device = *device};
  tuner.builder.cache = *cache;
  tuner.builder.code = session.codeOptions();
  tuner.builder.searchPath = session.searchPath();
  tuner.builder.threads =
      threads ? unsigned(*threads) : std::max(1u, std::thread::hardware_concurrency());
  tuner.rounds = device->isPrediction() ? 1 : unsigned(rounds.value_or(tuner.rounds));
  if (llvm::errs().is_displayed())
    tuner.progress = [](const std::string &what) { llvm::errs() << what << '\n'; };
  std::vector<Tuned> all;
  for (const pack::KernelEntry &entry : manifest->kernels) {
    if (!isWanted(session, entry, device->target()))
      continue;
    std::optional<Tuned> tuned = tune::tune(entry, tuner, session.sources, session.sink);
    if (!tuned)
      return session.status();
    all.push_back(std::move(*tuned));
  }
  if (session.status())
    return session.status();
  if (all.empty())
    return session.usage("no kernel of the manifest has a [kernel.tune] table");
  std::string name = device->name() + (device->isPrediction() ? ", a prediction" : "");
  // What was measured goes where the manifest does not.
  const Word &output = *line.find("-o");
  print(all, *device, *json, output.text == "-" ? llvm::errs() : llvm::outs());
  session.writeFile(output,
                    tune::writeManifest(*text, manifest->kernels, all, device->target(), name));
  return session.status();
}

} // namespace gluonc::tool
