#include "explain/Executions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

#include <map>

namespace gluonc::explain {

using llvm::StringRef;

/// The instruction of machine code that one of PTX becomes; "" where it may become several or none.
static StringRef machineNameOf(StringRef ptx) {
  const bool isShared = ptx.contains(".shared");
  const bool isGlobal = ptx.contains(".global") && !isShared;
  StringRef name = ptx.split('.').first;
  if (name == "ld")
    return isGlobal ? "LDG" : isShared ? "LDS" : "";
  if (name == "st")
    return isGlobal ? "STG" : isShared ? "STS" : "";
  if (ptx.starts_with("cp.async.ca") || ptx.starts_with("cp.async.cg"))
    return "LDGSTS";
  if (ptx.starts_with("wgmma.mma_async"))
    return "GMMA";
  if (ptx.starts_with("ex2."))
    return "MUFU.EX2";
  return llvm::StringSwitch<StringRef>(name)
      .Case("ldmatrix", "LDSM")
      .Case("stmatrix", "STSM")
      .Case("mma", "MMA")
      .Case("shfl", "SHFL")
      .Cases({"bar", "barrier"}, ptx.contains("cluster") ? "" : "BAR")
      .Case("atom", isGlobal && !ptx.contains(" _,") ? "ATOMG" : "")
      .Default("");
}

/// The same of an instruction of machine code, by that name.
static StringRef familyOf(StringRef name) {
  if (name.starts_with("MUFU.EX2"))
    return "MUFU.EX2";
  StringRef family = name.split('.').first;
  if (family.ends_with("GMMA"))
    return "GMMA";
  if (family.ends_with("MMA") && !name.starts_with("HFMA2"))
    return "MMA";
  return family;
}

namespace {

/// A line and the calls by which it was inlined, as machine code names places: by files' names.
using Place = std::vector<std::pair<std::string, uint32_t>>;

struct PlaceCounts {
  /// Executions and instructions of PTX.
  struct Sum {
    double executed = 0;
    unsigned instructions = 0;

    void add(double warps) {
      executed += warps;
      ++instructions;
    }
  };
  /// By the name that machine code has for them, and of all.
  std::map<StringRef, Sum> named;
  Sum all;
};

class Estimate {
public:
  Estimate(llvm::ArrayRef<MachineInstruction> instructions, const Counts &counts)
      : instructions(instructions) {
    for (const InstructionCount &count : counts.instructions)
      add(count, counts);
    for (const MachineInstruction &instruction : instructions)
      if (isKnown(instruction))
        ++copies[{placeOf(instruction), familyOf(instruction.name)}];
  }

  std::vector<double> find() {
    std::vector<double> executions;
    for (size_t begin = 0; begin != instructions.size();) {
      size_t end = begin;
      while (end != instructions.size() && instructions[end].block == instructions[begin].block)
        ++end;
      executions.insert(executions.end(), end - begin,
                        ofBlock(instructions.slice(begin, end - begin)));
      begin = end;
    }
    // Behind all of it ptxas puts a branch to itself, where nothing gets.
    const size_t last = instructions.size() - 1;
    if (instructions.size() > 1 && instructions[last].name == "BRA" &&
        instructions[last - 1].name == "EXIT" && instructions[last - 1].guard.empty())
      executions[last] = 0;
    return executions;
  }

private:
  static std::string nameOf(StringRef path) { return llvm::sys::path::filename(path).str(); }

  static Place placeOf(const MachineInstruction &instruction) {
    Place place = {{nameOf(instruction.file), instruction.line}};
    for (const auto &[file, line] : instruction.calls)
      place.push_back({nameOf(file), line});
    return place;
  }

  void add(const InstructionCount &count, const Counts &counts) {
    auto nameAt = [&](const ptx::SourcePlace &at) {
      return at.file < counts.files.size() ? nameOf(counts.files[at.file]) : std::string();
    };
    Place place = {{nameAt(count.source), count.source.line}};
    for (unsigned call = count.call; call; call = counts.calls[call].outer)
      place.push_back({nameAt(counts.calls[call].place), counts.calls[call].place.line});
    PlaceCounts &entry = places[std::move(place)];
    const auto warps = static_cast<double>(count.warps);
    if (StringRef name = machineNameOf(count.text); !name.empty())
      entry.named[name].add(warps);
    // What may become no instruction says nothing of how often its neighbours run.
    if (count.pipe == Pipe::Move)
      return;
    entry.all.add(warps);
  }

  /// Whether PTX says how often all its copies together run.
  bool isKnown(const MachineInstruction &instruction) const {
    auto found = places.find(placeOf(instruction));
    return found != places.end() && found->second.named.count(familyOf(instruction.name));
  }

  /// The median of what instructions of the block say: first of those that are the same in PTX, and
  /// not guarded, which ptxas makes of branches; else of their lines.
  double ofBlock(llvm::ArrayRef<MachineInstruction> block) const {
    std::vector<double> same, guarded, ofLines;
    for (const MachineInstruction &instruction : block) {
      const Place place = placeOf(instruction);
      auto found = places.find(place);
      if (found == places.end())
        continue;
      const PlaceCounts &entry = found->second;
      const StringRef family = familyOf(instruction.name);
      if (auto sum = entry.named.find(family); sum != entry.named.end()) {
        // Fewer or other than multiples are those that ptxas gave to neighbouring lines.
        const unsigned count = copies.at({place, family});
        if (count % sum->second.instructions == 0)
          (instruction.guard.empty() ? same : guarded).push_back(sum->second.executed / count);
      }
      if (entry.all.instructions)
        ofLines.push_back(entry.all.executed / entry.all.instructions);
    }
    for (std::vector<double> *list : {&same, &ofLines, &guarded}) {
      if (list->empty())
        continue;
      auto middle = list->begin() + static_cast<ptrdiff_t>(list->size() / 2);
      std::nth_element(list->begin(), middle, list->end());
      return *middle;
    }
    return 0;
  }

  llvm::ArrayRef<MachineInstruction> instructions;
  std::map<Place, PlaceCounts> places;
  std::map<std::pair<Place, StringRef>, unsigned> copies;
};

} // namespace

std::vector<double> estimateExecutions(llvm::ArrayRef<MachineInstruction> instructions,
                                       const Counts &counts) {
  return Estimate(instructions, counts).find();
}

} // namespace gluonc::explain
