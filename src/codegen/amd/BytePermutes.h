//===- BytePermutes.h - Words of bytes of other words ----------------------------------===//
#pragma once

#include "llvm/IR/Module.h"

namespace gluonc::codegen::amd {

/// Makes words whose four bytes lie in other words by v_perm_b32, which picks any four bytes of two
/// words: one instruction where bytes of two words meet, three for four. LLVM 22 takes words apart
/// and ORs the bytes. Runs behind LLVM's passes.
void permuteBytes(llvm::Module &module);

} // namespace gluonc::codegen::amd
