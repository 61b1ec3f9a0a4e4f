//===- TensorMap.h - What the tensor memory accelerator reads ---------------===//
//
// A CUtensorMap is 128 opaque bytes that only the driver can write. A kernel takes
// it by value. Half of what goes in is fixed when the kernel is compiled (TensorBox),
// the other half comes with each launch (TensorDescription).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/Driver.h"
#include "support/TensorDescription.h"

namespace gluonc::cuda {

struct alignas(64) TensorMap {
  uint64_t words[16];
};

/// CUtensorMapDataType, of which numeric/DTypes.def says what is whose.
enum class TensorMapType : int {
  UInt8 = 0,
  UInt16 = 1,
  UInt32 = 2,
  Int32 = 3,
  UInt64 = 4,
  Int64 = 5,
  Float16 = 6,
  Float32 = 7,
  Float64 = 8,
  BFloat16 = 9,
  TFloat32 = 11,
  /// Four bits in memory, eight in shared memory.
  Padded4Bits = 14,
};

/// The kernel's half: what one transfer moves, and how it lies in shared memory.
struct TensorBox {
  TensorMapType type = TensorMapType::UInt8;
  unsigned elementBytes = 1;
  unsigned rank = 0;
  /// Extents of one transfer, outermost first. Of im2col: pixels, channels.
  std::array<uint32_t, TensorDescription::maxRank> box = {};
  /// 0, 32, 64 or 128.
  unsigned swizzleBytes = 0;
  bool isIm2Col = false;
};

/// Fails where the accelerator cannot address `tensor`, with the numbers and the rule. The driver
/// would only say that something is invalid.
llvm::Error check(const TensorBox &box, const TensorDescription &tensor);

/// Writes the map of a tensor that passed `check`. Fails where the driver still refuses what it is
/// told, and where it is older than tensor maps.
llvm::Error encode(const Driver &driver, const TensorBox &box, const TensorDescription &tensor,
                   TensorMap &map);

} // namespace gluonc::cuda
