#include "target/Features.h"

#include "target/amd/Chips.h"

#include <initializer_list>

namespace gluonc::target {

namespace {

/// Chips that have something: NVIDIA's from one compute capability to another, both included, or
/// families of AMD's.
struct Chips {
  constexpr Chips(unsigned first, unsigned last, std::string_view text)
      : first(first), last(last), text(text) {}
  constexpr Chips(std::initializer_list<amd::Family> amd, std::string_view text)
      : Chips(1, 0, text) {
    for (amd::Family family : amd)
      families |= 1u << unsigned(family);
  }

  bool have(const Target &target) const {
    if (const amd::Chip *chip = target.amdChip())
      return families >> unsigned(chip->family) & 1;
    return target.isNvidia() && target.computeCapability() >= first &&
           target.computeCapability() <= last;
  }

  unsigned first, last;
  std::string_view text;
  unsigned families = 0;
};

} // namespace

using amd::Family;

static constexpr unsigned newest = ~0u;
static constexpr Chips ampere(80, newest, "cuda:80 or newer");
static constexpr Chips ada(89, newest, "cuda:89 or newer");
static constexpr Chips hopper(90, newest, "cuda:90 or newer");
static constexpr Chips onlyHopper(90, 99, "cuda:90");
static constexpr Chips blackwell(100, newest, "cuda:100 or newer");
// Chips of servers: those of graphics cards (12x) lack what is for many of them.
static constexpr Chips servers(90, 119, "cuda:90 to 110");
static constexpr Chips tensorMemory(100, 119, "cuda:100, 103 or 110");
static constexpr Chips ultra(103, 119, "cuda:103 or 110");
static constexpr Chips rubin(107, 107, "cuda:107");

static constexpr Chips
    anyAmd({Family::Cdna3, Family::Cdna4, Family::Rdna3, Family::Rdna4, Family::Cdna5}, "hip");
static constexpr Chips bufferAtomics({Family::Cdna3, Family::Cdna4, Family::Rdna4, Family::Cdna5},
                                     "hip:gfx942, gfx950, gfx1200 or gfx1250");
static constexpr Chips bufferBf16({Family::Cdna4, Family::Rdna4, Family::Cdna5},
                                  "hip:gfx950, gfx1200 or gfx1250");
static constexpr Chips bufferDoubles({Family::Cdna3, Family::Cdna4, Family::Cdna5},
                                     "hip:gfx942, gfx950 or gfx1250");
static constexpr Chips bufferExtrema({Family::Rdna3, Family::Rdna4, Family::Cdna5},
                                     "hip:gfx1100, gfx1200 or gfx1250");
static constexpr Chips cdna({Family::Cdna3, Family::Cdna4}, "hip:gfx942 or gfx950");
static constexpr Chips cdnaAndCdna5({Family::Cdna3, Family::Cdna4, Family::Cdna5},
                                    "hip:gfx942, gfx950 or gfx1250");
static constexpr Chips cdna3({Family::Cdna3}, "hip:gfx942");
static constexpr Chips cdna4({Family::Cdna4}, "hip:gfx950");
static constexpr Chips cdna4And5({Family::Cdna4, Family::Cdna5}, "hip:gfx950 or gfx1250");
static constexpr Chips cdna5({Family::Cdna5}, "hip:gfx1250");
static constexpr Chips rdna3({Family::Rdna3}, "hip:gfx1100");
static constexpr Chips rdna4({Family::Rdna4}, "hip:gfx1200");

static constexpr Chips waves32({Family::Rdna3, Family::Rdna4, Family::Cdna5},
                               "hip:gfx1100, gfx1200 or gfx1250");
static constexpr Chips ocpFloats({Family::Cdna4, Family::Rdna4, Family::Cdna5},
                                 "hip:gfx950, gfx1200 or gfx1250");

static const Chips &chipsWith(Feature feature) {
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
  case Feature::BufferAccess:
    return anyAmd;
  case Feature::BufferAtomics:
    return bufferAtomics;
  case Feature::BufferAtomicAddBf16:
    return bufferBf16;
  case Feature::BufferAtomicDoubles:
    return bufferDoubles;
  case Feature::BufferAtomicFloatExtrema:
    return bufferExtrema;
  case Feature::Mfma:
  case Feature::DirectToLds:
    return cdna;
  case Feature::MfmaTf32:
  case Feature::PairsOfFloats:
    return cdnaAndCdna5;
  case Feature::Fp8FnuzConversion:
    return cdna3;
  case Feature::ScaledMfma:
  case Feature::WideDirectToLds:
    return cdna4;
  case Feature::WmmaRdna3:
    return rdna3;
  case Feature::WmmaRdna4:
    return rdna4;
  case Feature::ScaledUpcast:
  case Feature::WarpPipeline:
    return cdnaAndCdna5;
  case Feature::ScaledDowncast:
  case Feature::TransposedLdsLoad:
    return cdna4And5;
  case Feature::DppRowXor:
    return waves32;
  case Feature::Fp8OcpConversion:
    return ocpFloats;
  case Feature::WmmaCdna5:
  case Feature::ScaledWmma:
  case Feature::AsyncLds:
  case Feature::TensorMover:
  case Feature::WorkgroupClusters:
  case Feature::LdsBarriers:
  case Feature::NamedBarriers:
  case Feature::LdsPartitions:
    return cdna5;
  }
  return onlyHopper;
}

bool has(const Target &target, Feature feature) { return chipsWith(feature).have(target); }

std::string_view targetsWith(Feature feature) { return chipsWith(feature).text; }

} // namespace gluonc::target
