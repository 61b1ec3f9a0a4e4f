#include "pack/Pack.h"
#include "pack/Variant.h"

#include "llvm/ADT/STLExtras.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <tuple>

namespace gluonc::pack {

using diag::Kind;

namespace {

/// More than that is a mistake in a manifest.
constexpr size_t mostVariants = 1 << 16;

/// What is compiled in one go, and what came of it.
struct Task {
  VariantRequest request;
  Extent extent = Extent::Code;
  std::optional<CompiledVariant> result;
  diag::Collector said;
};

/// One request for each combination of alternatives, the first argument's changing last.
bool addCombinations(const KernelEntry &entry, const Settings &settings,
                     const target::Target &target, bool withPtx, std::vector<Task> &tasks,
                     diag::Sink &sink) {
  size_t count = 1;
  for (const Argument &argument : settings.arguments)
    count = std::min(count * argument.values.size(), mostVariants);
  if (tasks.size() + count * (withPtx ? 2 : 1) > mostVariants) {
    sink.report(Kind::InvalidOption, entry.name.span,
                "a manifest has at most " + std::to_string(mostVariants) + " variants")
        .end();
    return false;
  }
  for (size_t number = 0; number != count; ++number) {
    Task &task = tasks.emplace_back();
    task.request = {&entry, settings, target};
    size_t rest = number;
    for (Argument &argument : llvm::reverse(task.request.settings.arguments)) {
      size_t alternatives = argument.values.size();
      argument.isChosen = alternatives > 1;
      argument.values = {argument.values[rest % alternatives]};
      rest /= alternatives;
    }
    if (withPtx) {
      VariantRequest request = task.request;
      request.asPtx = true;
      tasks.emplace_back().request = std::move(request);
    }
  }
  return true;
}

bool addTasks(const KernelEntry &entry, const Builder &builder, std::vector<Task> &tasks,
              diag::Sink &sink) {
  for (const Settings &variant : entry.variants) {
    Settings settings = merge(entry.settings, variant);
    for (const Word &name : settings.targets) {
      std::optional<target::Target> target = driver::parseTarget(name, sink);
      if (!target)
        return false;
      if (builder.code.assembler.empty() && target->isNvidia() && !builder.allowsPtx) {
        sink.report(Kind::ToolMissing, name.span, "ptxas")
            .hint("--ptx puts PTX into the bundle, which drivers compile when they load it");
        return false;
      }
      // Without an assembler there is PTX in any case.
      const bool withPtx =
          settings.ptx.value_or(false) && target->isNvidia() && !builder.code.assembler.empty();
      if (!addCombinations(entry, settings, *target, withPtx, tasks, sink))
        return false;
    }
  }
  return true;
}

void compileAll(std::vector<Task> &tasks, const Builder &builder, diag::SourceManager &sources) {
  std::atomic<size_t> next = 0;
  size_t done = 0;
  std::mutex telling;
  auto work = [&] {
    driver::Compiler compiler;
    for (size_t i = next++; i < tasks.size(); i = next++) {
      Task &task = tasks[i];
      task.result =
          compileVariant(task.request, builder, task.extent, compiler, sources, task.said);
      if (!builder.progress || task.extent == Extent::Parameters)
        continue;
      std::lock_guard guard(telling);
      builder.progress(++done, tasks.size(),
                       task.request.entry->name.text + " " + task.request.target.name());
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min<size_t>(builder.threads, tasks.size()); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
}

/// "of copy for cuda:90a, BLOCK = 256".
std::string describe(const VariantRequest &request) {
  std::string text = "of " + request.entry->name.text + " for " + request.target.name();
  for (const Argument &argument : request.settings.arguments)
    if (argument.isChosen)
      text += ", " + argument.name.text + " = " + argument.values.front().text;
  return text;
}

/// Hands on what was said, once for each place. False where there was an error.
bool tell(std::vector<Task> &tasks, diag::Sink &sink) {
  std::set<std::tuple<const diag::SourceFile *, uint32_t, std::string>> told;
  bool fine = true;
  for (Task &task : tasks) {
    fine &= task.result.has_value() && !task.said.hasErrors();
    for (diag::Diagnostic &said : task.said.diagnostics) {
      if (!told.insert({said.span.file, said.span.begin, said.message}).second)
        continue;
      said.labels.push_back({{}, "in the variant " + describe(task.request)});
      sink.submit(std::move(said));
    }
  }
  return fine;
}

/// The variants of one kernel.
struct Group {
  const KernelEntry *entry;
  size_t begin, end;
};

/// Nullopt after a report.
std::optional<std::vector<Group>> addAllTasks(const Manifest &manifest, const Builder &builder,
                                              std::vector<Task> &tasks, diag::Sink &sink) {
  std::vector<Group> groups;
  for (const KernelEntry &entry : manifest.kernels) {
    if (builder.only && builder.only->kernel != entry.name.text)
      continue;
    size_t begin = tasks.size();
    if (!addTasks(entry, builder, tasks, sink))
      return std::nullopt;
    groups.push_back({&entry, begin, tasks.size()});
  }
  return groups;
}

/// One list of parameters for the results of a kernel's tasks. False after a report.
bool joinGroup(const Group &group, std::vector<Task> &tasks, bundle::Kernel &kernel,
               std::set<std::string> &sources, diag::Sink &sink) {
  std::vector<const VariantRequest *> requests;
  std::vector<CompiledVariant> variants;
  for (size_t at = group.begin; at != group.end; ++at) {
    requests.push_back(&tasks[at].request);
    sources.insert(tasks[at].result->files.begin(), tasks[at].result->files.end());
    variants.push_back(std::move(*tasks[at].result));
  }
  return join(*group.entry, requests, std::move(variants), kernel, sink);
}

void refusePart(const Part &part, size_t count, diag::Sink &sink) {
  std::string what = count ? "kernel `" + part.kernel + "` has " + std::to_string(count) +
                                 " variants, from 0 on; there is no " + std::to_string(part.number)
                           : "there is no kernel `" + part.kernel + "` in the manifest";
  sink.report(Kind::InvalidOption, {}, what).end();
}

} // namespace

std::optional<Packed> pack(const Manifest &manifest, const Builder &builder,
                           diag::SourceManager &sources, diag::Sink &sink) {
  std::vector<Task> tasks;
  std::optional<std::vector<Group>> groups = addAllTasks(manifest, builder, tasks, sink);
  if (!groups)
    return std::nullopt;
  if (builder.only) {
    if (builder.only->number >= tasks.size()) {
      refusePart(*builder.only, tasks.size(), sink);
      return std::nullopt;
    }
    for (auto [i, task] : llvm::enumerate(tasks))
      if (i != builder.only->number)
        task.extent = Extent::Parameters;
  }
  compileAll(tasks, builder, sources);
  if (!tell(tasks, sink))
    return std::nullopt;
  Packed packed;
  for (const Group &group : *groups) {
    bundle::Kernel &kernel = packed.contents.kernels.emplace_back();
    if (!joinGroup(group, tasks, kernel, packed.sources, sink))
      return std::nullopt;
    // The others were looked at for what parameters the kernel has.
    if (builder.only)
      kernel.variants = {std::move(kernel.variants[builder.only->number])};
  }
  return packed;
}

std::optional<Plan> plan(const Manifest &manifest, const Builder &builder,
                         diag::SourceManager &sources, diag::Sink &sink) {
  std::vector<Task> tasks;
  std::optional<std::vector<Group>> groups = addAllTasks(manifest, builder, tasks, sink);
  if (!groups)
    return std::nullopt;
  for (Task &task : tasks)
    task.extent = Extent::Ir;
  compileAll(tasks, builder, sources);
  if (!tell(tasks, sink))
    return std::nullopt;
  Plan made;
  for (const Group &group : *groups) {
    bundle::Kernel kernel;
    if (!joinGroup(group, tasks, kernel, made.sources, sink))
      return std::nullopt;
    for (size_t at = group.begin; at != group.end; ++at)
      made.variants.push_back(
          {{group.entry->name.text, at - group.begin}, tasks[at].request.target.name()});
  }
  return made;
}

} // namespace gluonc::pack
