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

/// Where ptxas leaves a kernel that spills with less than half of the registers that there are, and
/// `ptx` has no `.maxnreg`, it runs a second time with that limit stated, and the code that spills
/// less is taken. Where as many programs would share a multiprocessor if threads had more registers
/// than it gave them, it runs a second time with that number of programs stated (`.minnctapersm`):
/// the code has no more spills, and loads start earlier, not one after the other to save registers
/// that nobody else can use. Fails with AssemblerError.
llvm::Expected<Cubin> assemble(llvm::StringRef ptxasPath, llvm::StringRef ptx,
                               const target::Target &target, const Options &options = {});

/// Why ptxas made no code, from what it says: nothing else tells.
AssemblerError::Cause causeOf(llvm::StringRef log);

/// Reads the resource lines of `ptxas -v`.
std::vector<ResourceUsage> parseResources(llvm::StringRef log);

} // namespace gluonc::codegen::nvidia
