#include "Watch.h"

#include <utility>

namespace gluonc::python {

uint64_t Watch::changes = 0;

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

bool Watch::Variable::holds() const {
  if (PyCell_Check(holder))
    return PyCell_GET(holder) == value;
  PyObject *now = PyDict_GetItemWithError(holder, name);
  if (!now && PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  return now == value;
}

#ifdef Py_LIMITED_API

/// The members of a class and of its bases, each with its name. False with an exception.
static bool readMembers(PyObject *type, std::vector<PyObject *> &parts) {
  PyObject *bases = PyObject_GetAttrString(type, "__mro__");
  for (Py_ssize_t i = 0; bases && i != PyTuple_GET_SIZE(bases); ++i) {
    PyObject *base = PyTuple_GET_ITEM(bases, i);
    // Nobody changes the others.
    if (!(PyType_GetFlags(reinterpret_cast<PyTypeObject *>(base)) & Py_TPFLAGS_HEAPTYPE))
      continue;
    PyObject *members = PyObject_GetAttrString(base, "__dict__");
    PyObject *items = members ? PyMapping_Items(members) : nullptr;
    Py_XDECREF(members);
    if (!items)
      Py_CLEAR(bases);
    for (Py_ssize_t j = 0; items && j != PyList_GET_SIZE(items); ++j)
      for (Py_ssize_t part : {0, 1})
        parts.push_back(PyTuple_GET_ITEM(PyList_GET_ITEM(items, j), part));
    Py_XDECREF(items);
  }
  Py_XDECREF(bases);
  return bases != nullptr;
}

static bool isUnchanged(PyObject *type, const std::vector<PyObject *> &parts, unsigned) {
  std::vector<PyObject *> now;
  bool isRead = readMembers(type, now);
  PyErr_Clear();
  return isRead && now == parts;
}

static bool readClass(PyObject *type, std::vector<PyObject *> &parts, unsigned &) {
  return readMembers(type, parts);
}

#else

/// Whether the class is what it was when it had that version. 0: Python ran out of versions.
static bool isUnchanged(PyObject *type, const std::vector<PyObject *> &, unsigned version) {
  return version && reinterpret_cast<PyTypeObject *>(type)->tp_version_tag == version;
}

static bool readClass(PyObject *type, std::vector<PyObject *> &, unsigned &version) {
  // Looking for a member gives the class a version.
  static PyObject *name = PyUnicode_InternFromString("__init__");
  PyObject *member = PyType_Type.tp_getattro(type, name);
  Py_XDECREF(member);
  version = reinterpret_cast<PyTypeObject *>(type)->tp_version_tag;
  return member != nullptr;
}

#endif

static bool holdsItems(PyObject *dict, const std::vector<PyObject *> &parts) {
  if (static_cast<size_t>(PyDict_GET_SIZE(dict)) * 2 != parts.size())
    return false;
  PyObject *key, *value;
  size_t i = 0;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value); i += 2)
    if (i == parts.size() || parts[i] != key || parts[i + 1] != value)
      return false;
  return i == parts.size();
}

bool Watch::Contents::holds() const {
  switch (kind) {
  case Kind::List: {
    if (static_cast<size_t>(PyList_GET_SIZE(object)) != parts.size())
      return false;
    for (size_t i = 0; i != parts.size(); ++i)
      if (PyList_GET_ITEM(object, static_cast<Py_ssize_t>(i)) != parts[i])
        return false;
    return true;
  }
  case Kind::Dict:
    return holdsItems(object, parts);
  case Kind::Function:
    return PyFunction_GET_CODE(object) == parts[0] && PyFunction_GET_DEFAULTS(object) == parts[1] &&
           PyFunction_GET_KW_DEFAULTS(object) == parts[2];
  case Kind::Class:
    return isUnchanged(object, parts, version);
  case Kind::Instance: {
    // Its dict is noted, too.
    PyObject *dict = PyObject_GenericGetDict(object, nullptr);
    if (!dict)
      PyErr_Clear();
    Py_XDECREF(dict);
    return reinterpret_cast<PyObject *>(Py_TYPE(object)) == parts[0] && dict == parts[1];
  }
  }
  Py_UNREACHABLE();
}

bool Watch::holds() const {
  if (isUnsteady || seenChanges != changes)
    return false;
  // By number: looking up a name may run Python, and so add notes.
  for (size_t i = 0; i != variables.size(); ++i)
    if (!variables[i].holds()) [[unlikely]]
      return false;
  for (size_t i = 0; i != contents.size(); ++i)
    if (!contents[i].holds()) [[unlikely]]
      return false;
  return true;
}

void Watch::addVariable(PyObject *holder, PyObject *name, PyObject *value) {
  Py_INCREF(holder);
  Py_INCREF(name);
  Py_XINCREF(value);
  variables.push_back({holder, name, value});
}

