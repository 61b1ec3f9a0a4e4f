//===- Facts.h - What a diagnostic says, for programs -------------------------===//
#pragma once

#include "llvm/Support/JSON.h"

namespace gluonc::diag {

/// Names and numbers that the text of a diagnostic was made of: `facts` of its JSON.
struct Facts {
  llvm::json::Object object;
};

} // namespace gluonc::diag
