#include "Arguments.h"

#include "Interned.h"

#include <bit>
#include <unordered_map>

namespace gluonc::python {

namespace {

/// The low byte of a key's first word of an argument. Numbers and flags are above it.
enum class Tag : uint8_t {
  None,
  /// Run-time scalars.
  Boolean,
  Integer,
  Float,
  /// With a type number; `aligned` counts for pointers and integers.
  Typed,
  Pointer,
  Descriptor,
  /// Values known at compile time; the next word has it.
  One,
  ConstantBoolean,
  ConstantInteger,
  ConstantReal,
  ConstantObject,
  /// Items follow. The upper half numbers the class.
  Tuple,
};

constexpr uint64_t alignedFlag = 1 << 8;

uint64_t word(Tag tag, uint64_t number = 0, uint64_t flags = 0) {
  return static_cast<uint64_t>(tag) | flags | number << 32;
}

enum class Width : uint64_t { I32 = 0, I64 = 1, U64 = 2 };

/// Type of an argument -> its exchange interface, asked once. Types stay alive.
const ExchangeApi *apiOf(PyTypeObject *type) {
  static auto *known = new std::unordered_map<PyTypeObject *, const ExchangeApi *>();
  static PyTypeObject *lastType = nullptr;
  static const ExchangeApi *lastApi = nullptr;
  if (type == lastType) [[likely]]
    return lastApi;
  auto at = known->find(type);
  if (at == known->end()) {
    // Subclasses may be anything: only tensors whose own class says so, and parameters.
    std::string name = nameOfType(type);
    bool isPlain = name == "Tensor" || name == "Parameter";
    // Asking may run Python, and so another thread: nothing is held meanwhile.
    const ExchangeApi *api = isPlain ? exchangeApi(type) : nullptr;
    Py_INCREF(reinterpret_cast<PyObject *>(type));
    at = known->emplace(type, api).first;
  }
  lastType = type;
  return lastApi = at->second;
}

/// Number of "*fp32" for a DLPack type; negative where kernels have no such type.
int64_t pointerNumber(uint32_t type) {
  static uint32_t lastType = 0;
  static int64_t lastNumber = -1;
  if (type == lastType) [[likely]]
    return lastNumber;
  static auto *known = new std::unordered_map<uint32_t, int64_t>();
  auto [at, isNew] = known->try_emplace(type, -1);
  if (isNew)
    if (const char *name = dlpackTypeName(type))
      at->second = Interned::get().name((std::string("*") + name).c_str());
  lastType = type;
  return lastNumber = at->second;
}

/// A new reference to an attribute, read as a sequence of integers. False with an exception.
template <typename Number, size_t n>
bool readInts(PyObject *object, const char *attribute, Number (&out)[n], size_t &count) {
  PyObject *value = PyObject_GetAttrString(object, attribute);
  PyObject *list = value ? PySequence_Fast(value, "a TensorDescriptor has lists of ints") : nullptr;
  Py_XDECREF(value);
  if (!list)
    return false;
  count = static_cast<size_t>(PySequence_Fast_GET_SIZE(list));
  if (count > n)
    PyErr_SetString(PyExc_ValueError, "a TensorDescriptor has at most 5 dims");
  for (size_t i = 0; !PyErr_Occurred() && i != count; ++i)
    out[i] = static_cast<Number>(
        PyLong_AsLongLong(PySequence_Fast_GET_ITEM(list, static_cast<Py_ssize_t>(i))));
  Py_DECREF(list);
  return !PyErr_Occurred();
}

bool isTrueAttribute(PyObject *object, const char *attribute) {
  PyObject *value = PyObject_GetAttrString(object, attribute);
  int truth = value ? PyObject_IsTrue(value) : -1;
  Py_XDECREF(value);
  return truth == 1;
}

} // namespace

Hooks &Hooks::get() {
  static Hooks hooks;
  return hooks;
}

//===----------------------------------------------------------------------===//
// Arguments to a key and slots
//===----------------------------------------------------------------------===//

bool Arguments::add(const Parameter &parameter, PyObject *value) {
  return parameter.isConstexpr ? addConstant(parameter, value) : addRuntime(parameter, value);
}

bool Arguments::addConstant(const Parameter &parameter, PyObject *value) {
  if (PyLong_CheckExact(value)) {
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (!overflow) [[likely]] {
      key.push(word(Tag::ConstantInteger));
      key.push(static_cast<uint64_t>(number));
      return true;
    }
  } else if (value == Py_None) {
    key.push(word(Tag::None));
    return true;
  } else if (PyBool_Check(value)) {
    key.push(word(Tag::ConstantBoolean, value == Py_True));
    return true;
  } else if (PyFloat_CheckExact(value)) {
    key.push(word(Tag::ConstantReal));
    key.push(std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(value)));
    return true;
  } else if (Py_TYPE(value) == Hooks::get().constexprType) {
    PyObject *inner = PyObject_GetAttrString(value, "value");
    bool fine = inner && addConstant(parameter, inner);
    Py_XDECREF(inner);
    return fine;
  }
  uint64_t found;
  if (!number(parameter, value, found))
    return false;
  key.push(word(Tag::ConstantObject, found));
  return true;
}

