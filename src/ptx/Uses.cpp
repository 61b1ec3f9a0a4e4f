#include "ptx/Uses.h"

#include "llvm/ADT/STLExtras.h"

namespace gluonc::ptx {

/// Whether the first operand receives a result.
static bool hasResult(const Instruction &instruction) {
  if (instruction.operands.empty())
    return false;
  if (instruction.name == "tcgen05")
    return instruction.has("ld");
  OperandKind kind = instruction.operands.front().kind;
  return (kind == OperandKind::Register || kind == OperandKind::Vector ||
          instruction.operands.front().second >= 0) &&
         !llvm::is_contained({"bar", "barrier", "bra", "brx", "call", "nanosleep", "pmevent"},
                             instruction.name);
}

static void addRegisters(const Operand &operand, llvm::SmallVectorImpl<int32_t> &list) {
  for (int32_t reg : {operand.reg, operand.second})
    if (reg >= 0)
      list.push_back(reg);
  for (const Operand &element : operand.elements)
    addRegisters(element, list);
}

Uses usesOf(const Instruction &instruction) {
  Uses uses;
  bool isResult = hasResult(instruction), isCall = instruction.name == "call";
  for (auto [i, operand] : llvm::enumerate(instruction.operands))
    addRegisters(operand, (isResult && i == 0) || (isCall && i == 1) ? uses.written : uses.read);
  return uses;
}

} // namespace gluonc::ptx
