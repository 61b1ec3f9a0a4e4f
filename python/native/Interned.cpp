#include "Interned.h"

namespace gluonc::python {

Interned &Interned::get() {
  // Never destroyed: Python may be gone by then.
  static Interned *instance = new Interned();
  return *instance;
}

int64_t Interned::name(PyObject *text) {
  if (!numbers && !(numbers = PyDict_New()))
    return -1;
  if (PyObject *found = PyDict_GetItemWithError(numbers, text))
    return PyLong_AsLongLong(found);
  if (PyErr_Occurred())
    return -1;
  auto number = static_cast<int64_t>(values.size());
  PyObject *boxed = PyLong_FromLongLong(number);
  int failed = boxed ? PyDict_SetItem(numbers, text, boxed) : -1;
  Py_XDECREF(boxed);
  if (failed)
    return -1;
  Py_INCREF(text);
  values.push_back(text);
  return number;
}

int64_t Interned::name(const char *text) {
  PyObject *made = PyUnicode_InternFromString(text);
  int64_t number = made ? name(made) : -1;
  Py_XDECREF(made);
  return number;
}

} // namespace gluonc::python
