//===- TensorMover.h - What AMD's tensor mover demands of its operands ----------===//
//
// Functions named why… answer with the reason why not; "" is a yes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/amdg/AmdOps.h"

#include <string>

namespace gluonc::amdg {

/// Whether the engine knows such descriptors: their elements, dims and layout.
std::string whyNoDescriptor(const ttng::Descriptor &descriptor);
/// Whether it moves blocks of the descriptor into `buffer`, or out of it with `isStore`.
std::string whyNoMove(const ttng::Descriptor &descriptor, ttg::MemDescType buffer, bool isStore);
/// Whether `rows` name the rows of such a buffer.
std::string whyNoRows(const ttng::Descriptor &descriptor, ttg::MemDescType buffer,
                      mlir::RankedTensorType rows);
/// Whether a copy may be the work of these of `warps` warps.
std::string whyNoHint(uint32_t hint, int warps);

/// Warps that take part in copying a block into `buffer`, of so many, or in copying named rows.
unsigned movingWarps(ttg::MemDescType buffer, unsigned warps);
unsigned movingWarps(mlir::RankedTensorType rows);

} // namespace gluonc::amdg