/// What a weak reference leads to, borrowed from somebody who has it, or the object itself.
static PyObject *referent(PyObject *object) {
  if (!object || !PyWeakref_CheckRefExact(object))
    return object;
  PyObject *found = referentOf(object);
  Py_XDECREF(found);
  return found;
}

/// The number of a compile-time value, or of a tuple's class. False with an exception.
bool Arguments::number(const Parameter &parameter, PyObject *value, uint64_t &found) {
  Py_INCREF(value);
  objects.push(reinterpret_cast<uintptr_t>(value));
  if (value == referent(parameter.lastValue)) {
    found = parameter.lastNumber;
    return true;
  }
  PyObject *answer = PyObject_CallOneArg(numbers, value);
  if (!answer)
    return false;
  found = PyLong_AsUnsignedLongLong(answer);
  Py_DECREF(answer);
  // What may change in place is looked up each time.
  if (PyTuple_Check(value) || PyList_Check(value) || PyDict_Check(value))
    return true;
  PyObject *kept = value;
  if (PyType_SUPPORTS_WEAKREFS(Py_TYPE(value)))
    kept = PyWeakref_NewRef(value, nullptr);
  else
    Py_INCREF(value);
  if (!kept)
    return false;
  // Both at once: hashing above and freeing below may run Python, and so another thread.
  PyObject *old = parameter.lastValue;
  parameter.lastValue = kept;
  parameter.lastNumber = found;
  Py_XDECREF(old);
  return true;
}

bool Arguments::addRuntime(const Parameter &parameter, PyObject *value) {
  if (const ExchangeApi *interface = apiOf(Py_TYPE(value))) {
    Tensor tensor;
    if (view(*interface, value, tensor) && pointerNumber(tensor.dlpackType) >= 0) [[likely]] {
      if (!api && tensor.device >= 0 && !tensor.isOnAmd)
        api = interface;
      return addTensor(parameter, tensor);
    }
    return addObject(parameter, value);
  }
  if (PyLong_CheckExact(value))
    return addInteger(parameter, value);
  if (PyBool_Check(value)) {
    key.push(word(Tag::Boolean));
    slots.push(value == Py_True);
    return true;
  }
  if (PyFloat_CheckExact(value))
    return addFloat(parameter, PyFloat_AS_DOUBLE(value));
  if (value == Py_None) {
    key.push(word(Tag::None));
    return true;
  }
  if (PyTuple_Check(value))
    return addTuple(parameter, value);
  if (Py_TYPE(value) == Hooks::get().constexprType)
    return addConstant(parameter, value);
  return addObject(parameter, value);
}

bool Arguments::addFloat(const Parameter &parameter, double value) {
  if (parameter.type >= 0 && !parameter.floatKind) {
    PyErr_Format(PyExc_TypeError, "%U: a float for a parameter of type %U", parameter.name,
                 Interned::get().at(static_cast<uint64_t>(parameter.type)));
    return false;
  }
  if (parameter.type >= 0)
    key.push(word(Tag::Typed, static_cast<uint64_t>(parameter.type)));
  else
    key.push(word(Tag::Float));
  slots.push(floatBits(static_cast<numeric::ScalarKind>(parameter.floatKind), value));
  return true;
}

