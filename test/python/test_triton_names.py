"""Names and parameters of Triton 3.9.0's languages, as triton_3_9_names.txt states them: gluonc has each, or
ABSENT and OTHER say why not. `test/peer/triton_names.py` makes the table."""

import ast
import fnmatch
import inspect
import json
import pathlib
import subprocess

import gluonc
import gluonc.language
import pytest
from gluonc import _options, _triton
from gluonc import language as gl
from gluonc._triton import _language as tl
from gluonc._triton import testing  # noqa: F401
from gluonc._unknown import Unknown

TABLE = pathlib.Path(__file__).with_name("triton_3_9_names.txt")
STUBS = pathlib.Path(gluonc.language.__file__).parent
COMMAND = pathlib.Path(gluonc.__file__).parent / "bin/gluonc"
ROOTS = {"gluon": gluonc, "triton": _triton, "gl": gl, "tl": tl}
HEAD = """import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

"""
# Classes of values that exist in kernels only; the stubs have their methods.
VALUES = {"tensor": "__init__", "shared_memory_descriptor": "__init__",
          "tensor_memory_descriptor": "__init__"}

# What is not there. Patterns of names, and why.
ABSENT = {
    "gl.*.type": "the type that a layout has as a constant of IR",
    "*.to_ir": "takes Triton's IR builder",
    "gl.*Layout.verify": "called by the constructor, which refuses what is wrong",
    "*.dtype.*KIND": "numbers of Triton's own; `is_int()`, `is_floating()`, … tell kinds apart",
    "*.dtype.kind": "numbers of Triton's own",
    "*.dtype.SIGNEDNESS": "numbers of Triton's own; `is_int_signed()` tells",
    "*.dtype.with_element_ty": "on a type of elements, which has no elements, Triton fails too",
    "*.constexpr.logical_*": "what `and`, `or` of kernels call in Triton",
    "gl.tuple_type": "of kernels, without a Python class behind it",
    "gl.void": "the type of functions without results, which no value has",
    "gl.nvidia.*.clc.clc_result.*": "methods of values of kernels, which the stub of `clc_result` has",
    "gl.*descriptor*.nbytes_per_cta": "attributes of values of kernels: ATTRIBUTES",
    "gl.*memory_descriptor.rank": "attributes of values of kernels: ATTRIBUTES",
    "gl.*memory_descriptor.numel": "attributes of values of kernels: ATTRIBUTES",
    "gl.*.tensor_memory_descriptor_type.get_reg_layout": "of kernels: `buffer.get_reg_layout()`",
    "gl.amd.slice.slice": "the module and its function have one name: `gl.amd.slice` is the function",
    "gl.amd.warp_pipeline.*": "a file of Triton's; `gl.amd.warp_pipeline_stage` is its public name",
    "gluon.GluonASTSource.*": "steps of Triton's compiler",
    "*JITFunction.create_binder": "Triton's launcher",
    "*JITFunction.parse": "gives Triton's syntax tree",
    "*JITFunction.type": "a constant of Triton's IR",
    "options.*dot*": "what products of a chip allow and take by default: `input_precision` of `tl.dot` says it",
    "options.*.max_num_imprecise_acc_default": "`max_num_imprecise_acc` of `tl.dot` says it",
    "options.*.supported_fp8_dtypes": "what a chip has, not what a launch chooses",
    "options.*.backend_name": "what a chip has, not what a launch chooses",
    "options.*.fpsan_homomorphic_casts": "an experiment of Triton's sanitizer",
    "options.cuda.clc": "programs that a persistent kernel takes over are asked for by `clc.try_cancel`",
    "triton.testing.Mark*": "made by `perf_report`",
    "triton.testing.cuda_*": "of CUDA's graphs and of `cuda-memcheck`, for Triton's own benchmarks",
    "triton.testing.nvsmi": "asks `nvidia-smi`",
    "triton.testing.set_gpu_clock": "sets clocks of a GPU that is there",
    "triton.runtime.Autotuner.check_disk_cache": "a step of Triton's tuner; gluonc's has `cache_results`",
    "*.KernelInterface.run": "the base of kernels has no kernel to run",
    "*.MockTensor.ptr_range": "for AMD's buffers; gluonc asks the launch",
    "*.TensorWrapper.copy_": "copies by `wrapper.base.copy_`",
    "*.tensor_descriptor.*": "attributes of values of kernels: ATTRIBUTES",
    "*.tensor.advance": "of block pointers: ATTRIBUTES",
    "*.tensor.flip": "functions of the library: ATTRIBUTES",
    "*.tensor.histogram": "functions of the library: ATTRIBUTES",
    "*.tensor.logical_*": "functions of the library: ATTRIBUTES",
    "*.tensor.sigmoid": "functions of the library: ATTRIBUTES",
    "*.tensor.softmax": "functions of the library: ATTRIBUTES",
    "*.tensor.sort": "functions of the library: ATTRIBUTES",
    "*.tensor.view": "functions of the library: ATTRIBUTES",
    "tl.extra.*.gdc.*": "a module of the compiler's, `tl.extra.cuda.gdc_wait` on the host",
    "tl.extra.*.utils.*": "a module of the compiler's, `tl.extra.cuda.smid` on the host",
}
# What values of kernels have beside the methods that the stubs list.
ATTRIBUTES = {
    "buffers": ("desc=tensordesc<fp16[64, 64],gl.NVMMASharedLayout(128, 16)>", """
@gluon.jit
def buffers(desc):
    smem = gl.allocate_shared_memory(gl.float16, [64, 64], desc.layout)
    gl.static_assert(smem.rank == 2 and smem.numel == 4096 and smem.nbytes_per_cta == 8192)
    gl.static_assert(smem.type.nbytes_per_cta == 8192)
    gl.static_assert(desc.nbytes_per_cta == 8192 and desc.type.nbytes_per_cta == 8192)
    gl.static_assert(desc.dtype == gl.float16 and desc.block_shape == (64, 64))
    gl.static_assert(desc.block_type.nbytes == 8192)
"""),
    "tensors": ("x_ptr=*fp32:16", """
@triton.jit
def tensors(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 64))
    y = x.sigmoid() + x.softmax() + x.sort() + x.flip() + x.to(tl.int32).histogram(64)
    both = (x > 0).logical_and(x < 1).logical_or(y > 2)
    block = tl.make_block_ptr(x_ptr, [64], [1], [0], [32], [0])
    tl.store(block.advance([32]), tl.load(block))
    tl.store(x_ptr + tl.arange(0, 64), tl.where(both, x, y).view(64))
"""),
    "descriptors": ("d=tensordesc<i32[16, 32]>", """
@triton.jit
def descriptors(d):
    v = d.load([0, 0])
    d.store([0, 0], v)
    d.atomic_add([0, 0], v)
    d.atomic_min([0, 0], v)
    d.atomic_max([0, 0], v)
    d.atomic_and([0, 0], v)
    d.atomic_or([0, 0], v)
    d.atomic_xor([0, 0], v)
    tl.static_assert(d.dtype == tl.int32 and d.block_shape == (16, 32) and d.block_type.shape == (16, 32))
    made = tl.make_tensor_descriptor(tl.cast(0, tl.int64).to(tl.pointer_type(tl.int32)), [64, 32], [32, 1], [1, 32])
    made.scatter(made.gather(tl.arange(0, 32), 0), tl.arange(0, 32), 0)
"""),
}
# What has other parameters.
OTHER = {
    "gl.nvidia.rubin.mbarrier.arrive": "has no `multicast_cta` yet",
    "gl.aggregate_replace": "takes any keyword, `instance` among them",
    "tl.extra.cuda.convert_custom_float8_sm*": "for chips that have no such conversions",
    "tl.slice": "Python's own",
    "[gt]l.tuple": "Python's own on the host",
    "[gt]l.cdiv": "on the host it is `triton.cdiv`, whose divisor is `y`; kernels call it `div` too",
    "gl.nvidia.*.clc.clc_result": "made by `clc.load_result`",
    "*JITFunction": "made by `jit`, which takes these",
    "*JITFunction.repr": "a name, not a function that names",
    "*.must_use_result": "marks a function and gives it back, whatever comes with it",
    "triton.AsyncCompileMode.submit": "between Triton's own parts",
    "triton.FutureKernel*": "between Triton's own parts",
    "triton.*Error": "raised by the compiler, not by programs",
}


