"""Kernels of the Triton language out of files, and for chips that launches name."""

import re

import gluonc
import numpy as np
import pytest
from gluonc._compile import ASTSource
from gluonc._engine import engine
from gluonc._ir_files import replace_code
from gluonc._jit import triton_jit
from gluonc._options import default_options
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


def code_of(form, path=None, target="cuda:90a"):
    """The form of `copy` as machine code, from a file in its place where one is given."""
    source = ASTSource(copy, {"out": "*fp32", "x": "*fp32", "n": "i32", "BLOCK": "constexpr"},
                       {"BLOCK": 128})
    if target.startswith("cuda"):
        return gluonc.compile(source, target, {"ir_override": path, "num_warps": 4}).asm[form]
    # Of AMD's chips compile() makes what the simulator executes.
    specialization = copy._specialization(source.specs(), default_options().values())
    if path is not None:
        replace_code(specialization, path, simulated=False)
    code = engine().make(specialization, target, False).code(form)
    return code if form == "hsaco" else code.decode()


@pytest.mark.parametrize("form, target, before, after", [
    ("llir", "cuda:90a", "define", "; changed\ndefine"),
    ("llir", "hip:gfx942", "define", "; changed\ndefine"),
    ("ptx", "cuda:90a", "ret;", "membar.gl;\n\tret;"),
    ("amdgcn", "hip:gfx942", "s_endpgm", "s_nop 7\n\ts_endpgm")])
def test_machine_code_is_made_of_what_a_file_has_in_place_of_it(tmp_path, monkeypatch, form, target,
                                                               before, after):
    monkeypatch.delenv("GLUONC_SIMULATE", raising=False)
    if target.startswith("cuda") and not gluonc._native.find_ptxas():
        pytest.skip("no ptxas")
    own = code_of(form, target=target)
    path = tmp_path / f"copy.{form}"
    changed = own.replace(before, after)
    assert changed != own
    if form == "llir":
        changed = re.sub(r"\bret void", "fence seq_cst\n  ret void", changed)
    path.write_text(changed)
    assembly, binary = ("ptx", "cubin") if target.startswith("cuda") else ("amdgcn", "hsaco")
    text = code_of(assembly, str(path), target)
    assert text == changed if form == assembly else text != code_of(assembly, target=target)
    assert code_of(binary, str(path), target) != code_of(binary, target=target)


@pytest.mark.parametrize("form, text, reason", [
    ("llir", "define void @other() { ret void }", "has no function `copy` [GL6042 LlvmIrRejected]"),
    ("llir", "define void @copy() {\n  ret i32 x\n}", "line 2: "),
    ("ptx", ".version 8.0\n.target sm_90a\n.address_size 64\nnonsense;", "ptxas")])
def test_code_that_is_wrong_is_refused(tmp_path, monkeypatch, form, text, reason):
    monkeypatch.delenv("GLUONC_SIMULATE", raising=False)
    if not gluonc._native.find_ptxas():
        pytest.skip("no ptxas")
    path = tmp_path / f"copy.{form}"
    path.write_text(text)
    with pytest.raises(gluonc.CompilationError) as error:
        code_of("cubin", str(path))
    assert reason in str(error.value)


def test_the_simulator_refuses_code_in_place_of_a_kernel(tmp_path):
    path = tmp_path / "copy.ptx"
    path.write_text("")
    x = np.zeros(8, np.float32)
    with pytest.raises(gluonc.errors.NotSupportedYet, match="executes no .ptx"):
        copy[(1,)](x, x, 8, 8, ir_override=str(path))


def test_a_listener_is_told_of_compilations(monkeypatch, ttir):
    told = []
    monkeypatch.setattr(knobs.compilation, "listener", lambda **facts: told.append(facts),
                        raising=False)
    x = np.zeros(8, np.float32)
    copy.device_caches.clear()
    for _ in range(2):
        copy[(1,)](x, x, 8, 1024)
    assert len(told) == 1
    facts = told[0]
    assert facts["src"].name == "copy" and not facts["cache_hit"]
    assert facts["metadata"]["hash"] and facts["metadata"]["target"].backend == "cuda"
    times = facts["times"]
    assert isinstance(times, knobs.CompileTimes) and times.ir_initialization > 0
    assert [name for name, _ in times.lowering_stages] == ["simulator"]
    assert times.total == times.ir_initialization + times.total_lowering > 0
    gluonc.compile(ttir, "cuda:80", device="cpu")
    assert told[1]["src"].ext == "ttir"


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
