#include "Execution.h"
#include "TritonLaunch.h"
#include "VerifyReport.h"
#include "driver/KernelOptions.h"
#include "driver/verify/Explore.h"
#include "driver/verify/Rounds.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace gluonc::tool {

namespace {

/// What an execution has made of the tensors of the command line, in their order.
struct Results {
  std::string execution;
  std::vector<std::pair<std::string, host::Tensor>> tensors;
};

/// One `gluonc verify`.
struct Verification {
  Session &session;
  Session::Input input = {};
  std::vector<driver::ArgumentText> texts = {};
  uint64_t seed = 0, rounds = 1;
  /// So many schedules of the simulator; the second may be given.
  uint64_t schedules = 0;
  std::optional<std::vector<uint8_t>> schedule = {};
  std::optional<double> ulp = {}, rtol = {}, atol = {};
  std::string python = "python3";
  std::vector<std::pair<std::string, Execution>> executions = {};
  std::unique_ptr<LoadedKernel> loaded = nullptr;
  /// Tensors that hold nothing before a launch.
  llvm::StringSet<> empty = {};
  VerifyReport report = {};

  /// False with a usage problem, or after a report.
  bool read(std::string &problem) {
    std::optional<uint64_t> seedGiven, roundsGiven, schedulesGiven;
    if (!session.line.namedValues(1, texts, problem) ||
        !session.line.integer("--seed", seedGiven, problem) ||
        !session.line.integer("--rounds", roundsGiven, problem) ||
        !session.line.integer("--explore", schedulesGiven, problem) ||
        !session.line.number("--ulp", ulp, problem) ||
        !session.line.number("--rtol", rtol, problem) ||
        !session.line.number("--atol", atol, problem))
      return false;
    seed = seedGiven.value_or(seed);
    rounds = roundsGiven.value_or(rounds);
    schedules = schedulesGiven.value_or(schedules);
    if (const Word *word = session.line.find("--schedule")) {
      schedule = driver::parseChoices(word->text);
      schedules = 2;
      if (!schedule)
        problem = "--schedule takes numbers, as 0,1,2";
      if (!schedule)
        return false;
    }
    if (const Word *word = session.line.find("--triton"))
      python = word->text;
    input = Session::splitInput(session.line.positional().front());
    return chooseExecutions(problem);
  }

  bool chooseExecutions(std::string &problem) {
    Execution first{.session = session, .how = {}};
    if (!driver::readOptions(session.line, first.options, problem) ||
        !session.readSimulation(first.how, problem))
      return false;
    Execution onGpu = first;
    bool hasGpu = onGpu.chooseFirstGpu();
    first.options.target = hasGpu ? onGpu.options.target : *target::Target::parse("cuda:90a");
    if (const Word *word = session.line.find("--target")) {
      std::optional<target::Target> target = driver::parseTarget(*word, session.sink);
      if (!target)
        return false;
      first.options.target = *target;
    }
    const target::Target &target = first.options.target;
    report.target = target.name();
    executions.emplace_back("simulator", first);
    first.executed = target.isNvidia() ? Execution::Executed::Ptx : Execution::Executed::Amdgcn;
    executions.emplace_back(target.isNvidia() ? "ptx" : "amdgcn", first);
    if (hasGpu)
      executions.emplace_back(onGpu.deviceText(), onGpu);
    else
      report.absent.emplace_back("GPU", "there is none that gluonc has code for");
    return true;
  }

  /// Binds the arguments anew, with the data of `roundSeed`. Nullopt after a report.
  std::optional<BoundLaunch> bind(llvm::ArrayRef<driver::ArgumentText> arguments,
                                  uint64_t roundSeed) {
    host::HostScope &scope = loaded->scope.emplace(loaded->program, loaded->scope->module);
    scope.nextSeed = driver::dataSeed(roundSeed);
    scope.oddValues = session.line.has("--odd");
    return session.bindLaunch(*loaded, arguments);
  }

  /// The tensors of the command line, but those that hold addresses.
  Results collect(std::string name) const {
    Results results{std::move(name), {}};
    for (const auto &[tensorName, array] : loaded->scope->tensors)
      if (array.tensor.storage()->reached.empty() && array.tensor.dtype() == array.dtype)
        results.tensors.emplace_back(tensorName, driver::snapshot(array.tensor));
    return results;
  }

  void noteInexact(mlir::ModuleOp module) {
    bool fusion = !session.line.has("--no-fp-fusion");
    for (driver::InexactOperation &each :
         driver::inexactOperations(module, fusion, session.sources))
      if (llvm::none_of(report.inexact, [&](const driver::InexactOperation &other) {
            return other.what == each.what && other.place.begin == each.place.begin;
          }))
        report.inexact.push_back(std::move(each));
  }

