//===- Simulated.h - The GPU that there seems to be --------------------------------===//
#pragma once

#include "cudacpu/Settings.h"

#include <optional>

namespace gluonc::cudacpu {

/// Few, so that grids that are made for them are small; enough for the largest cluster.
inline constexpr unsigned multiprocessors = 16;
/// Of streams; the least is 0. And the last CUlimit.
inline constexpr int greatestPriority = -5, lastLimit = 9;

std::string nameOfDevice(const Settings &settings);
/// Of CUdevice_attribute; nullopt for what is none.
std::optional<int> attributeOf(const Settings &settings, int which, int ordinal);

} // namespace gluonc::cudacpu
