//===- Pipes.h - What kind of work an instruction is ---------------------------===//
//
// By the names of PTX, which are not those of machine code: ptxas merges, splits and
// drops instructions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ptx/Module.h"

namespace gluonc::explain {

enum class Pipe : uint8_t {
  /// Matrix products.
  Tensor,
  Float,
  Integer,
  /// Exponentials, logarithms, roots, quotients of floats.
  Special,
  /// Loads, stores, atomic updates, copies.
  Memory,
  /// Between the lanes of a warp.
  Shuffle,
  /// Branches, barriers, fences, calls.
  Control,
  /// What often becomes no machine code: moves, parameters, conversions of addresses.
  Move,
  /// AMD: what is the same for a whole wave.
  Scalar,
};
inline constexpr unsigned pipeCount = 9;
llvm::StringRef nameOf(Pipe pipe);

Pipe pipeOf(const ptx::Instruction &instruction);

/// Multiplications and additions of one warp's part of a matrix product; 0 for others, and for
/// those of which the instruction does not say the shape (tcgen05: ptx::TensorProduct does).
uint64_t productFlops(const ptx::Instruction &instruction);

} // namespace gluonc::explain
