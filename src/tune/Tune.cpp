#include "tune/Tune.h"

#include "driver/verify/Compare.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

namespace gluonc::tune {

using diag::Kind;

namespace {

using Variables = std::vector<std::pair<std::string, int64_t>>;

/// Numbers of a launch that conditions of variants can be about.
Variables variablesOf(const driver::KernelArguments &arguments) {
  Variables variables;
  for (const driver::RuntimeArgument &argument : arguments.runtime) {
    if (const sema::Value *value = std::get_if<sema::Value>(&argument.value)) {
      if (value->is(sema::ValueKind::Int))
        variables.emplace_back(argument.name, value->asInt64().value_or(0));
      continue;
    }
    for (unsigned dim = 0; dim != argument.described.rank(); ++dim)
      variables.emplace_back(argument.name + ".shape[" + std::to_string(dim) + "]",
                             argument.description.shape[dim]);
  }
  return variables;
}

class Tuning {
public:
  Tuning(const pack::KernelEntry &entry, const Tuner &tuner, diag::SourceManager &sources,
         diag::Sink &sink)
      : entry(entry), table(*entry.tuning), tuner(tuner), sources(sources), sink(sink) {
    tuned.entry = &entry;
  }

  std::optional<Tuned> run() {
    std::optional<std::vector<Candidate>> candidates = candidatesOf(entry, sink);
    if (!candidates)
      return std::nullopt;
    tuned.candidates = std::move(*candidates);
    if (table.launches.size() > mostLaunches) {
      refuse("a kernel is tuned on at most " + std::to_string(mostLaunches) + " launches");
      return std::nullopt;
    }
    for (size_t launch = 0; launch != table.launches.size(); ++launch)
      if (!measure(launch))
        return std::nullopt;
    if (!chooseVariables())
      return std::nullopt;
    tuned.rules = findRules(tuned.launches, table.within.value_or(defaultWithin));
    return std::move(tuned);
  }

private:
  static constexpr double defaultWithin = 0.02;

  void refuse(const std::string &what) {
    sink.report(Kind::InvalidOption, entry.name.span, what).end();
  }

  std::string describe(size_t launch) const {
    std::string text;
    for (const pack::Argument &argument : table.launches[launch])
      text +=
          (text.empty() ? "" : ", ") + argument.name.text + " = " + argument.values.front().text;
    return text;
  }

  std::vector<PreparedOrNot> prepareAll(size_t launch) {
    std::vector<PreparedOrNot> all(tuned.candidates.size());
    std::atomic<size_t> next = 0;
    auto work = [&] {
      for (size_t i = next++; i < all.size(); i = next++)
        all[i] = prepare(entry, tuned.candidates[i], launch, tuner.device.target(), tuner.builder,
                         sources);
    };
    std::vector<std::thread> threads;
    for (size_t i = 1; i < std::min<size_t>(tuner.builder.threads, all.size()); ++i)
      threads.emplace_back(work);
    work();
    for (std::thread &thread : threads)
      thread.join();
    return all;
  }

  /// False after a report.
  bool measure(size_t launch) {
    if (tuner.progress)
      tuner.progress(entry.name.text + ": launch " + std::to_string(launch + 1) + " of " +
                     std::to_string(table.launches.size()));
    std::vector<PreparedOrNot> all = prepareAll(launch);
    if (!leaveOut(all, launch))
      return false;
    seen.push_back({});
    for (PreparedOrNot &each : all)
      if (each.prepared && seen.back().empty())
        seen.back() = variablesOf(each.prepared->arguments);
    if (!compare(all, launch))
      return false;
    return time(all, tuned.launches.emplace_back());
  }

  /// What did not compile goes; false where nothing is left, or the launch is wrong.
  bool leaveOut(std::vector<PreparedOrNot> &all, size_t launch) {
    for (auto [i, each] : llvm::enumerate(all)) {
      if (each.prepared->compiled)
        continue;
      each.prepared = nullptr;
      if (each.isEveryCandidates)
        return tell(each.said, i);
      if (llvm::none_of(tuned.leftOut, [&](const auto &other) { return other.first == i; }))
        tuned.leftOut.emplace_back(i, each.said.diagnostics.empty()
                                          ? "it does not compile"
                                          : each.said.diagnostics.front().message);
    }
    if (llvm::any_of(all, [](const PreparedOrNot &each) { return each.prepared != nullptr; }))
      return true;
    sink.report(Kind::InvalidOption, entry.name.span,
                "no candidate compiles for the launch " + describe(launch))
        .end();
    return tell(all.front().said, 0);
  }

  /// Hands on what was said of a candidate.
  bool tell(diag::Collector &said, size_t candidate) {
    for (diag::Diagnostic &each : said.diagnostics) {
      each.labels.push_back({{}, "of the candidate " + tuned.candidates[candidate].text});
      sink.submit(std::move(each));
    }
    return false;
  }

