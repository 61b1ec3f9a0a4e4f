//===- Transposed.h - Loads that exchange elements among lanes -------------------===//
#pragma once

#include "amdgcn/Machine.h"

namespace gluonc::amdgcn {

/// What follows "load_tr": "16_b128", "8_b64", "_b128". Notes bytes and bits of elements
/// (`product.k`), and how addresses are dealt out (`product.m` and `n`). False for others.
bool readTransposed(llvm::StringRef name, const Chip &chip, Instruction &instruction);

/// Deals out the elements of the lanes' runs and writes the destination.
void transpose(Step &step, const Product &how, const uint8_t (*runs)[16]);

} // namespace gluonc::amdgcn
