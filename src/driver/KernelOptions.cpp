#include "driver/KernelOptions.h"
#include "target/Limits.h"
#include "target/nvidia/Registers.h"

namespace gluonc::driver {

std::optional<target::Target> parseTarget(const Word &word, diag::Sink &sink) {
  if (std::optional<target::Target> target = target::Target::parse(word.text))
    return target;
  std::string known;
  for (const target::Target &target : target::Target::all())
    known += (known.empty() ? "" : ", ") + target.name();
  sink.report(diag::Kind::UnknownTarget, word.span, word.text).hint("known targets: {0}", known);
  return std::nullopt;
}

std::string whyNotPossible(const OptionNumbers &numbers, llvm::StringRef prefix) {
  std::string name = prefix.str();
  if (!target::isNumWarps(numbers.warps.value_or(4)))
    return name + "num-warps takes " +
           target::powersOfTwoUpTo(target::maxWarpsPerCta(target::minWarpSize));
  if (!target::isNumCtas(numbers.ctas.value_or(1)))
    return name + "num-ctas takes " + target::powersOfTwoUpTo(target::maxCtasPerCluster);
  if (!target::isNumStages(numbers.stages.value_or(1)))
    return name + "num-stages takes 1 to " + std::to_string(target::maxStages);
  if (numbers.registers && !target::nvidia::isRegisterLimit(*numbers.registers))
    return name + "maxnreg takes " + std::to_string(target::nvidia::minRegisterLimit) + " to " +
           std::to_string(target::nvidia::maxRegisterLimit);
  return "";
}

void apply(const OptionNumbers &numbers, sema::Options &options) {
  options.numWarps = static_cast<unsigned>(numbers.warps.value_or(options.numWarps));
  options.numCtas = static_cast<unsigned>(numbers.ctas.value_or(options.numCtas));
  options.numStages = static_cast<unsigned>(numbers.stages.value_or(options.numStages));
  if (numbers.registers)
    options.maxnreg = static_cast<unsigned>(*numbers.registers);
}

bool readOptions(const CommandLine &line, sema::Options &options, std::string &problem) {
  OptionNumbers numbers;
  if (!line.integer("--num-warps", numbers.warps, problem) ||
      !line.integer("--num-ctas", numbers.ctas, problem) ||
      !line.integer("--num-stages", numbers.stages, problem) ||
      !line.integer("--maxnreg", numbers.registers, problem))
    return false;
  problem = whyNotPossible(numbers, "--");
  apply(numbers, options);
  options.debug = line.has("--debug");
  return problem.empty();
}

} // namespace gluonc::driver
