#include "target/amd/MatrixInstructions.h"

namespace gluonc::target::amd {

namespace {
bool isOcp(MatrixElement element) {
  return element == MatrixElement::E4M3 || element == MatrixElement::E5M2;
}
bool isFnuz(MatrixElement element) {
  return element == MatrixElement::E4M3Fnuz || element == MatrixElement::E5M2Fnuz;
}
bool is16Bit(MatrixElement element) {
  return element == MatrixElement::F16 || element == MatrixElement::BF16;
}
/// The sums that the instructions of both kinds have.
MatrixElement sumOf(MatrixElement operand) {
  return operand == MatrixElement::F64  ? MatrixElement::F64
         : operand == MatrixElement::I8 ? MatrixElement::I32
                                        : MatrixElement::F32;
}
} // namespace

/// Elements along K that a lane has, where K of the tile decides: the largest that fits.
static int mfmaPerLane(int version, MatrixElement a, bool tf32, bool isDeep) {
  switch (a) {
  case MatrixElement::F64:
    return version >= 2 ? 1 : 0;
  case MatrixElement::F32:
    return !tf32 ? 1 : version == 3 ? 2 : 0;
  case MatrixElement::F16:
    return version == 4 && isDeep ? 8 : 4;
  case MatrixElement::BF16:
    return version == 1 ? 2 : version == 4 && isDeep ? 8 : 4;
  case MatrixElement::I8:
    return version == 4 && isDeep ? 16 : version >= 3 ? 8 : 4;
  case MatrixElement::E4M3:
  case MatrixElement::E5M2:
    return version == 4 ? 8 : 0;
  case MatrixElement::E4M3Fnuz:
  case MatrixElement::E5M2Fnuz:
    return version == 3 ? 8 : 0;
  case MatrixElement::I32:
    return 0;
  }
  return 0;
}

std::optional<MatrixInstruction> mfma(int version, int m, int n, int64_t depth, MatrixElement a,
                                      MatrixElement b, MatrixElement sum, bool tf32) {
  bool mixes = (isOcp(a) && isOcp(b)) || (isFnuz(a) && isFnuz(b));
  if ((a != b && !mixes) || sum != sumOf(a) || (tf32 && a != MatrixElement::F32))
    return std::nullopt;
  if (a == MatrixElement::F64 && (m != 16 || n != 16))
    return std::nullopt;
  // Tiles of 4 x 64 are four times four blocks side by side; K goes round in 16 of them.
  bool isFlat = m == 4 || n == 4;
  int groups = mfmaLanes / (isFlat ? 4 : m);
  for (bool isDeep : {true, false}) {
    int perLane = mfmaPerLane(version, a, tf32, isDeep && !isFlat);
    if (perLane == 0 || (isFlat && (perLane > 4 || tf32)))
      return std::nullopt;
    if (!isDeep || groups * perLane <= depth)
      return MatrixInstruction{groups * perLane, perLane};
  }
  return std::nullopt;
}

std::optional<MatrixInstruction> wmma(int version, int64_t depth, MatrixElement a, MatrixElement b,
                                      MatrixElement sum) {
  if ((a != b && !(isOcp(a) && isOcp(b))) || sum != sumOf(a))
    return std::nullopt;
  if (version == 1)
    return is16Bit(a) || a == MatrixElement::I8 ? std::optional(MatrixInstruction{16, 16})
                                                : std::nullopt;
  if (version == 2)
    return is16Bit(a) || isOcp(a) || a == MatrixElement::I8
               ? std::optional(MatrixInstruction{16, 8})
               : std::nullopt;
  if (version != 3)
    return std::nullopt;
  if (a == MatrixElement::F32)
    return MatrixInstruction{4, 2};
  if (is16Bit(a))
    return MatrixInstruction{32, 16};
  if (a == MatrixElement::I8)
    return MatrixInstruction{64, 32};
  if (isOcp(a))
    return depth >= 128 ? MatrixInstruction{128, 64} : MatrixInstruction{64, 32};
  return std::nullopt;
}

} // namespace gluonc::target::amd
