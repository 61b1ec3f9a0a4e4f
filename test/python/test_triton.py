"""Kernels of the Triton language: what host code sees of them. The language itself is in test/exec."""

import inspect
import types

import gluonc
import numpy as np
import pytest
from gluonc import _native
from gluonc._jit import triton_jit
from gluonc._triton import knobs
from gluonc._triton import _language as tl
from gluonc._triton._language.core import constexpr_type
from gluonc._triton.tools.tensor_descriptor import TensorDescriptor


@triton_jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=inside) + tl.load(y + offsets, mask=inside),
             mask=inside)


def launched(kernel, size=300):
    x, out = np.arange(size, dtype=np.float32), np.zeros(size, np.float32)
    compiled = kernel[lambda meta: (gluonc.cdiv(size, meta["BLOCK"]),)](x, x, out, size, BLOCK=128)
    assert (out == 2 * x).all()
    return compiled


def test_the_compiler_chooses_layouts():
    compiled = launched(add)
    assert list(compiled.asm)[0] == "ttir" and "tt.func public @add(%x: " in compiled.asm["ttir"]
    assert "#ttg.blocked" in compiled.asm["ttgir"] and compiled.metadata.num_stages == 3


def test_the_language_is_that_of_the_decorator():
    assert not add.is_gluon() and isinstance(add, gluonc.JITFunction)
    in_gluon = gluonc.jit(add.fn)
    assert in_gluon.is_gluon() and isinstance(in_gluon, gluonc.GluonJITFunction)
    with pytest.raises(gluonc.CompilationError, match="layout"):
        launched(in_gluon)
    launched(triton_jit(in_gluon.fn))


def test_libraries_look_at_parameters():
    assert add.arg_names == ["x", "y", "out", "n", "BLOCK"] and add.constexprs == [4]
    last = add.params[-1]
    assert (last.num, last.name, last.is_constexpr, last.has_default) == (4, "BLOCK", True, False)
    kept = triton_jit(add.fn, do_not_specialize=["n"], do_not_specialize_on_alignment=["x"])
    assert [parameter.do_not_specialize for parameter in kept.params[:4]] == [False] * 3 + [True]
    assert kept.params[0].do_not_specialize_on_alignment and list(add.signature.parameters) == add.arg_names


def test_a_constexpr_is_specialized_for():
    with pytest.raises(gluonc.CompilationError, match="BLOCK is a constexpr"):
        triton_jit(add.fn, do_not_specialize=["BLOCK"]).warmup(np.zeros(4), np.zeros(4), np.zeros(4), 4, BLOCK=4)


def test_unknown_options_are_refused():
    with pytest.raises(KeyError, match="num_wraps"):
        add.warmup(np.zeros(4), np.zeros(4), np.zeros(4), 4, BLOCK=4, num_wraps=4)


def test_types_of_constants_are_those_of_core():
    @triton_jit
    def kernel(out, given: tl.constexpr):
        tl.static_assert(given.type == constexpr_type(3))
        tl.store(out, given)
    out = np.zeros(1, np.int32)
    kernel[(1,)](out, 3)
    assert out[0] == 3


def test_sanitizers_are_options():
    x = np.zeros(4, np.float32)
    for name in ("consan", "fpsan", "gsan", "iisan"):
        add.warmup(x, x, x, 4, BLOCK=4, instrumentation_mode=name)
    with pytest.raises(gluonc.errors.NotSupportedYet, match="nosan"):
        add.warmup(x, x, x, 4, BLOCK=4, instrumentation_mode="nosan")


def test_sanitizers_are_refused_where_a_gpu_would_run_unchecked():
    with pytest.raises(gluonc.errors.NotSupportedYet, match="nothing of it is checked on a GPU"):
        gluonc._settings.require_checked("consan", is_simulated=False)


def test_too_many_warps_are_too_many_threads():
    with pytest.raises(gluonc.errors.OutOfResources, match="threads"):
        add.warmup(np.zeros(4), np.zeros(4), np.zeros(4), 4, BLOCK=4, num_warps=128)


def test_compiled_kernels_are_listed_and_dropped():
    fresh = triton_jit(add.fn)
    caches = fresh.device_caches[0][0]
    assert len(caches) == 0
    compiled = launched(fresh)
    assert list(caches.values()) == [compiled] and caches[next(iter(caches))] is compiled
    caches.clear()
    assert len(caches) == 0 and launched(fresh) is not compiled


def test_stages_are_part_of_a_specialization():
    fresh = triton_jit(add.fn)
    x = np.zeros(16, np.float32)
    assert [fresh.warmup(x, x, x, 16, BLOCK=16, num_stages=n).metadata.num_stages for n in (1, 4)] == [1, 4]
    assert len(fresh.device_caches[0][0]) == 2


@triton_jit
def twice(x):
    return 2 * x


@triton_jit
def template(out):
    tl.store(out, WHAT)  # noqa: F821


def test_the_text_of_a_function_can_be_replaced():
    for what in (5, 6):
        kernel = triton_jit(template.fn)
        kernel._unsafe_update_src(kernel.src.replace("WHAT", str(what)))
        out = np.zeros(1, np.int32)
        kernel[(1,)](out)
        assert out[0] == what and kernel.cache_key != template.cache_key


def test_errors_in_replaced_text_are_on_the_lines_of_the_file():
    kernel = triton_jit(template.fn)
    kernel._unsafe_update_src(kernel.src.replace("WHAT", "nothing"))
    with pytest.raises(gluonc.CompilationError) as caught:
        kernel[(1,)](np.zeros(1, np.int32))
    line = template.starting_line_number + 2
    assert f"test_triton.py:{line}:" in str(caught.value) and "nothing" in caught.value.error_message


