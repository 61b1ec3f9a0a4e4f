"""Modules of Triton that libraries import by name."""

import os

import numpy as np
import pytest
from collections import namedtuple
from gluonc._jit import triton_jit
from gluonc._triton import _language as tl
from gluonc._triton import knobs
from gluonc._triton.backends.amd.compiler import HIPBackend
from gluonc._triton.backends.nvidia.compiler import CUDABackend
from gluonc._triton.runtime import cache
from gluonc._triton.runtime.build import compile_module_from_src
from gluonc._triton.runtime._specialize import native_specialize_impl
from gluonc._triton.runtime.jit import MockTensor
from gluonc._triton.tools.ragged_tma import (atomic_add_ragged, create_ragged_descriptor,
                                             load_ragged, store_ragged)
from gluonc._triton.tools.tensor_descriptor import TensorDescriptor


@pytest.fixture
def folder(tmp_path):
    with knobs.cache.scope():
        knobs.cache.dir = str(tmp_path)
        yield tmp_path


MODULE = """
#include <Python.h>
static PyObject *half(PyObject *self, PyObject *number) {
  return PyLong_FromLong(PyLong_AsLong(number) / 2);
}
static PyMethodDef methods[] = {{"half", half, METH_O, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "halves", NULL, -1, methods};
PyMODINIT_FUNC PyInit_halves(void) { return PyModule_Create(&module); }
"""


def test_modules_of_c_are_compiled_once(folder):
    made = compile_module_from_src(MODULE, "halves")
    assert made.half(8) == 4
    again = compile_module_from_src(MODULE, "halves")
    assert again.__file__ == made.__file__ and again.__file__.startswith(str(folder))
    # In its place, not into it: it is loaded.
    (folder / "broken").write_text("no library")
    os.replace(folder / "broken", again.__file__)
    assert compile_module_from_src(MODULE, "halves").half(6) == 3
    with pytest.raises(RuntimeError, match="error"):
        compile_module_from_src("no C", "halves")


def test_a_program_chooses_what_keeps_files(folder):
    class Own(cache.FileCacheManager):
        pass
    knobs.cache.manager_class = Own
    assert isinstance(cache.get_cache_manager("key"), Own)
    knobs.cache.manager_class = None
    assert not isinstance(cache.get_cache_manager("key"), Own)


def test_files_may_be_elsewhere(folder):
    class Elsewhere:
        files = {}

        def __init__(self, key):
            assert key == "key"

        def get(self, names):
            return {name: self.files[name] for name in names if name in self.files}

        def put(self, name, data):
            self.files[name] = data

    knobs.cache.remote_manager_class = Elsewhere
    manager = cache.RemoteCacheManager("key")
    manager.put("text", "a", binary=False)
    manager.put(b"bytes", "b")
    manager.put_group("a", {"a": "", "b": ""})
    group = manager.get_group("a")
    assert sorted(group) == ["a", "b"] and open(group["b"]).read() == "bytes"
    assert manager.get_file("c") is None and not manager.has_file("c")
    del Elsewhere.files["b"]
    assert manager.get_group("a") is None and manager.get_group("c") is None
    assert os.path.exists(group["a"])


@triton_jit
def function():
    return 1


Pair = namedtuple("Pair", "x y")


@pytest.mark.parametrize("value, expected", [
    (None, ("constexpr", None)), (True, ("u1", None)), (1, ("constexpr", 1)), (32, ("i32", "D")),
    (-7, ("i32", "")), (1 << 31, ("i64", "D")), ((1 << 63) + 1, ("u64", "")), (1.5, ("fp32", None)),
    ((1, 16), (("constexpr", "i32"), (1, "D"))),
    (Pair(3, 2.0), (Pair("i32", "fp32"), Pair("", None))),
    (function, ("constexpr", function.cache_key)),
    (MockTensor(tl.float16), ("*fp16", "D")),
    (TensorDescriptor(MockTensor(tl.float16), [64, 64], [64, 1], [16, 16]),
     ("tensordesc<fp16[16, 16]>", None))])
def test_arguments_specialize_in_the_words_of_backends(value, expected):
    for backend in (CUDABackend, HIPBackend):
        assert native_specialize_impl(backend, value, False, True, True) == expected


def test_what_is_not_to_be_specialized():
    assert native_specialize_impl(CUDABackend, 1, False, False, True) == ("i32", None)
    assert native_specialize_impl(CUDABackend, 16, False, True, False) == ("i32", "")
    assert native_specialize_impl(CUDABackend, MockTensor(tl.int8), True, False, True) == ("*ki8", None)
    with pytest.raises(TypeError, match="ndarray|object"):
        native_specialize_impl(CUDABackend, object(), False, True, True)


@triton_jit
def move_part(x, y, x_start, y_start, x_size, y_size, DIM: tl.constexpr, ADDS: tl.constexpr):
    at = [0] * len(x.block_shape[2:])
    block = load_ragged(x, x_start, x_size, at, DIM)
    if ADDS:
        atomic_add_ragged(y, y_start, y_size, at, block, DIM)
    else:
        store_ragged(y, y_start, y_size, at, block, DIM)


@pytest.mark.parametrize("dim, adds", [(0, False), (0, True), (1, False)])
def test_parts_of_tensors_end_where_they_should(dim, adds):
    random = np.random.default_rng(7)
    shape, block = ((100, 20), [32, 32]) if dim == 0 else ((2, 100, 20), [2, 32, 32])
    x, y = (random.random(shape, np.float32) for _ in range(2))
    before, expected = y.copy(), np.zeros_like(y)
    rows = (slice(None),) * dim
    expected[(*rows, slice(51, 68))] = x[(*rows, slice(42, 59))]
    # The chip has masked accesses for it, those of the launch's may be others.
    move_part[(1,)](create_ragged_descriptor(x, block, dim), create_ragged_descriptor(y, block, dim), 42,
                    51, 17, 24, dim, adds, arch="sm80")
    inside = (*rows, slice(51, 75))
    outside = np.ones(shape, bool)
    outside[inside] = False
    assert (y[outside] == before[outside]).all()
    assert np.allclose(y[inside], expected[inside] + before[inside] * adds)


def test_ragged_descriptors_say_what_they_cannot_describe():
    for tensor, block, dim in ((np.zeros(16), [16], 0), (np.zeros((16, 16)), [16, 16], 1),
                               (np.zeros((16, 16)), [16], 0), (np.zeros((2, 2, 2, 16)), [1] * 4, 0)):
        with pytest.raises(ValueError):
            create_ragged_descriptor(tensor, block, dim)
