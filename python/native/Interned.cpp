#include "Interned.h"

namespace gluonc::python {

Interned &Interned::get() {
  // Never destroyed: Python may be gone by then.
  static Interned *instance = new Interned();
  return *instance;
}

int64_t Interned::find(PyObject *key, PyObject *value) {
  if (!numbers && !(numbers = PyDict_New()))
    return -1;
  if (PyObject *found = PyDict_GetItemWithError(numbers, key))
    return PyLong_AsLongLong(found);
  if (PyErr_Occurred())
    return -1;
  auto number = static_cast<int64_t>(values.size());
  PyObject *boxed = PyLong_FromLongLong(number);
  int failed = boxed ? PyDict_SetItem(numbers, key, boxed) : -1;
  Py_XDECREF(boxed);
  if (failed)
    return -1;
  Py_INCREF(value);
  values.push_back(value);
  return number;
}

int64_t Interned::name(PyObject *text) { return find(text, text); }

int64_t Interned::name(const char *text) {
  PyObject *made = PyUnicode_InternFromString(text);
  int64_t number = made ? name(made) : -1;
  Py_XDECREF(made);
  return number;
}

int64_t Interned::value(PyObject *value) {
  PyObject *key = PyObject_CallOneArg(freeze, value);
  int64_t number = key ? find(key, value) : -1;
  Py_XDECREF(key);
  return number;
}

} // namespace gluonc::python
