//===- Machine.h - LLVM target machines for NVPTX ----------------------------===//
//
// LLVM 22 knows PTX up to 9.0; the head of a text for newer PTX is rewritten.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/Codegen.h"
#include "codegen/core/MachineLoan.h"

namespace gluonc::codegen::nvidia {

/// PTX ISA version, times ten, that the text of `target` will name.
unsigned ptxVersion(const target::Target &target, const Options &options);

class Machine : public MachineLoan {
public:
  Machine(const target::Target &target, const Options &options);
};

} // namespace gluonc::codegen::nvidia
