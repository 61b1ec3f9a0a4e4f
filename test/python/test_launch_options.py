"""Options of launches that few kernels need: libraries, subnormal numbers, ptxas, waves."""

import gluonc
import numpy as np
import pytest
from gluonc._compile import ASTSource
from gluonc._jit import triton_jit
from gluonc._triton import _language as tl
from gluonc._triton._language import core
from gluonc.errors import NotSupportedYet

LIBRARY = """target triple = "nvptx64-nvidia-cuda"
define float @plus_seven(float %x) {
  %y = fadd float %x, 7.000000e+00
  ret float %y
}
"""


@core.extern
def plus_seven(x, _semantic=None):
    return core.extern_elementwise("lib", "", [x], {
        (core.dtype("fp32"),): ("plus_seven", core.dtype("fp32")),
    }, is_pure=True, _semantic=_semantic)


@triton_jit
def calls(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, plus_seven(tl.load(x + at)))


@triton_jit
def powers(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, tl.exp2(tl.load(x + at)) + tl.sqrt(tl.load(x + at)))


@triton_jit
def doubles(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, tl.load(x + at) + tl.load(x + at))


@triton_jit
def named_alike(x, ptx_version, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), ptx_version)


def compiled(kernel, target="cuda:90a", **options):
    source = ASTSource(kernel, {"x": "*fp32", "out": "*fp32", "N": "constexpr"}, {"N": 128})
    return gluonc.compile(source, target, options)


@pytest.fixture
def library(tmp_path):
    path = tmp_path / "library.ll"
    path.write_text(LIBRARY)
    return str(path)


def test_functions_of_libraries_are_linked(library):
    for libraries in ({"lib": library}, (("lib", library),)):
        text = compiled(calls, extern_libs=libraries).asm["ptx"]
        assert "0f40E00000" in text and "plus_seven" not in text


def test_the_contents_of_a_library_count(library, tmp_path):
    before = compiled(calls, extern_libs={"lib": library})
    (tmp_path / "library.ll").write_text(LIBRARY.replace("7.0", "8.0"))
    after = compiled(calls, extern_libs={"lib": library})
    assert "0f41000000" in after.asm["ptx"] and before.metadata.hash != after.metadata.hash


def test_a_library_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(gluonc.CompilationError, match="cannot read `.*nowhere.bc`"):
        compiled(calls, extern_libs={"lib": str(tmp_path / "nowhere.bc")})
    with pytest.raises(gluonc.CompilationError, match="`plus_seven`, which no library of the launch has"):
        compiled(calls).asm["ptx"]


def test_the_simulator_executes_functions_of_libraries(library):
    x = np.arange(128, dtype=np.float32)
    out = np.zeros(128, np.float32)
    calls[(1,)](x, out, N=128, extern_libs={"lib": library})
    assert (out == x + 7).all()
    with pytest.raises(gluonc.CompilationError, match="the simulator cannot execute `plus_seven`"):
        calls[(1,)](x, out, N=128)


def test_subnormal_numbers_are_kept_on_demand():
    flushing, keeping = compiled(powers), compiled(powers, enable_reflect_ftz=False)
    assert flushing.metadata.enable_reflect_ftz and not keeping.metadata.enable_reflect_ftz
    for name in ("ex2.approx", "sqrt.approx"):
        assert f"{name}.ftz.f32" in flushing.asm["ptx"]
        assert f"{name}.f32" in keeping.asm["ptx"]
    assert ".ftz" not in keeping.asm["ptx"]


def test_the_version_of_ptx_is_chosen():
    assert ".version 8.6" in compiled(powers, ptx_version=86).asm["ptx"]
    assert ".version 8.6" not in compiled(powers).asm["ptx"]


def test_integers_may_overflow_if_a_launch_says_so():
    x = np.full(128, 2**30, np.int32)
    out = np.zeros(128, np.int32)
    doubles[(1,)](x, out, N=128, debug=True, sanitize_overflow=False)
    assert (out == -2**31).all()
    with pytest.raises(gluonc.KernelFault, match="int32 overflow detected for operation add"):
        doubles[(1,)](x, out, N=128, debug=True)


def test_waves_are_asked_for():
    assert '"amdgpu-waves-per-eu"="3"' in compiled(powers, "hip:gfx942", waves_per_eu=3).asm["llir"]
    assert "waves-per-eu" not in compiled(powers, "hip:gfx942").asm["llir"]


def test_options_are_known_or_refused():
    out = np.zeros(128, np.float32)
    with pytest.raises(NotSupportedYet, match="does not have the launch option clc"):
        powers[(1,)](out, out.copy(), N=128, clc=True)
    with pytest.raises(NotSupportedYet, match="default_dot_input_precision"):
        compiled(powers, default_dot_input_precision="ieee")
    with pytest.raises(KeyError, match="num_wraps was specified but unrecognised"):
        powers[(1,)](out, out.copy(), N=128, num_wraps=4)


def test_a_parameter_hides_an_option_of_its_name():
    x = np.zeros(128, np.float32)
    named_alike[(1,)](x, 3.0, N=128)
    assert (x == 3).all()
