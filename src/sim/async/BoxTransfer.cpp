#include "sim/async/BoxTransfer.h"

#include <algorithm>

namespace gluonc::sim {

//===----------------------------------------------------------------------===//
// Where the rows of a box lie
//===----------------------------------------------------------------------===//

using Position = std::array<int64_t, TensorDescription::maxRank>;

/// The part of a row at `position` (outer dims; the innermost entry is the start of the
/// row) that lies inside of the tensor.
static BoxRow clip(const BoxTransfer &transfer, const Position &position, uint32_t element,
                   uint32_t length) {
  const TensorDescription &map = transfer.tensor;
  const uint32_t size = transfer.shared.table->elementBytes;
  BoxRow row = {element, 0, 0, map.base};
  const unsigned inner = map.rank - 1;
  for (unsigned dim = 0; dim < inner; ++dim) {
    if (position[dim] < 0 || position[dim] >= map.shape[dim])
      return row;
    row.address += uint64_t(position[dim] * map.strides[dim]) * size;
  }
  int64_t extent = map.shape[inner];
  if (transfer.outwards && !transfer.isExact)
    extent = int64_t(llvm::alignTo(uint64_t(extent) * size, tma::unitBytes)) / size;
  int64_t begin = std::clamp<int64_t>(position[inner], 0, extent);
  int64_t end = std::clamp<int64_t>(position[inner] + length, 0, extent);
  if (begin >= end)
    return row;
  row.skip = uint32_t(begin - position[inner]);
  row.count = uint32_t(end - begin);
  row.address += uint64_t(begin) * size;
  return row;
}

/// Tiled: the shared view's leading dims step through the box.
static std::vector<BoxRow> tiledRows(const BoxTransfer &transfer) {
  const TensorDescription &map = transfer.tensor;
  const auto &shape = transfer.extents;
  uint32_t length = shape.back();
  uint32_t count = transfer.shared.elements() / length;
  std::vector<BoxRow> rows;
  rows.reserve(count);
  // A view may leave out leading dims of the tensor, which have one element in the box.
  const unsigned first = map.rank - unsigned(shape.size());
  for (uint32_t row = 0; row < count; ++row) {
    Position position = {};
    uint32_t rest = row;
    for (unsigned dim = map.rank; dim-- > 0;) {
      position[dim] = transfer.start[dim];
      if (dim + 1 == map.rank)
        position[dim] += transfer.first.back();
      if (dim + 1 == map.rank || dim < first)
        continue;
      position[dim] += transfer.first[dim - first] + rest % shape[dim - first];
      rest /= shape[dim - first];
    }
    if (!transfer.rows.empty())
      position[0] = transfer.rows[row];
    rows.push_back(clip(transfer, position, row * length, length));
  }
  return rows;
}

namespace {

/// The pixels of an im2col load: through the bounding box of each image with the innermost spatial
/// dim first, and on into the next image.
class Pixels {
public:
  explicit Pixels(const BoxTransfer &transfer) : map(transfer.tensor) {
    for (unsigned dim = 0; dim < map.rank; ++dim)
      at[dim] = transfer.start[dim];
  }

  void next() {
    unsigned dim = map.rank - 1;
    while (--dim > 0) {
      if ((at[dim] += map.elementStrides[dim]) <= last(dim))
        return;
      at[dim] = first(dim);
    }
    ++at[0];
  }

  int64_t first(unsigned dim) const { return map.lowerCorner[dim - 1]; }
  int64_t last(unsigned dim) const { return map.shape[dim] - 1 + map.upperCorner[dim - 1]; }

