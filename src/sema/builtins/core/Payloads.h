//===- Payloads.h - fpsan.embed, fpsan.unembed ------------------------------------===//
#pragma once

#include "sema/builtins/Ops.h"

namespace gluonc::sema::ops {

llvm::ArrayRef<Builtin> payloadBuiltins();

} // namespace gluonc::sema::ops
