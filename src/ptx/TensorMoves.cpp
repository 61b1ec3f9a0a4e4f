//===- TensorMoves.cpp - Between registers and tensor memory ---------------------===//
//
// PTX ISA 9.7.16.2.3 (which word a register of a lane is) and 9.7.16.8 (ld, st). A warp
// reaches the 32 lanes of its quadrant, by its number in the CTA modulo 4.
//
//===----------------------------------------------------------------------===//
#include "ptx/Extremes.h"
#include "ptx/TensorAccess.h"

#include "llvm/ADT/StringSwitch.h"

namespace gluonc::ptx {
namespace {

using llvm::StringRef;

enum class Shape : uint8_t { None, S32x32, S16x64, S16x128, S16x256, S16x32Twice };

Shape shapeNamed(StringRef name) {
  return llvm::StringSwitch<Shape>(name)
      .Case("32x32b", Shape::S32x32)
      .Case("16x64b", Shape::S16x64)
      .Case("16x128b", Shape::S16x128)
      .Case("16x256b", Shape::S16x256)
      .Case("16x32bx2", Shape::S16x32Twice)
      .Default(Shape::None);
}

struct Form {
  Shape shape = Shape::None;
  /// Of `.xN`.
  unsigned times = 0;
  bool packs = false;

  unsigned registers() const {
    return times * (shape == Shape::S16x128 ? 2 : shape == Shape::S16x256 ? 4 : 1);
  }
};

Form formOf(const Instruction &instruction) {
  Form form;
  for (StringRef modifier : instruction.modifiers) {
    if (Shape shape = shapeNamed(modifier); shape != Shape::None)
      form.shape = shape;
    else if (modifier.consume_front("x"))
      modifier.getAsInteger(10, form.times);
  }
  form.packs = instruction.has("pack::16b") || instruction.has("unpack::16b");
  return form;
}

/// From an address on: lane and column of a register. `isFar`: of the second of two halves.
struct Word {
  unsigned lane, column;
  bool isFar = false;
};
Word wordOf(Shape shape, unsigned reg, unsigned lane) {
  switch (shape) {
  case Shape::S16x64:
    return {lane / 4 + lane % 2 * 8, reg * 2 + lane / 2 % 2};
  case Shape::S16x128:
    return {lane / 4 + reg % 2 * 8, reg / 2 * 4 + lane % 4};
  case Shape::S16x256:
    return {lane / 4 + reg / 2 % 2 * 8, reg / 4 * 8 + lane % 4 * 2 + reg % 2};
  case Shape::S16x32Twice:
    return {lane % 16, reg, lane >= 16};
  case Shape::S32x32:
  case Shape::None:
    break;
  }
  return {lane, reg};
}

/// The address that all lanes give; none after a fault.
std::optional<uint32_t> commonAddress(Step &step, const Operand &operand) {
  unsigned first = std::countr_zero(step.active);
  if (step.active != ~step.warp.lanesIn(LaneState::Ended)) {
    step.fail(first, "not all lanes of the warp are here");
    return std::nullopt;
  }
  auto address = static_cast<uint32_t>(step.address(operand, first));
  std::optional<uint32_t> result = address;
  step.eachLane([&](unsigned lane) {
    if (static_cast<uint32_t>(step.address(operand, lane)) == address)
      return;
    step.fail(lane, "an address that is not that of the warp's other lanes");
    result = std::nullopt;
  });
  return result;
}

/// Which words a move is about: calls back with lane, register's number, part of the register (of
/// those that hold two numbers) and place. False after a fault.
template <typename Function>
bool eachWord(Step &step, const Form &form, unsigned registers, uint32_t address, uint64_t halves,
              Function function) {
  unsigned quadrant = step.warp.number % 4, parts = form.packs ? 2 : 1;
  for (unsigned lane = 0; lane != warpLanes; ++lane)
    for (unsigned reg = 0; reg != registers; ++reg) {
      Word word = wordOf(form.shape, reg, lane);
      TensorPlace place(address + (word.isFar ? static_cast<uint32_t>(halves) : 0));
      place.lane += word.lane;
      place.column += word.column * parts;
      if (place.lane / warpLanes != quadrant) {
        step.fail(lane, "lane " + llvm::Twine(place.lane) +
                            " of tensor memory is out of reach for warp " +
                            llvm::Twine(step.warp.number));
        return false;
      }
      for (unsigned part = 0; part != parts; ++part, ++place.column)
        if (!function(lane, reg, part, place))
          return false;
    }
  return true;
}

void load(Step &step) {
  Form form = formOf(step.instruction);
  const Operand &results = step.operand(0);
  bool reduces = step.instruction.has("red");
  unsigned at = reduces ? 2 : 1;
  std::optional<uint32_t> address = commonAddress(step, step.operand(at));
  if (!address)
    return;
  llvm::ArrayRef<Operand> registers = partsOf(results);
  uint64_t halves = step.instruction.operands.size() > at + 1 ? step.read(at + 1, 0) : 0;
  eachWord(step, form, form.registers(), *address, halves,
           [&](unsigned lane, unsigned reg, unsigned part, TensorPlace place) {
             uint32_t word = 0;
             if (!readTensor(step, lane, step.cta, place, word))
               return false;
             uint64_t before = part ? step.read(registers[reg], lane) & 0xffff : 0;
             uint64_t bits = form.packs ? word & 0xffff : word;
             step.write(registers[reg], lane, before | bits << (16 * part));
             return true;
           });
}

void store(Step &step) {
  Form form = formOf(step.instruction);
  bool hasHalves = form.shape == Shape::S16x32Twice;
  std::optional<uint32_t> address = commonAddress(step, step.operand(0));
  if (!address)
    return;
  llvm::ArrayRef<Operand> registers = partsOf(step.operand(hasHalves ? 2 : 1));
  eachWord(step, form, form.registers(), *address, hasHalves ? step.read(1, 0) : 0,
           [&](unsigned lane, unsigned reg, unsigned part, TensorPlace place) {
             auto bits = static_cast<uint32_t>(step.read(registers[reg], lane));
             return writeTensor(step, lane, step.cta, place,
                                form.packs ? bits >> (16 * part) & 0xffff : bits);
           });
}

/// The least or greatest of what a thread loaded (`ld.red`).
uint64_t extremeOf(const Instruction &instruction, llvm::ArrayRef<uint64_t> values) {
  Type type = instruction.type();
  if (type.isFloat()) {
    FloatExtreme best(instruction);
    for (uint64_t bits : values)
      best.add(asFloat(bits));
    return best.bits(type);
  }
  uint64_t flip = type.isSigned() ? 0x80000000 : 0; // signed numbers in the order of unsigned ones
  auto isLess = [&](uint64_t a, uint64_t b) { return (a ^ flip) < (b ^ flip); };
  return instruction.has("max") ? *std::max_element(values.begin(), values.end(), isLess)
                                : *std::min_element(values.begin(), values.end(), isLess);
}

void loadAndReduce(Step &step) {
  load(step);
  if (step.machine.fault)
    return;
  step.eachLane([&](unsigned lane) {
    llvm::SmallVector<uint64_t, 128> values;
    for (const Operand &part : partsOf(step.operand(0)))
      values.push_back(step.read(part, lane));
    step.write(partsOf(step.operand(1)).front(), lane, extremeOf(step.instruction, values));
  });
}

} // namespace

Handler chooseTensorMove(const Instruction &instruction) {
  Form form = formOf(instruction);
  bool loads = instruction.has("ld"), reduces = instruction.has("red");
  unsigned count = form.registers();
  bool hasHalves = form.shape == Shape::S16x32Twice;
  unsigned operands = 2 + hasHalves + reduces;
  if (form.shape == Shape::None || count == 0 || count > 128 || (count & (count - 1)) ||
      instruction.operands.size() != operands)
    return nullptr;
  if (partsOf(instruction.operands[loads ? 0 : operands - 1]).size() != count)
    return nullptr;
  if (!reduces)
    return loads ? load : store;
  bool knownShape = hasHalves || form.shape == Shape::S32x32;
  return loads && knownShape && count > 1 && instruction.has("min") != instruction.has("max")
             ? loadAndReduce
             : nullptr;
}

} // namespace gluonc::ptx
