//===- Buffers.h - Resources and offsets of buffers -----------------------------------===//
#pragma once

#include "codegen/core/Emitter.h"
#include "ir/Dialects.h"

namespace gluonc::codegen::amd {

/// An offset that no buffer has, in bytes.
inline constexpr uint32_t beyondBuffers = 0x80000000;

/// The operand `aux` of LLVM's memory intrinsics: what caches do with an access.
unsigned cacheOperand(const target::Target &target, tt::CacheModifier modifier);
/// The base of a buffer as its accesses take it.
llvm::Value *resourceOf(Emitter &emitter, mlir::Value base);
/// An element's offset in bytes; beyond every buffer where `mask` (null: nowhere) does not hold.
llvm::Value *byteOffset(Builder &builder, llvm::Value *offset, unsigned bytes, llvm::Value *mask);

} // namespace gluonc::codegen::amd
