#include "model/Prediction.h"

#include "explain/Memory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace gluonc::model {

using llvm::divideCeil;

Unit Prediction::busiest() const {
  return Unit(std::max_element(busy.begin(), busy.end()) - busy.begin());
}

Spent Prediction::mostSpent() const {
  auto first = spent.begin() + unsigned(Spent::Operands);
  return Spent(std::max_element(first, spent.end()) - spent.begin());
}

bool Prediction::isLimitedByUnit() const {
  constexpr double nearlyAlways = 0.7;
  return busy[unsigned(busiest())] >= nearlyAlways;
}

llvm::StringRef Prediction::limit() const {
  constexpr llvm::StringLiteral waits[spentCount] = {"instructions", "waits for operands",
                                                     "waits for copies", "waits for products",
                                                     "waits at barriers"};
  if (isLimitedByUnit())
    return nameOf(busiest());
  return waits[unsigned(mostSpent())];
}

namespace {

/// So many instructions of warps are replayed, at least one round of resident clusters.
constexpr uint64_t mostReplayed = 4'000'000;
/// Rounds that show how clusters follow each other.
constexpr uint64_t rounds = 8;

class Predictor {
public:
  Predictor(const Trace &trace, const Speeds &chip, const Launch &launch)
      : trace(trace), chip(chip), launch(launch) {
    uint64_t processors = std::max(chip.multiprocessors / launch.ctasPerCluster, 1u);
    onBusiest = divideCeil(launch.clusters, processors);
    resident = std::min<uint64_t>(std::max(launch.residentCtas, 1u), onBusiest);
    // Whole rounds, if not all.
    replayed = std::min(onBusiest, std::max(resident, affordable() / resident * resident));
  }

  Predicted run(unsigned recorded) {
    Schedule schedule;
    for (uint64_t i = 0; i != replayed; ++i)
      schedule.clusters.push_back(static_cast<uint32_t>(i * trace.clusters.size() / replayed));
    schedule.resident = static_cast<unsigned>(resident);
    schedule.recorded = recorded;
    double megahertz = chip.megahertz;
    Replayed found = replay(trace, chip, conditionsAt(megahertz), schedule);
    // Products, and what feeds them, take the power that the clock is lowered for.
    if (double tensor = shareOf(found, Unit::Tensor); tensor > 0) {
      megahertz -= (chip.megahertz - chip.productMegahertz) *
                   std::max(tensor, shareOf(found, Unit::SecondLevel));
      found = replay(trace, chip, conditionsAt(megahertz), schedule);
    }
    return {describe(found, megahertz), std::move(found.spans)};
  }

private:
  uint64_t affordable() const {
    uint64_t ops = 0;
    for (const ClusterTrace &cluster : trace.clusters)
      for (const CtaTrace &cta : cluster.ctas)
        for (const auto &warp : cta.warps)
          ops += warp.size();
    uint64_t each = std::max<uint64_t>(ops / trace.clusters.size(), 1);
    return std::min(rounds * resident, mostReplayed / each);
  }

  /// Where all tensors fit in the second-level cache, memory gives each sector once.
  double coldShare() const {
    auto tensors = static_cast<double>(launch.tensorBytes);
    double loaded =
        trace.loadedSectors * explain::sectorBytes * static_cast<double>(launch.clusters);
    if (!launch.tensorBytes || loaded == 0 || tensors > chip.secondLevelBytes)
      return 1;
    return std::min(1.0, tensors / loaded);
  }

  Conditions conditionsAt(double megahertz) const {
    constexpr double megahertzPerGigabyte = 1e3;
    Conditions conditions;
    // The busiest one gets what it needs to end with the others, where they all want the same.
    double part = static_cast<double>(onBusiest) / static_cast<double>(launch.clusters) /
                  launch.ctasPerCluster;
    auto ofAll = [&](double bytesPerCycle) {
      return std::min(bytesPerCycle * part, chip.secondLevelBytesPerCycle);
    };
    conditions.memoryBytesPerCycle =
        ofAll(chip.memoryGigabytesPerSecond * megahertzPerGigabyte / megahertz);
    conditions.distinctBytesPerCycle = ofAll(chip.distinctBytesPerCycle * chip.multiprocessors);
    conditions.commonBytesPerCycle = ofAll(chip.commonBytesPerCycle * chip.multiprocessors);
    conditions.coldShare = coldShare();
    uint64_t taken = resident * launch.sharedBytes;
    conditions.firstLevelBytes = static_cast<uint32_t>(
        chip.firstLevelBytes - std::min<uint64_t>(taken, chip.firstLevelBytes));
    return conditions;
  }

  /// Of all clusters of the busiest multiprocessor. Those that were not replayed follow each other
  /// as others did, between the first round and the last.
  double cyclesOf(const Replayed &found) const {
    uint64_t left = onBusiest - replayed;
    if (!left)
      return withoutTail(found);
    uint64_t from = resident - 1, to = replayed - resident - 1;
    bool hasMiddle = replayed > 2 * resident;
    double each = hasMiddle ? (found.ends[to] - found.ends[from]) / static_cast<double>(to - from)
                            : found.cycles / static_cast<double>(replayed);
    return found.cycles + each * static_cast<double>(left);
  }

  /// Where memory is the limit, clusters do not end together as in the replay, and the last ones
  /// are not alone.
  double withoutTail(const Replayed &found) const {
    constexpr double limit = 0.85;
    uint64_t whole = onBusiest / resident * resident;
    double part = static_cast<double>(whole) / static_cast<double>(onBusiest);
    double end = found.ends[whole - 1];
    return found.busy[unsigned(Unit::Memory)] * part / end >= limit ? end / part : found.cycles;
  }

  double shareOf(const Replayed &found, Unit unit) const {
    // Memory may be behind: writes wait in the second-level cache.
    return std::min(found.busy[unsigned(unit)] / found.cycles, 1.0);
  }

  Prediction describe(const Replayed &found, double megahertz) const {
    Prediction prediction;
    prediction.chip = &chip;
    prediction.cycles = cyclesOf(found);
    prediction.megahertz = megahertz;
    prediction.microseconds = chip.launchMicroseconds + prediction.cycles / megahertz;
    prediction.onBusiest = onBusiest;
    prediction.resident = resident;
    prediction.sampled = trace.clusters.size();
    prediction.clusters = launch.clusters;
    for (unsigned i = 0; i != unitCount; ++i)
      prediction.busy[i] = shareOf(found, Unit(i));
    double all = 0;
    for (double cycles : found.spent)
      all += cycles;
    for (unsigned i = 0; i != spentCount; ++i)
      prediction.spent[i] = all ? found.spent[i] / all : 0;
    return prediction;
  }

  const Trace &trace;
  const Speeds &chip;
  const Launch &launch;
  /// Clusters of the busiest multiprocessor: all, at a time, replayed.
  uint64_t onBusiest, resident, replayed;
};

} // namespace

Predicted predict(const Trace &trace, const Speeds &chip, const Launch &launch, unsigned recorded) {
  return Predictor(trace, chip, launch).run(recorded);
}

} // namespace gluonc::model
