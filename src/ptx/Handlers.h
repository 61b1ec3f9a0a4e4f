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
void addTensorMemory(HandlerTable &table);
void addLaunchControl(HandlerTable &table);

LaneNeeds laneNeeds(const Instruction &instruction);

/// A function that kernels call and do not have; null for one that is not known.
Handler systemFunctionNamed(llvm::StringRef name);

/// An instruction of tensor memory that is for one CTA where others are for two, or the other way
/// round: a kernel has to have one kind. Null if it has.
const Instruction *findMixedGroup(const Function &kernel);

/// Null for what the executor does not know.
Handler findHandler(const Instruction &instruction);

} // namespace gluonc::ptx
