#include "lsp/Costs.h"

#include "llvm/Support/FormatVariadic.h"

namespace gluonc::lsp {

static std::string describe(const explain::ConversionFact &fact) {
  if (fact.how == "identity")
    return "Both layouts are the same: nothing moves.";
  std::string text = llvm::formatv("Changes the layout ({0}): {1} bytes", fact.how, fact.bytes);
  if (fact.scratchBytes)
    text += llvm::formatv(" by way of {0} bytes of shared memory", fact.scratchBytes);
  switch (fact.cause) {
  case explain::ConversionFact::Cause::None:
    break;
  case explain::ConversionFact::Cause::Invariant:
    text += "; the same in each iteration of the loop";
    break;
  case explain::ConversionFact::Cause::RoundTrip:
    text += "; the value has just come from the layout that it goes back to";
    break;
  case explain::ConversionFact::Cause::Carried:
    text += "; the loop carries the value in a layout that it is wanted in only at its end";
    break;
  }
  return text + ".";
}

static std::string describe(const explain::GlobalFact &fact) {
  if (fact.isScalar)
    return "One address for the whole program.";
  const int64_t run = std::min({fact.layoutRun, fact.addressRun, fact.maskRun});
  std::string text = llvm::formatv("A thread moves {0} bytes of global memory at once",
                                   static_cast<uint64_t>(run) * fact.elementBytes);
  if (fact.possibleRun > run) {
    text += llvm::formatv("; {0} bytes are possible",
                          static_cast<uint64_t>(fact.possibleRun) * fact.elementBytes);
    if (!fact.suggestion.empty())
      text += ", as in gl." + fact.suggestion;
  }
  return text + ".";
}

std::string describeCosts(const View &view, diag::Span place) {
  std::string text;
  for (const AnalyzedKernel &kernel : view.analysis.kernels) {
    if (const auto *fact = explain::findAt(kernel.facts.conversions, place))
      text += "\n" + describe(*fact) + "\n";
    if (const auto *fact = explain::findAt(kernel.facts.global, place))
      text += "\n" + describe(*fact) + "\n";
    // Others differ in their arguments alone.
    if (!text.empty())
      break;
  }
  return text;
}

std::string describeKernel(const View &view, const sema::Function &function) {
  std::string text;
  for (const AnalyzedKernel &kernel : view.analysis.kernels)
    if (kernel.kernel->def == function.def && kernel.sharedBytes)
      text +=
          llvm::formatv("\n{0}, {1} warps: {2} bytes of shared memory, {3} changes of layouts.\n",
                        kernel.options.target.name(), kernel.options.numWarps, *kernel.sharedBytes,
                        kernel.facts.conversions.size());
  return text;
}

} // namespace gluonc::lsp