  void leaveOut(const std::string &execution, std::string why) {
    if (llvm::none_of(report.absent, [&](const auto &each) { return each.first == execution; }))
      report.absent.emplace_back(execution, std::move(why));
  }

  /// Runs one round by one execution. False where that cannot go on, after a report.
  bool execute(const std::string &name, Execution &execution,
               llvm::ArrayRef<driver::ArgumentText> arguments, uint64_t roundSeed,
               std::vector<Results> &all) {
    std::optional<BoundLaunch> bound = bind(arguments, roundSeed);
    if (!bound)
      return false;
    if (all.empty()) {
      all.push_back(collect("before"));
      for (const auto &[tensorName, array] : loaded->scope->tensors)
        if (array.tensor.storage()->isPoisoned())
          empty.insert(tensorName);
      execution.seesIr = [&](mlir::ModuleOp module) { noteInexact(module); };
    }
    session.sink.outcome = driver::Outcome::Fine;
    Timings timings;
    if (execution.launch(loaded->program, *loaded->kernel, bound->arguments, bound->grid, &timings))
      all.push_back(collect(name));
    else if (session.sink.outcome == driver::Outcome::Fault)
      report.faulted.push_back(name);
    else if (session.sink.outcome == driver::Outcome::Unavailable)
      leaveOut(name, "see the error above");
    else
      return false;
    session.sink.outcome = driver::Outcome::Fine;
    return true;
  }

  bool executeByTriton(llvm::ArrayRef<driver::ArgumentText> arguments, uint64_t roundSeed,
                       std::vector<Results> &all) {
    if (python == "no" || isAbsent("Triton"))
      return true;
    std::optional<BoundLaunch> bound = bind(arguments, roundSeed);
    if (!bound)
      return false;
    TritonAnswer answer = launchByTriton(session, python, *loaded, input, arguments, *bound,
                                         executions.front().second.options);
    if (answer.what == TritonAnswer::What::Ran)
      all.push_back(collect(answer.text));
    else
      leaveOut("Triton", answer.text);
    return true;
  }

  bool isAbsent(llvm::StringRef execution) const {
    return llvm::any_of(report.absent, [&](const auto &each) { return each.first == execution; });
  }

  driver::AllowedDifference allowed(sema::DType dtype) const {
    driver::AllowedDifference result = driver::allowedBy(report.inexact, dtype);
    if (ulp || rtol || atol)
      result = {ulp.value_or(0), {rtol.value_or(0), atol.value_or(0)}};
    return result;
  }

  /// Compares the tensors that any execution has changed, or whose memory had no values.
  std::vector<ComparedTensor> compare(llvm::ArrayRef<Results> all) const {
    std::vector<ComparedTensor> compared;
    const Results &before = all[0], &reference = all[1];
    for (auto [i, named] : llvm::enumerate(before.tensors)) {
      auto changed = [&](const Results &results) {
        return driver::compareTensors(named.second, results.tensors[i].second, {}).largestUlp != 0;
      };
      if (!empty.contains(named.first) && llvm::none_of(all.drop_front(), changed))
        continue;
      for (const Results &results : all.drop_front(2)) {
        driver::AllowedDifference limit = allowed(named.second.dtype());
        compared.push_back({named.first, results.execution, limit,
                            driver::compareTensors(reference.tensors[i].second,
                                                   results.tensors[i].second, limit)});
      }
    }
    return compared;
  }

  /// False where nothing can go on.
  bool round(uint64_t roundSeed) {
    std::vector<driver::ArgumentText> arguments = texts;
    if (std::string empty; !driver::drawArguments(arguments, roundSeed, empty)) {
      session.sink.report(diag::Kind::InvalidOption, {}, "the range of `" + empty + "` is empty")
          .end();
      return false;
    }
    std::vector<Results> all;
    for (auto &[name, execution] : executions)
      if (!isAbsent(name) && !execute(name, execution, arguments, roundSeed, all))
        return false;
    if (!executeByTriton(arguments, roundSeed, all))
      return false;
    keep(all.size() > 1 ? compare(all) : std::vector<ComparedTensor>(), all);
    bool differs = llvm::any_of(
        report.tensors, [](const ComparedTensor &each) { return each.difference.differing != 0; });
    ++report.rounds;
    if (!differs && report.faulted.empty())
      return exploreSchedules(arguments, roundSeed);
    report.arguments = arguments;
    report.repeat = commandOf(arguments, roundSeed);
    return true;
  }

