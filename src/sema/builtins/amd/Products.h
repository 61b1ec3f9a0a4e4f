//===- Products.h - What AMD's products with and without scales share ---------===//
#pragma once

#include "sema/builtins/Emit.h"

namespace gluonc::sema::ops {

struct Product {
  Operand a, b, acc;
};

/// Says in which layout an operand must be; always false.
bool refuseLayout(Context &context, const Operand &operand, llvm::StringRef name,
                  const std::string &wanted);
/// Reads a buffer of 4-bit numbers that are packed along M or N as an operand of MFMA or WMMA.
Result emitRepackedLoadForMfma(Context &context, const BoundArgs &arguments);
Result emitRepackedLoadForWmma(Context &context, const BoundArgs &arguments);
/// Notes the argument `cd_regclass` on the product: registers of which kind its sums are to take.
/// Other values than "a", "v" and None are reported.
Result withRegisterClass(Context &context, const BoundArgs &arguments, Result product);
/// Whether the operands are in the layouts that belong to that of the result.
bool checkOperands(Context &context, const Product &product);

} // namespace gluonc::sema::ops
