"""pytest plugin for the peer's side: the installed Triton collects tests that are newer than it.

Names that it lacks become placeholders. Predicates on devices that it does not know are false;
everything else can be named in decorators and parameters, and fails the case that uses it. With
them come the fixtures that Triton's tests take from a conftest.py of their tree.
"""

import importlib.abc
import importlib.machinery
import inspect
import os
import sys
import types

import pytest

# Triton asks for the device while tests are collected, and a process that has touched the GPU must
# not fork. So PEER_PRETEND=90 answers in its place until end_pretence(); it also lets a machine
# without GPU check what would be collected.
_pretended = int(os.environ.get("PEER_PRETEND", "0"))
if _pretended:
    import torch
    import triton
    from triton.backends.compiler import GPUTarget

    class _Pretended:
        def get_current_target(self):
            return GPUTarget("cuda", _pretended, 32)

    triton.runtime.driver.set_active(_Pretended())
    _real_capability = torch.cuda.get_device_capability
    torch.cuda.get_device_capability = lambda *_: divmod(_pretended, 10)
    _real_name = torch.cuda.get_device_name
    torch.cuda.get_device_name = lambda *_: ""


def end_pretence():
    if _pretended:
        # Who asks next gets the real one.
        triton.runtime.driver._active = None
        torch.cuda.get_device_capability = _real_capability
        torch.cuda.get_device_name = _real_name


import triton._internal_testing
import triton.experimental.gluon.language  # noqa: F401
import triton.experimental.gluon.nvidia.hopper  # noqa: F401


class Missing:
    """Stands for something that the installed Triton lacks."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(f"{self._name}.{name}")

    def __call__(self, *args, **kwargs):
        return Missing(f"{self._name}()")

    def __mro_entries__(self, bases):
        return ()

    def __repr__(self):
        return f"<missing {self._name}>"


def _fill(module):
    """Lets a module answer for every name."""
    name = module.__name__

    def __getattr__(attribute):
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        if name == "triton._internal_testing" and attribute.startswith("is_"):
            return lambda *_: False
        return Missing(f"{name}.{attribute}")

    if "__getattr__" not in vars(module):
        module.__getattr__ = __getattr__


def _tolerate(cls):
    """Has a constructor give a placeholder for parameters that it does not have."""
    parameters = inspect.signature(cls.__init__)

    def __new__(cls, *args, **kwargs):
        try:
            # Copies are made without arguments.
            if args or kwargs:
                parameters.bind(None, *args, **kwargs)
        except TypeError:
            return Missing(f"{cls.__name__}({', '.join(kwargs)})")
        return object.__new__(cls)

    cls.__new__ = __new__


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules of Triton that are not there; asked after all others."""

    def find_spec(self, name, path=None, target=None):
        if name.startswith("triton."):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__path__ = []
        return module

    def exec_module(self, module):
        _fill(module)


def _install():
    for name, module in list(sys.modules.items()):
        if name == "triton._internal_testing" or name.startswith("triton.experimental.gluon"):
            _fill(module)
        if name.startswith("triton.experimental.gluon.language"):
            for value in list(vars(module).values()):
                if isinstance(value, type) and value.__name__.endswith("Layout") \
                        and "__new__" not in vars(value):
                    _tolerate(value)
    sys.meta_path.append(_Finder())


_install()


@pytest.fixture
def device():
    return "cuda"


@pytest.fixture
def fresh_knobs():
    start, stop = triton._internal_testing._fresh_knobs_impl(skipped_attr={"build", "nvidia", "amd"})
    try:
        yield start()
    finally:
        stop()


@pytest.fixture
def fresh_triton_cache():
    yield None


@pytest.fixture
def process_pool():
    yield None


@pytest.fixture
def with_allocator():
    import triton
    triton.set_allocator(triton._internal_testing.default_alloc_fn)
    try:
        yield
    finally:
        triton.set_allocator(triton.runtime._allocation.NullAllocator())
