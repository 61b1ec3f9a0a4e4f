//===- Interned.h - Small numbers for values in keys ------------------------===//
//
// A key of a launch is a row of words. Values that do not fit a word (type names,
// layouts, functions, tuples) are replaced by the number under which an equal value
// was first seen. They live as long as the process, like the kernels made for them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <Python.h>

#include <cstdint>
#include <vector>

namespace gluonc::python {

class Interned {
public:
  static Interned &get();

  /// Number of a type name. Negative with an exception.
  int64_t name(PyObject *text);
  int64_t name(const char *text);
  /// Number of a compile-time value, told apart by type as well: 1, 1.0 and True differ. Negative
  /// with an exception: the value cannot be hashed.
  int64_t value(PyObject *value);
  /// What a number stands for, borrowed.
  PyObject *at(uint64_t number) const { return values[number]; }

  /// gluonc._signature.frozen, which makes values hashable with their types.
  PyObject *freeze = nullptr;

private:
  int64_t find(PyObject *key, PyObject *value);

  PyObject *numbers = nullptr;
  std::vector<PyObject *> values;
};

} // namespace gluonc::python
