//===- Ptx.h - LLVM IR to PTX text ------------------------------------------------===//
#pragma once

#include "codegen/nvidia/Machine.h"

namespace gluonc::codegen::nvidia {

/// Runs instruction selection and prints; names the version and chip of `target`.
llvm::Expected<std::string> printPtx(llvm::Module &module, const target::Target &target,
                                     const Options &options);

/// PTX without negations that ptxas may lose. For sm_90 to sm_100 it contracts two signed minima or
/// maxima into VIMNMX3 and takes negations of their operands into it; that of the middle operand is
/// then not encoded (seen in 12.8 and 13.0; `max(max(-a, -b), -c)` gives `max(max(-a, b), -c)`). So
/// where there are such minima, -x is computed as ~x + 1, which is left alone.
std::string withKeptNegations(std::string ptx);

/// Replaces the values of the `.version` and `.target` lines of a PTX text.
std::string withHead(llvm::StringRef ptx, unsigned version, llvm::StringRef chip);

} // namespace gluonc::codegen::nvidia
