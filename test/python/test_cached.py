"""What the cache of compiled kernels takes for equal, across processes."""

import os
import subprocess
import sys

# Prints the PTX of k, as a launch on a GPU would find or make it.
TAIL = """
class Compiled(gluon.JITFunction):
    def _compile(self, specs, options, device, values, is_warmup):
        made = engine().make(self._specialization(specs, options), "cuda:80", False)
        print(made.code("ptx").decode())
        raise SystemExit
Compiled(k.fn).warmup(gl.int32, *ARGUMENTS)
"""
HEAD = """
import sys
import gluonc as gluon
from gluonc import language as gl
from gluonc._engine import engine
V = int(sys.argv[1])
ARGUMENTS = ()
"""


def numbers(text, tmp_path, value):
    """Of 1111 and 2222 those that are in the kernel's code, where V is `value`."""
    path = tmp_path / "program.py"
    path.write_text(HEAD + text + TAIL)
    paths = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run([sys.executable, path, str(value)], capture_output=True, text=True,
                          timeout=120, env={**os.environ, "PYTHONPATH": paths,
                                            "GLUONC_CACHE_DIR": str(tmp_path / "cache")})
    assert done.returncode == 0, done.stderr
    return [number for number in ("1111", "2222") if number in done.stdout]


def check(text, tmp_path):
    """V is 1111 in one run and 2222 in the next: so must the kernel's code be. The third run is
    served from the cache."""
    assert numbers(text, tmp_path, 1111) == ["1111"]
    assert numbers(text, tmp_path, 2222) == ["2222"]
    assert len(list(tmp_path.rglob("*.entry"))) == 2
    assert numbers(text, tmp_path, 1111) == ["1111"]
    assert len(list(tmp_path.rglob("*.entry"))) == 2


def test_defaults(tmp_path):
    check("""
@gluon.jit
def helper(v, c: gl.constexpr = V):
    return v + c

@gluon.jit
def k(x):
    gl.store(x, helper(gl.program_id(0)))
""", tmp_path)


def test_definitions_under_a_condition(tmp_path):
    check("""
if V == 1111:
    @gluon.jit
    def helper(v):
        return v + 1111
else:
    @gluon.jit
    def helper(v):
        return v + 2222

@gluon.jit
def k(x):
    gl.store(x, helper(gl.program_id(0)))
""", tmp_path)


def test_functions_in_a_tuple(tmp_path):
    check("""
@gluon.jit
def one(v):
    return v + 1111

@gluon.jit
def two(v):
    return v + 2222

PICK = gl.constexpr((one, two) if V == 1111 else (two, one))

@gluon.jit
def k(x):
    gl.store(x, PICK[0](gl.program_id(0)))
""", tmp_path)


def test_functions_as_arguments(tmp_path):
    check("""
def make(c):
    c = gl.constexpr(c)

    @gluon.jit
    def scaled(v):
        return v * c
    return scaled

@gluon.jit
def k(x, f: gl.constexpr):
    gl.store(x, f(gl.program_id(0)))

ARGUMENTS = (make(V),)
""", tmp_path)


def test_a_cache_that_others_may_write_is_refused_and_told_once(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("""
import gluonc as gluon
from gluonc import language as gl
from gluonc._triton.backends.compiler import GPUTarget

@gluon.jit
def k(x, N: gl.constexpr):
    gl.store(x, N)

for n in range(2):
    gluon.compile(gluon.ASTSource(k, {"x": "*i32"}, {"N": n}), target=GPUTarget("cuda", 80, 32))
""")
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(0o770)
    paths = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": paths, "GLUONC_CACHE_DIR": str(cache)})
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(f"`{cache}` may be written by others than its owner") == 1
    assert done.stdout == ""
    assert list(cache.iterdir()) == []
