//===- ScaledProduct.h - Products with scales in tensor memory ---------------------===//
//
// Where the operands of a product with scales lie such that tensor cores multiply them: the
// front end asks whether there is such a product, `assign` makes it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/ttng/TensorMemoryRules.h"

namespace gluonc::ttng {

/// Operands are [M, K] and [K, N], 4-bit elements two to a byte along K; scales [M, K / block] and
/// [N, K / block].
struct ScaledProduct {
  int64_t m, n, k;
  tt::ScaleDotElemType aFormat, bFormat;
  /// Element type of both scales, and elements along K with one.
  mlir::Type scale;
  int64_t block;
  /// Whether K is the contiguous dim of b's buffer, as of 4-bit elements it must be.
  bool isContiguousAlongK = true;
};

/// Types of the buffers: `a` and `b` in shared memory, all else in tensor memory. Nullopt, with the
/// reason in `why`, where the chip has no such product for so many warps.
std::optional<ScaledOperands> placesOf(const ScaledProduct &product, const target::Target &target,
                                       int64_t warps, std::string &why);

} // namespace gluonc::ttng
