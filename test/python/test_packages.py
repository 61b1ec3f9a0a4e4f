"""Kernels in packages of several files, imported as Python imports them."""

import importlib
import sys

import numpy as np
import pytest

HEAD = '''
import gluonc as gluon
from gluonc import language as gl
'''
HELPERS = HEAD + '''
SCALE = gl.constexpr(3)

@gluon.jit
def scaled(x):
    return x * SCALE

def width(n):
    return max(range(n))

@gluon.aggregate
class Pair:
    a: gl.tensor
    b: gl.tensor

    @gluon.jit
    def total(self):
        return self.a + self.b
'''
FILES = {
    "mylib/__init__.py": "from .helpers import scaled as renamed",
    "mylib/helpers.py": HELPERS,
    "mylib/sub/__init__.py": "",
    "mylib/sub/inner.py": "from ..helpers import *\nfrom .. import helpers",
    # A package without an __init__.py.
    "mylib/plain/leaf.py": "from mylib.sub.inner import scaled, Pair",
}


@pytest.fixture
def kernel_of(tmp_path, monkeypatch):
    """Imports a file of a package and returns its kernel `k`."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))

    def kernel_of(name, text):
        (tmp_path / (name.replace(".", "/") + ".py")).write_text(HEAD + text)
        importlib.invalidate_caches()
        return importlib.import_module(name).k
    yield kernel_of
    for name in [name for name in sys.modules if name.partition(".")[0] in ("mylib", "user")]:
        del sys.modules[name]


def stored(kernel):
    out = np.zeros(1, np.int32)
    kernel[(1,)](out)
    return out[0]


@pytest.mark.parametrize("imports, call", [
    ("from .helpers import scaled", "scaled"),
    ("from . import helpers", "helpers.scaled"),
    ("from mylib.sub.inner import scaled", "scaled"),
    ("from .sub import inner", "inner.helpers.scaled"),
    ("import mylib.sub.inner", "mylib.sub.inner.scaled"),
    ("import mylib.sub.inner as deep", "deep.scaled"),
    ("import mylib", "mylib.renamed"),
    ("from mylib.plain.leaf import scaled", "scaled"),
])
@pytest.mark.parametrize("name", ["mylib.user", "user"])
def test_every_form_of_import_reaches_a_helper(kernel_of, name, imports, call):
    if name == "user" and imports.startswith("from ."):
        imports = imports.replace("from . ", "from mylib ").replace("from .", "from mylib.")
    assert stored(kernel_of(name, f'''
{imports}

@gluon.jit
def k(p):
    gl.store(p, {call}(2))
''')) == 6


def test_classes_and_constants_come_from_other_files(kernel_of):
    assert stored(kernel_of("mylib.user", '''
from .plain.leaf import Pair
from .sub.inner import SCALE

@gluon.jit
def k(p):
    pair = Pair(gl.to_tensor(4), gl.to_tensor(5))
    gl.store(p, pair.total() * SCALE)
''')) == 27


def test_plain_functions_of_a_module_run_while_a_kernel_is_compiled(kernel_of):
    assert stored(kernel_of("mylib.user", '''
from . import helpers

@gluon.jit
def k(p):
    x: gl.constexpr = helpers.width(8)
    gl.static_assert(x == 7)
    gl.store(p, x + helpers.width(4))
''')) == 10


def test_raise_counts_where_it_is_reached(kernel_of):
    kernel = kernel_of("mylib.user", '''
@gluon.jit
def k(p, N: gl.constexpr = 2):
    if N == 2:
        gl.store(p, N)
    elif N == 3:
        raise ValueError(f"no {N}")
    else:
        raise NotImplementedError
''')
    assert stored(kernel) == 2
    from gluonc import CompilationError
    with pytest.raises(CompilationError, match="raises ValueError: no 3"):
        kernel[(1,)](np.zeros(1, np.int32), 3)
    with pytest.raises(CompilationError, match="raises NotImplementedError"):
        kernel[(1,)](np.zeros(1, np.int32), 4)
