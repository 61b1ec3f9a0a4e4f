//===- Tensor.h - Tensors in host memory ------------------------------------===//
//
// What `gluonc run` hands to a kernel: a typed, strided view of a shared buffer,
// as in NumPy. A buffer made by `empty(...)` is poisoned: it remembers which
// bytes hold a value, so that an expectation that reads the others is reported
// and not compared with garbage.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sema/value/DType.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace gluonc::host {

using Shape = llvm::SmallVector<int64_t, 4>;

/// "(3, 4)", "(5,)": as Python prints a tuple.
std::string shapeText(llvm::ArrayRef<int64_t> shape);
/// Product of the entries; nullopt for a negative entry or a product beyond 2^46.
std::optional<int64_t> elementCount(llvm::ArrayRef<int64_t> shape);

/// The bytes behind one or more tensors. Aligned to 256 bytes, as device memory is.
class Buffer {
public:
  /// Zeroed. Null where the host has no such amount.
  static std::shared_ptr<Buffer> allocate(uint64_t bytes);
  Buffer(const Buffer &) = delete;
  ~Buffer();

  uint8_t *data() { return memory; }
  const uint8_t *data() const { return memory; }
  uint64_t size() const { return bytes; }

  bool isPoisoned() const { return poisoned; }
  void poison();
  /// One entry a byte once a run has told; empty where all are written.
  std::vector<bool> written;
  /// From now on every byte counts as written: the device does not tell which are.
  void settle() { poisoned = false; }
  /// Whether all of the bytes hold values. A poisoned buffer that no run touched holds none.
  bool isWritten(uint64_t offset, uint64_t length) const;
  /// The buffers whose addresses the elements are, under names for reports.
  std::vector<std::pair<std::string, std::shared_ptr<Buffer>>> reached;

private:
  Buffer() = default;
  uint8_t *memory = nullptr;
  uint64_t bytes = 0;
  bool poisoned = false;
};

class Tensor {
public:
  /// Zeroed, row-major. Fails on sizes that make no sense or find no memory.
  static llvm::Expected<Tensor> create(sema::DType dtype, llvm::ArrayRef<int64_t> shape);

  sema::DType dtype() const { return element; }
  llvm::ArrayRef<int64_t> shape() const { return dims; }
  /// In elements.
  llvm::ArrayRef<int64_t> strides() const { return steps; }
  size_t rank() const { return dims.size(); }
  int64_t size() const;
  /// Of the first element.
  uint8_t *data() const { return buffer->data() + start * element.byteSize(); }
  uint64_t byteOffset() const { return static_cast<uint64_t>(start) * element.byteSize(); }
  const std::shared_ptr<Buffer> &storage() const { return buffer; }
  bool isRowMajor() const;

  /// Views; `axis` and indices must be in range.
  Tensor select(unsigned axis, int64_t index) const;
  Tensor slice(unsigned axis, int64_t first, int64_t count, int64_t step) const;
  Tensor transposed() const;
  Tensor withNewAxis(unsigned axis) const;
  /// Nullopt where the elements cannot be viewed in that shape.
  std::optional<Tensor> reshaped(llvm::ArrayRef<int64_t> shape) const;

  /// Calls `f(byte pointer)` for every element, last axis fastest.
  template <typename Fn> void forEach(Fn &&f) const;
  /// The flat index of the first element without a value.
  std::optional<int64_t> firstUnwritten() const;

private:
  sema::DType element;
  Shape dims, steps;
  int64_t start = 0;
  std::shared_ptr<Buffer> buffer;
};

template <typename Fn> void Tensor::forEach(Fn &&f) const {
  int64_t count = size();
  if (!count)
    return;
  const int64_t bytes = element.byteSize();
  if (isRowMajor()) {
    uint8_t *at = data();
    for (int64_t i = 0; i != count; ++i, at += bytes)
      f(at);
    return;
  }
  Shape index(rank(), 0);
  const int64_t inner = dims.back(), innerStep = steps.back() * bytes;
  uint8_t *row = data();
  while (true) {
    uint8_t *at = row;
    for (int64_t i = 0; i != inner; ++i, at += innerStep)
      f(at);
    size_t axis = rank() - 1;
    // Odometer over the outer axes.
    while (true) {
      if (axis == 0)
        return;
      --axis;
      row += steps[axis] * bytes;
      if (++index[axis] != dims[axis])
        break;
      row -= steps[axis] * dims[axis] * bytes;
      index[axis] = 0;
    }
  }
}

} // namespace gluonc::host
