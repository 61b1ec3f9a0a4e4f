"""compile(): kernels out of the text of their IR, and out of a function and types."""

import functools
import os
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

import gluonc
import gluonc.language as gl
import kernels
from descriptor_kernels import move
from gluonc._triton.backends.compiler import GPUTarget
from gluonc.nvidia.hopper import TensorDescriptor
from overlap_kernels import add_one_in_partitions

H100 = GPUTarget("cuda", 90, 32)
# NumPy's arrays are for the simulator, with a GPU there or not; test_cuda.py has the others.
compile = functools.partial(gluonc.compile, device="cpu")
pytestmark = pytest.mark.skipif(bool(os.environ.get("GLUONC_SIMULATE")),
                                reason="the target is what the test says")


@gluonc.jit
def turn(dst, src, n, scale, ROWS: gl.constexpr, COLUMNS: gl.constexpr):
    across: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    down: gl.constexpr = gl.BlockedLayout([4, 1], [8, 4], [1, 4], [0, 1])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    rows = gl.arange(0, ROWS, layout=gl.SliceLayout(1, across))[:, None]
    columns = gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, across))[None, :]
    at = rows * COLUMNS + columns
    tile = gl.allocate_shared_memory(gl.float32, [ROWS, COLUMNS], shared,
                                     gl.load(src + at, mask=at < n, other=0.0))
    turned = gl.convert_layout(tile.load(across), down)
    rows = gl.arange(0, ROWS, layout=gl.SliceLayout(1, down))[:, None]
    columns = gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, down))[None, :]
    gl.store(dst + columns * ROWS + rows, turned * scale)


def turn_arguments():
    src = np.random.default_rng(1).random((32, 64), np.float32)
    return np.zeros((64, 32), np.float32), src


def write(folder, text, name="kernel.ttgir"):
    path = folder / name
    path.write_text(text)
    return str(path)


def edit(text, old, new):
    assert text.count(old) == 1
    return text.replace(old, new)


@pytest.fixture
def turned(tmp_path):
    """A kernel made by a launch, and the file that its IR is written to."""
    dst, src = turn_arguments()
    compiled = turn[(1,)](dst, src, src.size, 2.0, 32, 64)
    np.testing.assert_array_equal(dst, 2 * src.T)
    return compiled, write(tmp_path, compiled.asm["ttgir"])


def test_printed_ir_compiles_to_the_same_kernel(turned):
    first, path = turned
    again = compile(path)
    assert again.asm["ttgir"] == first.asm["ttgir"]
    assert again.name == "turn" and again.src.path == path
    assert again.metadata.num_warps == 4 and again.metadata.num_ctas == 1
    assert again.metadata.shared == first.metadata.shared > 0
    assert len(again.hash) == 64 and again.hash != first.hash
    dst, src = turn_arguments()
    again[(1,)](dst, src, src.size, 3.0)
    np.testing.assert_array_equal(dst, 3 * src.T)


def test_every_form_of_machine_code_is_there(turned):
    first, path = turned
    again = compile(path)
    assert "define" in again.asm["llir"]
    # Lines apart: there is no source to name.
    bare = [re.sub(r"\s*//.*|^\s*\.(loc|file).*", "", asm["ptx"], flags=re.M).split()
            for asm in (first.asm, again.asm)]
    assert bare[0] == bare[1]


def test_an_edit_changes_what_the_kernel_does(turned, tmp_path):
    text = open(turned[1]).read()
    edited = compile(write(tmp_path, edit(text, "arith.mulf", "arith.addf"), "edited.ttgir"))
    dst, src = turn_arguments()
    edited[(1,)](dst, src, src.size, 3.0)
    np.testing.assert_array_equal(dst, src.T + 3)


def test_attributes_of_the_module_are_options(turned, tmp_path):
    text = open(turned[1]).read()
    made = compile(write(tmp_path, re.sub(r"module attributes {",
                                                 'module attributes {ttg.maxnreg = 64 : i32, ',
                                                 text), "limited.ttgir"))
    assert made.metadata.maxnreg == 64
    assert ".maxnreg 64" in made.asm["ptx"]
    made = compile(turned[1], options={"maxnreg": 40, "num_stages": 2})
    assert made.metadata.maxnreg == 40 and ".maxnreg 40" in made.asm["ptx"]
    with pytest.raises(KeyError, match="num_wraps"):
        compile(turned[1], options={"num_wraps": 4})


def test_run_takes_what_launchers_take(turned):
    again = compile(turned[1])
    dst, src = turn_arguments()
    seen = []
    again.run(1, 1, 1, None, again.function, again.packed_metadata, {"name": "turn"},
              lambda metadata: seen.append(("enter", metadata["name"], dst.any())),
              lambda metadata: seen.append(("exit", metadata["name"], dst.any())),
              dst, src, src.size, 3.0)
    assert seen == [("enter", "turn", False), ("exit", "turn", True)]
    np.testing.assert_array_equal(dst, 3 * src.T)