  /// Runs the simulator under schedules, whose results must be those of the first. False where that
  /// cannot go on, after a report.
  bool exploreSchedules(llvm::ArrayRef<driver::ArgumentText> arguments, uint64_t roundSeed) {
    driver::ScheduleExplorer explorer(/*reduces=*/!session.line.has("--all-orders"));
    std::optional<Results> first;
    report.schedules = report.cutSchedules = 0;
    for (uint64_t i = 0; i != schedules; ++i) {
      std::optional<sim::Schedule> next = explorer.next();
      if (i && schedule)
        next.emplace().choices = *schedule;
      if ((report.areAllSchedules = !next))
        return true;
      sim::Schedule &run = *next;
      std::optional<Results> results = runSchedule(run, arguments, roundSeed);
      if (run.isRedundant) {
        ++report.cutSchedules;
        explorer.tell(run);
        continue;
      }
      if (!results && session.sink.outcome != driver::Outcome::Fault)
        return false;
      ++report.schedules;
      if (!results || (first && differ(*first, *results))) {
        noteFailure(run, arguments, roundSeed);
        return true;
      }
      if (!first)
        first = std::move(results);
      explorer.tell(run);
    }
    return true;
  }

  /// Nullopt after a report, which a fault is, too.
  std::optional<Results> runSchedule(sim::Schedule &schedule,
                                     llvm::ArrayRef<driver::ArgumentText> arguments,
                                     uint64_t roundSeed) {
    Execution execution = executions.front().second;
    execution.seesIr = {};
    execution.how.schedule = &schedule;
    std::optional<BoundLaunch> bound = bind(arguments, roundSeed);
    Timings timings;
    if (!bound || !execution.launch(loaded->program, *loaded->kernel, bound->arguments, bound->grid,
                                    &timings))
      return std::nullopt;
    return collect("schedule");
  }

  /// Whether a tensor differs, which is then the report's only one.
  bool differ(const Results &first, const Results &other) {
    for (auto [i, named] : llvm::enumerate(first.tensors)) {
      driver::TensorDifference difference =
          driver::compareTensors(named.second, other.tensors[i].second, {});
      if (!difference.differing)
        continue;
      report.tensors = {{named.first, other.execution, {}, std::move(difference)}};
      return true;
    }
    return false;
  }

  void noteFailure(const sim::Schedule &run, llvm::ArrayRef<driver::ArgumentText> arguments,
                   uint64_t roundSeed) {
    std::vector<uint8_t> choices;
    for (const sim::Schedule::Decision &decision : run.decisions)
      choices.push_back(decision.chosen);
    report.schedule = driver::choicesText(driver::shortened(std::move(choices)));
    report.steps = run.steps;
    report.arguments.assign(arguments.begin(), arguments.end());
    report.repeat = commandOf(arguments, roundSeed) + " --schedule " + report.schedule;
  }

  /// The worse of what was found of each tensor; of a round that fails, that alone.
  void keep(std::vector<ComparedTensor> found, llvm::ArrayRef<Results> all) {
    report.executions.clear();
    for (const Results &results : all.drop_front())
      report.executions.push_back(results.execution);
    bool differs = llvm::any_of(found, [](const auto &each) { return each.difference.differing; });
    for (ComparedTensor &each : found)
      for (const ComparedTensor &other : report.tensors)
        if (!differs && other.tensor == each.tensor && other.execution == each.execution &&
            other.difference.largestUlp > each.difference.largestUlp)
          each.difference = other.difference;
    report.tensors = std::move(found);
  }

  /// What repeats one round.
  std::string commandOf(llvm::ArrayRef<driver::ArgumentText> arguments, uint64_t roundSeed) const {
    std::string text = "gluonc verify " + quotedForShell(session.line.positional().front().text);
    for (const driver::ArgumentText &argument : arguments)
      text += " " + quotedForShell(argument.name + "=" + argument.value);
    for (const OptionSpec &option : session.command->options)
      if (!llvm::is_contained({"--rounds", "--seed", "--explore", "--schedule", "--all-orders"},
                              option.name))
        for (const Word &word : session.line.all(option.name))
          text += " " + option.name.str() +
                  (option.value.empty() ? "" : " " + quotedForShell(word.text));
    return text + " --seed " + std::to_string(roundSeed);
  }
};

} // namespace

int verifyCommand(Session &session) {
  if (session.line.positional().empty())
    return session.usage("no kernel given");
  Verification verification{.session = session};
  std::string problem;
  if (!verification.read(problem))
    return problem.empty() ? session.status() : session.usage(problem);
  if (verification.input.isIr())
    return session.usage("it takes the source of a kernel, not IR");
  std::optional<bool> json = session.wantsJson();
  if (!json)
    return 2;
  verification.loaded = session.loadKernel(verification.input);
  if (!verification.loaded)
    return session.status();
  VerifyReport &report = verification.report;
  report.kernel = verification.loaded->kernel->name;
  for (uint64_t i = 0; i != verification.rounds && !report.failed(); ++i)
    if (!verification.round(verification.seed + i))
      return session.status();
  if (*json)
    llvm::outs() << llvm::formatv("{0:2}\n", toJson(report));
  else
    printText(report, llvm::outs());
  return report.failed() ? 1 : 0;
}

} // namespace gluonc::tool
