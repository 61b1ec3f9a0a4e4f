#include "Execution.h"
#include "driver/KernelOptions.h"
#include "host/Npy.h"

#include "llvm/Support/Format.h"

namespace gluonc::tool {

using diag::Kind;

namespace {

/// One `gluonc run`.
struct Run {
  Session &session;
  Execution execution = {.session = session};
  std::optional<host::Tolerance> tolerance = std::nullopt;

  void printTime(const driver::RunTime &time, const driver::KernelArguments &arguments,
                 driver::Grid grid) {
    llvm::raw_ostream &out = llvm::outs();
    out << "ran on " << execution.deviceText() << ", grid " << grid[0] << 'x' << grid[1] << 'x'
        << grid[2] << ", " << execution.options.numWarps << " warps\n";
    out << llvm::format("time %.4f ms", time.milliseconds);
    if (time.launches > 1)
      out << " (median of " << time.launches << ")";
    double bytes = static_cast<double>(driver::tensorBytes(arguments));
    out << llvm::format(", tensors %.3f MB", bytes / 1e6);
    if (time.milliseconds > 0)
      out << llvm::format(", %.2f GB/s", bytes / time.milliseconds / 1e6);
    out << '\n';
  }

  /// Whether the expectation holds; reports when it does not.
  void expect(host::HostScope &scope, const Word &text) {
    std::optional<host::Expectation> found =
        host::checkExpectation(scope, text.text, tolerance, session.sink);
    if (!found)
      return;
    if (found->holds) {
      llvm::outs() << "expect " << text.text << ": holds\n";
      return;
    }
    auto report = session.sink.report(Kind::ExpectationFailed, text.span);
    for (const std::string &detail : found->details)
      std::move(report).note("{0}", detail);
  }

  void save(host::HostScope &scope, const Word &word) {
    auto [name, path] = llvm::StringRef(word.text).split('=');
    const host::Array *array = scope.findTensor(name);
    if (!array) {
      session.sink.report(Kind::InvalidOption, word.span, "there is no tensor `" + name.str() + "`")
          .end();
      return;
    }
    if (llvm::Error error = host::writeNpy(path, array->tensor))
      session.sink.report(Kind::UnwritableFile, word.span, path, llvm::toString(std::move(error)))
          .end();
  }
};

} // namespace

int runCommand(Session &session) {
  if (session.line.positional().empty())
    return session.usage("no kernel given");
  Session::Input input = Session::splitInput(session.line.positional().front());
  Run run{.session = session};
  std::vector<driver::ArgumentText> texts;
  std::string problem;
  std::optional<double> rtol, atol;
  if (!session.line.namedValues(1, texts, problem) ||
      !driver::readOptions(session.line, run.execution.options, problem) ||
      !session.readSimulation(run.execution.how, problem) ||
      !session.line.number("--rtol", rtol, problem) ||
      !session.line.number("--atol", atol, problem))
    return session.usage(problem);
  if (rtol || atol)
    run.tolerance = host::Tolerance{rtol.value_or(1e-5), atol.value_or(1e-8)};
  std::vector<Word> expectations = session.line.all("--expect"), saves = session.line.all("--save");
  for (const Word &word : saves)
    if (!llvm::StringRef(word.text).contains('='))
      return session.usage("--save takes NAME=FILE.npy");
  std::unique_ptr<LoadedKernel> loaded = session.loadKernel(input);
  if (!loaded)
    return session.status();
  if (!run.execution.choose(problem))
    return problem.empty() ? session.status() : session.usage(problem);

  std::vector<std::string> later;
  for (const Word &word : expectations)
    later.push_back(word.text);
  std::optional<BoundLaunch> bound = session.bindLaunch(*loaded, texts, std::move(later));
  if (!bound)
    return session.status();
  auto &[arguments, grid] = *bound;
  Timings timings;
  std::optional<driver::RunTime> time =
      run.execution.launch(loaded->program, *loaded->kernel, arguments, grid, &timings);
  if (session.line.has("--time-passes"))
    for (const Timings::Entry &entry : timings.entries())
      llvm::errs() << llvm::format("%10.3f ms  ", entry.milliseconds) << entry.name << '\n';
  if (!time)
    return session.status();
  run.printTime(*time, arguments, grid);
  for (const Word &word : expectations)
    run.expect(*loaded->scope, word);
  for (const Word &word : saves)
    run.save(*loaded->scope, word);
  return session.status();
}

} // namespace gluonc::tool