def test_a_function_made_of_text_says_where_it_is_from():
    """As libraries make kernels of a template: the code of a function that only has the right parameters."""
    def shell():
        pass
    names = template.get_capture_scope()
    assert names["tl"] is tl and names["template"] is template
    made = types.FunctionType(shell.__code__, {**names, "double": triton_jit(twice.fn)}, "made")
    made.__signature__ = inspect.signature(lambda out, x: None)
    kernel = triton_jit(made)
    kernel._unsafe_update_src("def made(out, x):\n    tl.store(out, double(x))\n")
    kernel.raw_src, kernel.starting_line_number = list(template.raw_src), template.starting_line_number
    made.__code__ = made.__code__.replace(co_firstlineno=template.fn.__code__.co_firstlineno)
    out = np.zeros(1, np.int32)
    kernel[(1,)](out, 21)
    assert out[0] == 42 and kernel.raw_src == template.raw_src
    kernel._unsafe_update_src("def made(out, x):\n    tl.store(out, nothing)\n")
    with pytest.raises(gluonc.CompilationError, match=f":{template.starting_line_number + 2}:"):
        kernel[(1,)](out, 1.5)


def test_kernels_are_loaded_between_hooks():
    seen = []
    with knobs.runtime.scope():
        knobs.runtime.kernel_load_start_hook.add(lambda *about: seen.append(about))
        knobs.runtime.kernel_load_end_hook.add(lambda *about: seen.append(about))
        compiled = launched(triton_jit(add.fn))
    assert [(about[2], about[4]) for about in seen] == [("add", compiled.hash)] * 2
    assert not gluonc.hooks.load_start and not gluonc.hooks.load_end


@triton_jit
def shift(box, out, BLOCK: tl.constexpr):
    tile = box.load([BLOCK, 0])
    tl.store(out + tl.arange(0, BLOCK)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :], tile)


@pytest.mark.parametrize("padding", ["zero", "nan"])
def test_descriptors_need_no_layout(padding):
    base, out = np.arange(24 * 16, dtype=np.float32).reshape(24, 16), np.zeros((16, 16), np.float32)
    box = TensorDescriptor.from_tensor(base, [16, 16], padding=padding)
    compiled = shift[(1,)](box, out, 16)
    assert (out[:8] == base[16:]).all()
    assert (np.isnan(out[8:]) if padding == "nan" else out[8:] == 0).all()
    out[:] = 0
    compiled[(1,)](box, out)
    assert (out[:8] == base[16:]).all()


@pytest.mark.parametrize("change", [
    {"shape": [0, 16]}, {"strides": [16, 2]}, {"strides": [15, 1]}, {"block_shape": [16]},
    {"block_shape": [16, 12]}, {"padding": "one"}, {"shape": []}])
def test_bad_descriptors_are_refused(change):
    fields = {"base": np.zeros((24, 16), np.float32), "shape": [24, 16], "strides": [16, 1],
              "block_shape": [16, 16]}
    with pytest.raises(AssertionError):
        TensorDescriptor(**{**fields, **change})


def test_names_of_the_language_are_there_on_the_host():
    assert repr(tl.dot) == "<tl.dot>" and repr(tl.load) == "<gl.load>" and tl.float32.is_fp32()
    assert tl.standard._log2 is not None and tl.core.get_int_dtype(8, True) is tl.int8
    with pytest.raises(AttributeError):
        tl.nothing_like_it
    with pytest.raises(RuntimeError, match="inside a kernel"):
        tl.dot(1, 2)


def test_types_answer_about_themselves():
    assert tl.float8e5.is_fp8() and not tl.float16.is_fp8() and tl.bfloat16.fp_mantissa_width == 7
    assert tl.int8.get_int_min_value() == -128 and tl.uint8.get_int_max_value() == 255
    assert set(tl.dtype.SINT_TYPES) == {"int8", "int16", "int32", "int64"}
    assert {row[1] for row in _native.dtypes()} == {
        *tl.dtype.SINT_TYPES, *tl.dtype.UINT_TYPES, *tl.dtype.FP_TYPES}
    assert tl.pointer_type(tl.int8).is_ptr() and tl.pi32_t == tl.pointer_type(tl.int32)
    assert tl.block_type(tl.float32, [4, 8]).numel == 32


def test_files_are_kept_under_a_key(tmp_path):
    from gluonc._triton.runtime.cache import FileCacheManager
    with knobs.cache.scope():
        knobs.cache.dir = str(tmp_path)
        manager = FileCacheManager("key")
    group = {name: manager.put(name, name, binary=False) for name in ("a.json", "b.bin")}
    manager.put_group("a.json", group)
    assert manager.get_group("a.json") == group and manager.get_file("c") is None
    (tmp_path / "key" / "b.bin").unlink()
    assert manager.get_group("a.json") is None


def test_aggregates_without_a_constructor_are_made_of_their_fields():
    @gluonc.aggregate
    class Base:
        a: tl.constexpr

    @gluonc.aggregate
    class Derived(Base):
        b: tl.constexpr = 7
        c: tl.tensor = None
    made = Derived(3, c=5)
    assert (made.a.value, made.b.value, made.c) == (3, 7, 5) and Base(a=1).a == 1
    with pytest.raises(TypeError):
        Derived()


@triton_jit
def advance(out, n):
    places = out + tl.arange(0, 32)
    for i in range(n):
        tl.multiple_of(places, [16])
        tl.store(places, i)
        places += 32


def test_hints_may_concern_what_a_loop_carries():
    out = np.full(64, -1, np.int32)
    advance[(1,)](out, 2)
    assert (out == np.repeat([0, 1], 32)).all()
