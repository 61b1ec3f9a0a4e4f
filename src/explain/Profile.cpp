#include "explain/Profile.h"

#include "explain/Memory.h"
#include "explain/WaveCounter.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace gluonc::explain {

unsigned Profile::sectorBytes() const { return isAmd() ? cacheLineBytes : explain::sectorBytes; }

double Profile::executedMachineInstructions() const {
  double sum = 0;
  for (const auto &[name, opcode] : opcodes)
    sum += opcode.executed;
  return sum;
}

void Cost::add(const InstructionCount &count) {
  instructions += count.warps;
  pipes[unsigned(count.pipe)] += count.warps;
  flops += count.flops;
  boxBytes += count.boxBytes;
  liveRegisters = std::max(liveRegisters, count.liveRegisters);
  (count.stores ? stores : loads) += count.global;
  shared += count.shared;
  if (llvm::StringRef(count.text).starts_with("cp.async"))
    sharedCopies += count.shared;
  bool isAccess = count.global.requests || count.shared.requests || count.boxBytes;
  if (isAccess && !llvm::is_contained(accesses, count.text))
    accesses.push_back(count.text);
}

uint64_t Cost::machineInstructions() const {
  uint64_t sum = 0;
  for (uint64_t count : machine)
    sum += count;
  return sum;
}

GlobalCount Cost::global() const {
  GlobalCount sum = loads;
  sum += stores;
  return sum;
}

const ValueFact *Pressure::Value::fact(const Facts &facts) const {
  const ValueFact *best = nullptr;
  for (const ValueFact &fact : facts.values)
    if (fact.span.file == span.file && fact.span.begin == span.begin &&
        (!best || fact.registers > best->registers ||
         (best->names.empty() && fact.registers == best->registers)))
      best = &fact;
  return best;
}

diag::Span spanOf(const ptx::SourcePlace &place, const Counts &counts,
                  const diag::SourceManager &sources) {
  std::string path = place.file < counts.files.size() ? counts.files[place.file] : "";
  if (path.empty() || !place.line || !sources.find(path))
    return {};
  return sources.spanAt(path, place.line, std::max(place.column, 1u));
}

static Pressure pressureOf(const Counts &counts, const diag::SourceManager &sources) {
  Pressure pressure;
  pressure.registers = counts.mostLive.registers;
  pressure.span = spanOf(counts.mostLive.place, counts, sources);
  for (const auto &[place, registers] : counts.mostLive.values)
    pressure.values.push_back({spanOf(place, counts, sources), registers});
  return pressure;
}

void addCounts(Profile &profile, const Counts &counts, const diag::SourceManager &sources) {
  std::map<std::tuple<std::string, uint32_t, uint32_t>, Site> sites;
  std::map<std::pair<std::string, uint32_t>, Line> lines;
  profile.pressure = pressureOf(counts, sources);
  profile.calls = callsOf(counts, sources);
  for (const InstructionCount &count : counts.instructions) {
    profile.total.add(count);
    const auto &[number, line, column] = count.source;
    std::string path = number < counts.files.size() ? counts.files[number] : "";
    const diag::SourceFile *file = path.empty() ? nullptr : sources.find(path);
    if (!file || line == 0)
      continue;
    // Column 0 is a function's own line.
    Site &site = sites[{path, line, column}];
    site.span = sources.spanAt(path, line, std::max(column, 1u));
    site.cost.add(count);
    if (count.global.earlier && !site.earlier)
      site.earlier = spanOf(*count.global.earlier, counts, sources);
    Line &sum = lines[{path, line}];
    sum.file = file;
    sum.number = line;
    sum.cost.add(count);
  }
  for (auto &[place, site] : sites)
    profile.sites.push_back(std::move(site));
  for (auto &[place, line] : lines)
    profile.lines.push_back(line);
}

} // namespace gluonc::explain
