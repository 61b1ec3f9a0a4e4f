#include "target/Target.h"

#include "target/Features.h"
#include "target/Limits.h"
#include "target/amd/Chips.h"
#include "target/nvidia/Chips.h"

#include <charconv>

namespace gluonc::target {

std::optional<Target> Target::cuda(unsigned capability) {
  const nvidia::Chip *chip = nvidia::findChip(capability);
  if (!chip)
    return std::nullopt;
  Target target;
  target.capability = capability;
  target.lanes = nvidia::warpSize;
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
    for (const amd::Chip &chip : amd::chips) {
      if (chip.name != text)
        continue;
      Target target;
      target.chipVendor = Vendor::Amd;
      target.gfx = text;
      target.lanes = chip.waveSize;
      target.sharedBytes = chip.ldsBytes;
      return target;
    }
  }
  return std::nullopt;
}

const amd::Chip *Target::amdChip() const {
  for (const amd::Chip &chip : amd::chips)
    if (chip.name == gfx)
      return &chip;
  return nullptr;
}

std::vector<Target> Target::all() {
  std::vector<Target> targets;
  for (const nvidia::Chip &chip : nvidia::chips)
    targets.push_back(*cuda(chip.capability));
  for (const amd::Chip &chip : amd::chips)
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

unsigned Target::maxCtasPerCluster() const {
  bool hasClusters = has(*this, Feature::Clusters) || has(*this, Feature::WorkgroupClusters);
  return hasClusters ? target::maxCtasPerCluster : 1;
}
unsigned Target::maxGlobalAccessBits() const { return capability >= 100 ? 256 : 128; }
unsigned Target::minPtxVersion() const {
  const nvidia::Chip *chip = isNvidia() ? nvidia::findChip(capability) : nullptr;
  return chip ? chip->minPtxVersion : 0;
}
bool Target::hasCodegen() const {
  if (!isNvidia())
    return true;
  const nvidia::Chip *chip = nvidia::findChip(capability);
  return chip && chip->hasCodegen;
}

} // namespace gluonc::target
