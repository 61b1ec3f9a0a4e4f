#include "cudacpu/Simulated.h"

#include "target/Features.h"
#include "target/Limits.h"
#include "target/nvidia/Chips.h"
#include "target/nvidia/Registers.h"
#include "target/nvidia/Speeds.h"

namespace gluonc::cudacpu {

namespace nvidia = target::nvidia;

std::string nameOfDevice(const Settings &settings) {
  return "gluonc " + settings.target.chip() + " on the CPU";
}

/// Numbers of CUdevice_attribute (CUDA Driver API reference).
std::optional<int> attributeOf(const Settings &settings, int which, int ordinal) {
  const target::Target &target = settings.target;
  const nvidia::Chip *chip = nvidia::findChip(target.computeCapability());
  const nvidia::Speeds *speeds = nvidia::speedsOf(target);
  unsigned capability = target.computeCapability();
  constexpr int last = 150;
  if (which < 1 || which > last)
    return std::nullopt;
  switch (which) {
  case 1: // threads of a CTA; along x and y
  case 2:
  case 3:
    return target::maxThreadsPerCta;
  case 4: // along z
    return 64;
  case 5: // CTAs of a grid along x; along y and z
    return target::maxGridX;
  case 6:
  case 7:
    return target::maxGridYZ;
  case 8: // shared memory of a CTA
    return nvidia::plainSharedBytes;
  case 9: // constant memory
    return 64 * 1024;
  case 10: // threads of a warp
    return nvidia::warpSize;
  case 11: // pitch of copies
    return 0x7fffffff;
  case 12: // registers of a CTA, of a multiprocessor
  case 82:
    return nvidia::registerFile;
  case 13: // kilohertz
    return speeds ? static_cast<int>(speeds->megahertz * 1000) : 1000000;
  case 14: // alignment of textures
    return 512;
  case 16:
    return multiprocessors;
  case 15: // copies beside kernels; mapped memory of the host; kernels beside each other; unified
  case 19: // addresses; priorities; caches; managed memory and the host beside kernels; preemption;
  case 31: // registered memory by its own address; cooperative launches; registering; pools
  case 41:
  case 78:
  case 79:
  case 80:
  case 83:
  case 89:
  case 90:
  case 91:
  case 95:
  case 99:
  case 115:
    return 1;
  case 33: // bus and domain: Devices.cpp, busId
    return ordinal;
  case 50:
    return 0xffff;
  case 36: // kilohertz and bits of memory: what copies get by them
    return speeds ? static_cast<int>(speeds->memoryGigabytesPerSecond * 1e6 / 2 / 128) : 1000000;
  case 37:
    return 1024;
  case 38: // bytes of the second-level cache
    return speeds ? static_cast<int>(speeds->secondLevelBytes) : 1 << 20;
  case 39: // threads of a multiprocessor
    return static_cast<int>(chip->residentWarps * nvidia::warpSize);
  case 40: // engines that copy
    return 1;
  case 75:
    return static_cast<int>(capability / 10);
  case 76:
    return static_cast<int>(capability % 10);
  case 81: // shared memory of a multiprocessor
    return static_cast<int>(chip->residentSharedBytes);
  case 97: // of a CTA that asks for it
    return static_cast<int>(target.maxSharedBytes());
  case 106: // CTAs of a multiprocessor
    return static_cast<int>(chip->residentCtas);
  case 111: // shared memory that the system takes of a CTA
    return 1024;
  case 120:
    return target::has(target, target::Feature::Clusters);
  case 127: // tensor maps
    return target::has(target, target::Feature::TensorCopies);
  default:
    return 0;
  }
}

} // namespace gluonc::cudacpu
