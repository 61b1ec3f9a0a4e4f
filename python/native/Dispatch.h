//===- Dispatch.h - kernel[grid](…) in one call from Python -----------------===//
//
// `Dispatcher` is the base class of gluonc.JITFunction:
//
//   dispatcher._set_parameters(parameters, options)    once, at the first launch
//   dispatcher[grid](*args, **kwargs)                  binds, keys, launches
//   dispatcher._specialize(args, kwargs)               the same without the launch
//
// A launch that was seen before stays in C++. For what is new it calls methods of the
// subclass: _prepare(), _compile(specs, options, device, values, is_warmup), _refuse(…), and where
// something changed that a compiled kernel was told, _is_outdated(resolver).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Limited.h"

struct gluonc_error;
struct gluonc_executable;

namespace gluonc::python {

/// Adds the type `Dispatcher` to a module. False with an exception.
bool addDispatcher(PyObject *module);

/// Whether launches call `_launch_starts(compiled, grid, stream, values)` and, with its result,
/// `_launch_ended(…)`.
void watchLaunches(bool watched);

/// How the dispatcher reaches into a CompiledKernel's `executable`; set by the module.
extern gluonc_executable *(*executableOf)(PyObject *object);
/// Raises what a call of the library reported.
extern void (*raise)(int status, gluonc_error *error);

} // namespace gluonc::python
