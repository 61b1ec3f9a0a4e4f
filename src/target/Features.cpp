#include "target/Features.h"

namespace gluonc::target {

namespace {
/// NVIDIA chips from one compute capability to another, both included.
struct Range {
  unsigned first, last;
  std::string_view text;
};
} // namespace

static constexpr unsigned newest = ~0u;
static constexpr Range ampere = {80, newest, "cuda:80 or newer"};
static constexpr Range ada = {89, newest, "cuda:89 or newer"};
static constexpr Range hopper = {90, newest, "cuda:90 or newer"};
static constexpr Range onlyHopper = {90, 99, "cuda:90"};
static constexpr Range blackwell = {100, newest, "cuda:100 or newer"};
// Chips of servers: those of graphics cards (12x) lack what is for many of them.
static constexpr Range servers = {90, 119, "cuda:90 to 110"};
static constexpr Range tensorMemory = {100, 119, "cuda:100, 103 or 110"};
static constexpr Range ultra = {103, 119, "cuda:103 or 110"};
static constexpr Range rubin = {107, 107, "cuda:107"};

static const Range &rangeOf(Feature feature) {
  switch (feature) {
  case Feature::AsyncCopy:
  case Feature::MBarrier:
  case Feature::MmaSync:
  case Feature::MatrixLoad:
    return ampere;
  case Feature::MmaSyncFp8:
  case Feature::Fp8Conversion:
    return ada;
  case Feature::AsyncProxy:
  case Feature::TensorCopies:
  case Feature::GridDependency:
  case Feature::RegisterReallocation:
  case Feature::MatrixStore:
  case Feature::Bf16AtomicAdd:
  case Feature::SuspendingWait:
    return hopper;
  case Feature::WarpgroupMma:
    return onlyHopper;
  case Feature::Clusters:
    return servers;
  case Feature::RowGather:
  case Feature::PackedArithmetic:
  case Feature::LaunchControl:
    return blackwell;
  case Feature::ReducingLoad:
    return ultra;
  case Feature::MixedPackedArithmetic:
    return rubin;
  case Feature::PaddedFp4:
  case Feature::RowScatter:
  case Feature::TensorMemory:
    return tensorMemory;
  }
  return onlyHopper;
}

bool has(const Target &target, Feature feature) {
  const Range &range = rangeOf(feature);
  return target.isNvidia() && target.computeCapability() >= range.first &&
         target.computeCapability() <= range.last;
}

std::string_view targetsWith(Feature feature) { return rangeOf(feature).text; }

} // namespace gluonc::target
