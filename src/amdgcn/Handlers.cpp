#include "amdgcn/Handlers.h"

namespace gluonc::amdgcn {

static const HandlerTable &handlerTable() {
  static const HandlerTable table = [] {
    HandlerTable made;
    addScalar(made);
    addScalarFloats(made);
    addControl(made);
    addBarriers(made);
    addFloats(made);
    addIntegers(made);
    addConversions(made);
    addScaledConversions(made);
    addComparisons(made);
    addPacked(made);
    addCrossLane(made);
    return made;
  }();
  return table;
}

/// Both halves of a pair read before either writes.
static void pair(Step &step) {
  const Instruction &other = *step.instruction.second;
  Wave &wave = step.wave;
  auto rows = [](const Instruction &instruction) {
    const Operand &target = instruction.operands[0];
    return std::pair<unsigned, unsigned>(target.reg,
                                         target.bank == Bank::Vector ? target.count : 0);
  };
  auto [first, count] = rows(step.instruction);
  size_t words = size_t(count) * wave.lanes;
  std::vector<uint32_t> before(wave.row(first), wave.row(first) + words);
  step.instruction.firstHandler(step);
  std::vector<uint32_t> after(wave.row(first), wave.row(first) + words);
  std::copy(before.begin(), before.end(), wave.row(first));
  Step second{step.machine, step.workgroup, wave, other, step.active};
  other.handler(second);
  std::copy(after.begin(), after.end(), wave.row(first));
}

static Handler findSingle(Instruction &instruction, const Chip &chip) {
  llvm::StringRef name = instruction.mnemonic;
  if (auto found = handlerTable().find(name); found != handlerTable().end())
    return found->second;
  if (name.consume_front("v_dual_"))
    if (auto found = handlerTable().find(("v_" + name).str()); found != handlerTable().end())
      return found->second;
  if (Handler handler = chooseScalarMemory(instruction))
    return handler;
  for (auto *choose :
       {chooseGlobal, chooseBuffer, chooseShared, chooseProduct, chooseWmma, chooseTensor})
    if (Handler handler = choose(instruction, chip))
      return handler;
  return nullptr;
}

Handler findHandler(Instruction &instruction, const Chip &chip) {
  Handler first = findSingle(instruction, chip);
  if (!instruction.second || !first)
    return first;
  instruction.firstHandler = first;
  instruction.second->offset = instruction.offset;
  instruction.second->handler = findSingle(*instruction.second, chip);
  return instruction.second->handler ? pair : nullptr;
}

} // namespace gluonc::amdgcn