bool Arguments::addInteger(const Parameter &parameter, PyObject *object) {
  if (parameter.floatKind) {
    double value = PyLong_AsDouble(object);
    return (value != -1.0 || !PyErr_Occurred()) && addFloat(parameter, value);
  }
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  Width width = value == static_cast<int32_t>(value) ? Width::I32 : Width::I64;
  auto bits = static_cast<uint64_t>(value);
  if (overflow) [[unlikely]] {
    width = Width::U64;
    bits = PyLong_AsUnsignedLongLong(object);
    if (PyErr_Occurred()) {
      PyErr_Format(PyExc_OverflowError, "%U=%R does not fit 64 bits", parameter.name, object);
      return false;
    }
  }
  if (bits == 1 && parameter.specializes && parameter.type < 0) {
    key.push(word(Tag::One));
    return true;
  }
  uint64_t flags = parameter.specializesAlignment && bits % 16 == 0 ? alignedFlag : 0;
  if (parameter.type >= 0)
    key.push(word(Tag::Typed, static_cast<uint64_t>(parameter.type), flags));
  else
    key.push(word(Tag::Integer, static_cast<uint64_t>(width), flags));
  slots.push(bits);
  return true;
}

bool Arguments::addTuple(const Parameter &parameter, PyObject *value) {
  uint64_t type = 0;
  // The class of a namedtuple tells the names of its fields.
  if (!PyTuple_CheckExact(value)) {
    if (!number(parameter, reinterpret_cast<PyObject *>(Py_TYPE(value)), type))
      return false;
    ++type;
  }
  Py_ssize_t count = PyTuple_GET_SIZE(value);
  key.push(word(Tag::Tuple, type));
  key.push(static_cast<uint64_t>(count));
  if (Py_EnterRecursiveCall(" while reading a kernel's argument"))
    return false;
  bool fine = true;
  for (Py_ssize_t i = 0; fine && i != count; ++i)
    fine = addRuntime(parameter, PyTuple_GET_ITEM(value, i));
  Py_LeaveRecursiveCall();
  return fine;
}

bool Arguments::addObject(const Parameter &parameter, PyObject *value) {
  PyObject *described =
      PyObject_CallFunctionObjArgs(Hooks::get().describe, parameter.name, value, nullptr);
  if (!described)
    return false;
  bool fine = addDescribed(parameter, value, described);
  Py_DECREF(described);
  return fine;
}

/// `described` is a number in place of the object, a TensorView, or None: the object itself is a
/// compile-time value. A descriptor is described by its type.
bool Arguments::addDescribed(const Parameter &parameter, PyObject *value, PyObject *described) {
  if (described == Py_None)
    return addConstant(parameter, value);
  if (PyUnicode_CheckExact(described)) {
    int64_t number = Interned::get().name(described);
    if (number < 0)
      return false;
    key.push(word(Tag::Descriptor, static_cast<uint64_t>(number)));
    return addDescriptor(parameter, value);
  }
  if (PyLong_Check(described) || PyFloat_Check(described))
    return addRuntime(parameter, described);
  Tensor tensor;
  return readView(described, tensor) && addTensor(parameter, tensor);
}

bool Arguments::addTensor(const Parameter &parameter, const Tensor &tensor) {
  int64_t type = parameter.type;
  if (type < 0)
    type = tensor.type ? Interned::get().name(tensor.type) : pointerNumber(tensor.dlpackType);
  if (type < 0)
    return false;
  uint64_t flags = parameter.specializesAlignment && tensor.address % 16 == 0 ? alignedFlag : 0;
  key.push(word(Tag::Pointer, static_cast<uint64_t>(type), flags));
  slots.push(tensor.address);
  place(parameter, tensor);
  return true;
}

void Arguments::place(const Parameter &parameter, const Tensor &tensor) {
  if (tensor.device == noMemory)
    return;
  isMixed |= device != noMemory && device != tensor.device;
  device = tensor.device;
  if (device == hostMemory)
    ranges.push_back({parameter.name, tensor});
}

bool Arguments::look(PyObject *value, Tensor &tensor, PyObject *&owner) {
  const ExchangeApi *interface = apiOf(Py_TYPE(value));
  if (interface && view(*interface, value, tensor)) {
    api = api ? api : interface;
    return true;
  }
  owner = PyObject_CallFunctionObjArgs(Hooks::get().describe, Py_None, value, nullptr);
  return owner && readView(owner, tensor);
}

