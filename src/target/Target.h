//===- Target.h - Facts about one GPU architecture --------------------------===//
//
// Every question of the form "may I use X on this chip" is answered here, and
// only here. A Target is a small value, parsed from the spelling that the
// command line uses: `cuda:80`, `cuda:90a`, `cuda:100a`, `hip:gfx942`.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gluonc::target {

enum class Vendor : uint8_t { Nvidia, Amd };

namespace amd {
struct Chip;
}

class Target {
public:
  /// Nullopt for a spelling that names no known chip. `cuda:90` means `cuda:90a`
  /// (as Triton does: the suffix is part of the target from compute capability 9.0 on).
  static std::optional<Target> parse(std::string_view text);
  /// Compute capability times ten, e.g. cuda(90).
  static std::optional<Target> cuda(unsigned capability);
  /// Every chip that has an entry, in the order in which `gluonc info` lists them.
  static std::vector<Target> all();

  Vendor vendor() const { return chipVendor; }
  bool isNvidia() const { return chipVendor == Vendor::Nvidia; }
  /// What the table of AMD's chips says; null for other vendors (amd/Chips.h).
  const amd::Chip *amdChip() const;
  /// 80, 90, 100; 0 for AMD.
  unsigned computeCapability() const { return capability; }
  /// gluonc's spelling: `cuda:90a`.
  std::string name() const;
  /// Value of the `ttg.target` module attribute, Triton's spelling: `cuda:90`.
  std::string irName() const;
  /// LLVM's and ptxas's name of the chip: `sm_90a`, `gfx942`.
  std::string chip() const;

  /// Threads of a warp (wavefront).
  unsigned warpSize() const { return lanes; }
  /// Most shared memory (LDS) that one CTA may ask for, bytes (CUDA C++
  /// Programming Guide, "Technical Specifications per Compute Capability").
  uint32_t maxSharedBytes() const { return sharedBytes; }
  unsigned maxCtasPerCluster() const;
  /// Widest global access of one thread, bits.
  unsigned maxGlobalAccessBits() const;
  /// Lowest PTX ISA version that knows the chip, times ten (80 -> 70, 90a -> 80).
  unsigned minPtxVersion() const;

  /// Machine code can be generated today (as opposed to simulated only).
  bool hasCodegen() const;

  bool operator==(const Target &) const = default;

private:
  Vendor chipVendor = Vendor::Nvidia;
  unsigned capability = 0;
  std::string gfx;
  unsigned lanes = 32;
  uint32_t sharedBytes = 0;
};

} // namespace gluonc::target
