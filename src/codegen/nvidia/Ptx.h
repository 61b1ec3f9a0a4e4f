//===- Ptx.h - LLVM IR to PTX text ------------------------------------------------===//
#pragma once

#include "codegen/nvidia/Machine.h"

namespace gluonc::codegen::nvidia {

/// Runs instruction selection and prints; names the version and chip of `target`.
llvm::Expected<std::string> printPtx(llvm::Module &module, const target::Target &target,
                                     const Options &options);

/// Replaces the values of the `.version` and `.target` lines of a PTX text.
std::string withHead(llvm::StringRef ptx, unsigned version, llvm::StringRef chip);

} // namespace gluonc::codegen::nvidia
