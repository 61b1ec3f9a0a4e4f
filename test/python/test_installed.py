"""python -m gluonc beside an installed Triton: everything but Gluon stays what it is there."""

import os
import subprocess
import sys

import pytest

# As much of Triton as a library touches; its Gluon must not be imported.
TRITON = {
    "__init__.py": '''
__version__ = "9.9.9"
from triton.runtime.jit import JITFunction, constexpr_function, jit
from triton.runtime.autotuner import Autotuner, autotune

@constexpr_function
def cdiv(x, y):
    return -(-x // y)
''',
    "experimental/__init__.py": "",
    "experimental/gluon/__init__.py": "raise SystemExit('the Gluon of the installed Triton')",
    "backends/__init__.py": "",
    "backends/compiler.py": '''
class GPUTarget:
    def __init__(self, backend, arch, warp_size):
        self.backend, self.arch, self.warp_size = backend, arch, warp_size
''',
    "language/__init__.py": '''
from triton.language.core import arange, constexpr, debug_barrier, dtype, float16, float32, pointer_type
''',
    "language/core.py": '''
class constexpr:
    def __init__(self, value):
        self.value = value

class dtype:
    def __init__(self, name):
        self.name = name

class pointer_type(dtype):
    def __init__(self, element_ty, address_space=1, const=False):
        self.element_ty, self.address_space, self.const = element_ty, address_space, const

float16, float32 = dtype("fp16"), dtype("fp32")

def arange(*_, **__):
    raise RuntimeError("called outside of a kernel")

def debug_barrier():
    pass
''',
    "runtime/__init__.py": "from triton.runtime.driver import driver",
    "runtime/driver.py": '''
class DriverConfig:
    def __init__(self):
        self.active = None

    def set_active(self, driver):
        self.active = driver

driver = DriverConfig()
''',
    "runtime/errors.py": '''
class OutOfResources(Exception):
    pass
''',
    "runtime/jit.py": '''
class JITFunction:
    def __init__(self, fn):
        self.fn, self.__name__, self.__module__ = fn, fn.__name__, fn.__module__

class ConstexprFunction(JITFunction):
    def __call__(self, *args):
        return self.fn(*args)

jit = JITFunction
constexpr_function = ConstexprFunction
''',
    "runtime/autotuner.py": '''
from triton.runtime.errors import OutOfResources
from triton.runtime.jit import JITFunction

class Autotuner:
    def __init__(self, fn, configs):
        self.fn, self.configs = fn, configs
        while not isinstance(fn, JITFunction):
            fn = fn.fn
        self.key = fn.cache_key

    def run(self, *args, grid):
        for config in self.configs:
            try:
                return self.fn.run(*args, grid=grid, warmup=False, **config)
            except OutOfResources:
                pass

def autotune(configs):
    return lambda fn: Autotuner(fn, configs)
''',
}

HEAD = '''
import numpy as np
import triton
import triton.language as tl
from triton import cdiv
from triton.language import float16
from triton.runtime.autotuner import Autotuner
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
import gluonc

SCALE = tl.constexpr(3)
NARROW = tl.float16
layout = gl.BlockedLayout([1], [32], [4], [0])

@triton.jit
def scaled(x, by: tl.constexpr):
    tl.debug_barrier()
    return x * by

@triton.constexpr_function
def twice(x):
    return 2 * x

@gluon.jit
def fill(dst, n, BLOCK: tl.constexpr, T: gl.constexpr):
    at = gl.program_id(0) * BLOCK + tl.arange(0, BLOCK, layout)
    value = scaled(at, SCALE).to(T) + cdiv(5, 4) + triton.cdiv(1, 1) + twice(4)
    gl.store(dst + at, value.to(NARROW).to(float16).to(tl.float32), mask=at < n)

def filled(T):
    dst = np.zeros(200, np.float32)
    fill[(triton.cdiv(200, 128),)](dst, 200, tl.constexpr(128), T)
    assert (dst == 3 * np.arange(200) + 11).all(), dst
'''


@pytest.fixture
def run(tmp_path):
    for name, text in TRITON.items():
        path = tmp_path / "site" / "triton" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(body, *options, **variables):
        script = tmp_path / "script.py"
        script.write_text(body)
        paths = [str(tmp_path / "site"), os.environ.get("PYTHONPATH", "")]
        done = subprocess.run([sys.executable, "-m", "gluonc", *options, str(script)], text=True,
                              capture_output=True, timeout=120,
                              env={**os.environ, "GLUONC_TRITON": "installed",
                                   "PYTHONPATH": os.pathsep.join(paths), **variables})
        assert done.returncode == 0, done.stderr
        return done.stdout
    return run