/// Reads what an object holds. False with an exception, or without one where it holds nothing.
bool Watch::read(PyObject *object, Contents &made) {
  if (PyList_Check(object)) {
    made.kind = Kind::List;
    for (Py_ssize_t i = 0; i != PyList_GET_SIZE(object); ++i)
      made.parts.push_back(PyList_GET_ITEM(object, i));
  } else if (PyDict_Check(object)) {
    made.kind = Kind::Dict;
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(object, &at, &key, &value);)
      made.parts.insert(made.parts.end(), {key, value});
  } else if (PyFunction_Check(object)) {
    made.kind = Kind::Function;
    made.parts = {PyFunction_GET_CODE(object), PyFunction_GET_DEFAULTS(object),
                  PyFunction_GET_KW_DEFAULTS(object)};
  } else if (PyType_Check(object)) {
    made.kind = Kind::Class;
    return readClass(object, made.parts, made.version);
  } else {
    PyObject *dict = PyObject_GenericGetDict(object, nullptr);
    if (!dict) {
      PyErr_Clear();
      return false;
    }
    made.kind = Kind::Instance;
    made.parts = {reinterpret_cast<PyObject *>(Py_TYPE(object)), dict};
    int added = add(dict);
    // The object has it.
    Py_DECREF(dict);
    return added >= 0;
  }
  return true;
}

int Watch::add(PyObject *object) {
  if (!noted.insert(object).second)
    return 0;
  Contents made{Kind::List, object, {}};
  if (!read(object, made)) {
    noted.erase(object);
    return PyErr_Occurred() ? -1 : 1;
  }
  Py_INCREF(object);
  for (PyObject *part : made.parts)
    Py_XINCREF(part);
  contents.push_back(std::move(made));
  return 1;
}

void Watch::forget() {
  // Out of the way first: what dies may run Python, which may come here.
  auto oldVariables = std::exchange(variables, {});
  auto oldContents = std::exchange(contents, {});
  noted.clear();
  isUnsteady = false;
  seenChanges = changes;
  for (const Variable &variable : oldVariables) {
    Py_DECREF(variable.holder);
    Py_DECREF(variable.name);
    Py_XDECREF(variable.value);
  }
  for (const Contents &old : oldContents) {
    for (PyObject *part : old.parts)
      Py_XDECREF(part);
    Py_DECREF(old.object);
  }
}

int Watch::traverse(visitproc visit, void *arg) const {
  for (const Variable &variable : variables) {
    Py_VISIT(variable.holder);
    Py_VISIT(variable.value);
  }
  for (const Contents &each : contents) {
    Py_VISIT(each.object);
    for (PyObject *part : each.parts)
      Py_VISIT(part);
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

namespace {

struct WatchObject {
  PyObject_HEAD Watch *watch;
};

PyTypeObject *watchType = nullptr;

Watch &inside(PyObject *object) { return *reinterpret_cast<WatchObject *>(object)->watch; }

PyObject *make(PyTypeObject *type, PyObject *, PyObject *) {
  PyObject *made = PyType_GenericAlloc(type, 0);
  if (made)
    reinterpret_cast<WatchObject *>(made)->watch = new Watch();
  return made;
}

void destroy(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  delete reinterpret_cast<WatchObject *>(object)->watch;
  PyObject_GC_Del(object);
  Py_DECREF(type);
}

int traverse(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(object));
  return inside(object).traverse(visit, arg);
}

int clear(PyObject *object) {
  inside(object).forget();
  return 0;
}

PyObject *noteVariable(PyObject *object, PyObject *args) {
  PyObject *holder, *name, *value;
  if (!PyArg_ParseTuple(args, "OUO", &holder, &name, &value))
    return nullptr;
  if (!PyDict_Check(holder) && !PyCell_Check(holder)) {
    PyErr_SetString(PyExc_TypeError, "a variable is in a dict or a cell");
    return nullptr;
  }
  inside(object).addVariable(holder, name, value == Py_NotImplemented ? nullptr : value);
  Py_RETURN_NONE;
}

PyObject *note(PyObject *object, PyObject *noted) {
  int added = inside(object).add(noted);
  return added < 0 ? nullptr : PyBool_FromLong(added);
}

PyObject *noteUnsteady(PyObject *object, PyObject *) {
  inside(object).addUnsteady();
  Py_RETURN_NONE;
}

PyObject *forgetNotes(PyObject *object, PyObject *) {
  inside(object).forget();
  Py_RETURN_NONE;
}

PyObject *holdsStill(PyObject *object, PyObject *) {
  return PyBool_FromLong(inside(object).holds());
}

PyMethodDef methods[] = {
    {"_note_variable", noteVariable, METH_VARARGS, nullptr},
    {"_note", note, METH_O, nullptr},
    {"_note_unsteady", noteUnsteady, METH_NOARGS, nullptr},
    {"_forget_notes", forgetNotes, METH_NOARGS, nullptr},
    {"_holds", holdsStill, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char *>("What the compiler was told, and whether it is still so.")},
    {Py_tp_new, reinterpret_cast<void *>(make)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(clear)},
    {Py_tp_methods, methods},
    {0, nullptr},
};
PyType_Spec spec = {"gluonc._native.Watch", sizeof(WatchObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};

} // namespace

bool addWatch(PyObject *module) {
  watchType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return watchType &&
         PyModule_AddObject(module, "Watch", reinterpret_cast<PyObject *>(watchType)) == 0;
}

Watch *watchOf(PyObject *object) {
  return PyObject_TypeCheck(object, watchType) ? &inside(object) : nullptr;
}

} // namespace gluonc::python
