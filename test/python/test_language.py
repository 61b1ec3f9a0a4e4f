"""Layouts, dtypes and constexpr as Python values."""

import copy
import dataclasses
import inspect
import pickle

import gluonc
import pytest
from gluonc import language as gl

BLOCKED = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
LAYOUTS = [
    BLOCKED,
    gl.AutoLayout(),
    gl.CoalescedLayout(),
    gl.SliceLayout(1, BLOCKED),
    gl.SliceLayout(0, gl.SliceLayout(1, gl.BlockedLayout([1] * 3, [1, 4, 8], [4, 1, 1],
                                                         [2, 1, 0]))),
    gl.DistributedLinearLayout([[1]], [[2], [4], [8], [16], [32]], [[64], [128]], [], [256]),
    gl.SwizzledSharedLayout(8, 1, 8, [1, 0]),
    gl.PaddedSharedLayout.with_identity_for([[32, 4]], [16, 32], [1, 0]),
    gl.SharedLinearLayout([[0, 1], [0, 2], [1, 0]]),
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: type(layout).__name__)
def test_a_layout_prints_as_what_makes_it_and_pickles(layout):
    again = eval(repr(layout), vars(gl))
    assert again == layout and hash(again) == hash(layout) and again is not layout
    assert pickle.loads(pickle.dumps(layout)) == layout
    assert copy.deepcopy(layout) == layout


def test_layouts_differ_where_their_fields_do():
    assert len(set(LAYOUTS)) == len(LAYOUTS)
    assert BLOCKED != gl.BlockedLayout([1, 8], [4, 8], [2, 2], [1, 0])
    assert BLOCKED == gl.BlockedLayout((1, 8), (4, 8), gl.constexpr([4, 1]), [1, 0])


def test_every_layout_of_the_compiler_is_a_class():
    for line in gluonc._native.language_layouts().splitlines():
        path, *fields = line.split()
        cls = gl
        for part in path.split("."):
            cls = getattr(cls, part)
        assert [field.name for field in dataclasses.fields(cls)] == [
            field.partition("=")[0] for field in fields]


def test_layouts_cannot_be_changed():
    with pytest.raises(AttributeError):
        BLOCKED.order = [0, 1]
    with pytest.raises(AttributeError):
        del BLOCKED.order


def test_layouts_are_like_dataclasses():
    names = [field.name for field in dataclasses.fields(BLOCKED)]
    assert names[0] == "size_per_thread" and dataclasses.is_dataclass(gl.SliceLayout)
    assert dataclasses.replace(BLOCKED, order=[0, 1]).order == [0, 1]
    parameters = inspect.signature(gl.NVMMASharedLayout).parameters
    assert parameters["rank"].default == 2 and "element_bitwidth" in parameters


@pytest.mark.parametrize("make", [
    lambda: gl.BlockedLayout([1], [32], [4]),
    lambda: gl.BlockedLayout([1], [32], [4], [0], [], 1),
    lambda: gl.BlockedLayout([1], [32], [4], [0], order=[0]),
    lambda: gl.BlockedLayout([1], [32], [4], orders=[0]),
])
def test_layouts_take_their_parameters_and_no_others(make):
    with pytest.raises(TypeError, match="BlockedLayout"):
        make()


@pytest.mark.parametrize("make", [
    lambda: gl.BlockedLayout([1], [32], [4], [1]),
    lambda: gl.BlockedLayout([1, 1], [32], [4], [0]),
    lambda: gl.BlockedLayout([3], [32], [4], [0]),
    lambda: gl.SliceLayout(2, BLOCKED),
    lambda: gl.SwizzledSharedLayout(3, 1, 1, [0]),
])
def test_the_compiler_refuses_what_is_no_layout(make):
    with pytest.raises(gluonc.CompilationError):
        make()


def test_types_of_tensors_and_buffers_are_values():
    rows = gl.BlockedLayout([1, 1], [32, 1], [1, 4], [0, 1])
    tensor = gl.distributed_type(gl.float32, (32, 32), rows)
    assert tensor == pickle.loads(pickle.dumps(tensor)) and {tensor: 1}[tensor] == 1
    assert tensor.layout == rows and tensor != tensor.layout
    conflicts = [gl.bank_conflicts(tensor, gl.shared_memory_descriptor_type(
        gl.float32, [32, 32], gl.SwizzledSharedLayout(1, 1, phases, [1, 0]), [4, 32, 32]))
        for phases in (1, 2, 32)]
    assert conflicts == [31, 15, 0]
    part = gl.shared_memory_descriptor_type(
        gl.float32, [32, 32], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]), [32, 64])
    for make in (lambda: gl.bank_conflicts(tensor, tensor), lambda: gl.bank_conflicts(tensor, part),
                 lambda: gl.bank_conflicts(gl.distributed_type(gl.float32, [32], rows), part)):
        with pytest.raises(gluonc.CompilationError):
            make()


def test_layouts_of_memory_by_their_bases():
    shared = gl.to_linear_layout(gl.SwizzledSharedLayout(1, 1, 4, [1, 0]), [4, 4])
    assert shared.offset_bases == [[0, 1], [0, 2], [1, 1], [2, 2]]
    rows = gl.to_linear_layout(gl.nvidia.blackwell.TensorMemoryLayout([64, 64], 1), [128, 64]).rows
    assert rows == [[1, 0], [2, 0], [4, 0], [8, 0], [64, 0], [16, 0], [32, 0]]
    with pytest.raises(gluonc.CompilationError, match="not linear"):
        gl.to_linear_layout(gl.PaddedSharedLayout.with_identity_for([[32, 4]], [8, 8], [1, 0]),
                            [8, 8])