def test_the_installed_triton_stays_but_for_gluon(run):
    run(HEAD + '''
assert triton.__version__ == "9.9.9" and tl.__file__.endswith("site/triton/language/__init__.py")
assert triton.runtime.__name__ == "triton.runtime" and Autotuner.__module__ == "triton.runtime.autotuner"
assert gluon is gluonc and gl is gluonc.language and triton.experimental.gluon is gluonc
''')


def test_kernels_use_names_and_functions_of_the_installed_triton(run):
    run(HEAD + '''
filled(tl.float32)
filled(gl.float32)
''')


def test_a_type_of_the_installed_triton_fixes_a_parameter(run):
    run(HEAD + '''
@gluon.jit
def half(dst, x: tl.float16):
    gl.static_assert(x.dtype == gl.float16)
    gl.store(dst, x.to(gl.float32))

dst = np.zeros(1, np.float32)
half[(1,)](dst, 0.5)
assert dst[0] == 0.5
''')


def test_the_autotuner_of_the_installed_triton_takes_kernels(run):
    run(HEAD + '''
tuned = triton.autotune([{"BLOCK": 64, "T": tl.float32}])(fill)
dst = np.zeros(60, np.float32)
tuned.run(dst, 60, grid=(1,))
assert dst[59] == 3 * 59 + 11 and len(tuned.key) == 64
other = triton.autotune([])(gluon.jit(scaled.fn))
assert other.key != tuned.key
''')


def test_errors_are_those_that_the_installed_triton_catches(run):
    run(HEAD + '''
from triton.runtime.errors import OutOfResources
try:
    raise gluonc.errors.OutOfResources(2, 1, "shared memory")
except OutOfResources as problem:
    assert problem.required == 2
''')


def test_the_simulated_gpu_is_the_device_of_the_installed_triton(run):
    run(HEAD + '''
target = triton.runtime.driver.active.get_current_target()
assert (target.backend, target.arch, target.warp_size) == ("cuda", 90, 32)
assert type(target).__module__ == "triton.backends.compiler"
try:
    triton.runtime.driver.active.launcher_cls
except gluonc.Unavailable as problem:
    assert "runs kernels of Gluon only" in str(problem)
else:
    raise SystemExit("a kernel of Triton would have been launched")
''', "--simulate", "cuda:90a")


CHILD = '''
import subprocess, sys
child = "import triton, triton.experimental.gluon as g; print(triton.__version__, g.__name__)"
print(subprocess.run([sys.executable, "-c", child], capture_output=True, text=True).stdout)
'''


def test_children_leave_the_installed_triton_in_place(run):
    assert "9.9.9 gluonc" in run(HEAD + CHILD)


def test_the_installed_triton_can_be_hidden(run):
    hidden = '''
import gluonc, triton, triton.experimental.gluon
assert triton.__version__ != "9.9.9" and triton.JITFunction is gluonc.JITFunction
''' + CHILD
    assert "gluonc" in run(hidden, "--triton", "own")
    assert "9.9.9" not in run(hidden, GLUONC_TRITON="own")


# As Inductor starts its compile workers, and those what they start.
HANDED_ON = '''
import os, subprocess, sys
code = "import os, subprocess, sys\\nif len(sys.argv) > 1:\\n    " + """subprocess.run(
    [sys.executable, "-c", sys.argv[1]], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, check=True)
import triton
print(triton.__name__, triton.__version__)"""
subprocess.run([sys.executable, "-c", code, code], check=True,
               env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
'''


def test_children_that_get_the_path_of_modules_answer_in_the_same_way(run):
    hidden = run(HANDED_ON, "--triton", "own").splitlines()
    assert len(hidden) == 2 and all("9.9.9" not in line for line in hidden)
    assert run(HANDED_ON).splitlines() == ["triton 9.9.9"] * 2


def test_a_triton_without_a_place_for_gluon_is_hidden(run, tmp_path):
    (tmp_path / "site/triton/experimental/gluon/__init__.py").unlink()
    (tmp_path / "site/triton/experimental/__init__.py").unlink()
    run("import gluonc, triton.experimental.gluon as g\nassert g is gluonc")


def test_descriptors_for_amd_have_two_names(run):
    run(HEAD + '''
from triton.experimental.gluon.amd.gfx1250 import TensorDescriptor
from triton.experimental.gluon.amd import cdna5
assert cdna5.TensorDescriptor is TensorDescriptor and not isinstance(1, TensorDescriptor)
rows = gl.SwizzledSharedLayout(1, 1, 1, [0])
made = TensorDescriptor.from_tensor(np.zeros(8, np.float32), [8], rows)
assert made.strides == [1] and made.__gluonc_descriptor_type__.startswith("tensordesc<fp32[8],")
''')
