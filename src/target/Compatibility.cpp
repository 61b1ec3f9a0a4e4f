#include "target/Compatibility.h"

#include <charconv>

namespace gluonc::target {

bool runs(const Target &chip, const Target &code) {
  if (chip == code)
    return true;
  if (!chip.isNvidia() || !code.isNvidia())
    return false;
  unsigned ours = chip.computeCapability(), theirs = code.computeCapability();
  bool isSpecific = theirs >= 90;
  return !isSpecific && ours / 10 == theirs / 10 && theirs < ours;
}

bool runsPtx(const Target &chip, std::string_view ptxTarget) {
  constexpr std::string_view prefix = "sm_";
  if (!chip.isNvidia() || !ptxTarget.starts_with(prefix))
    return false;
  std::string_view number = ptxTarget.substr(prefix.size());
  bool isOfChip = number.ends_with('a'), isOfFamily = number.ends_with('f');
  unsigned theirs = 0, ours = chip.computeCapability();
  const char *end = number.data() + number.size() - (isOfChip || isOfFamily);
  auto [rest, error] = std::from_chars(number.data(), end, theirs);
  if (error != std::errc() || rest != end)
    return false;
  if (isOfChip)
    return theirs == ours;
  return theirs <= ours && (!isOfFamily || theirs / 10 == ours / 10);
}

bool isNearer(const Target &a, const Target &b) {
  return a.computeCapability() > b.computeCapability();
}

} // namespace gluonc::target
