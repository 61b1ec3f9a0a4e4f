//===- Indices.h - Index arithmetic from linear layouts ----------------------===//
//
// A layout maps the bits of (register, lane, warp) to an index by XOR. Registers
// are known at compile time, so an index is
//
//     index(register, thread) = threadPart(thread) ^ registerPart(register)
//
// with a constant on the right. Where the two parts share no bits, the XOR is
// an addition, and LLVM and ptxas fold the constant into the address of a load.
//
// The thread part is a sum of diagonals: input bit i feeds output bit i + s for
// a few different shifts s, and all bits with one shift move in one go:
//
//     lane bits 0..4 -> index bits 2..6     (thread & 31) << 2
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/core/Isa.h"

#include <map>
#include <vector>

namespace gluonc::codegen {

/// Thread parts that exist already, by the images of the thread bits.
using ThreadParts = std::map<std::vector<uint32_t>, llvm::Value *>;

/// XOR of `images[i]` over the set bits i of `bits`.
llvm::Value *applyLinear(Builder &builder, llvm::Value *bits, llvm::ArrayRef<uint32_t> images);

/// `variable ^ constant`, where `variable` only has bits of `variableMask`; a
/// disjoint or wherever that is the same.
llvm::Value *combineIndex(Builder &builder, llvm::Value *variable, uint32_t variableMask,
                          uint32_t constant);

/// An `or` of values that share no set bits.
llvm::Value *disjointOr(Builder &builder, llvm::Value *lhs, llvm::Value *rhs);

/// OR of all images: the bits that applyLinear may set.
uint32_t imageMask(llvm::ArrayRef<uint32_t> images);

} // namespace gluonc::codegen
