//===- Limited.h - Python's interface, or its stable part --------------------===//
//
// The module for each Python uses what that Python has. One for all Pythons from 3.12 on is made
// with Py_LIMITED_API: here are, under the same names, the functions that the stable part lacks.
// They give the same answers, slower.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <Python.h>

#include <string>

namespace gluonc::python {

/// "Tensor": the name of a class, without its module.
inline std::string nameOfType(PyTypeObject *type) {
  PyObject *name = PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__name__");
  const char *text = name ? PyUnicode_AsUTF8AndSize(name, nullptr) : nullptr;
  std::string found = text ? text : "";
  Py_XDECREF(name);
  PyErr_Clear();
  return found;
}

/// A new reference to what a weak reference leads to; null where it is gone.
inline PyObject *referentOf(PyObject *reference) {
#if PY_VERSION_HEX >= 0x030D0000 && !defined(Py_LIMITED_API)
  PyObject *found = nullptr;
  PyWeakref_GetRef(reference, &found);
#else
  PyObject *found = PyWeakref_GetObject(reference);
  if (found == Py_None)
    return nullptr;
  Py_XINCREF(found);
#endif
  return found;
}

} // namespace gluonc::python

#ifdef Py_LIMITED_API

namespace gluonc::python::limited {

/// What an attribute of a function or cell is, which keeps it; null for None, or where it is empty.
inline PyObject *part(PyObject *object, const char *name) {
  PyObject *found = PyObject_GetAttrString(object, name);
  PyErr_Clear();
  Py_XDECREF(found);
  return found == Py_None ? nullptr : found;
}

/// A value in a cell may be None.
inline PyObject *content(PyObject *cell) {
  PyObject *found = PyObject_GetAttrString(cell, "cell_contents");
  PyErr_Clear();
  Py_XDECREF(found);
  return found;
}

inline PyTypeObject *typeNamed(const char *name) {
  PyObject *types = PyImport_ImportModule("types");
  PyObject *found = types ? PyObject_GetAttrString(types, name) : nullptr;
  Py_XDECREF(types);
  return reinterpret_cast<PyTypeObject *>(found);
}

inline PyTypeObject *functionType() {
  static PyTypeObject *type = typeNamed("FunctionType");
  return type;
}

inline PyTypeObject *cellType() {
  static PyTypeObject *type = typeNamed("CellType");
  return type;
}

inline bool hasWeakReferences(PyTypeObject *type) {
  PyObject *offset =
      PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__weakrefoffset__");
  bool found = offset && PyLong_AsLong(offset) != 0;
  Py_XDECREF(offset);
  PyErr_Clear();
  return found;
}

} // namespace gluonc::python::limited

#define PyCell_Check(object) (Py_TYPE(object) == gluonc::python::limited::cellType())
#define PyCell_GET(cell) gluonc::python::limited::content(cell)
#define PyDict_GET_SIZE(dict) PyDict_Size(dict)
#define PyFloat_AS_DOUBLE(number) PyFloat_AsDouble(number)
#define PyFunction_Check(object) (Py_TYPE(object) == gluonc::python::limited::functionType())
#define PyFunction_GET_CODE(function) gluonc::python::limited::part(function, "__code__")
#define PyFunction_GET_DEFAULTS(function) gluonc::python::limited::part(function, "__defaults__")
#define PyFunction_GET_KW_DEFAULTS(function)                                                       \
  gluonc::python::limited::part(function, "__kwdefaults__")
#define PyFunction_Type (*gluonc::python::limited::functionType())
#define PyList_GET_ITEM(list, i) PyList_GetItem(list, i)
#define PyList_GET_SIZE(list) PyList_Size(list)
#define PyObject_CallOneArg(function, value) PyObject_CallFunctionObjArgs(function, value, nullptr)
#define PyTuple_GET_ITEM(tuple, i) PyTuple_GetItem(tuple, i)
#define PyTuple_GET_SIZE(tuple) PyTuple_Size(tuple)
#define PyTuple_SET_ITEM(tuple, i, value) PyTuple_SetItem(tuple, i, value)
#define PyType_SUPPORTS_WEAKREFS(type) gluonc::python::limited::hasWeakReferences(type)
#define PyUnicode_AsUTF8(text) PyUnicode_AsUTF8AndSize(text, nullptr)

#endif
