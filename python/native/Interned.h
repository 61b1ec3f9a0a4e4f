//===- Interned.h - Small numbers for type names in keys --------------------===//
//
// A key of a launch is a row of words. Type names in it are replaced by the number under
// which an equal one was first seen. There are few, and they live as long as the process.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Limited.h"

#include <cstdint>
#include <vector>

namespace gluonc::python {

class Interned {
public:
  static Interned &get();

  /// Number of a type name. Negative with an exception.
  int64_t name(PyObject *text);
  int64_t name(const char *text);
  /// The name of a number, borrowed.
  PyObject *at(uint64_t number) const { return values[number]; }

private:
  PyObject *numbers = nullptr;
  std::vector<PyObject *> values;
};

} // namespace gluonc::python
