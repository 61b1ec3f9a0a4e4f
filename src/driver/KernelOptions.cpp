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

bool readOptions(const CommandLine &line, sema::Options &options, std::string &problem) {
  std::optional<uint64_t> warps, ctas, stages, registers;
  if (!line.integer("--num-warps", warps, problem) || !line.integer("--num-ctas", ctas, problem) ||
      !line.integer("--num-stages", stages, problem) ||
      !line.integer("--maxnreg", registers, problem))
    return false;
  options.numWarps = static_cast<unsigned>(warps.value_or(4));
  options.numCtas = static_cast<unsigned>(ctas.value_or(1));
  if (!target::isNumWarps(warps.value_or(4)))
    problem =
        "--num-warps takes " + target::powersOfTwoUpTo(target::maxWarpsPerCta(target::minWarpSize));
  else if (!target::isNumCtas(ctas.value_or(1)))
    problem = "--num-ctas takes " + target::powersOfTwoUpTo(target::maxCtasPerCluster);
  else if (!target::isNumStages(stages.value_or(1)))
    problem = "--num-stages takes 1 to " + std::to_string(target::maxStages);
  else if (registers && !target::nvidia::isRegisterLimit(*registers))
    problem = "--maxnreg takes " + std::to_string(target::nvidia::minRegisterLimit) + " to " +
              std::to_string(target::nvidia::maxRegisterLimit);
  options.numStages = static_cast<unsigned>(stages.value_or(options.numStages));
  if (registers)
    options.maxnreg = static_cast<unsigned>(*registers);
  options.debug = line.has("--debug");
  return problem.empty();
}

} // namespace gluonc::driver
