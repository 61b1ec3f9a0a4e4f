//===- Optimize.h - The LLVM passes that pay -------------------------------------===//
//
// What comes in is already simple: values in registers, no memory but the
// kernel's own, loops rotated. Most of an -O3 pipeline would look for work that
// is not there, and cost more than all else in a compile. So the list is short
// and by hand; loop passes run only where there are loops.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace gluonc::codegen {

void runPasses(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace gluonc::codegen
