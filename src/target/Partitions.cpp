#include "target/Partitions.h"

#include "target/Features.h"
#include "target/Limits.h"
#include "target/amd/Barriers.h"
#include "target/nvidia/Barriers.h"
#include "target/nvidia/Registers.h"

namespace gluonc::target {

PartitionRules partitionRules(const Target &target) {
  switch (target.vendor()) {
  case Vendor::Nvidia:
    // One named barrier is for the default warps, one for all threads.
    return {nvidia::warpsPerReallocation, nvidia::namedBarriers - 2};
  case Vendor::Amd:
    return {1, amd::namedBarriers - 1};
  }
}

std::optional<RegisterRules> registerRules(const Target &target) {
  switch (target.vendor()) {
  case Vendor::Nvidia:
    return RegisterRules{nvidia::registerFile,
                         nvidia::registerUnit,
                         nvidia::minReallocatedRegisters,
                         nvidia::maxReallocatedRegisters,
                         nvidia::maxUsefulRegisters,
                         has(target, Feature::RegisterReallocation)};
  case Vendor::Amd:
    return std::nullopt;
  }
}

} // namespace gluonc::target
