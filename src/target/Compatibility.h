//===- Compatibility.h - Which chips run code that was made for others --------===//
#pragma once

#include "target/Target.h"

namespace gluonc::target {

/// Whether `chip` runs machine code made for `code`: its own; and of the chips of NVIDIA whose code
/// is not architecture-specific, that of an earlier one of the same major capability (CUDA C++
/// Programming Guide, "Binary Compatibility").
bool runs(const Target &chip, const Target &code);

/// Whether a driver compiles PTX for a GPU of NVIDIA, by what the text says after `.target`: that
/// of earlier chips and its own; "sm_90a" for this one alone, "sm_100f" for those of the same major
/// capability that are not earlier.
bool runsPtx(const Target &chip, std::string_view ptxTarget);

/// Of two whose code the same chip runs: whether `a` is the better choice.
bool isNearer(const Target &a, const Target &b);

} // namespace gluonc::target
