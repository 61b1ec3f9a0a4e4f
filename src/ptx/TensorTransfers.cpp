//===- TensorTransfers.cpp - From shared memory into tensor memory ---------------===//
//
// PTX ISA 9.7.16.9. Rows of a matrix whose K is contiguous become lanes; of fewer than 128
// each goes to several quadrants.
//
//===----------------------------------------------------------------------===//
#include "ptx/MatrixDescriptor.h"
#include "ptx/TensorAccess.h"

#include "llvm/ADT/StringSwitch.h"

#include <cstring>

namespace gluonc::ptx {
namespace {

using llvm::StringRef;

struct CopyForm {
  unsigned rows = 0, bytes = 0;
  /// The lanes of a row: `row + offset` for each.
  llvm::SmallVector<unsigned, 4> (*lanesOf)(unsigned row) = nullptr;
};

using Lanes = llvm::SmallVector<unsigned, 4>;

CopyForm formOf(const Instruction &i) {
  if (i.has("128x256b") || i.has("128x128b"))
    return {128, i.has("128x256b") ? 32u : 16u, [](unsigned row) { return Lanes{row}; }};
  if (i.has("4x256b"))
    return {4, 32, [](unsigned row) { return Lanes{row * 32}; }};
  if (i.has("32x128b") && i.has("warpx4"))
    return {32, 16, [](unsigned row) { return Lanes{row, row + 32, row + 64, row + 96}; }};
  if (i.has("64x128b") && i.has("warpx2::02_13"))
    return {64, 16, [](unsigned row) { return Lanes{row, row + 64}; }};
  if (i.has("64x128b") && i.has("warpx2::01_23"))
    return {64, 16, [](unsigned row) {
              unsigned first = row % 32 + row / 32 * 64;
              return Lanes{first, first + 32};
            }};
  return {};
}

/// 16 numbers of four or six bits at the beginning of 16 bytes get a byte each.
void spread(uint8_t (&bytes)[16], unsigned bits) {
  uint8_t packed[16];
  std::memcpy(packed, bytes, sizeof(packed));
  for (unsigned i = 0; i != 16; ++i) {
    unsigned at = i * bits, pair = packed[at / 8];
    if (at / 8 + 1 < sizeof(packed))
      pair |= packed[at / 8 + 1] << 8;
    unsigned number = pair >> (at % 8) & ((1u << bits) - 1);
    bytes[i] = static_cast<uint8_t>(bits == 4 ? number << 2 : number);
  }
}

/// Into one CTA, from its own shared memory.
bool copyInto(Step &step, unsigned thread, Cta &cta) {
  const Instruction &instruction = step.instruction;
  CopyForm form = formOf(instruction);
  uint64_t bits = step.read(1, thread);
  MatrixDescriptor descriptor = MatrixDescriptor::ofTcgen05(bits);
  TensorPlace to(static_cast<uint32_t>(step.address(step.operand(0), thread)));
  uint64_t window = uint64_t(cta.rank) << clusterShift;
  unsigned narrow = instruction.has("b6x16_p32") ? 6 : instruction.has("b4x16_p64") ? 4 : 0;
  if (!descriptor.isValid || descriptor.leadingIsAddress || descriptor.atom != 16) {
    step.fail(thread, "matrix descriptor 0x" + llvm::Twine::utohexstr(bits) +
                          " is not one of a copy into tensor memory");
    return false;
  }
  for (unsigned row = 0; row != form.rows; ++row)
    for (unsigned at = 0; at != form.bytes; at += 16) {
      uint32_t address = descriptor.alongK(row, at);
      const uint8_t *from = step.machine.shared(window + address, 16);
      if (!from) {
        step.fail(thread, "a matrix descriptor reaches 0x" + llvm::Twine::utohexstr(address) +
                              " of shared memory");
        return false;
      }
      uint8_t bytes[16];
      std::memcpy(bytes, from, sizeof(bytes));
      if (narrow)
        spread(bytes, narrow);
      uint32_t words[4];
      std::memcpy(words, bytes, sizeof(words));
      for (unsigned lane : form.lanesOf(row))
        for (unsigned i = 0; i != 4; ++i)
          if (!writeTensor(step, thread, cta, {to.lane + lane, to.column + at / 4 + i}, words[i]))
            return false;
    }
  return true;
}

void copy(Step &step) {
  step.eachLane([&](unsigned lane) {
    for (Cta *cta : ctasOf(step, lane))
      if (!copyInto(step, lane, *cta))
        return;
  });
}

} // namespace

Handler chooseTensorCopy(const Instruction &instruction) {
  return formOf(instruction).rows && instruction.operands.size() == 2 ? copy : nullptr;
}

} // namespace gluonc::ptx
