#include "target/Limits.h"

namespace gluonc::target {

std::string powersOfTwoUpTo(unsigned most) {
  std::string text = "1";
  for (unsigned power = 2; power <= most; power *= 2)
    text += (power * 2 <= most ? ", " : " or ") + std::to_string(power);
  return text;
}

} // namespace gluonc::target
