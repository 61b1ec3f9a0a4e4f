#pragma once

#include <cstdint>

namespace gluonc::sim {

/// What comes of something that may be intended: nothing, a warning, or an error.
enum class Verdict : uint8_t { Ignore, Warn, Fault };

} // namespace gluonc::sim