def test_dtypes_are_values():
    assert gl.float32 is pickle.loads(pickle.dumps(gl.float32))
    assert gl.bfloat16.primitive_bitwidth == 16 and gl.float8e5.primitive_bitwidth == 8
    assert gl.int1.is_bool() and gl.uint8.is_int_unsigned() and gl.float64.is_floating()
    assert gl.pointer_type(gl.int8) == gl.pointer_type(gl.int8)
    assert gl.int32 != gl.uint32
    assert gl.int1.is_int_unsigned() and not gl.int1.is_int_signed() and gl.int1.itemsize == 1
    for name in ("int1", "int64", "uint16", "float8e4nv", "bfloat16", "float64"):
        dtype = getattr(gl, name)
        assert dtype.__gluonc_source__() == "gl." + name and gl.dtype(dtype.name) is dtype
    assert [str(x) for x in (gl.int32, gl.float16, gl.bfloat16)] == ["int32", "fp16", "bf16"]
    assert repr(gl.float16) == "triton.language.float16"
    assert [x.signature for x in (gl.int1, gl.uint8, gl.float8e5)] == ["u1", "u8", "fp8e5"]


def test_constexpr_behaves_like_its_value_in_host_code():
    four = gl.constexpr(4)
    assert four + 1 == 5 and 2 * four == 8 and -four == -4 and not four > 4
    assert list(range(four)) == [0, 1, 2, 3] and [0, 1, 2, 3, 4][four] == 4
    assert gl.constexpr(four).value == 4 and {four: 1}[gl.constexpr(4)] == 1
    assert pickle.loads(pickle.dumps(four)).value == 4


def test_constexpr_functions_run_on_the_host_too():
    @gluonc.constexpr_function
    def twice(x):
        return 2 * x
    assert twice(gl.constexpr(21)) == 42 and twice.__name__ == "twice"


def test_helpers_round_up():
    assert [gluonc.cdiv(x, 4) for x in (0, 1, 4, 5)] == [0, 1, 1, 2]
    assert [gluonc.next_power_of_2(x) for x in (1, 2, 3, 1000)] == [1, 2, 4, 1024]


def test_the_language_has_its_names_and_none_that_it_lacks():
    from gluonc.language.nvidia.hopper import mbarrier, tma
    assert "load" in vars(gl) and hasattr(tma, "async_load") and hasattr(mbarrier, "init")
    assert not hasattr(gl, "no_such_function")
    with pytest.raises(RuntimeError, match="kernel"):
        gl.load(0)
    assert pickle.loads(pickle.dumps(gl.load)) is gl.load


@gluonc.jit
def conflicts_of(out, tile: gl.constexpr, buffer: gl.constexpr):
    gl.static_assert(isinstance(tile, gl.distributed_type))
    gl.static_assert(gl.zeros(tile.shape, tile.element_ty, tile.layout).type == tile)
    gl.static_assert(buffer == gl.shared_memory_descriptor_type(
        gl.float32, [32, 32], buffer.layout, [32, 32]))
    gl.store(out, gl.bank_conflicts(tile, buffer))


def test_types_are_compile_time_arguments():
    import numpy
    tile = gl.distributed_type(gl.float32, [32, 32],
                               gl.BlockedLayout([1, 1], [32, 1], [1, 4], [0, 1]))
    for swizzled, conflicts in ((False, 31), (True, 0)):
        layout = gl.SwizzledSharedLayout(1, 1, 32 if swizzled else 1, [1, 0])
        buffer = gl.shared_memory_descriptor_type(gl.float32, [32, 32], layout, [32, 32])
        out = numpy.zeros(1, numpy.int32)
        conflicts_of[(1,)](out, tile, buffer)
        assert out[0] == conflicts
    assert buffer == gl.shared_memory_descriptor_type(gl.float32, (32, 32), layout, (32, 32))
    assert len({buffer, tile}) == 2


def test_types_must_fit_the_kernel():
    import numpy
    wide = gl.distributed_type(gl.float32, [32, 30],
                               gl.BlockedLayout([1, 1], [32, 1], [1, 4], [0, 1]))
    with pytest.raises(gluonc.CompilationError, match="30. is not a power of two"):
        conflicts_of[(1,)](numpy.zeros(1, numpy.int32), wide, wide)


def test_lists_of_layouts_stay_as_they_are():
    layout = gl.DistributedLinearLayout([[1]], [[2], [4], [8], [16], [32]], [[0], [0]], [], [64])
    with pytest.raises(TypeError, match="a layout cannot be changed"):
        layout.reg_bases[0][0] = 2
    with pytest.raises(TypeError, match="a layout cannot be changed"):
        layout.reg_bases.append([2])
    bases = layout.reg_bases
    bases += [[2]]
    bases.append([4])
    assert bases == [[1], [2], [4]] and layout.reg_bases == [[1]]
    for other in (copy.deepcopy(layout), pickle.loads(pickle.dumps(layout))):
        assert other == layout and hash(other) == hash(layout)
        assert pickle.loads(pickle.dumps(layout.lane_bases)) == layout.lane_bases
