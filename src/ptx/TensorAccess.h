//===- TensorAccess.h - What instructions of tensor memory share ---------------===//
#pragma once

#include "ptx/Handlers.h"

namespace gluonc::ptx {

/// An address of tensor memory: the lane in the upper half, the column in the lower.
struct TensorPlace {
  unsigned lane, column;
  explicit TensorPlace(uint64_t address)
      : lane(address >> 16 & 0xffff), column(static_cast<unsigned>(address & 0xffff)) {}
  TensorPlace(unsigned lane, unsigned column) : lane(lane), column(column) {}
};

/// The CTAs that an instruction works on: its own, or both of a pair, the even one first. None
/// after a fault.
llvm::SmallVector<Cta *, 2> ctasOf(Step &step, unsigned thread);

/// A fault, and false, if a CTA has not allocated a place.
bool mayAccess(Step &step, unsigned thread, const Cta &cta, TensorPlace place);
/// The word there. False after a fault; one is to read what nothing has written.
bool readTensor(Step &step, unsigned thread, const Cta &cta, TensorPlace place, uint32_t &word);
bool writeTensor(Step &step, unsigned thread, Cta &cta, TensorPlace place, uint32_t word);

Handler chooseTensorMove(const Instruction &instruction);
Handler chooseTensorProduct(const Instruction &instruction);
/// Tells the observer what such a product would do, which is not done.
void tellTensorProduct(Step &step);
Handler chooseTensorCopy(const Instruction &instruction);

} // namespace gluonc::ptx
