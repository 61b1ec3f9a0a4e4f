#!/usr/bin/env python3
"""The launches of Triton's Gluon tutorials as arguments of `gluonc run`, as JSON: [[file, kernel, [argument…]]].

    tutorial_launches.py FOLDER [--scale N]

Runs each configuration that tutorial_cases.py has, its problem N times smaller along each dim, on simulated
tensors, and writes down what is launched in place of launching it. Launches with arguments that have no
expression in a file (instances of classes that a function made) are left out; how many goes to stderr.
"""

import argparse
import json
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

from gluonc import _simulated  # noqa: E402

_simulated.activate("cuda:90a")

import torch  # noqa: E402

import sides  # noqa: E402
import tutorial_cases  # noqa: E402
import tutorials  # noqa: E402
from gluonc._jit import JITFunction  # noqa: E402

OPTIONS = {"num_warps": "--num-warps", "num_ctas": "--num-ctas", "num_stages": "--num-stages", "maxnreg": "--maxnreg"}


class NoExpression(Exception):
    pass


def dtype_text(dtype):
    names = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.int32: "i32", torch.int64: "i64"}
    if dtype not in names:
        raise NoExpression(str(dtype))
    return names[dtype]


def tensor_text(tensor):
    """A tensor of that shape, type and order of dims; what is in it decides nothing."""
    shape = list(tensor.shape)
    if tensor.is_contiguous():
        return f"randn({tuple(shape)}, {dtype_text(tensor.dtype)})"
    if tensor.dim() == 2 and tensor.T.is_contiguous():
        return f"randn({tuple(shape[::-1])}, {dtype_text(tensor.dtype)}).T"
    raise NoExpression(f"strides {tensor.stride()}")


def value_text(value):
    if isinstance(value, torch.Tensor):
        return tensor_text(value)
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value)
    if hasattr(value, "block_shape") and hasattr(value, "base"):
        layout = f", {value_text(value.layout)}" if getattr(value, "layout", None) is not None else ""
        return f"TensorDescriptor.from_tensor({tensor_text(value.base)}, {list(value.block_shape)}{layout})"
    if isinstance(value, (list, tuple)):
        inner = ", ".join(value_text(each) for each in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner},)"
    name = type(value).__name__
    if name.endswith("Layout"):
        return f"gl.{value!r}"
    if name == "dtype":
        return f"gl.{value}"
    # Classes and functions of the file have their names there.
    own = getattr(value, "__name__", "")
    if own and "<locals>" not in getattr(value, "__qualname__", ""):
        return own
    raise NoExpression(name)


class Recorder:
    """In place of a kernel in a tutorial's module."""

    def __init__(self, kernel, file, found):
        self.kernel, self.file, self.found, self.left_out = kernel, file, found, 0

    def __getattr__(self, name):
        return getattr(self.kernel, name)

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.record(grid, args, kwargs)

    def record(self, grid, args, kwargs):
        names = [parameter.name for parameter in self.kernel.params]
        values = {**dict(zip(names, args)), **{name: kwargs[name] for name in names if name in kwargs}}
        if callable(grid):
            grid = grid(values)
        try:
            arguments = [f"{name}={value_text(value)}" for name, value in values.items()]
        except NoExpression:
            self.left_out += 1
            return
        arguments += ["--grid", ",".join(str(size) for size in (grid if isinstance(grid, (tuple, list)) else (grid, )))]
        for name, option in OPTIONS.items():
            if kwargs.get(name) is not None:
                arguments += [option, str(kwargs[name])]
        entry = [str(self.file), self.kernel.__name__, arguments]
        if entry not in self.found:
            self.found.append(entry)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--scale", type=int, default=16)
    options = parser.parse_args()
    side = sides.load_own(options.folder, tutorial_cases.FILES)
    found, recorders = [], []
    for module in side.tutorials.values():
        for attribute, value in list(vars(module).items()):
            if isinstance(value, JITFunction) and attribute == value.__name__:
                file = pathlib.Path(value.fn.__code__.co_filename).resolve()
                recorders.append(Recorder(value, file, found))
                setattr(module, attribute, recorders[-1])
    problem = tensors = None
    failed = 0
    for case in tutorial_cases.all_cases(side, options.scale):
        if case.problem != problem:
            problem, tensors = case.problem, tutorials.make_tensors(case.problem)
        try:
            tutorials.Timed(side, case, tensors).launch()
        except Exception as error:  # A problem that is too small for it.
            failed += 1
            print(f"{case.name}: {type(error).__name__}: {error}"[:200], file=sys.stderr)
    left_out = sum(recorder.left_out for recorder in recorders)
    print(f"{len(found)} launches, {left_out} without an expression, {failed} cases that do not fit", file=sys.stderr)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
