#include "diag/Render.h"
#include "explain/Memory.h"
#include "explain/Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

namespace gluonc::explain {

namespace {

double ratio(uint64_t part, uint64_t whole) {
  return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}
uint64_t percent(uint64_t part, uint64_t whole) { return whole ? 100 * part / whole : 0; }

std::string counted(uint64_t count, llvm::StringRef what) {
  return std::to_string(count) + " " + what.str() + (count == 1 ? "" : "s");
}

class TextReport {
public:
  TextReport(const Profile &profile, llvm::raw_ostream &out) : profile(profile), out(out) {}

  void printTotals() {
    printHead();
    printGlobal();
    printShared();
    printConversions();
    printInstructions();
    printResources();
    printTiming();
  }

  void print(llvm::ArrayRef<Finding> findings) {
    printTotals();
    printOnChip(/*isTensorMemory=*/false);
    printOnChip(/*isTensorMemory=*/true);
    printLines();
    printCalls();
    out << '\n';
    if (findings.empty())
      out << "nothing found that is paid for nothing\n";
    for (const Finding &finding : findings)
      diag::renderText(finding.diagnostic, out);
  }

private:
  /// `name` in front of the first line of several.
  llvm::raw_ostream &row(llvm::StringRef name) {
    return out << llvm::left_justify(name, totalsNameWidth);
  }

  void printHead() {
    auto [x, y, z] = profile.grid;
    out << profile.facts.kernel << " for " << profile.target.name() << ": grid " << x << 'x' << y
        << 'x' << z << ", " << counted(profile.resources.warps, profile.isAmd() ? "wave" : "warp")
        << (profile.isAmd() ? " a workgroup" : " a CTA");
    if (profile.resources.ctasOfCluster > 1)
      out << ", " << profile.resources.ctasOfCluster << " CTAs a cluster";
    out << (profile.isAmd() ? "; its machine code was executed on the CPU\n"
                            : "; its PTX was executed on the CPU\n");
  }

  void printAccesses(llvm::StringRef name, const GlobalCount &count) {
    row(name);
    if (!count.requests) {
      out << "none\n";
      return;
    }
    out << counted(count.requests, "request") << ", "
        << counted(count.sectors, profile.isAmd() ? "cache line" : "sector")
        << llvm::format(" (%.1f a request), ", ratio(count.sectors, count.requests))
        << count.usedBytes << " of " << count.sectors * profile.sectorBytes() << " bytes used ("
        << percent(count.usedBytes, count.sectors * profile.sectorBytes()) << " %)\n";
  }

  void printGlobal() {
    printAccesses("global loads", profile.total.loads);
    printAccesses("global stores", profile.total.stores);
    if (profile.total.boxBytes)
      row("copies") << profile.total.boxBytes << " bytes by the copy engine\n";
  }

  void printShared() {
    const SharedCount &count = profile.total.shared;
    if (count.requests)
      row(profile.isAmd() ? "LDS accesses" : "shared memory")
          << counted(count.requests, "request") << ", "
          << counted(count.wavefronts, profile.isAmd() ? "cycle" : "wavefront") << ", "
          << count.ideal << " without bank conflicts\n";
  }

  /// Those that cost something, each line once.
  void printConversions() {
    std::vector<std::pair<std::string, unsigned>> lines;
    unsigned free = 0;
    for (const ConversionFact &fact : profile.facts.conversions) {
      if (fact.how == "identity") {
        ++free;
        continue;
      }
      std::string line =
          placeOf(fact.span) + ": " + howText(fact) + ", " + fact.from + " -> " + fact.to;
      auto known = llvm::find_if(lines, [&](const auto &other) { return other.first == line; });
      if (known == lines.end())
        lines.push_back({line, 1});
      else
        ++known->second;
    }
    llvm::StringRef name = "conversions";
    for (const auto &[line, times] : lines) {
      row(name) << line << (times > 1 ? ", " + std::to_string(times) + " times" : "") << '\n';
      name = "";
    }
    if (free)
      row(name) << free << (lines.empty() ? "" : " more") << " with nothing to do\n";
  }
  static std::string howText(const ConversionFact &fact) {
    if (fact.how == "registers")
      return "within each thread";
    std::string how = fact.how == "shuffle" ? "shuffles" : "shared memory";
    return how + ", " + std::to_string(fact.bytes) + " bytes";
  }
  static std::string placeOf(diag::Span span) {
    if (!span)
      return "no line";
    return (llvm::sys::path::filename(span.file->path()) + ":" +
            llvm::Twine(span.file->position(span.begin).line))
        .str();
  }