def read_table():
    """{name: parameters, as Python writes them, or None}"""
    found = {}
    for line in TABLE.read_text().splitlines():
        if not line.startswith("#"):
            name, opened, parameters = line.partition("(")
            found[name] = parameters.removesuffix(")") if opened else None
    return found


ROWS = read_table()


def parse(parameters):
    """ast.arguments of "a, b=1, *, c=...". """
    return ast.parse(f"def f({parameters}): pass").body[0].args


def excepted(name, table):
    return next((pattern for pattern in table if fnmatch.fnmatchcase(name, pattern)), None)


def resolve(name):
    """What the Python package has under a name of the table; None for nothing."""
    root, *parts = name.split(".")
    found = ROOTS[root]
    for part in parts:
        found = getattr(found, part, None)
    return None if isinstance(found, Unknown) else found


def is_method_of_value(name):
    return len(name.split(".")) > 2 and name.split(".")[-2] in VALUES and not name.startswith("gl.amd")


def is_class(name):
    return any(other.startswith(name + ".") for other in ROWS)


def is_device_function(name):
    return isinstance(resolve(name), gluonc.language.DeviceFunction)


def stub_members(cls):
    """{name: ast.arguments or None} of a class in the stubs."""
    tree = ast.parse((STUBS / (VALUES[cls] + ".pyi")).read_text())
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == cls)
    return {getattr(node, "name", None) or node.target.id: getattr(node, "args", None) for node in body
            if isinstance(node, (ast.FunctionDef, ast.AnnAssign))}


def names(arguments):
    return [arg.arg for arg in arguments.posonlyargs + arguments.args]


