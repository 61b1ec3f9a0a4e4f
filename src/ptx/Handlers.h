//===- Handlers.h - From mnemonics to functions ------------------------------===//
#pragma once

#include "ptx/Machine.h"

namespace gluonc::ptx {

/// Chooses a handler by an instruction's modifiers, types and operands; null if it knows none.
using Choose = Handler (*)(const Instruction &);
using HandlerTable = llvm::StringMap<Choose>;

void addArithmetic(HandlerTable &table);
void addConversions(HandlerTable &table);
void addMemory(HandlerTable &table);
void addControl(HandlerTable &table);
void addWarpOperations(HandlerTable &table);
void addMatrices(HandlerTable &table);
void addAsynchronous(HandlerTable &table);
void addWarpgroups(HandlerTable &table);
void addTensorCopies(HandlerTable &table);

/// Null for what the executor does not know.
Handler findHandler(const Instruction &instruction);

} // namespace gluonc::ptx
