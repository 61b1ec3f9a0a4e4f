//===- Ptxas.h - PTX to cubin through NVIDIA's assembler ---------------------===//
//
// The caller finds the program (environment, PATH, wheels: driver's business);
// this runs it on temporary files and reads what it says about resources.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/Backend.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace gluonc::codegen::nvidia {

struct PtxasOptions {
  bool lineInfo = false;
  bool fpFusion = true;
  /// 0…3
  unsigned optimizationLevel = 3;
  std::vector<std::string> extraArguments;
};

struct Cubin {
  std::string bytes;
  std::vector<ResourceUsage> resources;
  /// Everything the assembler printed: warnings about performance live here.
  std::string log;
};

/// Fails with the assembler's own words when it rejects the text.
llvm::Expected<Cubin> assemble(llvm::StringRef ptxasPath, llvm::StringRef ptx,
                               const target::Target &target, const PtxasOptions &options = {});

/// Reads the resource lines of `ptxas -v`.
std::vector<ResourceUsage> parseResources(llvm::StringRef log);

} // namespace gluonc::codegen::nvidia
