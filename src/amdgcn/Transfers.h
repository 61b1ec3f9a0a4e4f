//===- Transfers.h - Between registers and memory --------------------------------===//
//
// Loads, stores and atomics of all kinds of memory do the same with registers; they
// differ in where a lane's bytes are.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "amdgcn/Atomics.h"
#include "amdgcn/Machine.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace gluonc::amdgcn {

/// What a mnemonic's end says: "dwordx4", "ubyte_d16_hi", "b128", "u16". False if nothing.
bool readAccess(llvm::StringRef name, Access &access);
/// The same for atomics: "add_f32", "cmpswap_x2".
bool readAtomic(llvm::StringRef name, Access &access);

/// Loaded bytes of a lane go to registers from `reg` on.
void toRegisters(Wave &wave, const Access &access, unsigned reg, unsigned lane,
                 const uint8_t *bytes);
void fromRegisters(Wave &wave, const Access &access, unsigned reg, unsigned lane, uint8_t *bytes);

/// An atomic operation of a lane at its place. `result` is the register that gets the old value;
/// -1 if none does.
void atomicOfLane(Wave &wave, const Access &access, int result, unsigned data, unsigned lane,
                  uint8_t *at);

/// Waits until a counter is at most `limit`.
void waitFor(Step &step, Counter counter, unsigned limit);

/// Says that a load is under way.
void issueLoad(Step &step, Counter counter, const Operand &target);
/// Says that something without a result is.
void issueStore(Step &step);

/// Says that an access to LDS is under way; what it gives goes to `target`, if there is one.
void issueShared(Step &step, const Operand *target = nullptr);

/// Says that a transfer between memory and LDS is under way.
void issueTransfer(Step &step, Counter counter);

/// What ends in order with the accesses to LDS of a counter.
Queue queueOf(Counter counter);

/// Where bytes of LDS are, for a lane that uses them; null after a fault.
uint8_t *sharedPlace(Step &step, unsigned lane, uint64_t address, unsigned bytes, SharedUse use,
                     Queue queue = Queue::Lds);

} // namespace gluonc::amdgcn
