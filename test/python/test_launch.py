"""kernel[grid](…) on the simulator."""

import threading

import gluonc
import kernels
import numpy as np
import pytest
from gluonc import language as gl

LAYOUT = gl.BlockedLayout([1], [32], [4], [0])


def test_a_numpy_array_is_copied_in_place():
    src = np.random.default_rng(0).standard_normal(1000, dtype=np.float32)
    dst = np.zeros_like(src)
    kernels.copy[(gluonc.cdiv(1000, 256),)](src, dst, 1000, 256, LAYOUT)
    assert np.array_equal(src, dst)


def test_a_grid_may_be_a_function_of_the_arguments():
    src, dst = np.arange(700, dtype=np.int32), np.zeros(700, np.int32)
    kernels.copy[lambda meta: (gluonc.cdiv(meta["n"], meta["BLOCK"]),)](
        src, dst, n=700, BLOCK=128, layout=LAYOUT)
    assert np.array_equal(src, dst)


def test_a_grid_without_programs_runs_nothing():
    dst = np.zeros(4, np.int32)
    kernels.fill[(0,)](dst, 7, 4)
    assert not dst.any()


@pytest.mark.parametrize("dtype, value", [("float32", 2.5), ("float16", -0.5), ("int64", 1 << 40),
                                          ("int8", -3), ("uint32", 1 << 31), ("int32", 1)])
def test_scalars_arrive(dtype, value):
    dst = np.zeros(100, dtype)
    kernels.fill[(1,)](dst, value, 100)
    assert (dst == value).all()


def test_defaults_and_keywords_bind_as_in_python():
    dst = np.zeros(300, np.int32)
    kernels.fill[(3,)](dst, n=300, value=5)
    assert (dst == 5).all()
    with pytest.raises(TypeError, match="missing a required argument"):
        kernels.fill[(3,)](dst)
    with pytest.raises(KeyError, match="no_such_option"):
        kernels.fill[(3,)](dst, 5, 300, no_such_option=1)


def test_options_change_the_specialization():
    dst = np.zeros(256, np.int32)
    eight = gl.BlockedLayout([1], [32], [8], [0])
    compiled = kernels.copy[(1,)](np.arange(256, dtype=np.int32), dst, 256, 256, eight,
                                  num_warps=8)
    assert dst[255] == 255
    assert compiled.metadata["num_warps"] == 8
    assert '"ttg.num-warps" = 8' in compiled.asm["ttgir"]


def test_a_parameter_may_be_called_like_an_option():
    dst = np.zeros(256, np.int32)
    kernels.positions[(1,)](dst, 5, STEP=2, num_warps=8)
    assert np.array_equal(dst, np.arange(256) * 2 + 5)


def test_compile_time_values_of_every_kind_arrive():
    dst, bias = np.ones(128, np.float32), np.full(128, 10, np.float32)
    kernels.scale[(1,)](dst, None, True, gl.float32, "double")
    assert (dst == 8).all()
    kernels.scale[(1,)](dst, bias, False, gl.float32, "single")
    assert (dst == 34).all()


def test_arguments_specialize_as_triton_specializes_them():
    def key(value):
        compiled = kernels.fill.warmup(gl.int32, value, 100)
        return compiled
    assert key(2) is key(3)
    assert key(16) is key(32)
    assert key(2) is not key(16)
    assert key(1) is not key(2)
    assert key(2) is not key(2.0)
    assert key(2) is not key(1 << 40)
    assert key(True) is not key(1)


def test_do_not_specialize_keeps_one_kernel():
    compiled = {kernels.count.warmup(gl.int32, n) for n in (1, 2, 16)}
    assert len(compiled) == 1
    dst = np.zeros(1, np.int32)
    kernels.count[(1,)](dst, 1)
    assert dst[0] == 1


def test_misaligned_memory_is_another_kernel_and_works():
    memory = np.arange(257, dtype=np.float32)
    dst = np.zeros(256, np.float32)
    aligned = kernels.copy[(1,)](memory[:256], dst, 256, 256, LAYOUT)
    shifted = kernels.copy[(1,)](memory[1:], dst, 256, 256, LAYOUT)
    assert (memory.ctypes.data % 16 == 0) == (aligned is not shifted)
    assert np.array_equal(dst, memory[1:])


