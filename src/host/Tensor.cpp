#include "host/Tensor.h"
#include "support/Error.h"

#include <cstdlib>
#include <cstring>

namespace gluonc::host {

/// More elements than any host has memory for; keeps products of strides in range.
constexpr int64_t mostElements = int64_t(1) << 46;

std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text = "(";
  for (int64_t dim : shape)
    text += std::to_string(dim) + (shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1)
    text.resize(text.size() - 2);
  return text + ")";
}

std::optional<int64_t> elementCount(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t dim : shape) {
    if (dim < 0 || dim > mostElements)
      return std::nullopt;
    if (dim == 0) {
      empty = true;
      continue;
    }
    if (count > mostElements / dim)
      return std::nullopt;
    count *= dim;
  }
  return empty ? 0 : count;
}

std::shared_ptr<Buffer> Buffer::allocate(uint64_t bytes) {
  constexpr size_t alignment = 256;
  size_t rounded = (bytes + alignment) / alignment * alignment;
  std::shared_ptr<Buffer> buffer(new Buffer());
  // calloc leaves large blocks to the kernel's zero pages; aligned_alloc would touch them.
  void *memory = std::calloc(rounded + alignment, 1);
  if (!memory)
    return nullptr;
  // The distance back to the block is kept in the word before the aligned address.
  uintptr_t address = reinterpret_cast<uintptr_t>(memory);
  uintptr_t aligned = (address + sizeof(void *) + alignment - 1) / alignment * alignment;
  std::memcpy(reinterpret_cast<void *>(aligned - sizeof(void *)), &memory, sizeof memory);
  buffer->memory = reinterpret_cast<uint8_t *>(aligned);
  buffer->bytes = bytes;
  return buffer;
}

Buffer::~Buffer() {
  if (!memory)
    return;
  void *block = nullptr;
  std::memcpy(&block, memory - sizeof block, sizeof block);
  std::free(block);
}

void Buffer::poison() {
  // All ones is NaN in every float format and unlikely as an integer.
  std::memset(memory, 0xFF, bytes);
  poisoned = true;
}

bool Buffer::isWritten(uint64_t offset, uint64_t length) const {
  if (!poisoned)
    return true;
  if (written.empty())
    return false;
  for (uint64_t i = offset; i != offset + length; ++i)
    if (!written[i])
      return false;
  return true;
}

llvm::Expected<Tensor> Tensor::create(sema::DType dtype, llvm::ArrayRef<int64_t> shape) {
  std::optional<int64_t> count = elementCount(shape);
  if (!count)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "%s is no shape of a tensor",
                                   shapeText(shape).c_str());
  if (dtype.isVoid() || dtype.isPointer())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "a tensor cannot hold elements of type %s",
                                   dtype.shortName().c_str());
  Tensor tensor;
  tensor.element = dtype;
  tensor.buffer = Buffer::allocate(static_cast<uint64_t>(*count) * dtype.byteSize());
  if (!tensor.buffer)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "no memory for a tensor of shape %s", shapeText(shape).c_str());
  tensor.dims.assign(shape.begin(), shape.end());
  tensor.steps.resize(shape.size());
  int64_t step = 1;
  for (size_t axis = shape.size(); axis-- != 0;) {
    tensor.steps[axis] = step;
    step *= std::max<int64_t>(shape[axis], 1);
  }
  return tensor;
}

int64_t Tensor::size() const {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

bool Tensor::isRowMajor() const {
  int64_t step = 1;
  for (size_t axis = rank(); axis-- != 0;) {
    if (dims[axis] != 1 && steps[axis] != step)
      return false;
    step *= dims[axis];
  }
  return true;
}

Tensor Tensor::select(unsigned axis, int64_t index) const {
  GL_CHECK(axis < rank() && index >= 0 && index < dims[axis]);
  Tensor view = *this;
  view.start += index * steps[axis];
  view.dims.erase(view.dims.begin() + axis);
  view.steps.erase(view.steps.begin() + axis);
  return view;
}

Tensor Tensor::slice(unsigned axis, int64_t first, int64_t count, int64_t step) const {
  GL_CHECK(axis < rank());
  Tensor view = *this;
  if (count > 0)
    view.start += first * steps[axis];
  view.dims[axis] = count;
  view.steps[axis] *= step;
  return view;
}

Tensor Tensor::transposed() const {
  Tensor view = *this;
  std::reverse(view.dims.begin(), view.dims.end());
  std::reverse(view.steps.begin(), view.steps.end());
  return view;
}

Tensor Tensor::withNewAxis(unsigned axis) const {
  Tensor view = *this;
  view.dims.insert(view.dims.begin() + axis, 1);
  view.steps.insert(view.steps.begin() + axis, 1);
  return view;
}

std::optional<Tensor> Tensor::reshaped(llvm::ArrayRef<int64_t> shape) const {
  std::optional<int64_t> count = elementCount(shape);
  if (!isRowMajor() || !count || *count != size())
    return std::nullopt;
  Tensor view = *this;
  view.dims.assign(shape.begin(), shape.end());
  view.steps.resize(shape.size());
  int64_t step = 1;
  for (size_t axis = shape.size(); axis-- != 0;) {
    view.steps[axis] = step;
    step *= std::max<int64_t>(shape[axis], 1);
  }
  return view;
}

std::optional<int64_t> Tensor::firstUnwritten() const {
  if (!buffer->isPoisoned())
    return std::nullopt;
  std::optional<int64_t> found;
  int64_t index = 0;
  forEach([&](const uint8_t *at) {
    if (!found &&
        !buffer->isWritten(static_cast<uint64_t>(at - buffer->data()), element.byteSize()))
      found = index;
    ++index;
  });
  return found;
}

} // namespace gluonc::host
