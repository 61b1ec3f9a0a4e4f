#include "sim/machine/StridedCopy.h"

#include "sim/machine/Taint.h"

namespace gluonc::sim {
namespace {

struct BoxData : OpData {
  StridedBox box;
};

/// Row-major strides; a uniform slot repeats its one element.
template <class T>
void copyBox(const StridedBox &box, size_t dim, const T *__restrict source, T *__restrict target) {
  uint32_t size = box.sizes[dim];
  uint32_t from = box.sourceStrides[dim], to = box.targetStrides[dim];
  if (dim + 1 < box.sizes.size()) {
    for (uint32_t i = 0; i < size; ++i)
      copyBox(box, dim + 1, source + uint64_t(i) * from, target + uint64_t(i) * to);
  } else if (from == 1 && to == 1) {
    std::memcpy(target, source, size * sizeof(T));
  } else if (from == 0 && to == 1) {
    std::fill_n(target, size, *source);
  } else if (from == 2 && to == 1) {
    for (uint32_t i = 0; i < size; ++i)
      target[i] = source[2 * i];
  } else if (from == 1 && to == 2) {
    for (uint32_t i = 0; i < size; ++i)
      target[2 * i] = source[i];
  } else {
    for (uint32_t i = 0; i < size; ++i)
      target[uint64_t(i) * to] = source[uint64_t(i) * from];
  }
}

template <class T> void runBox(const Instruction &instruction, Cta &cta) {
  const StridedBox &box = static_cast<const BoxData &>(*instruction.data).box;
  copyBox<T>(box, 0, cta.at<T>(instruction.operands[0]) + box.sourceOffset,
             cta.at<T>(instruction.result) + box.targetOffset);
}

/// Taint moves exactly as the elements do.
void taintBox(const Instruction &instruction, Cta &cta) {
  const StridedBox &box = static_cast<const BoxData &>(*instruction.data).box;
  copyBox<uint8_t>(box, 0, cta.taintAt(instruction.operands[0]) + box.sourceOffset,
                   cta.taintAt(instruction.result) + box.targetOffset);
}

/// Merges neighbouring dims that are one in source and target, for longer inner loops, and has
/// another one innermost where the last is short.
void mergeDims(StridedBox &box) {
  size_t kept = 0;
  for (size_t dim = 0; dim < box.sizes.size(); ++dim) {
    if (box.sizes[dim] == 1)
      continue;
    bool joins = kept && box.sourceStrides[kept - 1] == box.sourceStrides[dim] * box.sizes[dim] &&
                 box.targetStrides[kept - 1] == box.targetStrides[dim] * box.sizes[dim];
    if (joins) {
      box.sizes[kept - 1] *= box.sizes[dim];
    } else {
      box.sizes[kept++] = box.sizes[dim];
    }
    box.sourceStrides[kept - 1] = box.sourceStrides[dim];
    box.targetStrides[kept - 1] = box.targetStrides[dim];
  }
  if (kept == 0) {
    box.sizes = {1};
    box.sourceStrides = box.targetStrides = {1};
    return;
  }
  box.sizes.resize(kept);
  box.sourceStrides.resize(kept);
  box.targetStrides.resize(kept);
  // Of the others the one whose elements lie closest.
  constexpr uint32_t kShort = 8;
  if (box.sizes.back() >= kShort)
    return;
  size_t best = kept - 1;
  auto step = [&](size_t dim) { return std::max(box.sourceStrides[dim], box.targetStrides[dim]); };
  for (size_t dim = 0; dim + 1 < kept; ++dim)
    if (box.sizes[dim] >= kShort && (best + 1 == kept || step(dim) < step(best)))
      best = dim;
  std::swap(box.sizes.back(), box.sizes[best]);
  std::swap(box.sourceStrides.back(), box.sourceStrides[best]);
  std::swap(box.targetStrides.back(), box.targetStrides[best]);
}

} // namespace

llvm::SmallVector<uint32_t, 4> rowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<uint32_t, 4> strides(shape.size());
  uint32_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    strides[dim] = stride;
    stride *= static_cast<uint32_t>(shape[dim]);
  }
  return strides;
}

void emitStridedCopy(Lowering &lowering, Slot source, Slot target, ElementKind kind,
                     StridedBox box) {
  if (source.elements == 1) {
    box.sourceOffset = 0;
    std::fill(box.sourceStrides.begin(), box.sourceStrides.end(), 0);
  }
  mergeDims(box);
  BoxData *data = lowering.addData<BoxData>();
  data->box = std::move(box);
  uint32_t bytes = byteSize(kind);
  Handler handler = bytes == 1   ? runBox<uint8_t>
                    : bytes == 2 ? runBox<uint16_t>
                    : bytes == 4 ? runBox<uint32_t>
                                 : runBox<uint64_t>;
  lowering.emit(handler, taintBox, target, {source}).data = data;
}

} // namespace gluonc::sim
