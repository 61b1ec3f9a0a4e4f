#include "target/Target.h"

#include "target/Features.h"

#include <charconv>

namespace gluonc::target {
namespace {

struct CudaChip {
  unsigned capability;
  uint32_t sharedBytes;
  unsigned minPtx;
  bool codegen;
};
constexpr CudaChip cudaChips[] = {
    {80, 163 * 1024, 70, true},  {86, 99 * 1024, 71, true},    {89, 99 * 1024, 78, true},
    {90, 227 * 1024, 80, true},  {100, 227 * 1024, 86, false}, {103, 227 * 1024, 88, false},
    {120, 99 * 1024, 87, false},
};

struct HipChip {
  std::string_view name;
  unsigned lanes;
  uint32_t ldsBytes;
};
constexpr HipChip hipChips[] = {
    {"gfx942", 64, 64 * 1024},  {"gfx950", 64, 160 * 1024},  {"gfx1100", 32, 64 * 1024},
    {"gfx1200", 32, 64 * 1024}, {"gfx1250", 32, 320 * 1024},
};

const CudaChip *findCuda(unsigned capability) {
  for (const CudaChip &chip : cudaChips)
    if (chip.capability == capability)
      return &chip;
  return nullptr;
}

} // namespace

std::optional<Target> Target::cuda(unsigned capability) {
  const CudaChip *chip = findCuda(capability);
  if (!chip)
    return std::nullopt;
  Target target;
  target.capability = capability;
  target.sharedBytes = chip->sharedBytes;
  return target;
}

std::optional<Target> Target::parse(std::string_view text) {
  if (text.starts_with("cuda:")) {
    text.remove_prefix(5);
    unsigned capability = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), capability);
    if (error != std::errc())
      return std::nullopt;
    std::string_view suffix(end, text.data() + text.size() - end);
    bool takesSuffix = capability >= 90;
    if (!suffix.empty() && !(takesSuffix && suffix == "a"))
      return std::nullopt;
    return cuda(capability);
  }
  if (text.starts_with("hip:")) {
    text.remove_prefix(4);
    for (const HipChip &chip : hipChips) {
      if (chip.name != text)
        continue;
      Target target;
      target.chipVendor = Vendor::Amd;
      target.gfx = text;
      target.lanes = chip.lanes;
      target.sharedBytes = chip.ldsBytes;
      return target;
    }
  }
  return std::nullopt;
}

std::vector<Target> Target::all() {
  std::vector<Target> targets;
  for (const CudaChip &chip : cudaChips)
    targets.push_back(*cuda(chip.capability));
  for (const HipChip &chip : hipChips)
    targets.push_back(*parse("hip:" + std::string(chip.name)));
  return targets;
}

std::string Target::name() const {
  if (!isNvidia())
    return "hip:" + gfx;
  return "cuda:" + std::to_string(capability) + (capability >= 90 ? "a" : "");
}

std::string Target::irName() const {
  return isNvidia() ? "cuda:" + std::to_string(capability) : "hip:" + gfx;
}

std::string Target::chip() const {
  if (!isNvidia())
    return gfx;
  return "sm_" + std::to_string(capability) + (capability >= 90 ? "a" : "");
}

unsigned Target::maxCtasPerCluster() const { return has(*this, Feature::Clusters) ? 16 : 1; }
unsigned Target::maxGlobalAccessBits() const { return capability >= 100 ? 256 : 128; }
unsigned Target::minPtxVersion() const {
  const CudaChip *chip = isNvidia() ? findCuda(capability) : nullptr;
  return chip ? chip->minPtx : 0;
}
bool Target::hasCodegen() const {
  const CudaChip *chip = isNvidia() ? findCuda(capability) : nullptr;
  return chip && chip->codegen;
}

} // namespace gluonc::target
