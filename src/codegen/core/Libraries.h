//===- Libraries.h - Functions of users' libraries ----------------------------===//
//
// `Options::libraries` as LLVM modules in the context of the module that calls them.
// What is called, and what that calls, becomes part of the module: internal, and
// inlined where the library does not forbid it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/Codegen.h"

namespace gluonc::codegen {

class Libraries {
public:
  /// Reads them for modules of `context`, bitcode as far as it is needed. Fails with LibraryError.
  static llvm::Expected<Libraries> read(const Options &options, llvm::LLVMContext &context);

  /// A function that one of them defines, to be declared by who calls it; null where there is none.
  const llvm::Function *find(llvm::StringRef name) const;

  /// Once, when all calls are there. Fails with LibraryError.
  llvm::Error linkInto(llvm::Module &module, bool flushesSubnormals);

private:
  std::vector<std::unique_ptr<llvm::Module>> modules;
};

} // namespace gluonc::codegen