bool Arguments::addDescriptor(const Parameter &parameter, PyObject *value) {
  auto made = std::make_unique<gluonc_tensor>();
  PyObject *base = PyObject_GetAttrString(value, "base"), *owner = nullptr;
  Tensor tensor;
  bool fine = base && look(base, tensor, owner);
  Py_XDECREF(base);
  Py_XDECREF(owner);
  size_t rank = 0, count = 0;
  if (!fine || !readInts(value, "shape", made->shape, rank) ||
      !readInts(value, "strides", made->strides, count))
    return false;
  made->base = reinterpret_cast<const void *>(tensor.address);
  made->rank = static_cast<unsigned>(rank);
  made->nan_padding = isTrueAttribute(value, "_pads_with_nan");
  made->round_to_tf32 = isTrueAttribute(value, "round_f32_to_tf32");
  if (isTrueAttribute(value, "_is_im2col") &&
      (!readInts(value, "element_strides", made->element_strides, count) ||
       !readInts(value, "pixel_box_lower_corner", made->lower_corner, count) ||
       !readInts(value, "pixel_box_upper_corner", made->upper_corner, count)))
    return false;
  if (PyErr_Occurred())
    return false;
  slots.push(reinterpret_cast<uintptr_t>(made.get()));
  tensors.push_back(std::move(made));
  place(parameter, tensor);
  return true;
}

//===----------------------------------------------------------------------===//
// A key to specs
//===----------------------------------------------------------------------===//

namespace {

/// Reads a key and its objects from their start.
struct Decoder {
  const uint64_t *next, *objects;

  PyObject *object() { return reinterpret_cast<PyObject *>(*objects++); }

  PyObject *type(const char *name, bool aligned) {
    return Py_BuildValue("(is)", GLUONC_ARGUMENT_TYPE,
                         (std::string(name) + (aligned ? ":16" : "")).c_str());
  }
  PyObject *typeNumber(uint64_t number, bool aligned) {
    const char *name = PyUnicode_AsUTF8(Interned::get().at(number));
    return name ? type(name, aligned) : nullptr;
  }

  PyObject *argument() {
    uint64_t first = *next++;
    uint64_t number = first >> 32;
    bool aligned = first & alignedFlag;
    static constexpr const char *widths[] = {"i32", "i64", "u64"};
    switch (static_cast<Tag>(first & 0xff)) {
    case Tag::None:
      return Py_BuildValue("(iO)", GLUONC_ARGUMENT_NONE, Py_None);
    case Tag::Boolean:
      return type("u1", false);
    case Tag::Integer:
      return type(widths[number], aligned);
    case Tag::Float:
      return type("fp32", false);
    case Tag::Typed:
    case Tag::Pointer:
      return typeNumber(number, aligned);
    case Tag::Descriptor:
      return typeNumber(number, false);
    case Tag::One:
      return Py_BuildValue("(ii)", GLUONC_ARGUMENT_INTEGER, 1);
    case Tag::ConstantBoolean:
      return Py_BuildValue("(iO)", GLUONC_ARGUMENT_BOOLEAN, number ? Py_True : Py_False);
    case Tag::ConstantInteger:
      return Py_BuildValue("(iL)", GLUONC_ARGUMENT_INTEGER, static_cast<long long>(*next++));
    case Tag::ConstantReal:
      return Py_BuildValue("(id)", GLUONC_ARGUMENT_REAL, std::bit_cast<double>(*next++));
    case Tag::ConstantObject:
      return Py_BuildValue("(iO)", GLUONC_ARGUMENT_EXPRESSION, object());
    case Tag::Tuple:
      return tuple(number);
    }
    Py_UNREACHABLE();
  }

  /// (kind, (class or None, items)).
  PyObject *tuple(uint64_t number) {
    uint64_t count = *next++;
    PyObject *type = number ? object() : Py_None;
    PyObject *items = PyList_New(0);
    for (uint64_t i = 0; items && i != count; ++i)
      append(items);
    return items ? Py_BuildValue("(i(ON))", GLUONC_ARGUMENT_TUPLE, type, items) : nullptr;
  }

  /// Clears `list` on failure.
  void append(PyObject *&list) {
    PyObject *item = argument();
    if (!item || PyList_Append(list, item) != 0)
      Py_CLEAR(list);
    Py_XDECREF(item);
  }
};

} // namespace

PyObject *specs(const std::vector<Parameter> &parameters, const Arguments &arguments) {
  PyObject *list = PyList_New(0);
  Decoder decoder{arguments.key.data(), arguments.objects.data()};
  for (size_t i = 0; list && i != parameters.size(); ++i)
    decoder.append(list);
  return list;
}

} // namespace gluonc::python
