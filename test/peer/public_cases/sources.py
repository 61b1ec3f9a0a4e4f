"""Modules of public repositories as the cases import them, and how their results are compared."""

import importlib.abc
import importlib.machinery
import os
import pathlib
import sys
import types

import torch


class Absent(types.ModuleType):
    """A module that is not installed, or something in it: it can be named, and used as a decorator."""

    def __init__(self, name):
        super().__init__(name)
        self.__path__ = []

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Absent(f"{self.__name__}.{name}")

    def __call__(self, *args, **kwargs):
        return args[0] if len(args) == 1 and not kwargs and callable(args[0]) else self

    def __mro_entries__(self, bases):
        return ()

    def __or__(self, other):
        return self

    __ror__ = __getitem__ = __or__


class Bare(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Packages whose own file stays unread: what it imports is not needed, or not installed."""

    def __init__(self, folders, names):
        self.folders, self.names = folders, names

    def find_spec(self, name, path=None, target=None):
        if name not in self.names:
            return None
        places = [str(folder / name.replace(".", "/")) for folder in self.folders]
        spec = importlib.machinery.ModuleSpec(name, self, is_package=True)
        spec.submodule_search_locations = [place for place in places if pathlib.Path(place).is_dir()]
        return spec

    def exec_module(self, module):
        pass


class Missing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Packages that are not installed, which the case does without."""

    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in self.names:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        pass


class Renamed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """`tokenspeed_triton` is a build of Triton under another name."""

    def find_spec(self, name, path=None, target=None):
        top, _, rest = name.partition(".")
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if top == "tokenspeed_triton" else None

    def create_module(self, spec):
        return importlib.import_module("triton" + spec.name.removeprefix("tokenspeed_triton"))

    def exec_module(self, module):
        pass


# The folder of the case's repository.
top = None


def add(folder, case):
    """Lets this process import the files that a case needs."""
    global top
    top = pathlib.Path(folder).resolve() / case.file.split("/")[0]
    folders = [top / path for path in case.paths] or [top]
    os.environ.update(case.settings)
    sys.path[:0] = map(str, folders)
    sys.meta_path.insert(0, Bare(folders, case.bare))
    sys.meta_path.insert(0, Renamed())
    sys.meta_path.append(Missing(case.absent))


def difference(got, expected, tolerance):
    """"" where two results agree, else how far they are apart."""
    got, expected = torch.as_tensor(got).cpu(), torch.as_tensor(expected).cpu()
    if got.shape != expected.shape:
        return f"its shape is {tuple(got.shape)}, not {tuple(expected.shape)}"
    if not tolerance:
        wrong = (got != expected).sum().item()
        return f"{wrong} of {expected.numel()} elements are others" if wrong else ""
    got, expected = got.double(), expected.double()
    infinite = ~expected.isfinite()
    if not torch.equal(got[infinite].nan_to_num(1e30), expected[infinite].nan_to_num(1e30)):
        return "infinities or NaN are elsewhere"
    got, expected = got[~infinite], expected[~infinite]
    largest = expected.abs().max().item() if expected.numel() else 0
    apart = (got - expected).abs().max().item() if expected.numel() else 0
    return "" if apart <= tolerance * max(largest, 1e-30) else f"{apart:.3g} from values of up to {largest:.3g}"


def on_cpu(value):
    """Tensors of a nest as they are on the CPU, floats in float64."""
    if isinstance(value, torch.Tensor):
        value = value.detach().cpu()
        return value.double() if value.is_floating_point() else value
    return type(value)(map(on_cpu, value)) if isinstance(value, (list, tuple)) else value


def same_gradients(ours, theirs, inputs, tolerance, wanted=None):
    """Results of both, and gradients with respect to those `inputs` that are floats (or to `wanted`): `ours` on the
    simulated GPU, `theirs` in float64 on the CPU."""
    wanted = [i for i, x in enumerate(inputs) if isinstance(x, torch.Tensor) and x.is_floating_point()] \
        if wanted is None else wanted
    exact = on_cpu(list(inputs))
    inputs = [x.detach().clone() if isinstance(x, torch.Tensor) else x for x in inputs]
    for i in wanted:
        inputs[i].requires_grad_()
        exact[i].requires_grad_()
    got, expected = ours(*inputs), theirs(*exact)
    yield "result", got, expected, tolerance
    if wanted:
        weight = torch.randn(expected.shape, dtype=torch.float32)
        got.backward(weight.to(got.dtype).to(got.device))
        expected.backward(on_cpu(weight.to(got.dtype)))
        for i in wanted:
            yield f"gradient of {i}", inputs[i].grad, exact[i].grad, tolerance


class _Few:
    """A plugin of pytest: runs at most so many tests, spread over those that are there, and keeps what fails."""

    def __init__(self, count):
        self.count, self.passed, self.error = count, 0, None

    def pytest_collection_modifyitems(self, items):
        step = max(1, len(items) // self.count)
        items[:] = items[::step][:self.count]

    def pytest_runtest_makereport(self, item, call):
        if call.excinfo is not None and not call.excinfo.errisinstance(_skipped()):
            self.error = self.error or call.excinfo.value
        elif call.when == "call" and call.excinfo is None:
            self.passed += 1

    def pytest_collectreport(self, report):
        if report.failed:
            self.error = RuntimeError(report.longreprtext)


def _skipped():
    import pytest
    return pytest.skip.Exception


def run_tests(file, select="", count=4):
    """Runs tests of the repository's own, each of which compares with a function of its own; raises what the first
    one that fails does."""
    import pytest
    few = _Few(count)
    pytest.main(["-q", "-x", "-p", "no:cacheprovider", *(["-k", select] if select else []), str(file)], plugins=[few])
    if few.error is not None:
        raise few.error
    if few.passed:
        yield f"{few.passed} tests", True, True, 0
