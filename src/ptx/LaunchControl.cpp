//===- LaunchControl.cpp - Work of clusters that have not begun -------------------===//
//
// PTX ISA 9.7.13.17. A request takes the last cluster of those that are to run yet; what comes
// back is in a form of our own: the first CTA's coordinates, and whether there was one.
//
//===----------------------------------------------------------------------===//
#include "ptx/Barrier.h"
#include "ptx/Memory.h"

namespace gluonc::ptx {
namespace {

constexpr unsigned responseBytes = 16;

/// try_cancel… [response], [mbarrier]: with multicast in every CTA of the cluster.
void tryCancel(Step &step) {
  bool isMulticast = step.instruction.has("multicast::cluster::all");
  step.eachLane([&](unsigned lane) {
    uint32_t response[4] = {};
    if (auto first = step.machine.cancelCluster()) {
      std::copy(first->begin(), first->end(), response);
      response[3] = 1;
    }
    auto to = static_cast<uint32_t>(step.address(step.operand(0), lane));
    auto barrier = static_cast<uint32_t>(step.address(step.operand(1), lane));
    for (const Cta &cta : step.machine.ctas) {
      if (!isMulticast && &cta != &step.cta)
        continue;
      uint64_t window = uint64_t(cta.rank) << clusterShift;
      auto inCta = [&](uint64_t address) {
        return isMulticast ? (address & withinCta) | window : address;
      };
      uint8_t *place = locate(step, Space::Shared, inCta(to), responseBytes, lane);
      Barrier arrives{step, inCta(barrier), lane};
      if (!place || !arrives)
        return;
      std::memcpy(place, response, sizeof(response));
      arrives.deliver(responseBytes);
    }
  });
}

bool wasCanceled(Step &step, const Operand &handle, unsigned lane) {
  return step.read(handle.elements[1], lane) >> 32;
}

void isCanceled(Step &step) {
  step.eachLane(
      [&](unsigned lane) { step.write(0, lane, wasCanceled(step, step.operand(1), lane)); });
}

/// get_first_ctaid::x and the like, or all at once.
void firstCta(Step &step) {
  const Instruction &instruction = step.instruction;
  llvm::ArrayRef<Operand> results = partsOf(step.operand(0));
  unsigned first = instruction.has("get_first_ctaid::y")   ? 1
                   : instruction.has("get_first_ctaid::z") ? 2
                                                           : 0;
  step.eachLane([&](unsigned lane) {
    const Operand &handle = step.operand(1);
    uint64_t low = step.read(handle.elements[0], lane);
    uint64_t coordinates[] = {low & 0xffffffff, low >> 32,
                              step.read(handle.elements[1], lane) & 0xffffffff, 0};
    // What a request that was not granted gives is not defined.
    if (!wasCanceled(step, handle, lane))
      std::fill(std::begin(coordinates), std::end(coordinates), 0xffffffff);
    for (size_t i = 0; i != results.size(); ++i)
      step.write(results[i], lane, coordinates[first + i]);
  });
}

Handler choose(const Instruction &instruction) {
  if (instruction.operands.size() != 2)
    return nullptr;
  if (instruction.has("try_cancel"))
    return tryCancel;
  const Operand &handle = instruction.operands[1];
  if (!instruction.has("query_cancel") || handle.elements.size() != 2)
    return nullptr;
  return instruction.has("is_canceled") ? isCanceled : firstCta;
}

} // namespace

void addLaunchControl(HandlerTable &table) { table["clusterlaunchcontrol"] = choose; }

} // namespace gluonc::ptx