  void printInstructions() {
    row("instructions") << profile.total.instructions
                        << (profile.isAmd() ? " of waves: "
                                            : " of warps (of PTX, not machine code): ");
    printPipes(profile.total.pipes, profile.total.instructions);
    if (profile.hasMachineCode) {
      row("machine code") << counted(profile.total.machineInstructions(), "instruction") << ": ";
      printPipes(profile.total.machine, profile.total.machineInstructions());
      if (double executed = profile.executedMachineInstructions(); executed > 0)
        row("") << (profile.guessedBranches == uint64_t(0) ? "" : "about ")
                << llvm::format("%.0f executed by warps\n", executed);
    }
    if (profile.total.flops)
      row("products") << profile.total.flops << " flops\n";
  }

  void printPipes(const std::array<uint64_t, pipeCount> &counts, uint64_t all) {
    llvm::SmallVector<std::pair<uint64_t, Pipe>> pipes;
    for (unsigned i = 0; i != pipeCount; ++i)
      if (uint64_t count = counts[i])
        pipes.push_back({count, Pipe(i)});
    llvm::sort(pipes, [](const auto &a, const auto &b) {
      return std::pair(b.first, a.second) < std::pair(a.first, b.second);
    });
    llvm::ListSeparator comma;
    for (auto [count, pipe] : pipes)
      out << comma << percent(count, all) << " % " << nameOf(pipe);
    out << '\n';
  }

  void printWaveResources() {
    if (const auto &used = profile.resources.registers) {
      row("registers") << used->count << " VGPR a lane";
      if (used->accumulators)
        out << " (" << used->accumulators << " of them AccVGPR)";
      out << ", " << used->scalars << " SGPR a wave, " << used->spillStoreBytes
          << " bytes spilled\n";
    }
    row("LDS") << profile.resources.sharedBytes << " bytes a workgroup\n";
    if (const auto &occupancy = profile.occupancy)
      row("occupancy") << occupancy->warps << " of " << occupancy->mostWarps << " waves ("
                       << occupancy->percent() << " %), " << counted(occupancy->ctas, "workgroup")
                       << " a compute unit; limit: " << limitsText(*occupancy, limitText) << '\n';
  }
  static std::string limitsText(const target::Occupancy &occupancy,
                                llvm::function_ref<std::string_view(target::OccupancyLimit)> name) {
    std::string text(name(occupancy.limit));
    return occupancy.otherLimit ? text.append(" and ").append(name(*occupancy.otherLimit)) : text;
  }
  static std::string_view limitText(target::OccupancyLimit limit) {
    switch (limit) {
    case target::OccupancyLimit::Warps:
      return "waves";
    case target::OccupancyLimit::Ctas:
      return "workgroups";
    case target::OccupancyLimit::Registers:
      return "VGPR";
    case target::OccupancyLimit::SharedMemory:
      return "LDS";
    }
    return "";
  }

  void printResources() {
    if (profile.isAmd())
      return printWaveResources();
    if (const auto &used = profile.resources.registers)
      row("registers") << used->count << " a thread, " << used->spillStoreBytes
                       << " bytes spilled, " << used->spillLoadBytes << " reloaded\n";
    else
      row("registers") << "not known: ptxas is not installed\n";
    row("shared") << profile.resources.sharedBytes << " bytes a CTA\n";
    if (const auto &occupancy = profile.occupancy)
      row("occupancy") << occupancy->warps << " of " << occupancy->mostWarps << " warps ("
                       << occupancy->percent() << " %), " << counted(occupancy->ctas, "CTA")
                       << " a multiprocessor; limit: " << limitsText(*occupancy, target::nameOf)
                       << '\n';
  }

  void printTiming() {
    if (!profile.timing && !profile.whyNoTiming.empty())
      row("predicted") << "nothing: " << profile.whyNoTiming << '\n';
    if (!profile.timing)
      return;
    const Timing &timing = *profile.timing;
    if (timing.isBound) {
      row("predicted") << llvm::format("at least %.2f us", timing.microseconds) << " on "
                       << timing.chip
                       << " (each unit by itself, by published figures); busiest: " << timing.limit
                       << '\n';
      const std::string others = shares({timing.busy.begin() + 1, timing.busy.end()});
      if (others != "none")
        row("beside it") << others << '\n';
      return;
    }
    row("predicted") << llvm::format("%.2f us", timing.microseconds) << " on " << timing.chip
                     << " (a model, by figures "
                     << (timing.isMeasured ? "measured there" : "published")
                     << "); limit: " << timing.limit << '\n';
    row("units at work") << shares(timing.busy) << '\n';
    row("warps' time") << shares(timing.spent) << '\n';
  }
  /// Those of a percent and more.
  static std::string shares(const std::vector<std::pair<std::string, double>> &list) {
    std::string text;
    for (const auto &[name, share] : list)
      if (auto percents = static_cast<unsigned>(100 * share); percents)
        text += (text.empty() ? "" : ", ") + name + " " + std::to_string(percents) + " %";
    return text.empty() ? "none" : text;
  }

