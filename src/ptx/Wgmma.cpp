//===- Wgmma.cpp - Products of warpgroups ---------------------------------------===//
//
// PTX ISA 9.7.15. Each warp computes 16 of the 64 rows, when it gets there. Writing a register
// of A before the wait for the product is a fault (9.7.15.5); what a kernel does before it with
// sums and with operands in shared memory is not checked here. The latter are found as the hardware
// finds them: by the fields of a matrix descriptor, with the swizzle applied to the address of each
// 16 bytes.
//
//===----------------------------------------------------------------------===//
#include "ptx/Handlers.h"
#include "ptx/MatrixDescriptor.h"
#include "ptx/MatrixElements.h"

#include <cstring>

namespace gluonc::ptx {
namespace {

using llvm::StringRef;

struct Shape {
  unsigned n = 0, k = 0;
  StringRef sum;
  ElementType a, b;
};

/// wgmma.mma_async.sync.aligned.m64nNkK.dtype.atype.btype{.satfinite}
std::optional<Shape> shapeOf(const Instruction &instruction) {
  if (!instruction.has("mma_async") || instruction.modifiers.size() < 7)
    return std::nullopt;
  Shape shape;
  StringRef text = instruction.modifiers[3];
  if (!text.consume_front("m64n") || text.consumeInteger(10, shape.n) || !text.consume_front("k") ||
      text.getAsInteger(10, shape.k) || shape.n > 256 || shape.k > maxK)
    return std::nullopt;
  shape.sum = instruction.modifiers[4];
  shape.a = elementNamed(instruction.modifiers[5]);
  shape.b = elementNamed(instruction.modifiers[6]);
  return shape.a.bits && shape.a.bits == shape.b.bits ? std::optional(shape) : std::nullopt;
}

/// `rows` rows from `first` on of an operand in shared memory.
bool readMatrix(Step &step, uint64_t bits, ElementType type, unsigned first, unsigned rows,
                unsigned k, bool transposed, double (*to)[maxK]) {
  MatrixDescriptor descriptor = MatrixDescriptor::ofWgmma(bits);
  unsigned bytes = type.bits / 8;
  for (unsigned row = 0; row != rows; ++row)
    for (unsigned at = 0; at != k; ++at) {
      uint32_t address = transposed ? descriptor.alongRows((first + row) * bytes, at)
                                    : descriptor.alongK(first + row, at * bytes);
      const uint8_t *place = step.machine.shared(step.ownWindow() + address, bytes);
      if (!place) {
        step.fail(0, "a matrix descriptor reaches 0x" + llvm::Twine::utohexstr(address) +
                         " of shared memory");
        return false;
      }
      uint64_t value = 0;
      std::memcpy(&value, place, bytes);
      to[row][at] = type.decode(value);
    }
  return true;
}

/// An immediate or a predicate of the whole warp.
bool isSet(Step &step, unsigned operand) { return step.read(operand, 0) != 0; }

void multiply(Step &step) {
  const Instruction &instruction = step.instruction;
  Shape shape = *shapeOf(instruction);
  bool aInRegisters = step.operand(1).kind == OperandKind::Vector;
  size_t count = instruction.operands.size();
  // Behind the descriptors: scale-d, of floats the signs of A and B, of 16 bits what is transposed.
  double signA = count > 4 && static_cast<int64_t>(step.read(4, 0)) == -1 ? -1 : 1;
  double signB = count > 5 && static_cast<int64_t>(step.read(5, 0)) == -1 ? -1 : 1;
  bool transposesA = !aInRegisters && count > 7 && isSet(step, 6);
  bool transposesB = count > (aInRegisters ? 6u : 7u) && isSet(step, aInRegisters ? 6 : 7);
  static thread_local double a[16][maxK], b[256][maxK];
  if (aInRegisters)
    step.warp.products.begin(partsOf(step.operand(1)), step.machine.kernel.registerBits.size());
  if (aInRegisters)
    gather(step, step.operand(1), shape.a, shape.k, 2, a);
  else if (!readMatrix(step, step.read(1, 0), shape.a, step.warp.number % 4 * 16, 16, shape.k,
                       transposesA, a))
    return;
  if (!readMatrix(step, step.read(2, 0), shape.b, 0, shape.n, shape.k, transposesB, b))
    return;
  bool adds = isSet(step, 3), saturates = instruction.has("satfinite");
  unsigned each = shape.sum == "f16" ? 2 : 1;
  llvm::ArrayRef<Operand> results = partsOf(step.operand(0));
  for (unsigned lane = 0; lane != warpLanes; ++lane)
    for (unsigned r = 0; r != results.size(); ++r) {
      uint64_t from = step.read(results[r], lane), bits = 0;
      for (unsigned i = 0; i != each; ++i) {
        unsigned element = r * each + i, row = lane / 4 + 8 * (element / 2 % 2);
        unsigned column = element / 4 * 8 + lane % 4 * 2 + element % 2;
        double sum = adds ? valueOf(shape.sum, from >> (16 * i)) : 0;
        for (unsigned k = 0; k != shape.k; ++k)
          sum += signA * a[row][k] * (signB * b[column][k]);
        bits |= rounded(shape.sum, sum, saturates) << (16 * i);
      }
      step.write(results[r], lane, bits);
    }
}

void nothing(Step &) {}

void commit(Step &step) { step.warp.products.commit(); }

void wait(Step &step) { step.warp.products.wait(step.read(0, 0)); }

} // namespace

void RunningProducts::begin(llvm::ArrayRef<Operand> read, size_t registers) {
  readers.resize(registers);
  for (const Operand &operand : read)
    if (operand.kind == OperandKind::Register) {
      open.push_back(operand.reg);
      ++readers[static_cast<size_t>(operand.reg)];
    }
}

void RunningProducts::wait(size_t pending) {
  if (groups.size() <= pending)
    return;
  auto end = groups.end() - static_cast<std::ptrdiff_t>(pending);
  for (auto group = groups.begin(); group != end; ++group)
    for (int32_t reg : *group)
      --readers[static_cast<size_t>(reg)];
  groups.erase(groups.begin(), end);
}

void Step::failRead(int32_t reg, unsigned lane) {
  fail(lane, "register " + machine.kernel.registerName(reg) +
                 " is written while a product reads it, which wgmma.wait_group has not ended");
}

void addWarpgroups(HandlerTable &table) {
  table["wgmma"] = [](const Instruction &i) -> Handler {
    if (i.has("fence"))
      return nothing;
    if (i.has("commit_group"))
      return commit;
    if (i.has("wait_group"))
      return wait;
    return shapeOf(i) ? multiply : nullptr;
  };
}

} // namespace gluonc::ptx
