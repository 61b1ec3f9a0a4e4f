//===- Caches.h - What an instruction tells L2 --------------------------------------===//
#pragma once

#include "codegen/core/Isa.h"

namespace gluonc::codegen::nvidia {

/// The 64-bit operand that goes with `.L2::cache_hint`; equal ones merge.
llvm::Value *l2Policy(Builder &builder, const tt::CachePolicy::Shares &shares);
/// `.L2::cache_hint` and how much to fetch along; empty where the policy says neither.
std::string l2Qualifiers(const tt::CachePolicy &policy);

} // namespace gluonc::codegen::nvidia
