//===- BoxTransfer.h - Boxes of tensors between global and shared memory -----===//
//
// A bulk copy moves a box of a tensor (TensorDescription.h), where the part outside of the
// tensor is filled on loads and dropped on stores. Everything here moves bytes at
// once; when a copy takes place is the fibers' business.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/machine/Elements.h"
#include "sim/machine/Memory.h"
#include "sim/machine/SharedMemory.h"
#include "sim/machine/SharedView.h"
#include "target/nvidia/BoxCopies.h"

namespace gluonc::sim {

static_assert(std::is_trivially_copyable_v<TensorDescription> &&
              sizeof(TensorDescription) <= kTensorDescriptorBytes);

namespace tma = target::nvidia::tma;

struct BoxTransfer {
  TensorDescription tensor;
  bool im2col = false;
  /// A store or a reduction.
  bool outwards = false;
  /// Stores end with the tensor, and not with a unit of the engine (AMD).
  bool isExact = false;
  /// Where the box begins; for im2col the first pixel and channel.
  std::array<int32_t, TensorDescription::maxRank> start = {};
  /// Where a copy names the tensor's row for each of its own (then `start` says the column).
  std::vector<int32_t> rows;
  /// The part of the box that is moved, where it is not all of it: extents, and where it begins.
  llvm::SmallVector<uint32_t, TensorDescription::maxRank> extents, first;
  /// im2col: the place within the filter, one for each spatial dim.
  std::array<int32_t, 3> offsets = {};
  Region shared;
  /// Where what a load may read ends, though the tensor may go on.
  uint64_t end = UINT64_MAX;
};

/// Takes the part of the box that is the region's share of its view.
void takeShare(BoxTransfer &transfer);

enum class Reduction : uint8_t { None, Add, Min, Max, And, Or, Xor, Inc, Dec };

/// A row of the box that has elements inside of the tensor.
struct BoxRow {
  /// First of the row, those to skip before the tensor begins, those inside.
  uint32_t element, skip, count;
  /// Of the first element inside.
  uint64_t address;
};
/// The rows of a box, outermost first; rows outside of the tensor have a count of 0.
std::vector<BoxRow> boxRows(const BoxTransfer &transfer);

/// Why the copy engine does not load what im2col means, or nothing. It starts where it is told to,
/// and the CTAs of a cluster tell it by adding pixels to a coordinate.
std::string im2colProblem(const BoxTransfer &transfer);

/// Global to shared memory, filled where the tensor ends. Bytes become Written.
void loadBox(const BoxTransfer &transfer, SharedMemory &shared);

/// Elements, row-major over the box, to global memory: `write(address, bytes, length)` stores what
/// is not combined with what is there. Safe while other host threads reduce to the same place.
void storeBox(const BoxTransfer &transfer, const uint8_t *elements, Reduction reduction,
              ElementKind kind, bool isUnsigned,
              llvm::function_ref<void(uint64_t, const uint8_t *, uint64_t)> write);

} // namespace gluonc::sim
