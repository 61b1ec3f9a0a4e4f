//===- Tensors.h - Tensor arguments, seen without copies --------------------===//
//
// Two ways to look at a tensor. Types that offer DLPack's exchange functions (PyTorch's)
// answer a C call in some ten nanoseconds. All others go through gluonc._tensors, which
// knows every protocol.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "numeric/DTypes.h"

#include "Limited.h"

#include <cstdint>

namespace gluonc::python {

/// The GPU of an argument's memory, or one of:
enum Device : int { hostMemory = -1, noMemory = -2 };

struct Tensor {
  uint64_t address = 0;
  int device = noMemory;
  /// What host tensors span: the bytes from the lowest element to the highest, as far as they have
  /// memory.
  uint64_t begin = 0, bytes = 0;
  bool readOnly = false;
  /// On an AMD GPU, whose stream the exchange interface need not know.
  bool isOnAmd = false;
  /// DLPack's type code, bits and lanes in one word, or zero where `type` tells it.
  uint32_t dlpackType = 0;
  /// "*fp32", borrowed.
  PyObject *type = nullptr;
};

/// DLPack's C exchange interface, as far as we use it (DLPack 1.3, dlpack.h).
struct ExchangeApi;

/// The interface that a type offers; null, and no exception, where it has none.
const ExchangeApi *exchangeApi(PyTypeObject *type);
/// Looks at a tensor. False where the interface refuses it (no exception is left).
bool view(const ExchangeApi &api, PyObject *object, Tensor &tensor);
/// The stream that the tensors' library works on. False where it does not tell.
bool currentStream(const ExchangeApi &api, int device, void *&stream);

/// Reads a gluonc._tensors.TensorView. False with an exception.
bool readView(PyObject *view, Tensor &tensor);

/// IEEE bits of a scalar of a standard float type, in the low bytes of its slot.
uint64_t floatBits(numeric::ScalarKind kind, double value);

/// "fp32" for what `Tensor::dlpackType` says; null for types that kernels do not have.
const char *dlpackTypeName(uint32_t type);

} // namespace gluonc::python
