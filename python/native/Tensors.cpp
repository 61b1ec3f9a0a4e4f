#include "Tensors.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace gluonc::python {

namespace {

struct DLTensor {
  void *data;
  int32_t deviceType, deviceId;
  int32_t rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byteOffset;
};

enum DeviceType : int32_t { dlCpu = 1, dlCuda = 2, dlCudaHost = 3, dlRocm = 10, dlRocmHost = 11 };

} // namespace

struct ExchangeApi {
  uint32_t major, minor;
  ExchangeApi *previous;
  void *allocate;
  void *managedFromObject;
  void *managedToObject;
  int (*tensorFromObject)(void *object, DLTensor *out);
  int (*currentStream)(int32_t deviceType, int32_t device, void **out);
};

const ExchangeApi *exchangeApi(PyTypeObject *type) {
  PyObject *capsule =
      PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__dlpack_c_exchange_api__");
  const ExchangeApi *api = nullptr;
  if (capsule && PyCapsule_CheckExact(capsule))
    api = static_cast<const ExchangeApi *>(PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
  // The structure is the exporter's and lives as long as the process.
  Py_XDECREF(capsule);
  PyErr_Clear();
  if (!api || api->major != 1 || !api->tensorFromObject)
    return nullptr;
  return api;
}

/// The number that a method without arguments returns. False with an exception.
static bool callForNumber(PyObject *object, const char *method, uint64_t &number) {
  PyObject *answer = PyObject_CallMethod(object, method, nullptr);
  if (!answer)
    return false;
  number = PyLong_AsUnsignedLongLong(answer);
  Py_DECREF(answer);
  return !PyErr_Occurred();
}

/// Leaves of a host tensor's span what its storage has, which may be smaller than the shape says:
/// frameworks free memory so (FSDP). False, and no exception, where the storage cannot be asked.
static bool clipToStorage(PyObject *object, Tensor &tensor) {
  uint64_t begin = 0, bytes = 0;
  PyObject *storage = PyObject_CallMethod(object, "untyped_storage", nullptr);
  bool fine = storage && callForNumber(storage, "data_ptr", begin) &&
              callForNumber(storage, "nbytes", bytes);
  Py_XDECREF(storage);
  PyErr_Clear();
  uint64_t end = std::min(tensor.begin + tensor.bytes, begin + bytes);
  tensor.begin = std::max(tensor.begin, begin);
  tensor.bytes = end > tensor.begin ? end - tensor.begin : 0;
  return fine;
}

bool view(const ExchangeApi &api, PyObject *object, Tensor &tensor) {
  DLTensor raw;
  if (api.tensorFromObject(object, &raw) != 0) [[unlikely]] {
    PyErr_Clear();
    return false;
  }
  tensor.dlpackType = uint32_t(raw.code) << 24 | uint32_t(raw.bits) << 16 | raw.lanes;
  tensor.address = reinterpret_cast<uintptr_t>(raw.data) + raw.byteOffset;
  if (raw.deviceType == dlCuda) [[likely]] {
    tensor.device = raw.deviceId;
    return true;
  }
  if (raw.deviceType == dlRocm) {
    tensor.device = raw.deviceId;
    tensor.isOnAmd = true;
    return true;
  }
  if (raw.deviceType != dlCpu && raw.deviceType != dlCudaHost && raw.deviceType != dlRocmHost)
    return false;
  tensor.device = hostMemory;
  int64_t item = (raw.bits * raw.lanes + 7) / 8, low = 0, high = 0;
  // The largest stride, and how far rows that lie it apart reach, the padding of the last included.
  int64_t widest = 0, rows = 0;
  bool isEmpty = false;
  int64_t packed = 1;
  for (int32_t i = raw.rank - 1; i >= 0; --i) {
    int64_t stride = raw.strides ? raw.strides[i] : packed;
    packed *= raw.shape[i];
    int64_t reach = (raw.shape[i] - 1) * stride * item;
    (reach < 0 ? low : high) += reach;
    isEmpty |= raw.shape[i] == 0;
    if (std::abs(stride) > widest) {
      widest = std::abs(stride);
      rows = raw.shape[i] * stride * item;
    }
  }
  tensor.begin = tensor.address + static_cast<uint64_t>(low);
  tensor.bytes = isEmpty ? 0 : static_cast<uint64_t>(std::max(high - low + item, rows));
  return clipToStorage(object, tensor);
}

bool currentStream(const ExchangeApi &api, int device, void *&stream) {
  if (!api.currentStream)
    return false;
  if (api.currentStream(dlCuda, device, &stream) == 0)
    return true;
  PyErr_Clear();
  return false;
}

static bool readNumber(PyObject *object, const char *name, uint64_t &number) {
  PyObject *value = PyObject_GetAttrString(object, name);
  if (!value)
    return false;
  number = PyLong_AsUnsignedLongLongMask(value);
  Py_DECREF(value);
  return !PyErr_Occurred();
}

bool readView(PyObject *view, Tensor &tensor) {
  PyObject *type = PyObject_GetAttrString(view, "type");
  if (!type)
    return false;
  // Alive as long as its view: attributes of slots are stored, not made.
  tensor.type = type;
  Py_DECREF(type);
  uint64_t readOnly = 0;
  if (!readNumber(view, "address", tensor.address) || !readNumber(view, "begin", tensor.begin) ||
      !readNumber(view, "bytes", tensor.bytes) || !readNumber(view, "read_only", readOnly))
    return false;
  tensor.readOnly = readOnly != 0;
  PyObject *device = PyObject_GetAttrString(view, "device");
  if (!device)
    return false;
  tensor.device = device == Py_None ? noMemory : static_cast<int>(PyLong_AsLong(device));
  Py_DECREF(device);
  return !PyErr_Occurred();
}

const char *dlpackTypeName(uint32_t type) {
  if ((type & 0xffff) != 1)
    return nullptr;
  const numeric::DTypeFacts *facts = numeric::findDlpack(type >> 24, type >> 16 & 0xff);
  return facts ? facts->signature.data() : nullptr;
}

uint64_t floatBits(numeric::ScalarKind kind, double value) {
  switch (kind) {
  case numeric::ScalarKind::Float64:
    return std::bit_cast<uint64_t>(value);
  case numeric::ScalarKind::Float16:
    return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
  case numeric::ScalarKind::BFloat16:
    return numeric::floatToBfloat(static_cast<float>(value));
  default:
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  }
}

} // namespace gluonc::python
