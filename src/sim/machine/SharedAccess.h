//===- SharedAccess.h - Checked access to shared memory ----------------------===//
#pragma once

#include "sim/lower/Lowering.h"
#include "sim/machine/Taint.h"

namespace gluonc::sim {

/// The table of a memdesc type; null, after a report, where the type has no linear layout.
const AddressTable *addressTable(Lowering &lowering, mlir::Operation *operation,
                                 ttg::MemDescType type);
/// The same for the type of a memdesc value.
const AddressTable *addressTable(Lowering &lowering, mlir::Operation *operation, mlir::Value value);

/// Bytes from one row of tensor memory to the next.
uint32_t tensorMemoryRowBytes(mlir::Operation *operation);

inline Descriptor &descriptorAt(Cta &cta, Slot slot) { return *cta.at<Descriptor>(slot); }

/// The elements of a view that this CTA's share of a tile is, or all; where several CTAs hold them,
/// those in its own memory.
Region regionOf(Cta &cta, const AddressTable *table, Slot view, const Share *share);

/// A tile that moves to or from a view.
struct MoveData : OpData {
  const AddressTable *table = nullptr;
  /// Of the tile.
  const Share *share = nullptr;
  /// Which halves of the warps hold each element of the tile; empty for both.
  std::vector<uint8_t> halves = {};
  /// CTAs may go different ways to it.
  bool isApart = false;
};

/// Whether the bytes of one element exist and may be read, and written where `writes`, by an
/// access that takes place at once; false after a fault of `element`.
bool checkElement(const Instruction &instruction, Cta &cta, uint64_t offset, uint32_t bytes,
                  uint32_t element, bool reads, bool writes);

/// Whether machine code may overwrite bytes by which threads exchange elements: nothing in flight
/// reads or writes them, and no barrier is there; false after a fault.
bool checkScratch(const Instruction &instruction, Cta &cta, uint64_t offset, uint32_t bytes);

/// Whether the barrier object at a byte of another CTA may be signalled: that CTA has not ended;
/// false after a fault.
bool checkPeerBarrier(const Instruction &instruction, Cta &cta, uint64_t offset);

/// Whether every byte exists, and nothing in flight or unordered reads or writes it; false after
/// a fault.
bool checkWritable(const Instruction &instruction, Cta &cta, const Region &region,
                   Proxy proxy = Proxy::Generic);

/// Elements of a region, row-major; false after a fault.
bool readShared(const Instruction &instruction, Cta &cta, const Region &region, uint8_t *to,
                Proxy proxy = Proxy::Generic);

/// The elements of a region for which `isWanted` has a 1; false after a fault of one of these.
bool readSharedPart(const Instruction &instruction, Cta &cta, const Region &region,
                    llvm::ArrayRef<uint8_t> isWanted, uint8_t *to, Proxy proxy);

/// Overwrites a region with elements, row-major; false after a fault.
bool writeShared(const Instruction &instruction, Cta &cta, const Region &region,
                 const uint8_t *from);

/// Notes for Ordering.h, if the program needs it, that the current fiber has read a region, or
/// that it was written at some time.
void noteRead(Cta &cta, const Region &region, uint32_t place, Proxy proxy);
void noteWrite(Cta &cta, const Region &region, Ordering::Epoch epoch, uint32_t place);

/// Notes for StageOrder.h that in the stage in hand the late half of the warps has accessed a
/// region.
void noteLate(Cta &cta, const Region &region, bool writes, uint32_t place);

/// The state of every byte of a region, whoever reads it.
void setState(SharedMemory &shared, const Region &region, SharedMemory::State state);
/// Notes that an asynchronous operation starts or ends reading a region.
void addReader(SharedMemory &shared, const Region &region);
void removeReader(SharedMemory &shared, const Region &region);

} // namespace gluonc::sim
