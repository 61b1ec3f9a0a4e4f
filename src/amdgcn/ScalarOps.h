//===- ScalarOps.h - From functions of numbers to scalar instructions ----------===//
#pragma once

#include "amdgcn/Handlers.h"

namespace gluonc::amdgcn {

template <typename T> T read(Step &step, unsigned i) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(step.scalarWide(step.operand(i)));
  else
    return std::bit_cast<T>(step.scalar(i));
}

template <typename T> void write(Step &step, T value) {
  if constexpr (sizeof(T) == 8)
    step.setScalarWide(step.operand(0), std::bit_cast<uint64_t>(value));
  else
    step.setScalar(step.operand(0), std::bit_cast<uint32_t>(value));
}

/// What happens to SCC.
enum class Scc { Keep, NonZero };

template <typename T, auto F, Scc scc> void unary(Step &step) {
  auto result = F(read<T>(step, 1));
  write(step, result);
  if (scc == Scc::NonZero)
    step.setScc(result != 0);
}

template <typename T, auto F, Scc scc> void binary(Step &step) {
  auto result = F(read<T>(step, 1), read<T>(step, 2));
  write(step, result);
  if (scc == Scc::NonZero)
    step.setScc(result != 0);
}

/// Functions that see SCC and change it.
template <typename T, auto F> void withCarry(Step &step) {
  bool carry = step.wave.scalars[sccSlot];
  auto result = F(read<T>(step, 1), read<T>(step, 2), carry);
  write(step, result);
  step.setScc(carry);
}

template <typename T, auto F> void compare(Step &step) {
  step.setScc(F(read<T>(step, 0), read<T>(step, 1)));
}

/// s_bcnt, s_ff1, ...: counts of 32-bit results.
template <typename T, auto F, Scc scc> void count(Step &step) {
  auto result = static_cast<uint32_t>(F(read<T>(step, 1)));
  write(step, result);
  if (scc == Scc::NonZero)
    step.setScc(result != 0);
}

} // namespace gluonc::amdgcn