  /// Of the present pixel: image, place in it, channel.
  Position at = {};

private:
  const TensorDescription &map;
};

} // namespace

static std::vector<BoxRow> im2colRows(const BoxTransfer &transfer) {
  const auto &shape = transfer.extents;
  const unsigned channel = transfer.tensor.rank - 1;
  std::vector<BoxRow> rows;
  rows.reserve(shape[0]);
  Pixels pixels(transfer);
  for (uint32_t pixel = 0; pixel < transfer.first[0] + shape[0]; ++pixel, pixels.next()) {
    if (pixel < transfer.first[0])
      continue;
    Position position = pixels.at;
    for (unsigned dim = 1; dim < channel; ++dim)
      position[dim] += transfer.offsets[dim - 1];
    position[channel] += transfer.first[1];
    rows.push_back(clip(transfer, position, uint32_t(rows.size()) * shape[1], shape[1]));
  }
  return rows;
}

std::string im2colProblem(const BoxTransfer &transfer) {
  Pixels pixels(transfer);
  const unsigned channel = transfer.tensor.rank - 1;
  for (unsigned dim = 1; dim < channel; ++dim)
    if (int64_t at = pixels.at[dim]; at < pixels.first(dim) || at > pixels.last(dim))
      return "begins at " + std::to_string(at) + " of dim " + std::to_string(dim) +
             ", where the bounding box has " + std::to_string(pixels.first(dim)) + " to " +
             std::to_string(pixels.last(dim));
  Position sent = pixels.at;
  sent[channel - 1] += transfer.first[0];
  for (uint32_t pixel = 0; pixel < transfer.first[0]; ++pixel)
    pixels.next();
  if (sent == pixels.at)
    return {};
  return "splits its pixels among CTAs, of which one begins with pixel " +
         std::to_string(transfer.first[0]) + "; that is not as many steps of 1 along dim " +
         std::to_string(channel - 1);
}

void takeShare(BoxTransfer &transfer) {
  const Region &shared = transfer.shared;
  const auto &shape = shared.table->shape;
  transfer.extents.assign(shape.begin(), shape.end());
  transfer.first.assign(shape.size(), 0);
  if (!shared.share)
    return;
  uint32_t begin = shared.share->begins[shared.rank];
  for (size_t dim = shape.size(); dim-- > 0; begin /= shape[dim]) {
    transfer.extents[dim] = uint32_t(shared.share->shape[dim]);
    transfer.first[dim] = begin % shape[dim];
  }
}

std::vector<BoxRow> boxRows(const BoxTransfer &transfer) {
  return transfer.im2col ? im2colRows(transfer) : tiledRows(transfer);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// The NaN that fills, as an H100 writes it whatever the float type: 0x7ff7, again and again.
static uint64_t fillPattern(const BoxTransfer &transfer) {
  if (!transfer.tensor.nanPadding)
    return 0;
  constexpr uint64_t kNan = 0x7ff77ff77ff77ff7;
  const uint32_t size = transfer.shared.table->elementBytes;
  return size == 1 ? 0x7f : kNan >> (64 - 8 * size);
}

/// Round to nearest, ties to even; every NaN becomes one. (`cvt.rna.tf32.f32` is not like that.)
static void roundToTf32(uint8_t *elements, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t bits;
    std::memcpy(&bits, elements + 4 * i, 4);
    const uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
      bits = 0x7fffe000;
    else if (magnitude < 0x7f800000)
      bits = (bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000;
    std::memcpy(elements + 4 * i, &bits, 4);
  }
}

void loadBox(const BoxTransfer &transfer, SharedMemory &shared) {
  const uint32_t size = transfer.shared.table->elementBytes;
  std::vector<uint8_t> elements(uint64_t(transfer.shared.elements()) * size);
  if (uint64_t pattern = fillPattern(transfer))
    for (uint64_t i = 0; i < elements.size(); i += size)
      std::memcpy(elements.data() + i, &pattern, size);
  for (const BoxRow &row : boxRows(transfer)) {
    if (!row.count)
      continue;
    uint8_t *to = elements.data() + uint64_t(row.element + row.skip) * size;
    const uint64_t there = transfer.end - std::min(transfer.end, row.address);
    std::memcpy(to, reinterpret_cast<const void *>(row.address),
                std::min(there, uint64_t(row.count) * size));
    // What fills is not rounded.
    if (transfer.tensor.roundToTf32)
      roundToTf32(to, row.count);
  }
  forEachSharedRun(transfer.shared, [&](uint32_t element, uint64_t offset, uint32_t count) {
    std::memcpy(shared.data() + offset, elements.data() + uint64_t(element) * size, count * size);
    shared.set(offset, count * size, SharedMemory::Written);
  });
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

template <class E> static auto combine(Reduction reduction, StorageOf<E> old, StorageOf<E> value) {
  using T = StorageOf<E>;
  if constexpr (E::kKind <= ElementKind::I64) {
    switch (reduction) {
    case Reduction::Add:
      return T(old + value);
    case Reduction::Min:
      return E::toSigned(value) < E::toSigned(old) ? value : old;
    case Reduction::Max:
      return E::toSigned(value) > E::toSigned(old) ? value : old;
    case Reduction::And:
      return T(old & value);
    case Reduction::Or:
      return T(old | value);
    case Reduction::Xor:
      return T(old ^ value);
    // Counts up to the value, or down from it, and around.
    case Reduction::Inc:
      return old >= value ? T(0) : T(old + 1);
    case Reduction::Dec:
      return old == 0 || old > value ? value : T(old - 1);
    case Reduction::None:
      break;
    }
    return value;
  } else {
    auto left = E::load(old), right = E::load(value);
    if (reduction == Reduction::Add)
      return T(E::store(left + right));
    if (reduction == Reduction::Min)
      return right < left ? value : old;
    return right > left ? value : old;
  }
}

template <class T> static void update(uint64_t address, auto &&change) {
  T *target = reinterpret_cast<T *>(address);
  T old, updated;
  __atomic_load(target, &old, __ATOMIC_RELAXED);
  do
    updated = change(old);
  while (!__atomic_compare_exchange(target, &old, &updated, /*weak=*/false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED));
}

static void reduceRow(const BoxRow &row, const uint8_t *elements, Reduction reduction,
                      ElementKind kind, bool isUnsigned) {
  auto each = [&](auto element) {
    using E = decltype(element);
    using T = StorageOf<E>;
    // Flipping the sign bit makes unsigned order the signed one.
    T flip = 0;
    if constexpr (E::kKind <= ElementKind::I64)
      flip = isUnsigned && reduction != Reduction::Add ? T(E::kSignBit) : T(0);
    for (uint32_t i = 0; i < row.count; ++i) {
      T value;
      std::memcpy(&value, elements + uint64_t(row.element + row.skip + i) * sizeof(T), sizeof(T));
      update<T>(row.address + uint64_t(i) * sizeof(T), [&](T old) {
        if constexpr (E::kKind <= ElementKind::I64) {
          if (reduction == Reduction::Min || reduction == Reduction::Max)
            return T(combine<E>(reduction, T(old ^ flip), T(value ^ flip)) ^ flip);
        }
        return T(combine<E>(reduction, old, value));
      });
    }
  };
  if (isInteger(kind))
    withIntElement(kind, each);
  else
    withArithmeticFloat(kind, each);
}

void storeBox(const BoxTransfer &transfer, const uint8_t *elements, Reduction reduction,
              ElementKind kind, bool isUnsigned,
              llvm::function_ref<void(uint64_t, const uint8_t *, uint64_t)> write) {
  const uint64_t size = transfer.shared.table->elementBytes;
  for (const BoxRow &row : boxRows(transfer)) {
    if (!row.count)
      continue;
    if (reduction != Reduction::None)
      reduceRow(row, elements, reduction, kind, isUnsigned);
    else
      write(row.address, elements + (row.element + row.skip) * size, row.count * size);
  }
}

} // namespace gluonc::sim
