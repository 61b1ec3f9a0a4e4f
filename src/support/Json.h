//===- Json.h - JSON that a stranger wrote ----------------------------------------===//
#pragma once

#include "llvm/Support/JSON.h"

namespace gluonc {

/// LLVM's parser, which calls itself for each level: arrays and objects that are more than 200
/// levels deep are an error, before the stack ends.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace gluonc
