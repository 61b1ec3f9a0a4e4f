//===- TensorOperands.h - A, B and scales as numbers ----------------------------===//
//
// Rows of A and columns of B come as the bytes of a row of K, from shared or from tensor
// memory; what numbers the bytes are is the same question for both but for types of
// less than 8 bits: 16 of them share 16 bytes of shared memory, with what is left over
// at their end; in tensor memory each has a byte; and `mxf4` packs two into a byte.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ptx/InstructionDescriptor.h"
#include "ptx/TensorAccess.h"

namespace gluonc::ptx {

inline constexpr unsigned maxRowBytes = 32;

enum class Packing : uint8_t {
  /// Numbers on end, of 4 bits too.
  Dense,
  /// 16 numbers at the beginning of 16 bytes.
  Padded,
  /// A byte each: four bits in the bits from 2 on, six from 0 on.
  Bytes
};

/// One operand of a product: rows of K numbers, those of B are its columns.
struct TensorOperand {
  ElementType type;
  unsigned k = 0;
  bool isNegated = false, isTransposed = false;
  bool isFourBitKind = false;

  /// Reads rows of a CTA's shared memory as a descriptor says.
  bool readShared(Step &step, unsigned thread, const Cta &cta, uint64_t descriptor, unsigned rows,
                  double (*to)[maxK]) const;
  /// Reads a row of A, which lies in a lane of tensor memory.
  bool readLane(Step &step, unsigned thread, const Cta &cta, TensorPlace place,
                double (&to)[maxK]) const;

private:
  /// `values` are those of all encodings, null where they are not listed.
  void decode(const uint8_t (&bytes)[maxRowBytes], Packing packing, const double *values,
              double (&to)[maxK]) const;
};

/// Multiplies a row by its scales: byte `first` on of the word that belongs to row `row` of those
/// that lie from a place on.
bool applyScales(Step &step, unsigned thread, const Cta &cta, TensorPlace from, unsigned row,
                 unsigned first, const ScaleRule &rule, unsigned k, double (&numbers)[maxK]);

} // namespace gluonc::ptx
