//===- WarpOperations.cpp - What the lanes of a warp do together ---------------===//
#include "ptx/Extremes.h"
#include "ptx/Handlers.h"

#include <algorithm>

namespace gluonc::ptx {

LaneNeeds laneNeeds(const Instruction &instruction) {
  llvm::StringRef name = instruction.name;
  bool hasMask = name == "shfl" || name == "vote" || name == "match" || name == "redux" ||
                 name == "elect" || (name == "bar" && instruction.has("warp"));
  if (hasMask)
    return LaneNeeds::Mask;
  // bar.sync is aligned without saying so.
  return instruction.has("aligned") || (name == "bar" && instruction.has("sync")) ? LaneNeeds::Alive
                                                                                  : LaneNeeds::None;
}

uint32_t lanesNeeded(const Instruction &instruction, const Warp &warp, unsigned lane) {
  if (instruction.needs == LaneNeeds::None)
    return 0;
  uint32_t alive = ~warp.lanesIn(LaneState::Ended);
  if (instruction.needs == LaneNeeds::Alive)
    return alive;
  const Operand &mask = instruction.operands.back();
  uint64_t lanes = mask.kind == OperandKind::Register
                       ? warp.registers[static_cast<size_t>(mask.reg) * warpLanes + lane]
                       : mask.value;
  return static_cast<uint32_t>(lanes) & alive;
}

namespace {

/// One value per lane, those that are not active included.
using Lanes = std::array<uint64_t, warpLanes>;

Lanes valuesOf(Step &step, unsigned operand) {
  Lanes values = {};
  step.eachLane([&](unsigned lane) { values[lane] = step.read(operand, lane); });
  return values;
}

/// PTX ISA 9.7.9.6: c has the clamp in bits 0 to 4 and the segments' mask in bits 8 to 12.
void shuffle(Step &step) {
  const Instruction &instruction = step.instruction;
  Lanes values = valuesOf(step, 1), by = valuesOf(step, 2), control = valuesOf(step, 3);
  step.eachLane([&](unsigned lane) {
    int own = static_cast<int>(lane), offset = by[lane] & 31, clamp = control[lane] & 31,
        segment = control[lane] >> 8 & 31;
    int least = own & segment, most = least | (clamp & ~segment), from;
    bool valid;
    if (instruction.has("up")) {
      from = own - offset;
      valid = from >= most;
    } else {
      from = instruction.has("down")   ? own + offset
             : instruction.has("bfly") ? own ^ offset
                                       : least | (offset & ~segment);
      valid = from <= most;
    }
    if (!valid)
      from = own;
    step.write(0, lane, values[static_cast<unsigned>(from)]);
    step.writeRegister(step.operand(0).second, lane, valid);
  });
}

void vote(Step &step) {
  const Instruction &instruction = step.instruction;
  Lanes values = valuesOf(step, 1);
  uint32_t holds = 0;
  step.eachLane([&](unsigned lane) { holds |= uint32_t(values[lane] != 0) << lane; });
  step.eachLane([&](unsigned lane) {
    uint32_t mask = step.active & static_cast<uint32_t>(step.read(2, lane));
    uint64_t result = instruction.has("ballot") ? holds & mask
                      : instruction.has("all")  ? (holds & mask) == mask
                      : instruction.has("any")  ? (holds & mask) != 0
                                                : (holds & mask) == mask || !(holds & mask);
    step.write(0, lane, result);
  });
}

void match(Step &step) {
  bool all = step.instruction.has("all");
  Lanes values = valuesOf(step, 1);
  step.eachLane([&](unsigned lane) {
    uint32_t mask = step.active & static_cast<uint32_t>(step.read(2, lane)), same = 0;
    for (unsigned other = 0; other != warpLanes; ++other)
      same |= uint32_t(values[other] == values[lane]) << other;
    same &= mask;
    step.write(0, lane, !all || same == mask ? same : 0);
    step.writeRegister(step.operand(0).second, lane, same == mask);
  });
}

void reduceAcross(Step &step) {
  const Instruction &instruction = step.instruction;
  bool isSigned = instruction.type().isSigned();
  Lanes values = valuesOf(step, 1);
  step.eachLane([&](unsigned lane) {
    uint32_t mask = step.active & static_cast<uint32_t>(step.read(2, lane));
    auto first = static_cast<uint32_t>(values[std::countr_zero(mask)]), result = first;
    for (uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1) {
      auto value = static_cast<uint32_t>(values[std::countr_zero(rest)]);
      bool isLess = isSigned ? int32_t(value) < int32_t(result) : value < result;
      if (instruction.has("add"))
        result += value;
      else if (instruction.has("and"))
        result &= value;
      else if (instruction.has("or"))
        result |= value;
      else if (instruction.has("xor"))
        result ^= value;
      else if (instruction.has("min") == isLess)
        result = value;
    }
    step.write(0, lane, result);
  });
}

void reduceFloats(Step &step) {
  Lanes values = valuesOf(step, 1);
  step.eachLane([&](unsigned lane) {
    FloatExtreme best(step.instruction);
    for (uint32_t rest = step.active & static_cast<uint32_t>(step.read(2, lane)); rest;
         rest &= rest - 1)
      best.add(asFloat(values[static_cast<unsigned>(std::countr_zero(rest))]));
    step.write(0, lane, best.bits(step.instruction.type()));
  });
}

void elect(Step &step) {
  step.eachLane([&](unsigned lane) {
    uint32_t mask = step.active & static_cast<uint32_t>(step.read(1, lane));
    auto leader = static_cast<unsigned>(std::countr_zero(mask));
    step.write(0, lane, leader);
    step.writeRegister(step.operand(0).second, lane, leader == lane);
  });
}

void activeMask(Step &step) {
  step.eachLane([&](unsigned lane) { step.write(0, lane, step.active); });
}

} // namespace

void addWarpOperations(HandlerTable &table) {
  using I = const Instruction &;
  table["shfl"] = [](I i) -> Handler { return i.operands.size() == 5 ? shuffle : nullptr; };
  table["vote"] = [](I i) -> Handler { return i.operands.size() == 3 ? vote : nullptr; };
  table["match"] = [](I i) -> Handler { return i.operands.size() == 3 ? match : nullptr; };
  table["redux"] = [](I i) -> Handler {
    bool ofFloats = i.type() == Type{TypeKind::Float, 32} && i.has("min") != i.has("max");
    return ofFloats ? reduceFloats : i.type().isInteger() ? reduceAcross : nullptr;
  };
  table["elect"] = [](I) -> Handler { return elect; };
  table["activemask"] = [](I) -> Handler { return activeMask; };
}

} // namespace gluonc::ptx