def test_a_compiled_kernel_takes_all_arguments_or_those_of_run_time(turned):
    dst, src = turn_arguments()
    turned[0][(1,)](dst, src, src.size, 3.0, 32, 64)
    np.testing.assert_array_equal(dst, 3 * src.T)
    turned[0][(1,)](dst, src, src.size, 4.0)
    np.testing.assert_array_equal(dst, 4 * src.T)
    weigh = kernels.weigh.warmup(np.zeros(4, np.float32), ((np.ones(4, np.float32), 2.5),), 4)
    dst, one = np.zeros(4, np.float32), np.ones(4, np.float32)
    weigh[(1,)](dst, ((one, 3.5),), 4)
    assert dst.tolist() == [3.5] * 4


def test_a_wrong_type_is_answered_with_the_nearest():
    source = gluonc.ASTSource(kernels.fill, {"dst": "*fp33", "value": "i32", "n": "i32"})
    with pytest.raises(gluonc.CompilationError, match=r"`\*fp33` is no type of an argument") as raised:
        gluonc.compile(source, target="cuda:80")
    assert "did you mean `*fp32`?" in str(raised.value) and "types are " in str(raised.value)


@pytest.mark.parametrize("words, values", [
    ("takes 4 launch arguments .*, not 3", lambda dst, src: (dst, src, 4)),
    ("argument 1 .* is \\*fp32, .* a float", lambda dst, src: (dst, 1.5, 4, 1.0)),
    ("argument 2 .* is i32, .* a ndarray", lambda dst, src: (dst, src, src, 1.0)),
    ("argument 2 .* is i32, .* a float", lambda dst, src: (dst, src, 2.5, 1.0)),
    ("argument 3 .* is fp32, .* a str", lambda dst, src: (dst, src, 4, "1")),
])
def test_wrong_arguments_are_named(turned, words, values):
    with pytest.raises(TypeError, match=words):
        compile(turned[1])[(1,)](*values(*turn_arguments()))


def test_the_simulator_checks_what_ir_does(turned, tmp_path):
    dst, src = turn_arguments()
    with pytest.raises(gluonc.KernelFault, match="OutOfBoundsAccess"):
        compile(turned[1])[(1,)](dst[:8], src, src.size, 1.0)


SMALL = ('module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, '
         'ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {\n'
         "  tt.func public @k(%p: !tt.ptr<i32>, %x: i32) {\n"
         "    tt.store %p, %x : !tt.ptr<i32>\n    tt.return\n  }\n}\n")


@pytest.mark.parametrize("words, old, new", [
    ("expected", "tt.return", "tt.return %none of it"),
    ("one public", "public", "private"),
    ("returns nothing", ") {\n    tt.store %p, %x : !tt.ptr<i32>\n    tt.return",
     ") -> i32 {\n    tt.return %x : i32"),
    ("num-warps` is 1, 2", "num-warps\" = 4", "num-warps\" = 24"),
    ("num-warps` is an i32 from 1", "num-warps\" = 4", "num-warps\" = 0"),
    ("num-ctas` is 1, 2", "num-ctas\" = 1", "num-ctas\" = 3"),
    ("IR is for cuda:90 with warps of 64", "warp\" = 32", "warp\" = 64"),
    ("IR is for hip", "cuda:90", "hip:gfx1250"),
    ("argument 1 of `k`", ", %x: i32) {\n    tt.store %p, %x : !tt.ptr<i32>", ", %x: i7) {"),
    ("argument 1 of `k` is a descriptor", "%x: i32) {\n    tt.store %p, %x : !tt.ptr<i32>",
     "%x: !tt.tensordesc<8x64xf16>, %n: i32) {"),
])
def test_bad_ir_is_shown_with_its_place(tmp_path, words, old, new):
    values = np.zeros(4, np.int32)
    compile(write(tmp_path, SMALL))[(1,)](values, 5)
    assert values.tolist() == [5, 0, 0, 0]
    path = write(tmp_path, edit(SMALL, old, new), "bad.ttgir")
    with pytest.raises(gluonc.CompilationError, match=words) as caught:
        compile(path)
    report = caught.value.diagnostics[0]
    assert report["kind"] in ("InvalidTtgir", "LaunchAttribute")
    assert f"{path}:" in str(caught.value)
    assert "^" in str(caught.value)


def test_bad_text_has_a_line_and_a_caret(tmp_path):
    path = write(tmp_path, "module {\n  tt.func public @k() {\n    tt.retrun\n  }\n}\n")
    with pytest.raises(gluonc.CompilationError) as caught:
        compile(path)
    assert f"{path}:3:5" in str(caught.value)
    assert "    tt.retrun\n" in str(caught.value) and "^" in str(caught.value)
    assert caught.value.diagnostics[0]["kind"] == "InvalidTtgir"


