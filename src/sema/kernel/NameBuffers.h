//===- NameBuffers.h - Buffers under the names of variables --------------------===//
#pragma once

#include "sema/value/Value.h"

namespace gluonc::sema {

/// Gives the buffers that `value` holds, and that have no name yet, that of the variable which it
/// is assigned to, for the simulator's reports: `ring`, `pipe.full`, `stages[1]`.
void nameBuffers(const Value &value, llvm::StringRef variable);

/// The same of all values of a kernel, whatever names they have, for debuggers: a variable, or a
/// field of one, holds them since `binding`.
void nameVariables(const Value &value, llvm::StringRef variable, mlir::Location binding);

} // namespace gluonc::sema
