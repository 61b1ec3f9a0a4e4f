//===- Multicast.h - One access to memory for several workgroups -----------------------===//
#pragma once

#include "codegen/core/Isa.h"

namespace gluonc::codegen::amd {

/// For loads of gfx1250 that workgroups of a cluster make together, those whose numbers differ in
/// the bits of `sharing` only: a mask of them, an i32. Null if they had better load for themselves:
/// there is one, or there are more than the hardware serves at a time.
llvm::Value *multicastMask(Builder &builder, uint32_t sharing);

} // namespace gluonc::codegen::amd
