//===- Libcrypto.h - Ed25519 by the libcrypto that is installed -----------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace gluonc::remote {

/// 64 bytes, of a seed of 32. An error where there is no libcrypto.
llvm::Expected<std::string> signEd25519(llvm::StringRef seed, llvm::StringRef message);
/// False for everything that is none, and where there is no libcrypto.
bool isEd25519(llvm::StringRef publicBytes, llvm::StringRef message, llvm::StringRef signature);
llvm::Expected<std::string> publicOfEd25519(llvm::StringRef seed);

} // namespace gluonc::remote
