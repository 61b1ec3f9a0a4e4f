#include "layout/plan/MatrixDescriptor.h"

namespace gluonc::layout {
namespace {

constexpr uint64_t unit = 16;
constexpr unsigned lines = 8;

/// The byte offsets of steps along one dim.
class Steps {
public:
  Steps(const LinearLayout &inverse, Dim dim, unsigned elementBytes)
      : inverse(inverse), dim(dim), elementBytes(elementBytes) {}

  uint64_t at(unsigned bit) const {
    return uint64_t{inverse.basis(dim, bit, Dim::Offset)} * elementBytes;
  }
  unsigned bits() const { return inverse.inLog2(dim); }

  /// The step from `from` elements on, of which those up to `size` must be multiples: 0 if there
  /// are none, nullopt if they are not.
  std::optional<uint64_t> stride(uint64_t from, uint64_t size) const {
    std::optional<uint64_t> step;
    for (unsigned bit = 0; bit < bits() && (uint64_t{1} << bit) < size; ++bit) {
      uint64_t position = uint64_t{1} << bit;
      if (position < from)
        continue;
      if (!step)
        step = at(bit);
      else if (at(bit) != *step * (position / from))
        return std::nullopt;
    }
    return step.value_or(0);
  }

private:
  const LinearLayout &inverse;
  Dim dim;
  unsigned elementBytes;
};

bool isTile(const Steps &along, const Steps &across, unsigned swizzle, unsigned elementBytes,
            uint64_t alongSize) {
  uint64_t width = std::max<uint64_t>(unit, swizzle);
  for (unsigned bit = 0; (elementBytes << bit) < width; ++bit)
    if (bit >= along.bits() ? (uint64_t{1} << bit) < alongSize
                            : along.at(bit) != uint64_t{elementBytes} << bit)
      return false;
  for (unsigned bit = 0; (1u << bit) < lines; ++bit) {
    unsigned line = 1u << bit;
    uint64_t rotated = swizzle ? unit * (line / (128 / swizzle) % (swizzle / 16)) : 0;
    if (bit >= across.bits() || across.at(bit) != (line * width ^ rotated))
      return false;
  }
  return true;
}

uint64_t swizzleMode(unsigned swizzle) {
  return swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
}

} // namespace

std::optional<MatrixDescriptor> describeMatrix(const LinearLayout &memory, unsigned outerAxis,
                                               unsigned kAxis, unsigned elementBytes,
                                               unsigned outer, unsigned depth) {
  std::optional<LinearLayout> inverse = memory.pseudoInvert();
  if (!inverse)
    return std::nullopt;
  return describePlaces(*inverse, Dim::axis(outerAxis), Dim::axis(kAxis), elementBytes, outer,
                        depth);
}

std::optional<MatrixDescriptor> describePlaces(const LinearLayout &places, Dim outerDim, Dim kDim,
                                               unsigned elementBytes, unsigned outer,
                                               unsigned depth) {
  for (bool contiguousK : {true, false}) {
    Steps along(places, contiguousK ? kDim : outerDim, elementBytes);
    Steps across(places, contiguousK ? outerDim : kDim, elementBytes);
    uint64_t alongSize = contiguousK ? depth : outer, acrossSize = contiguousK ? outer : depth;
    for (unsigned swizzle : {128u, 64u, 32u, 0u}) {
      if (!isTile(along, across, swizzle, elementBytes, alongSize))
        continue;
      std::optional<uint64_t> leading =
          along.stride(std::max<uint64_t>(unit, swizzle) / elementBytes, alongSize);
      std::optional<uint64_t> strided = across.stride(lines, acrossSize);
      if (!leading || !strided)
        continue;
      if (!contiguousK && !swizzle)
        std::swap(leading, strided);
      MatrixDescriptor result{contiguousK, swizzle, 0};
      result.bits = (*leading / unit & 0x3fff) << 16 | (*strided / unit & 0x3fff) << 32 |
                    swizzleMode(swizzle) << 62;
      return result;
    }
  }
  return std::nullopt;
}

LinearLayout countPadding(const LinearLayout &memory, unsigned kAxis) {
  constexpr uint32_t group = 8;
  const Dim k = Dim::axis(kAxis);
  std::vector<LinearLayout::InBases> ins;
  for (const DimSize &in : memory.inDims()) {
    LinearLayout::InBases bases{in.dim, {}};
    for (unsigned bit = 0; bit < in.log2; ++bit) {
      llvm::SmallVector<int64_t, 4> basis;
      for (auto [out, value] : llvm::zip_equal(memory.outDims(), memory.basis(in.dim, bit))) {
        const bool isPadding = in.dim == Dim::Offset && 1u << bit == group;
        basis.push_back(out.dim != k ? value
                        : isPadding  ? group
                                     : value % group + value / group * group * 2);
      }
      bases.bases.push_back(std::move(basis));
    }
    ins.push_back(std::move(bases));
  }
  llvm::SmallVector<DimSize> outs(memory.outDims());
  for (DimSize &out : outs)
    out.log2 += out.dim == k;
  return *LinearLayout::create(ins, outs);
}

} // namespace gluonc::layout
