//===- Compatibility.h - Which chips run code that was made for others --------===//
#pragma once

#include "target/Target.h"

namespace gluonc::target {

/// Whether `chip` runs machine code made for `code`: its own; and of the chips of NVIDIA whose code
/// is not architecture-specific, that of an earlier one of the same major capability (CUDA C++
/// Programming Guide, "Binary Compatibility").
bool runs(const Target &chip, const Target &code);

/// Of two whose code the same chip runs: whether `a` is the better choice.
bool isNearer(const Target &a, const Target &b);

} // namespace gluonc::target
