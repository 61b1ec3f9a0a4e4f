//===- Watch.h - Whether what was told of Python's objects is still so -------===//
//
// `Watch` is the base class of gluonc._scopes.Resolver, which notes in it all that the
// compiler asked about:
//
//   watch._note_variable(holder, name, value)   a name in a dict or cell; NotImplemented: unbound
//   watch._note(object)          what a list, dict, function, class or other object holds; False
//                                where that is noted already
//   watch._note_unsteady()       something that cannot be noted
//   watch._forget_notes()
//   watch._holds()
//
// Launches compare identities. What was noted is kept, so nothing else can get its address.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Limited.h"

#include <unordered_set>
#include <vector>

namespace gluonc::python {

class Watch {
public:
  Watch() = default;
  Watch(const Watch &) = delete;
  ~Watch() { forget(); }

  /// `value` may be null: no such name.
  void addVariable(PyObject *holder, PyObject *name, PyObject *value);
  /// Negative with an exception; zero where it was added before.
  int add(PyObject *object);
  void addUnsteady() { isUnsteady = true; }
  void forget();
  /// Leaves no exception.
  bool holds() const;
  int traverse(visitproc visit, void *arg) const;

  /// Tells all watches to look closer: an object changed that they do not look into.
  static void announceChange() { ++changes; }

private:
  enum class Kind : uint8_t { List, Dict, Function, Class, Instance };
  /// The value of a name; `holder` is a dict, or the cell itself.
  struct Variable {
    PyObject *holder, *name, *value;
    bool holds() const;
  };
  /// What an object holds.
  struct Contents {
    Kind kind;
    PyObject *object;
    std::vector<PyObject *> parts;
    unsigned version = 0;
    bool holds() const;
  };

  bool read(PyObject *object, Contents &contents);

  std::vector<Variable> variables;
  std::vector<Contents> contents;
  std::unordered_set<PyObject *> noted;
  bool isUnsteady = false;
  uint64_t seenChanges = changes;
  static uint64_t changes;
};

/// Adds the type `Watch` to a module. False with an exception.
bool addWatch(PyObject *module);

/// What is inside of an object of that type, owned by it; null for other objects.
Watch *watchOf(PyObject *object);

} // namespace gluonc::python