  /// Whether all candidates make the same of the launch. False after a report.
  bool compare(std::vector<PreparedOrNot> &all, size_t launch) {
    // Execution on the CPU takes its time.
    if (tuner.device.isPrediction() && launch)
      return true;
    std::optional<size_t> first;
    std::vector<std::pair<std::string, host::Tensor>> expected;
    for (auto [i, each] : llvm::enumerate(all)) {
      if (!each.prepared)
        continue;
      diag::Collector said;
      if (!tuner.device.run(*each.prepared->compiled, each.prepared->arguments, each.prepared->grid,
                            said))
        return tell(said, i);
      if (!first) {
        first = i;
        expected = each.prepared->tensors();
      } else if (!areEqual(expected, each.prepared->tensors(), *first, i, launch)) {
        return false;
      }
    }
    return true;
  }

  bool areEqual(llvm::ArrayRef<std::pair<std::string, host::Tensor>> expected,
                llvm::ArrayRef<std::pair<std::string, host::Tensor>> found, size_t first,
                size_t candidate, size_t launch) {
    for (const auto &[name, tensor] : expected)
      for (const auto &[otherName, other] : found) {
        // Padding may depend on the candidate; what has another shape has no counterpart.
        if (name != otherName || tensor.shape() != other.shape())
          continue;
        host::Tolerance close = host::defaultTolerance(tensor.dtype(), tensor.dtype());
        close.relative = table.rtol.value_or(close.relative);
        close.absolute = table.atol.value_or(close.absolute);
        driver::TensorDifference difference = driver::compareTensors(tensor, other, {0, close});
        if (!difference.differing)
          continue;
        std::string at;
        for (int64_t index : difference.index)
          at += (at.empty() ? "" : ", ") + std::to_string(index);
        sink.report(Kind::ExpectationFailed, entry.name.span)
            .note("the candidates `{0}` and `{1}` give different results",
                  tuned.candidates[first].text, tuned.candidates[candidate].text)
            .note("{0}", name + " differs in " + std::to_string(difference.differing) + " of " +
                             std::to_string(difference.elements) + " elements, first at [" + at +
                             "]: " + difference.expected + " and " + difference.found)
            .note("{0}", "launched with " + describe(launch))
            .hint("`rtol` and `atol` in [kernel.tune] say what may differ");
        return false;
      }
    return true;
  }

  /// Candidates in turns, so that what disturbs one round disturbs all.
  bool time(std::vector<PreparedOrNot> &all, Sample &sample) {
    std::vector<std::vector<double>> times(all.size());
    for (unsigned round = 0; round != tuner.rounds; ++round)
      for (auto [i, each] : llvm::enumerate(all)) {
        if (!each.prepared)
          continue;
        diag::Collector said;
        std::optional<double> time = tuner.device.time(
            *each.prepared->compiled, each.prepared->arguments, each.prepared->grid, said);
        if (!time)
          return tell(said, i);
        times[i].push_back(*time);
      }
    for (std::vector<double> &each : times) {
      llvm::sort(each);
      sample.times.push_back(each.empty() ? std::numeric_limits<double>::infinity()
                                          : each[each.size() / 2]);
    }
    return true;
  }

  std::optional<int64_t> valueOf(size_t launch, llvm::StringRef variable) const {
    for (const auto &[name, value] : seen[launch])
      if (name == variable)
        return value;
    return std::nullopt;
  }

  /// Those of `by`, or those that differ between launches. False after a report.
  bool chooseVariables() {
    for (const driver::Word &word : table.by)
      tuned.variables.push_back(word.text);
    if (tuned.variables.empty())
      for (const auto &[name, value] : seen.front())
        if (llvm::any_of(seen, [&](const Variables &each) {
              return !llvm::is_contained(each, std::pair(name, value));
            }))
          tuned.variables.push_back(name);
    if (tuned.variables.size() > mostVariables) {
      sink.report(Kind::InvalidOption, entry.name.span,
                  "the launches differ in more than " + std::to_string(mostVariables) + " numbers")
          .hint("say which matter: by = [\"{0}\"]", tuned.variables.front());
      return false;
    }
    for (auto [launch, sample] : llvm::enumerate(tuned.launches))
      for (const std::string &variable : tuned.variables) {
        std::optional<int64_t> value = valueOf(launch, variable);
        if (!value) {
          refuse("`" + variable + "` is no integer that every launch gives at run time");
          return false;
        }
        sample.at.push_back(*value);
      }
    if (boxesOf(tuned.launches) > mostBoxes) {
      refuse("the launches have too many different values of " + llvm::join(tuned.variables, ", ") +
             " for rules about all of them");
      return false;
    }
    return true;
  }

  const pack::KernelEntry &entry;
  const pack::Tuning &table;
  const Tuner &tuner;
  diag::SourceManager &sources;
  diag::Sink &sink;
  Tuned tuned;
  /// By launch.
  std::vector<Variables> seen;
};

} // namespace

std::optional<Tuned> tune(const pack::KernelEntry &entry, const Tuner &tuner,
                          diag::SourceManager &sources, diag::Sink &sink) {
  return Tuning(entry, tuner, sources, sink).run();
}

} // namespace gluonc::tune
