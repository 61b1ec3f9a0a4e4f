#include "codegen/amd/WaveTiles.h"

#include "codegen/core/Words.h"
#include "ir/Encoding.h"

#include <set>

using namespace llvm;
using gluonc::layout::Dim;

namespace gluonc::codegen::amd {

std::optional<MatrixLayout> MatrixLayout::of(mlir::Type type) {
  std::optional<layout::Layout> layout = layoutOf(cast<mlir::RankedTensorType>(type).getEncoding());
  if (!layout)
    return std::nullopt;
  auto make = [](Family family, const auto &named) {
    const layout::Ints &shape = named.instrShape;
    return MatrixLayout{family,
                        named.version,
                        named.transposed,
                        unsigned(shape[0]),
                        unsigned(shape[1]),
                        unsigned(shape.back())};
  };
  if (const auto *mfma = layout->as<layout::AMDMFMALayout>())
    return make(Family::Mfma, *mfma);
  if (const auto *wmma = layout->as<layout::AMDWMMALayout>())
    return make(Family::Wmma, *wmma);
  return std::nullopt;
}

/// Bits of the lane's number that lie along K but add nothing to it. (WMMA of version 1 takes each
/// operand twice.)
static uint32_t copyingBits(const Fragment &fragment, unsigned kDim, const MatrixLayout &layout) {
  uint32_t bits = 0;
  if (layout.family == Family::Wmma && layout.version == 1)
    return bits;
  for (unsigned bit = Log2_32(layout.columns); bit < fragment.layout.inLog2(Dim::Lane); ++bit)
    if (!fragment.basis(Dim::Lane, bit, kDim))
      bits |= 1u << bit;
  return bits;
}

WaveOperand::WaveOperand(Emitter &emitter, mlir::Value tensor, unsigned kDim,
                         const MatrixLayout &layout)
    : fragment(emitter, tensor), kDim(kDim), registers(fragment.registers) {
  Builder &builder = emitter.builder;
  if (uint32_t bits = copyingBits(fragment, kDim, layout)) {
    Value *copy = builder.CreateAnd(emitter.threads.id(), builder.getInt32(bits));
    Value *isFirst = builder.CreateIsNull(copy);
    for (Value *&value : registers)
      value = builder.CreateSelect(isFirst, value, Constant::getNullValue(value->getType()));
  }
  for (const auto &[place, reg] : fragment.places())
    if (place.batch == 0 && line(place) == 0)
      alongK.push_back(kDim == 0 ? place.column : place.row);
  llvm::sort(alongK);
}

std::optional<Registers> WaveOperand::elements(Place place, unsigned first, unsigned count) const {
  Registers elements;
  for (unsigned i = first; i < first + count; ++i) {
    (kDim == 0 ? place.column : place.row) = alongK[i];
    std::optional<uint32_t> found = fragment.find(place);
    if (!found)
      return std::nullopt;
    elements.push_back(registers[*found]);
  }
  return elements;
}

WaveTiles::WaveTiles(Emitter &emitter, const MatrixLayout &layout, mlir::Value a, mlir::Value b,
                     mlir::Value sum)
    : layout(layout), left(emitter, layout.transposed ? b : a, layout.transposed ? 1 : 0, layout),
      right(emitter, layout.transposed ? a : b, layout.transposed ? 0 : 1, layout),
      sums(emitter, sum) {
  ArrayRef<int64_t> shape = cast<mlir::RankedTensorType>(sum.getType()).getShape();
  extents[0] = uint32_t(shape.back());
  extents[1] = uint32_t(shape.drop_back().back());
}

bool WaveTiles::linesAgree() const {
  const unsigned outer = layout.transposed ? 0 : 1, inner = 1 - outer;
  auto along = [](uint32_t step, uint32_t size) { return step < size ? step : 0; };
  const uint32_t rows = extents[outer], columns = extents[inner];
  for (unsigned bit = 0; bit < left.fragment.layout.inLog2(Dim::Lane); ++bit) {
    uint32_t row = left.fragment.basis(Dim::Lane, bit, 1 - left.kDim);
    uint32_t column = right.fragment.basis(Dim::Lane, bit, 1 - right.kDim);
    uint32_t step = 1u << bit;
    bool isAcross = step < layout.columns;
    if (isAcross && (row != along(step, rows) || column != along(step, columns) ||
                     sums.basis(Dim::Lane, bit, inner) != along(step, columns)))
      return false;
    uint32_t down = sums.basis(Dim::Lane, bit, outer);
    if (!isAcross && (row || column || sums.basis(Dim::Lane, bit, inner) ||
                      !(isPowerOf2_32(down) || (!down && rows < layout.rows))))
      return false;
  }
  return true;
}

std::optional<Registers>
WaveTiles::multiply(Builder &builder, ArrayRef<uint32_t> bases,
                    function_ref<Value *(const Place &, Value *)> multiply) const {
  Registers result = sums.registers;
  std::set<uint32_t> covered;
  const uint32_t wrap = extents[layout.transposed ? 0 : 1] - 1;
  for (const auto &[place, reg] : sums.places()) {
    const uint32_t line = layout.transposed ? place.column : place.row;
    const uint32_t across = layout.transposed ? place.row : place.column;
    if (line % layout.rows || across % layout.columns)
      continue;
    SmallVector<uint32_t> tile;
    SmallVector<Value *> initial;
    for (uint32_t i = 0; i < 1u << bases.size(); ++i) {
      Place at = place;
      for (auto [bit, basis] : enumerate(bases))
        if (i >> bit & 1)
          (layout.transposed ? at.column : at.row) += basis;
      (layout.transposed ? at.column : at.row) &= wrap;
      std::optional<uint32_t> found = sums.find(at);
      if (!found)
        return std::nullopt;
      tile.push_back(*found);
      covered.insert(*found);
      initial.push_back(sums.registers[*found]);
    }
    Value *sum = multiply(place, vectorOf(builder, initial));
    if (!sum)
      return std::nullopt;
    for (auto [i, at] : enumerate(tile))
      result[at] = builder.CreateExtractElement(sum, i);
  }
  if (covered.size() != result.size())
    return std::nullopt;
  return result;
}

} // namespace gluonc::codegen::amd