def test_files_that_are_not_there_or_of_another_kind(tmp_path):
    with pytest.raises(FileNotFoundError):
        compile(str(tmp_path / "none.ttgir"))
    with pytest.raises(gluonc.errors.NotSupportedYet, match=r"\.ttgir"):
        compile(write(tmp_path, "", "kernel.ptx"))


def test_descriptors_are_one_argument_each(tmp_path):
    layout = gl.NVMMASharedLayout(128, 16, 2)
    src, dst = (np.arange(64 * 128).reshape(64, 128).astype(np.float16),
                np.zeros((32, 64), np.float16))
    described = [TensorDescriptor(tensor, list(tensor.shape), [tensor.shape[1], 1], [32, 64], layout)
                 for tensor in (src, dst)]
    first = move.warmup(*described, 32, 64, grid=(1,))
    again = compile(write(tmp_path, first.asm["ttgir"]))
    assert again.executable.parameter_types == first.executable.parameter_types
    for compiled in (first, again):
        dst[:] = 0
        compiled[(1,)](*described, 32, 64)
        np.testing.assert_array_equal(dst, src[32:, 64:])
    with pytest.raises(TypeError, match="argument 0 .* is tensordesc.* a ndarray"):
        again[(1,)](src, dst, 32, 64)


def test_another_target_is_compiled_and_launched_on_the_simulator_alone(turned):
    made = gluonc.compile(turned[1], target=GPUTarget("cuda", 80, 32))
    assert ".target sm_80" in made.asm["ptx"] and made.target == "cuda:80"
    dst, src = turn_arguments()
    with pytest.raises(gluonc.Unavailable):
        made[(1,)](dst, src, 4, 1.0)
    compile(turned[1], target=GPUTarget("cuda", 80, 32))[(1,)](dst, src, src.size, 2.0)
    np.testing.assert_array_equal(dst, 2 * src.T)
    with pytest.raises(TypeError, match="GPUTarget"):
        compile(turned[1], target=80)
    with pytest.raises(gluonc.CompilationError, match="cuda:1000"):
        compile(turned[1], target="cuda:1000")
    with pytest.raises(ValueError, match="device is .* not 'gpu'"):
        gluonc.compile(turned[1], device="gpu")
    if not gluonc._engine.gpu_count():
        with pytest.raises(gluonc.Unavailable, match="no GPU"):
            gluonc.compile(turned[1], device="cuda")


@pytest.mark.parametrize("target, arch", [("cuda:80", "sm_80"), ("cuda:90", "sm_90a"),
                                          (H100, "sm_90a")])
def test_machine_code_needs_no_gpu(turned, target, arch):
    made = gluonc.compile(turned[1], target=target)
    assert not made.simulated and f".target {arch}" in made.asm["ptx"]
    assert compile(turned[1], target=target).simulated


def test_warps_of_partitions_count():
    layout = gl.BlockedLayout([1], [32], [4], [0])
    made = add_one_in_partitions.warmup(gl.float32, 64, 64, layout)
    # Four, and two in a warpgroup of their own.
    for kernel in (made, gluonc.compile(made.src, "cuda:90")):
        assert kernel.metadata.num_warps == kernel.packed_metadata[0] == 8
    assert turn.warmup(gl.float32, gl.float32, 4, 1.0, 32, 64).metadata.num_warps == 4


SIGNATURE = {"dst": "*fp32", "src": "*fp32", "n": "i32", "scale": "fp32", "ROWS": "constexpr",
             "COLUMNS": "constexpr"}


def test_a_function_and_types_make_the_kernel_of_a_launch():
    source = gluonc.ASTSource(turn, SIGNATURE, {"ROWS": 32, (5,): 64},
                              {(0,): [["tt.divisibility", 16]]})
    made = compile(source, target=H100, options={"num_warps": 4})
    text = made.asm["ttgir"]
    assert text.count("tt.divisibility") == 1 and made.name == "turn" and made.src is source
    dst, src = turn_arguments()
    made[(1,)](dst, src, src.size, 3.0)
    np.testing.assert_array_equal(dst, 3 * src.T)
    made[(1,)](dst, src, src.size, 4.0, 32, 64)
    np.testing.assert_array_equal(dst, 4 * src.T)


def test_what_a_launch_compiled_from_can_be_compiled_again(turned):
    source = turned[0].src
    assert source.signature["ROWS"] == "constexpr" and source.constants == {(4,): 32, (5,): 64}
    assert compile(source, H100).asm["ttgir"] == turned[0].asm["ttgir"]


