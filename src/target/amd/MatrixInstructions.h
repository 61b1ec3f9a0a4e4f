//===- MatrixInstructions.h - Matrix cores of AMD GPUs -----------------------===//
#pragma once

namespace gluonc::target::amd {

/// Lanes of the waves that run them: MFMA on CDNA, WMMA on RDNA and gfx1250.
inline constexpr int mfmaLanes = 64, wmmaLanes = 32;

} // namespace gluonc::target::amd
