//===- SharedAccess.h - Checked access to shared memory ----------------------===//
#pragma once

#include "sim/Lowering.h"
#include "sim/Taint.h"

namespace gluonc::sim {

/// The table of a memdesc type; null, after a report, where the type has no linear layout.
const AddressTable *addressTable(Lowering &lowering, mlir::Operation *operation,
                                 ttg::MemDescType type);
/// The same for the type of a memdesc value.
const AddressTable *addressTable(Lowering &lowering, mlir::Operation *operation, mlir::Value value);

inline Descriptor &descriptorAt(Cta &cta, Slot slot) { return *cta.at<Descriptor>(slot); }

/// Whether the bytes of one element exist and may be read, and written where `writes`; false
/// after a fault of `lane`.
bool checkElement(const Instruction &instruction, Cta &cta, uint64_t offset, uint32_t bytes,
                  uint32_t lane, bool reads, bool writes);

/// Whether every byte of a region exists and holds a value; false after a fault.
bool checkReadable(const Instruction &instruction, Cta &cta, const Region &region);
/// Whether every byte exists and nothing in flight reads or writes it; false after a fault.
bool checkWritable(const Instruction &instruction, Cta &cta, const Region &region);

/// Elements of a region, row-major; false after a fault.
bool readShared(const Instruction &instruction, Cta &cta, const Region &region, uint8_t *to);

/// Overwrites a region with elements, row-major; false after a fault.
bool writeShared(const Instruction &instruction, Cta &cta, const Region &region,
                 const uint8_t *from);

/// The state of every byte of a region that may be written.
void setState(SharedMemory &shared, const Region &region, SharedMemory::State state);
/// Notes that an asynchronous operation starts or ends reading a region.
void addReader(SharedMemory &shared, const Region &region);
void removeReader(SharedMemory &shared, const Region &region);

} // namespace gluonc::sim