def test_arguments_may_share_memory():
    memory = np.arange(512, dtype=np.int32)
    kernels.copy[(1,)](memory[:256], memory[128:384], 256, 256, LAYOUT)
    assert memory[128] in (0, 128)


def test_read_only_memory_is_not_written():
    dst = np.zeros(4, np.int32)
    dst.flags.writeable = False
    with pytest.raises(gluonc.KernelFault):
        kernels.fill[(1,)](dst, 7, 4)
    assert not dst.any()


def test_an_access_outside_an_array_is_a_fault_with_its_line():
    dst = np.zeros(100, np.float32)
    with pytest.raises(gluonc.KernelFault) as raised:
        kernels.fill[(1,)](dst, 1.0, 128)
    text = str(raised.value)
    assert "kernels.py" in text and "gl.store(dst + offsets, value" in text and "^" in text
    assert raised.value.diagnostics[0]["facts"] == {
        "operation": "tt.store", "program": [0, 0, 0], "programs_at_fault": 1, "element": [100],
        "buffer": "dst", "byte": 400}


def test_a_mistake_in_a_kernel_is_an_exception_with_a_caret():
    with pytest.raises(gluonc.CompilationError, match=r"\A[^\n]*kernels.py:\d+:\d+: error") as raised:
        kernels.wrong[(1,)](np.zeros(1, np.int32))
    assert "undefined_name" in str(raised.value) and "^" in str(raised.value)


def test_a_kernel_is_not_callable_from_host_code():
    with pytest.raises(RuntimeError, match="kernel"):
        kernels.fill(1, 2, 3)


def test_what_is_no_argument_is_refused_by_name():
    with pytest.raises(TypeError, match="value"):
        kernels.fill[(1,)](np.zeros(1, np.int32), object(), 1)
    with pytest.raises(TypeError, match="DTYPE"):
        kernels.scale[(1,)](np.zeros(128, np.int32), None, True, object, "x")


def test_warmup_compiles_without_memory_and_machine_code_can_be_read():
    compiled = kernels.copy.warmup(gl.float32, gl.float32, 1000, 256, LAYOUT, grid=(1,))
    assert "tt.func public @copy" in compiled.asm["ttgir"]
    assert "define" in compiled.asm["llir"]
    assert ".entry copy" in compiled.asm["ptx"]
    assert list(compiled.asm) == ["glir", "ttgir", "llir", "ptx", "cubin"]


def test_threads_may_launch_at_once():
    arrays = [np.zeros(128, np.int32) for _ in range(8)]
    threads = [threading.Thread(target=kernels.fill[(1,)], args=(array, i + 2, 128))
               for i, array in enumerate(arrays)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((array == i + 2).all() for i, array in enumerate(arrays))


def test_a_kernel_knows_its_source():
    kernel = kernels.fill
    lines = open(kernel.fn.__code__.co_filename).read().splitlines(keepends=True)
    first = kernel.starting_line_number - 1
    assert kernel.raw_src == lines[first:first + len(kernel.raw_src)]
    assert any(line.startswith("def fill(") for line in kernel.raw_src)
    assert lines[kernel.def_file_line_number - 1].startswith("def fill(") and kernel.def_file_col_number == 1
    assert kernel.file_name == kernels.__file__


def test_pre_run_hooks_see_the_arguments():
    seen = []
    kernel = gluonc.jit(kernels.fill.fn)
    kernel.add_pre_run_hook(lambda *args, **kwargs: seen.append((args[1:], kwargs)))
    kernel[(1,)](np.zeros(4, np.int32), 3, n=4)
    assert seen == [((3,), {"n": 4})]


def test_repr_names_specializations():
    kernel = gluonc.jit(kernels.fill.fn, repr=lambda s: f"fill_{s.constants['BLOCK']}_"
                        f"{s.signature['dst'].lstrip('*')}_{s.signature['BLOCK']}")
    compiled = kernel.warmup(gl.float32, 2.5, 100)
    assert compiled.name == compiled.metadata.name == "fill_128_fp32:16_constexpr"