  /// Who takes a memory on the chip from which line to which; `*` for those where most is taken.
  void printOnChip(bool isTensorMemory) {
    const OnChipPeak &peak = isTensorMemory ? profile.facts.tensorPeak : profile.facts.sharedPeak;
    if (!peak.bytes)
      return;
    out << (isTensorMemory ? "\ntensor memory over time: most at line "
                           : "\nshared memory over time: most at line ")
        << peak.line << ", "
        << counted(isTensorMemory ? peak.columns : peak.bytes, isTensorMemory ? "column" : "byte")
        << (isTensorMemory ? "\n    column  columns" : "\n    offset    bytes") << "  lines\n";
    for (const OnChipFact &fact : profile.facts.onChip)
      if (fact.isTensorMemory == isTensorMemory)
        out << llvm::formatv("  {0} {1,6}  {2,7}  {3,-11}  {4}{5}\n", fact.isAtPeak ? '*' : ' ',
                             fact.offset, isTensorMemory ? fact.columns : fact.bytes,
                             std::to_string(fact.firstLine) + "-" + std::to_string(fact.lastLine),
                             fact.name.empty() ? "" : "`" + fact.name + "`, ", fact.what);
  }

  /// Whether a line or a call deserves one of the listing: it accesses memory, or takes a percent.
  bool isShown(const Cost &cost) const {
    return cost.accessesMemory() || cost.flops ||
           cost.instructions * 100 >= profile.total.instructions;
  }

  void printLines() {
    const diag::SourceFile *file = nullptr;
    for (const Line &line : profile.lines) {
      if (!isShown(line.cost))
        continue;
      if (file != line.file)
        printHeads(line.file->path());
      file = line.file;
      printCosts(line.number, line.cost);
      out << line.file->line(line.number) << '\n';
    }
  }

  /// Functions whose calls were inlined, below the function that calls them.
  void printCalls() {
    bool isFirst = true;
    for (const Call &call : profile.calls) {
      const diag::Span place = call.chain.front();
      if (!place || !isShown(call.cost))
        continue;
      if (isFirst)
        printHeads("calls that were inlined");
      isFirst = false;
      printCosts(place.file->position(place.begin).line, call.cost);
      out.indent(2 * unsigned(call.chain.size() - 1))
          << (call.function.empty() ? "a function" : call.function) << ", "
          << llvm::sys::path::filename(place.file->path()) << '\n';
    }
  }

  void printHeads(llvm::StringRef title) {
    out << '\n'
        << title << "\n  line  instructions  live  access                  "
        << (profile.isAmd() ? "  lines/request  used      cycles/ideal\n"
                            : "sectors/request  used  wavefronts/ideal\n");
  }

  static constexpr size_t accessWidth = 22;
  /// The first of a line's instructions that access memory, and how many others there are.
  static std::string accessOf(const Cost &cost) {
    if (cost.accesses.empty())
      return "";
    size_t others = cost.accesses.size() - 1;
    std::string more = others ? " +" + std::to_string(others) : "";
    return cost.accesses.front().substr(0, accessWidth - more.size()) + more;
  }

  void printCosts(uint32_t number, const Cost &cost) {
    GlobalCount global = cost.global();
    const SharedCount &shared = cost.shared;
    uint64_t used = percent(global.usedBytes, global.sectors * profile.sectorBytes());
    std::string wavefronts =
        shared.requests ? std::to_string(shared.wavefronts) + "/" + std::to_string(shared.ideal)
                        : "";
    out << llvm::formatv("{0,6}  {1,12}  {2,4}  {3,-22}", number, cost.instructions,
                         cost.liveRegisters, accessOf(cost));
    if (global.requests)
      out << llvm::formatv("  {0,15:f1}  {1,3}%", ratio(global.sectors, global.requests), used);
    else
      out.indent(2 + 15 + 2 + 4);
    out << llvm::formatv("  {0,16}  | ", wavefronts);
  }

  const Profile &profile;
  llvm::raw_ostream &out;
};

} // namespace

void printTotals(const Profile &profile, llvm::raw_ostream &out) {
  TextReport(profile, out).printTotals();
}

void printText(const Explained &launch, llvm::raw_ostream &out) {
  TextReport(launch.profile, out).print(launch.findings);
}

} // namespace gluonc::explain
