//===- CodeObject.h - Assembly to the code object that HIP loads ---------------===//
//
//   assembly --assembleObject--> relocatable ELF --linkObject--> shared ELF ("hsaco")
//
// Sources: LLVM, AMDGPUUsage, "Code Object"; System V ABI, "Dynamic Linking".
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/Codegen.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace gluonc::codegen::amd {

/// By LLVM's assembler. Fails with AssemblerError.
llvm::Expected<std::string> assembleObject(llvm::StringRef text, const target::Target &target);

/// Lays out one relocatable object as `ld.lld -shared` does: headers, notes, symbols and read-only
/// data, code, the dynamic section. The object may not need anything from outside nor have writable
/// data. Fails with AssemblerError.
llvm::Expected<std::string> linkObject(llvm::StringRef object);

} // namespace gluonc::codegen::amd
