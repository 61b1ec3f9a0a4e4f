#include "target/Compatibility.h"

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

bool isNearer(const Target &a, const Target &b) {
  return a.computeCapability() > b.computeCapability();
}

} // namespace gluonc::target