def differences(theirs, ours):
    """Why a call that theirs takes may not be one that ours takes."""
    required = len(names(ours)) - len(ours.defaults)
    for place, name in enumerate(names(theirs)):
        if ours.vararg and place >= len(names(ours)):
            continue
        if place >= len(names(ours)) or names(ours)[place] != name:
            yield f"no `{name}` at {place}"
        elif place >= len(names(theirs)) - len(theirs.defaults) and place < required:
            yield f"`{name}` has to be given"
    if theirs.vararg and not ours.vararg:
        yield "no *" + theirs.vararg.arg
    known = names(ours) + [arg.arg for arg in ours.kwonlyargs]
    for arg in theirs.kwonlyargs:
        if arg.arg not in known and not ours.kwarg:
            yield f"no `{arg.arg}`"


def of_signature(function):
    """ast.arguments of a Python function or class."""
    words, is_keyword = [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not is_keyword:
            words.append("*")
        is_keyword |= parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        words.append(stars + parameter.name + ("" if parameter.default is parameter.empty else "=..."))
    if words and words[0] == "self":
        del words[0]
    return parse(", ".join(words))


def probes(name, parameters):
    """(call, kind of the error that it must have, what that must name) for a function of kernels."""
    arguments = parse(parameters)
    for place, parameter in enumerate(names(arguments)):
        zeros = "0, " * (place + 1)
        yield f"{name}({zeros}{parameter}=0)", "DuplicateArgument", f"`{parameter}`"
    zeros = "0, " * (len(names(arguments)) - len(arguments.defaults))
    for parameter in arguments.kwonlyargs:
        yield f"{name}({zeros}{parameter.arg}=0, no_such_name=0)", "UnexpectedArgument", "`no_such_name`"


def run_probes(tmp_path, rows):
    """{name: [call that did not end as it must: what it ended with]}"""
    calls = [(name, *probe) for name, parameters in rows.items() for probe in probes(name, parameters)]
    file = tmp_path / "probes.py"
    file.write_text(HEAD + "\n".join(f"@gluon.jit\ndef probe_{number}():\n    {call}\n"
                                     for number, (_, call, _, _) in enumerate(calls)))
    done = subprocess.run([COMMAND, "check", file, "--diagnostics=json"], capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    said = {}
    for line in (done.stdout + done.stderr).splitlines():
        if line.startswith("{") and (report := json.loads(line))["severity"] == "error":
            said.setdefault(report["line"], (report["kind"], report["message"]))
    first, wrong = HEAD.count("\n") + 3, {}
    for number, (name, call, kind, word) in enumerate(calls):
        got = said.get(first + 4 * number, ("no error", ""))
        if got[0] != kind or word not in got[1]:
            wrong.setdefault(name, []).append(f"{call}: {': '.join(got)}")
    return wrong


def missing_names():
    for name in ROWS:
        if name.startswith("options."):
            option = name.rpartition(".")[2]
            if option not in _options.default_options() and not _options.ignores_option(option):
                yield name
        elif is_method_of_value(name):
            _, cls, member = name.rsplit(".", 2)
            if member not in stub_members(cls):
                yield name
        elif resolve(name) is None:
            yield name


def test_names_are_there():
    missing = set(missing_names())
    print("\n".join(sorted(name for name in missing if not excepted(name, ABSENT))))
    assert [name for name in sorted(missing) if not excepted(name, ABSENT)] == []
    assert [pattern for pattern in ABSENT if not fnmatch.filter(missing, pattern)] == []


@pytest.mark.parametrize("kernel", ATTRIBUTES)
def test_values_of_kernels_have_attributes(kernel, tmp_path):
    parameter, text = ATTRIBUTES[kernel]
    file = tmp_path / "attributes.py"
    file.write_text(HEAD + text)
    done = subprocess.run([COMMAND, "compile", f"{file}::{kernel}", parameter, "--target", "cuda:100a", "--emit",
                           "ttgir", "-o", tmp_path / "out"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_functions_of_kernels_take_the_same_arguments(tmp_path):
    rows = {name: parameters for name, parameters in ROWS.items()
            if parameters is not None and is_device_function(name)}
    assert len(rows) > 500
    wrong = run_probes(tmp_path, rows)
    print("\n".join(f"{name}: {calls}" for name, calls in wrong.items() if not excepted(name, OTHER)))
    assert [name for name in wrong if not excepted(name, OTHER)] == []
    assert [pattern for pattern in OTHER if pattern.startswith("tl") and
            not fnmatch.filter(wrong, pattern)] == []


def test_classes_methods_and_host_functions_take_the_same_arguments():
    wrong = {}
    for name, parameters in ROWS.items():
        if parameters is None or excepted(name, ABSENT) or is_device_function(name):
            continue
        if is_method_of_value(name):
            _, cls, member = name.rsplit(".", 2)
            ours = stub_members(cls)[member]
            if ours is None:
                continue
            ours.args[:1] = []
        else:
            try:
                ours = of_signature(resolve(name))
            except (TypeError, ValueError):
                continue
        if found := list(differences(parse(parameters), ours)):
            wrong[name] = found
    print("\n".join(f"{name}: {why}" for name, why in wrong.items() if not excepted(name, OTHER)))
    assert [name for name in wrong if not excepted(name, OTHER)] == []
