#include "diag/Render.h"
#include "explain/Memory.h"
#include "explain/Report.h"

#include <cmath>

namespace gluonc::explain {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

static Object toJson(const GlobalCount &count, unsigned unit) {
  return Object{{"requests", count.requests},          {"sectors", count.sectors},
                {"ideal_sectors", count.idealSectors}, {"used_bytes", count.usedBytes},
                {"moved_bytes", count.sectors * unit}, {"bytes_per_lane", count.bytesOfLane}};
}

static Object toJson(const Cost &cost, const Profile &profile) {
  Object pipes;
  for (unsigned i = 0; i != pipeCount; ++i)
    if (cost.pipes[i])
      pipes[nameOf(Pipe(i))] = cost.pipes[i];
  Object machine;
  for (unsigned i = 0; i != pipeCount; ++i)
    if (cost.machine[i])
      machine[nameOf(Pipe(i))] = cost.machine[i];
  Object object;
  if (profile.isAmd())
    object = Object{{"instructions", cost.instructions},
                    {"pipes", std::move(pipes)},
                    {"live_registers", cost.liveRegisters}};
  else
    object = Object{{"ptx_instructions", cost.instructions},
                    {"ptx_pipes", std::move(pipes)},
                    {"ptx_live_registers", cost.liveRegisters}};
  if (!machine.empty())
    object["machine_pipes"] = std::move(machine);
  if (cost.flops)
    object["product_flops"] = cost.flops;
  if (cost.boxBytes)
    object["box_bytes"] = cost.boxBytes;
  if (cost.loads.requests)
    object["global_loads"] = toJson(cost.loads, profile.sectorBytes());
  if (cost.stores.requests)
    object["global_stores"] = toJson(cost.stores, profile.sectorBytes());
  if (cost.shared.requests)
    object["shared"] = Object{{"requests", cost.shared.requests},
                              {"wavefronts", cost.shared.wavefronts},
                              {"ideal_wavefronts", cost.shared.ideal},
                              {"bytes_per_lane", cost.shared.bytesOfLane}};
  if (cost.sharedCopies.requests)
    object["shared_copies"] = Object{{"requests", cost.sharedCopies.requests},
                                     {"wavefronts", cost.sharedCopies.wavefronts}};
  return object;
}

static void addPlace(Object &object, diag::Span span) {
  if (!span)
    return;
  diag::LineColumn place = span.file->position(span.begin);
  object["file"] = span.file->path();
  object["line"] = place.line;
  object["column"] = place.column;
}

static Object toJson(const ConversionFact &fact) {
  Object object{{"how", fact.how},
                {"from", fact.from},
                {"to", fact.to},
                {"bytes", fact.bytes},
                {"scratch_bytes", fact.scratchBytes},
                {"in_loop", fact.isInLoop}};
  addPlace(object, fact.span);
  return object;
}

static Object toJson(const OnChipFact &fact) {
  Object object{{"memory", fact.isTensorMemory ? "tensor" : "shared"},
                {"name", fact.name},
                {"what", fact.what},
                {"bytes", fact.bytes},
                {"offset", fact.offset},
                {"first_line", fact.firstLine},
                {"last_line", fact.lastLine},
                {"at_peak", fact.isAtPeak}};
  if (fact.isTensorMemory)
    object["columns"] = fact.columns;
  addPlace(object, fact.span);
  return object;
}

static Object onChipOf(const Facts &facts) {
  Array owners;
  for (const OnChipFact &fact : facts.onChip)
    owners.push_back(toJson(fact));
  Object object{{"owners", std::move(owners)}};
  for (const auto &[name, peak] :
       {std::pair("shared_peak", facts.sharedPeak), std::pair("tensor_peak", facts.tensorPeak)}) {
    if (!peak.bytes)
      continue;
    Object entry{{"bytes", peak.bytes}, {"line", peak.line}};
    if (peak.columns)
      entry["columns"] = peak.columns;
    object[name] = std::move(entry);
  }
  return object;
}

static Value toJson(const Pressure &pressure, const Facts &facts) {
  if (!pressure.span)
    return nullptr;
  Array values;
  for (const Pressure::Value &value : pressure.values) {
    Object object{{"registers", value.registers}};
    addPlace(object, value.span);
    if (const ValueFact *fact = value.fact(facts)) {
      object["names"] = Array(fact->names);
      object["type"] = fact->type;
      object["layout"] = fact->layout;
    }
    values.push_back(std::move(object));
  }
  Object object{{"registers", pressure.registers}, {"values", std::move(values)}};
  addPlace(object, pressure.span);
  return object;
}

static Object toJson(const Profile::Opcode &opcode) {
  Object object{{"instructions", opcode.instructions}, {"executed", std::llround(opcode.executed)}};
  if (opcode.wavefronts > 0)
    object["wavefronts"] = std::llround(opcode.wavefronts);
  if (opcode.unknownWavefronts > 0)
    object["unknown_wavefronts"] = std::llround(opcode.unknownWavefronts);
  return object;
}

static Object toJson(const Finding &finding) {
  std::string text;
  llvm::raw_string_ostream out(text);
  diag::renderJson(finding.diagnostic, out);
  Object object;
  if (llvm::Expected<llvm::json::Value> value = llvm::json::parse(text))
    object = std::move(*value->getAsObject());
  else
    llvm::consumeError(value.takeError());
  object["cycles"] = finding.cycles;
  return object;
}

static Object resourcesOf(const Profile &profile) {
  Object object{{"shared_bytes", profile.resources.sharedBytes}, {"registers", nullptr}};
  if (const auto &used = profile.resources.registers) {
    object["registers"] = used->count;
    object["spill_store_bytes"] = used->spillStoreBytes;
    object["spill_load_bytes"] = used->spillLoadBytes;
    if (profile.isAmd()) {
      object["accumulators"] = used->accumulators;
      object["scalar_registers"] = used->scalars;
    }
  }
  if (const auto &occupancy = profile.occupancy) {
    Object found{{"ctas", occupancy->ctas},
                 {"warps", occupancy->warps},
                 {"most_warps", occupancy->mostWarps},
                 {"limit", std::string(nameOf(occupancy->limit))}};
    if (occupancy->otherLimit)
      found["other_limit"] = std::string(nameOf(*occupancy->otherLimit));
    object["occupancy"] = std::move(found);
  }
  return object;
}

static Object toJson(const Timing &timing) {
  auto shares = [](const std::vector<std::pair<std::string, double>> &list) {
    Object object;
    for (const auto &[name, share] : list)
      object[name] = share;
    return object;
  };
  return Object{{"chip", timing.chip},
                {"measured_figures", timing.isMeasured},
                {"is_bound", timing.isBound},
                {"microseconds", timing.microseconds},
                {"cycles", timing.cycles},
                {"megahertz", timing.megahertz},
                {"clusters", timing.clusters},
                {"resident_clusters", timing.resident},
                {"sampled_clusters", timing.sampled},
                {"limit", timing.limit},
                {"units", shares(timing.busy)},
                {"warps", shares(timing.spent)}};
}

static Array toJson(const std::vector<Line> &lines, const Profile &profile) {
  Array array;
  for (const Line &line : lines) {
    Object object = toJson(line.cost, profile);
    object["file"] = line.file->path();
    object["line"] = line.number;
    array.push_back(std::move(object));
  }
  return array;
}

static Object toJson(const Call &call, const Profile &profile) {
  Object object = toJson(call.cost, profile);
  object["function"] = call.function;
  addPlace(object, call.chain.front());
  Array within;
  for (diag::Span outer : llvm::ArrayRef(call.chain).drop_front()) {
    Object place;
    addPlace(place, outer);
    within.push_back(std::move(place));
  }
  object["within"] = std::move(within);
  object["lines"] = toJson(call.lines, profile);
  return object;
}

Object toJson(const Explained &launch) {
  const Profile &profile = launch.profile;
  Array calls, sites, conversions, found;
  for (const Call &call : profile.calls)
    calls.push_back(toJson(call, profile));
  for (const Site &site : profile.sites) {
    if (!site.cost.accessesMemory())
      continue;
    Object object = toJson(site.cost, profile);
    addPlace(object, site.span);
    object[profile.isAmd() ? "code" : "ptx"] = Array(site.cost.accesses);
    sites.push_back(std::move(object));
  }
  for (const ConversionFact &fact : profile.facts.conversions)
    conversions.push_back(toJson(fact));
  for (const Finding &finding : launch.findings)
    found.push_back(toJson(finding));
  Object opcodes;
  for (const auto &[name, opcode] : profile.opcodes)
    opcodes[name] = toJson(opcode);
  auto [x, y, z] = profile.grid;
  return Object{{"version", 1},
                {"kernel", profile.facts.kernel},
                {"target", profile.target.name()},
                {"grid", Array{x, y, z}},
                {"sector_bytes", profile.sectorBytes()},
                {"warps_per_cta", profile.resources.warps},
                {"ctas_per_cluster", profile.resources.ctasOfCluster},
                {"total", toJson(profile.total, profile)},
                {"opcodes", std::move(opcodes)},
                {"guessed_branches", profile.guessedBranches
                                         ? Value(int64_t(*profile.guessedBranches))
                                         : Value(nullptr)},
                {"lines", toJson(profile.lines, profile)},
                {"calls", std::move(calls)},
                {"accesses", std::move(sites)},
                {"conversions", std::move(conversions)},
                {"on_chip", onChipOf(profile.facts)},
                {"pressure", toJson(profile.pressure, profile.facts)},
                {"resources", resourcesOf(profile)},
                {"not_predicted", profile.timing ? Value(nullptr) : Value(profile.whyNoTiming)},
                {"predicted", profile.timing ? Value(toJson(*profile.timing)) : Value(nullptr)},
                {"findings", std::move(found)}};
}

} // namespace gluonc::explain
