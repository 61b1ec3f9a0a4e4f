//===- Asynchronous.cpp - mbarrier, st.async -----------------------------------===//
#include "ptx/Barrier.h"
#include "ptx/Handlers.h"

#include <cstring>

namespace gluonc::ptx {
namespace {

void beginBarrier(Step &step) {
  step.eachLane([&](unsigned lane) {
    if (Barrier barrier{step, step.address(step.operand(0), lane), lane})
      barrier.begin(step.read(1, lane));
  });
}
void nothing(Step &) {}

/// The address operand: behind the state that an arrival returns, if it does.
const Operand &barrierOperand(const Step &step) {
  return *llvm::find_if(step.instruction.operands, [](const Operand &operand) {
    return operand.kind == OperandKind::Address;
  });
}

void arrive(Step &step) {
  const Operand &address = barrierOperand(step);
  const Operand *count = &address + 1 != step.instruction.operands.end() ? &address + 1 : nullptr;
  bool expects = step.instruction.has("expect_tx");
  step.eachLane([&](unsigned lane) {
    Barrier barrier(step, step.address(address, lane), lane);
    if (!barrier)
      return;
    if (expects)
      barrier.expect(static_cast<int64_t>(step.read(*count, lane)));
    barrier.arrive(expects || !count ? 1 : step.read(*count, lane));
  });
}

void expect(Step &step) {
  bool delivers = step.instruction.has("complete_tx");
  step.eachLane([&](unsigned lane) {
    Barrier barrier(step, step.address(step.operand(0), lane), lane);
    if (!barrier)
      return;
    auto bytes = static_cast<int64_t>(static_cast<uint32_t>(step.read(1, lane)));
    delivers ? barrier.deliver(bytes) : barrier.expect(bytes);
  });
}

void wait(Step &step) {
  bool all = true;
  step.eachLane([&](unsigned lane) {
    Barrier barrier(step, step.address(step.operand(1), lane), lane);
    bool over = barrier && barrier.isOver(step.read(2, lane));
    step.write(0, lane, over);
    all &= over;
  });
  step.yields = !all;
}

Handler chooseBarrier(const Instruction &instruction) {
  if (instruction.has("init"))
    return beginBarrier;
  if (instruction.has("inval"))
    return nothing;
  if (instruction.has("try_wait") || instruction.has("test_wait"))
    return instruction.has("parity") ? wait : nullptr;
  if (instruction.has("arrive"))
    return llvm::any_of(instruction.operands,
                        [](const Operand &o) { return o.kind == OperandKind::Address; })
               ? arrive
               : nullptr;
  return instruction.has("expect_tx") || instruction.has("complete_tx") ? expect : nullptr;
}

} // namespace

void addAsynchronous(HandlerTable &table) { table["mbarrier"] = chooseBarrier; }

} // namespace gluonc::ptx
