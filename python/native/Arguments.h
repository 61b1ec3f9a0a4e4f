//===- Arguments.h - One launch's arguments, sorted by what becomes of them ---===//
//
// Walks the arguments once and writes two rows of words: the key of the specialization
// and the slots of the launch. `specs` turns a key back into what the compiler is told,
// so that a key cannot mean two things.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Tensors.h"
#include "gluonc/gluonc.h"

#include <array>
#include <memory>
#include <vector>

namespace gluonc::python {

/// A parameter of a kernel, or an option of the launch, which is keyed like a constexpr.
struct Parameter {
  PyObject *name = nullptr;
  /// Null where the argument must be given.
  PyObject *defaultValue = nullptr;
  bool isConstexpr = false;
  bool isKeywordOnly = false;
  bool isVariadic = false;
  /// Whether values of 1, and multiples of 16, are told to the compiler.
  bool specializes = true, specializesAlignment = true;
  /// Number of the type that an annotation fixes; negative where there is none.
  int64_t type = -1;
  /// The numeric::ScalarKind of a standard float type; 0 for what is none.
  unsigned floatKind = 0;
  /// The last compile-time value that had to be looked up, weakly where that can be, and its
  /// number.
  mutable PyObject *lastValue = nullptr;
  mutable uint64_t lastNumber = 0;
};

/// A row of words that rarely outgrows its own storage.
template <size_t inlineWords> class Words {
public:
  void push(uint64_t word) {
    if (count < inlineWords) [[likely]]
      words[count] = word;
    else
      spill(word);
    ++count;
  }
  const uint64_t *data() const { return more.empty() ? words.data() : more.data(); }
  size_t size() const { return count; }

private:
  void spill(uint64_t word) {
    if (more.empty())
      more.assign(words.begin(), words.end());
    more.push_back(word);
  }
  std::array<uint64_t, inlineWords> words;
  size_t count = 0;
  std::vector<uint64_t> more;
};

class Arguments {
public:
  /// `numbers` is the kernel's gluonc._signature.Numbers.
  explicit Arguments(PyObject *numbers) : numbers(numbers) {}
  Arguments(const Arguments &) = delete;
  ~Arguments() {
    for (size_t i = 0; i != objects.size(); ++i)
      Py_DECREF(reinterpret_cast<PyObject *>(objects.data()[i]));
  }

  /// Adds the argument of a parameter. False with an exception.
  bool add(const Parameter &parameter, PyObject *value);
  /// Adds a compile-time value: an option.
  bool addConstant(const Parameter &parameter, PyObject *value);

  Words<96> key;
  Words<64> slots;
  /// What numbers in the key stand for, in their order: compile-time values, classes of tuples.
  Words<16> objects;
  /// Host memory of the tensors, for the simulator.
  struct Range {
    PyObject *name;
    Tensor tensor;
  };
  std::vector<Range> ranges;
  /// Where the tensors are: one place.
  int device = noMemory;
  bool isMixed = false;
  /// Of the first CUDA tensor that has one; tells the stream.
  const ExchangeApi *api = nullptr;

private:
  bool addRuntime(const Parameter &parameter, PyObject *value);
  bool addInteger(const Parameter &parameter, PyObject *value);
  bool addFloat(const Parameter &parameter, double value);
  bool addTuple(const Parameter &parameter, PyObject *value);
  bool addObject(const Parameter &parameter, PyObject *value);
  bool addDescribed(const Parameter &parameter, PyObject *value, PyObject *described);
  bool addTensor(const Parameter &parameter, const Tensor &tensor);
  bool addDescriptor(const Parameter &parameter, PyObject *value);
  bool look(PyObject *value, Tensor &tensor, PyObject *&owner);
  void place(const Parameter &parameter, const Tensor &tensor);
  bool number(const Parameter &parameter, PyObject *value, uint64_t &found);

  PyObject *numbers;
  /// What slots of descriptors point to.
  std::vector<std::unique_ptr<gluonc_tensor>> tensors;
};

/// The specs of arguments, as a list of pairs (kind, value) that Kernel.specialize takes: objects
/// are left to Python. Null with an exception.
PyObject *specs(const std::vector<Parameter> &parameters, const Arguments &arguments);

/// What gluonc._signature supplies: Numbers, describe(value), and the class of constexprs.
struct Hooks {
  PyObject *numbersType = nullptr;
  PyObject *describe = nullptr;
  PyTypeObject *constexprType = nullptr;
  /// gluonc._tensors.reachable; null while there is no such memory.
  PyObject *reachable = nullptr;
  static Hooks &get();
};

} // namespace gluonc::python
