//===- Scopes.h - Borders of regions in PTX --------------------------------------===//
//
// What a kernel names itself (`gluon.scope`) begins and ends at
//
//   pmevent.mask 6; // scope load      the region 3 begins; an odd number ends it
//
// where the kernel was compiled for a timeline (codegen/emit/EmitDebug.cpp); in AMD's assembly at
//
//   s_mov_b32 m0, 6; // scope load
//   s_nop 0
//   s_ttracedata
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ptx/Module.h"

#include <optional>

namespace gluonc::ptx {

struct ScopeBorder {
  unsigned number = 0;
  bool ends = false;
};

/// Nullopt for other instructions.
std::optional<ScopeBorder> scopeBorderOf(const Instruction &instruction);

/// Names of regions in PTX or AMD's assembly, by their numbers.
std::vector<std::string> scopeNames(llvm::StringRef assembly);

} // namespace gluonc::ptx
