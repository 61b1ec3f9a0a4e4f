"""Kernels of the Triton language out of files, and for chips that launches name."""

import gluonc
import numpy as np
import pytest
from gluonc._jit import triton_jit
from gluonc._triton import _language as tl
from gluonc._triton import knobs

# As a front end leaves it: neither layouts nor warps.
TTIR = """{0}{{
  tt.func public @scaled(%out: !tt.ptr<f32>, %x: !tt.ptr<f32>, %n: i32) {{
    %ten = arith.constant dense<1.000000e+01> : tensor<256xf32>
    %at = tt.make_range {{end = 256 : i32, start = 0 : i32}} : tensor<256xi32>
    %limit = tt.splat %n : i32 -> tensor<256xi32>
    %inside = arith.cmpi slt, %at, %limit : tensor<256xi32>
    %from = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %source = tt.addptr %from, %at : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %value = tt.load %source, %inside : tensor<256x!tt.ptr<f32>>
    %product = arith.mulf %value, %ten : tensor<256xf32>
    %to = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %target = tt.addptr %to, %at : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    tt.store %target, %product, %inside : tensor<256x!tt.ptr<f32>>
    tt.return
  }}
}}
"""
FORMS = ["module ", "module attributes {} ", "module attributes {a.b = 1 : i32} "]


@triton_jit
def copy(out, x, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n), at < n)


@pytest.fixture(params=FORMS)
def ttir(tmp_path, request):
    path = tmp_path / "scaled.ttir"
    path.write_text(TTIR.format(request.param))
    return str(path)


def test_ir_without_layouts_is_compiled(ttir):
    compiled = gluonc.compile(ttir, "cuda:80", {"num_warps": 2}, device="cpu")
    assert compiled.metadata.num_warps == 2 and "#ttg.blocked" in compiled.asm["ttgir"]
    x, out = np.arange(200, dtype=np.float32), np.zeros(200, np.float32)
    compiled[(1,)](out, x, 200)
    assert (out == 10 * x).all()


def test_a_launch_is_given_a_file_in_place_of_the_kernel(ttir, tmp_path):
    x, out = np.arange(200, dtype=np.float32), np.zeros(200, np.float32)
    for num_warps in (4, 8):
        compiled = copy[(1,)](out, x, 200, 256, num_warps=num_warps, ir_override=ttir)
        assert (out == 10 * x).all() and compiled.metadata.num_warps == num_warps
    whole = tmp_path / "whole.ttgir"
    whole.write_text(compiled.asm["ttgir"])
    out[:] = 0
    copy[(1,)](out, x, 200, 256, ir_override=str(whole))
    assert (out == 10 * x).all()
    copy[(1,)](out, x, 200, 256)
    assert (out == x).all()
    with pytest.raises(ValueError, match=r"takes \(\*fp32, \*fp32, i32\), and the launch passes"):
        copy[(1,)](out, x, 200.0, 256, ir_override=ttir)
    with pytest.raises(gluonc.errors.NotSupportedYet):
        copy[(1,)](out, x, 200, 256, ir_override=__file__)


def test_bad_ir_without_layouts_is_shown_at_its_line(tmp_path):
    path = tmp_path / "bad.ttir"
    path.write_text(TTIR.format("module ").replace("arith.mulf", "arith.mulx"))
    with pytest.raises(gluonc.CompilationError, match=r"bad.ttir:10:"):
        gluonc.compile(str(path), "cuda:80", device="cpu")


def test_launches_name_a_chip():
    x = np.zeros(8, np.float32)
    assert 'ttg.target = "cuda:80"' in copy.warmup(x, x, 8, 8, arch="sm80").asm["ttgir"]
    assert 'ttg.target = "hip:gfx942"' in copy.warmup(x, x, 8, 8, arch="gfx942").asm["ttgir"]
    with knobs.runtime.scope():
        knobs.runtime.override_arch = "sm80"
        assert 'ttg.target = "cuda:80"' in copy.warmup(x, x, 7, 8).asm["ttgir"]
        with pytest.raises(ValueError, match="cuda:80 has no clusters"):
            copy.warmup(x, x, 8, 8, num_ctas=2)


@triton_jit
def called_like_options(out, arch: tl.constexpr, num_warps: tl.constexpr):
    tl.store(out, arch + num_warps)


def test_parameters_may_be_called_like_a_chip():
    out = np.zeros(1, np.int32)
    compiled = called_like_options[(1,)](out, 5, 2)
    assert out[0] == 7 and compiled.metadata.num_warps == 2
