//===- Handlers.h - From mnemonics to functions ------------------------------===//
#pragma once

#include "amdgcn/Machine.h"

namespace gluonc::amdgcn {

using HandlerTable = llvm::StringMap<Handler>;

void addScalar(HandlerTable &table);
void addScalarFloats(HandlerTable &table);
void addControl(HandlerTable &table);
void addBarriers(HandlerTable &table);
void addFloats(HandlerTable &table);
void addIntegers(HandlerTable &table);
void addConversions(HandlerTable &table);
void addScaledConversions(HandlerTable &table);
void addComparisons(HandlerTable &table);
void addPacked(HandlerTable &table);
void addCrossLane(HandlerTable &table);

/// Families whose mnemonics say widths and operations: they read them off and note what they
/// found in the instruction. Null for what is not theirs.
Handler chooseScalarMemory(Instruction &instruction);
Handler chooseGlobal(Instruction &instruction, const Chip &chip);
Handler chooseBuffer(Instruction &instruction, const Chip &chip);
Handler chooseShared(Instruction &instruction, const Chip &chip);
Handler chooseProduct(Instruction &instruction, const Chip &chip);
Handler chooseWmma(Instruction &instruction, const Chip &chip);
Handler chooseTensor(Instruction &instruction, const Chip &chip);

/// Null for what the executor does not know.
Handler findHandler(Instruction &instruction, const Chip &chip);

} // namespace gluonc::amdgcn
