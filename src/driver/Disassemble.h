//===- Disassemble.h - Machine code of NVIDIA's chips as text ----------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace gluonc::driver {

/// What `program`, nvdisasm or cuobjdump of the CUDA toolkit, prints about a cubin with these
/// options.
llvm::Expected<std::string> disassemble(llvm::StringRef program,
                                        llvm::ArrayRef<llvm::StringRef> options,
                                        llvm::StringRef cubin);

} // namespace gluonc::driver
