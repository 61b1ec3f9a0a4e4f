//===- Ptxas.h - PTX to cubin through NVIDIA's assembler ---------------------===//
//
// The caller finds the program (environment, PATH, wheels: driver's business);
// this runs it on temporary files. Nothing else reads what it prints: here its words
// become values.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/Backend.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace gluonc::codegen::nvidia {

struct Cubin {
  std::string bytes;
  std::vector<ResourceUsage> resources;
  /// Everything the assembler printed: warnings about performance live here.
  std::string log;
};

/// One run of ptxas, and others where `ptx` says nothing of registers (`.maxnreg`,
/// `.minnctapersm`):
///
/// - It spills with less than half of the registers that there are: the number is stated, and the
///   code that spills less is taken.
/// - A fifth fewer registers, or less, would let one more program share a multiprocessor, beside
///   `sharedBytes` of dynamic shared memory: that number of programs is stated, and the code taken
///   if it spills no more, or a thirty-second of the registers (`ResourceUsage::spillsByChoice`).
/// - As many programs would share a multiprocessor if threads had more registers: their number is
///   stated, and loads start earlier, not one after the other to save registers that nobody else
///   can use.
///
/// Fails with AssemblerError.
llvm::Expected<Cubin> assemble(llvm::StringRef ptxasPath, llvm::StringRef ptx,
                               const target::Target &target, const Options &options = {},
                               unsigned sharedBytes = 0);

/// Why ptxas made no code, from what it says: nothing else tells.
AssemblerError::Cause causeOf(llvm::StringRef log);

/// Reads the resource lines of `ptxas -v`.
std::vector<ResourceUsage> parseResources(llvm::StringRef log);

} // namespace gluonc::codegen::nvidia
