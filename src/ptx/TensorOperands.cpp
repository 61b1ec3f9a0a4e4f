#include "ptx/TensorOperands.h"

#include "ptx/MatrixDescriptor.h"
#include "ptx/Memory.h"

#include <array>

namespace gluonc::ptx {

void TensorOperand::decode(const uint8_t (&bytes)[maxRowBytes], Packing packing,
                           const double *values, double (&to)[maxK]) const {
  unsigned bits = type.bits;
  uint64_t mask = (uint64_t(1) << bits) - 1;
  for (unsigned i = 0; i != k; ++i) {
    // Where its first bit is.
    unsigned at = packing == Packing::Dense    ? i * bits
                  : packing == Packing::Padded ? i / 16 * 128 + i % 16 * bits
                                               : i * 8 + (bits == 4 ? 2 : 0);
    uint64_t window = 0;
    unsigned first = at / 8, count = std::min(maxRowBytes - first, 8u);
    std::memcpy(&window, bytes + first, count);
    const uint64_t code = window >> (at % 8) & mask;
    double value = values ? values[code] : type.decode(code);
    to[i] = isNegated ? -value : value;
  }
}

bool TensorOperand::readShared(Step &step, unsigned thread, const Cta &cta, uint64_t bits,
                               unsigned rows, double (*to)[maxK]) const {
  MatrixDescriptor descriptor = MatrixDescriptor::ofTcgen05(bits);
  auto wrong = [&](const llvm::Twine &why) {
    step.fail(thread, "matrix descriptor 0x" + llvm::Twine::utohexstr(bits) + ": " + why);
    return false;
  };
  if (!descriptor.isValid || descriptor.leadingIsAddress)
    return wrong("not one of tcgen05");
  if (descriptor.atom == 32 && !isTransposed)
    return wrong("32-byte atoms are for matrices that are transposed");
  if (type.bits == 32 && isTransposed && descriptor.atom != 32)
    return wrong("tf32 is transposed with 32-byte atoms only");
  uint64_t window = uint64_t(cta.rank) << clusterShift;
  Packing packing = type.bits < 8 && !isFourBitKind ? Packing::Padded : Packing::Dense;
  unsigned rowBytes = packing == Packing::Padded ? k : k * type.bits / 8;
  unsigned piece = isTransposed ? type.bits / 8 : 16;
  std::array<double, 256> values;
  const bool isListed = type.bits <= 8;
  for (unsigned code = 0; isListed && code != 1u << type.bits; ++code)
    values[code] = type.decode(code);
  for (unsigned row = 0; row != rows; ++row) {
    uint8_t bytes[maxRowBytes] = {};
    for (unsigned at = 0; at != rowBytes; at += piece) {
      uint32_t address =
          isTransposed ? descriptor.alongRows(row * piece, at / piece) : descriptor.alongK(row, at);
      const uint8_t *place = step.machine.shared(window + address, piece);
      if (!place)
        return wrong("it reaches 0x" + llvm::Twine::utohexstr(address) + " of shared memory");
      std::memcpy(bytes + at, place, piece);
    }
    decode(bytes, packing, isListed ? values.data() : nullptr, to[row]);
  }
  return true;
}

bool TensorOperand::readLane(Step &step, unsigned thread, const Cta &cta, TensorPlace place,
                             double (&to)[maxK]) const {
  Packing packing = type.bits < 8 && !isFourBitKind ? Packing::Bytes : Packing::Dense;
  unsigned rowBytes = packing == Packing::Bytes ? k : k * type.bits / 8;
  uint8_t bytes[maxRowBytes] = {};
  for (unsigned at = 0; at != rowBytes; at += sizeof(uint32_t), ++place.column) {
    uint32_t word = 0;
    if (!readTensor(step, thread, cta, place, word))
      return false;
    std::memcpy(bytes + at, &word, sizeof(word));
  }
  decode(bytes, packing, /*values=*/nullptr, to);
  return true;
}

/// A scale's value; the fp8 format has no sign here.
static double scaleValue(uint8_t bits, bool isExponent) {
  if (!isExponent)
    return numeric::decode(numeric::kF8E4M3FN, bits & 0x7f);
  return bits == 0xff ? NAN : std::ldexp(1.0, int(bits) - 127);
}

bool applyScales(Step &step, unsigned thread, const Cta &cta, TensorPlace from, unsigned row,
                 unsigned first, const ScaleRule &rule, unsigned k, double (&numbers)[maxK]) {
  // The four quadrants have the same, since each multiplies with what it has.
  uint32_t word = 0;
  for (unsigned quadrant = 4; quadrant-- != 0;) {
    uint32_t copy = 0;
    TensorPlace place(row % 32 + 32 * quadrant, from.column + row / 32);
    if (!readTensor(step, thread, cta, place, copy))
      return false;
    if (quadrant != 3 && copy != word) {
      step.fail(thread, "the scales of row " + llvm::Twine(row) + " in column " +
                            llvm::Twine(place.column) +
                            " are not the same in the four quadrants of tensor memory");
      return false;
    }
    word = copy;
  }
  for (unsigned begin = 0; begin != k; begin += rule.elements) {
    const double scale =
        scaleValue(word >> (8 * (first + begin / rule.elements)) & 0xff, rule.isExponent);
    for (unsigned i = begin; i != begin + rule.elements; ++i)
      numbers[i] *= scale;
  }
  return true;
}

} // namespace gluonc::ptx