def test_chips_of_amd_have_machine_code():
    source = gluonc.ASTSource(kernels.fill, {"dst": "*i32", "value": "i32", "n": "i32"},
                              {"BLOCK": 64})
    made = compile(source, GPUTarget("hip", "gfx1250", 32))
    assert 'ttg.target = "hip:gfx1250"' in made.asm["ttgir"]
    assert list(made.asm) == ["glir", "ttgir", "llir", "amdgcn", "hsaco"]
    assert "gfx1250" in made.asm["amdgcn"] and made.asm["hsaco"][:4] == b"\x7fELF"
    for form in ("ptx", "cubin", "sass"):
        assert form not in made.asm
        with pytest.raises(KeyError):
            made.asm[form]


def test_a_constexpr_without_a_value_is_none():
    source = gluonc.ASTSource(turn, {"n": "constexpr"})
    assert source._spec((2,), "n", "constexpr") == gluonc._signature.constant_spec(None)


def test_layouts_in_types_are_those_that_python_shows():
    from gluonc._compile import _with_paths
    rows = gl.SwizzledSharedLayout(1, 1, 1, [0])
    pieces = gl.amd.cdna5.PartitionedSharedLayout(2, 1, 0, rows)
    assert _with_paths(f"tensordesc<fp16[64],{rows}>").startswith("tensordesc<fp16[64],gl.Swizzled")
    spelled = _with_paths(f"tensordesc<fp16[64],{pieces}>")
    assert "gl.amd.cdna5.PartitionedSharedLayout(" in spelled and "gl.SwizzledShared" in spelled
    assert _with_paths(spelled) == spelled and _with_paths("*fp32") == "*fp32"


@pytest.mark.parametrize("words, arguments", [
    ("no parameter rows", lambda: (turn, {"rows": "i32"})),
    ("neither a type nor a value for n", lambda: (turn, {"dst": "*fp32", "src": "*fp32"})),
    ("its keys are strings", lambda: (turn, {0: "*fp32"})),
    ("takes a kernel", lambda: (turn_arguments, {})),
])
def test_incomplete_sources_are_refused(words, arguments):
    with pytest.raises(TypeError, match=words):
        compile(gluonc.ASTSource(*arguments()))


SCRIPT = '''
import sys, torch, triton
from triton.compiler import ASTSource
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

@gluon.jit
def double(dst, src, N: gl.constexpr):
    at = gl.arange(0, N, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(dst + at, gl.load(src + at) * 2)

src = torch.arange(128, device="cuda", dtype=torch.int32)
dst = torch.zeros_like(src)
with open(sys.argv[1], "w") as file:
    file.write(double.warmup(dst, src, 128, grid=(1,)).asm["ttgir"])
triton.compile(sys.argv[1])[(1, 1, 1)](dst, src)
assert torch.equal(dst, src * 2)
source = gluon._runtime.GluonASTSource(double, {"dst": "*i32", "src": "*i32"}, {"N": 128})
triton.compile(source)[(1,)](dst, dst)
assert torch.equal(dst, src * 4)
'''


def test_scripts_say_triton_compile(tmp_path):
    pytest.importorskip("torch")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    subprocess.run([sys.executable, "-m", "gluonc", "--simulate", "cuda:90a", str(script),
                    str(tmp_path / "double.ttgir")], check=True, timeout=120)


def test_too_much_shared_memory_is_out_of_resources():
    with pytest.raises(gluonc.errors.OutOfResources, match="of shared memory, but") as problem:
        gluonc.compile(gluonc.ASTSource(kernels.hoard, {"dst": "*fp32"}), target="cuda:90")
    assert isinstance(problem.value, gluonc.errors.CompilationError) and problem.value.diagnostics


def test_machine_code_goes_to_another_process_without_its_source(turned):
    made = gluonc.compile(gluonc.ASTSource(
        turn, {"dst": "*fp32", "src": "*fp32", "n": "i32", "scale": "fp32"},
        {"ROWS": 32, "COLUMNS": 64}), target="cuda:80")
    again = pickle.loads(pickle.dumps(made))
    assert again.kernel == made.kernel and again.hash == made.hash
    assert again.fn is turn and again.src.signature == made.src.signature
    with pytest.raises(gluonc.UsageError, match="machine code only"):
        again.asm["glir"]
    # Libraries clear the function first; what names need stays.
    turn_again = gluonc.jit(turn.fn)
    assert turn_again.params
    turn_again.fn = None
    detached = pickle.loads(pickle.dumps(turn_again))
    assert detached.fn is None and detached.__name__ == "turn"
    assert detached.arg_names == turn.arg_names and detached.constexprs == turn.constexprs


def test_machine_code_is_left_in_a_folder_that_the_program_chose(turned, tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    made = gluonc.compile(turned[1], target="cuda:80")
    assert (tmp_path / made.hash / "turn.cubin").read_bytes() == made.kernel
