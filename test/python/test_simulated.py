"""--simulate: a process in which a GPU seems to be there. Each script is a process of its own."""

import json
import os
import pathlib
import select
import subprocess
import sys

import pytest

pytest.importorskip("torch")

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Names as files for Triton import them, most of which the script does not use.
HEAD = '''
import copy
import torch
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import tma, mbarrier, fence_async_shared
from triton.experimental.gluon.language.nvidia.blackwell import tcgen05_mma, no_such_name
from triton.experimental.gluon.language.extra import libdevice
from triton.language.core import _aggregate as aggregate
from triton._internal_testing import is_cuda, is_hip, is_hopper, is_blackwell
from triton.compiler.errors import CompilationError
from triton.tools.mxfp import MXFP4Tensor, MXScaleTensor

@gluon.jit
def double(x, y, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    at = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout)
    gl.store(y + at, 2 * gl.load(x + at, mask=at < n), mask=at < n)
'''


class Forks:
    """Scripts on a simulated cuda:90a, each in a process that forks from one that has imported PyTorch (forks.py)."""

    def __init__(self):
        self.server = None

    def run(self, script):
        """(exit status, stdout, stderr) of a script."""
        if self.server is None or self.server.poll() is not None:
            self.server = subprocess.Popen([sys.executable, "-m", "gluonc", "--simulate", "cuda:90a",
                                            str(pathlib.Path(__file__).with_name("forks.py"))],
                                           text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        out, err = script.with_suffix(".out"), script.with_suffix(".err")
        print(json.dumps({"script": str(script), "out": str(out), "err": str(err)}), file=self.server.stdin, flush=True)
        if not select.select([self.server.stdout], [], [], 120)[0]:
            self.end()
            raise TimeoutError(err.read_text() if err.exists() else script)
        return int(self.server.stdout.readline()), out.read_text(), err.read_text()

    def end(self):
        if self.server:
            self.server.kill()
            self.server.wait()


FORKS = Forks()


@pytest.fixture(scope="module", autouse=True)
def forks():
    yield
    FORKS.end()


def run(tmp_path, body, target="cuda:90a", module=("gluonc", "--simulate")):
    script = tmp_path / "script.py"
    script.write_text(HEAD + body)
    if (target, module) == ("cuda:90a", ("gluonc", "--simulate")):
        status, out, err = FORKS.run(script)
    else:
        done = subprocess.run([sys.executable, "-m", *module, target, str(script)], text=True,
                              capture_output=True, timeout=120)
        status, out, err = done.returncode, done.stdout, done.stderr
    assert status == 0, err
    return out


def test_tensors_on_cuda_reach_kernels(tmp_path):
    run(tmp_path, '''
x = torch.randn(1000, device="cuda")
y = torch.empty_like(x)
assert x.is_cuda and y.device == torch.device("cuda", 0) and not torch.ones(2).is_cuda
double[(triton.cdiv(1000, 128),)](x, y, 1000, 128)
torch.testing.assert_close(y, 2 * x)
try:
    torch.testing.assert_close(y, x)
except AssertionError:
    pass
else:
    raise SystemExit("a wrong result went unnoticed")
''')


def test_backward_functions_in_python_see_the_device(tmp_path):
    run(tmp_path, '''
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 2 * x

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        assert x.is_cuda and x.device.type == "cuda"
        made = torch.empty(x.shape, device=x.device)
        assert made.is_cuda
        double[(1,)](grad.contiguous(), made, x.numel(), 128)
        return made

x = torch.randn(100, device="cuda", requires_grad=True)
Double.apply(x).sum().backward()
assert x.grad.is_cuda and (x.grad == 2).all()
found, = torch.autograd.grad(Double.apply(x), [x], torch.ones(100, device="cuda"))
assert found.is_cuda and (found == 2).all()
''')


def test_names_of_torch_cuda_are_told_apart(tmp_path):
    # torch.compile has a rule for each, and finds them by the object.
    run(tmp_path, '''
names = ("synchronize", "empty_cache", "set_device", "device", "stream", "device_count", "init")
assert len({id(getattr(torch.cuda, name)) for name in names}) == len(names)
''')


def test_compiled_functions_of_torch_run_as_they_are(tmp_path):
    # With another release of PyTorch the names that Dynamo has rules for are others.
    run(tmp_path, '''
import torch._dynamo
torch._dynamo.trace_rules.get_torch_obj_rule_map()

@torch.compile(fullgraph=True)
def add(x):
    y = torch.empty_like(x)
    double[(1,)](x, y, x.numel(), 128)
    return torch.sin(y) + 1

x = torch.arange(8, device="cuda", dtype=torch.float32)
assert add(x).is_cuda
torch.testing.assert_close(add(x), torch.sin(2 * x) + 1)
''')


def test_torch_traces_and_compiles_what_is_not_simulated(tmp_path):
    run(tmp_path, '''
class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        return torch.relu(self.linear(x))

layer, x = Layer(), torch.randn(2, 4)
expected = layer(x)
for made in (torch.compile(layer), torch.compile(layer, fullgraph=True, dynamic=True),
             torch.compile(mode="max-autotune")(layer.forward), torch.fx.symbolic_trace(layer),
             torch.export.export(layer, (x,)).module(),
             torch.export.export(layer, (x,), strict=True).module(), torch.jit.trace(layer, x)):
    found = made(x)
    assert not found.is_cuda
    torch.testing.assert_close(found, expected)
torch._dynamo.reset()
''')


def test_moving_between_devices_copies(tmp_path):
    run(tmp_path, '''
x = torch.zeros(4, device="cuda")
host = x.cpu()
x += 1
assert not host.is_cuda and host.sum() == 0 and x.sum() == 4
back = host.to("cuda")
host += 5
assert back.is_cuda and back.sum() == 0
assert x.to(torch.float16).is_cuda and x.cuda() is x and not x.to("cpu", torch.int8).is_cuda
assert (x + 1).is_cuda and x[1:].is_cuda and x.view(2, 2).T.is_cuda
assert torch.tensor([1], device="cuda:0").is_cuda and torch.ones_like(host, device="cuda").is_cuda
assert copy.deepcopy(x).is_cuda and "cuda:0" in repr(x)
with torch.device("cuda"):
    assert torch.arange(3).is_cuda
try:
    x.numpy()
except TypeError:
    pass
else:
    raise SystemExit("NumPy saw the memory of a device")
''')


ADDRESSES = HEAD + """
@triton.jit
def copy(at, n, BLOCK: tl.constexpr):
    x = tl.load(at).to(tl.pointer_type(tl.float32))
    y = tl.load(at + 1).to(tl.pointer_type(tl.float32))
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, i < n), i < n)

x, y = torch.randn(100, device="cuda"), torch.zeros(100, device="cuda")
at = torch.tensor([x.data_ptr(), y.data_ptr()], device="cuda")
"""


def test_kernels_find_tensors_by_addresses_that_the_script_asked_for(tmp_path):
    run(tmp_path, ADDRESSES + """
copy[(1,)](at, 100, BLOCK=128)
assert torch.equal(x, y)
# A launch of the compiled kernel by itself.
y.zero_()
copy.warmup(at, 100, BLOCK=128, grid=(1,))[(1,)](at, 100)
assert torch.equal(x, y)
""")


@pytest.mark.parametrize("change, report", [
    ("n = 101", "right at the end of `fp32[100]` (400 bytes)"),
    ("del x", "OutOfBoundsAccess"),
    ("at += 1 << 40", "which is in no buffer"),
    ("at[1] = torch.zeros(100).data_ptr()", "OutOfBoundsAccess")])
def test_what_an_address_leads_to_is_checked(tmp_path, change, report):
    run(tmp_path, ADDRESSES + f"""
n = 100
{change}
try:
    copy[(1,)](at, n, BLOCK=128)
    assert False
except RuntimeError as error:
    assert {report!r} in str(error), error
""")


def test_objects_over_memory_of_the_gpu_are_tensors(tmp_path):
    run(tmp_path, '''
class Flipped:
    def __init__(self, base):
        self.base, self.dtype, self.device = base, base.dtype, base.device
    def data_ptr(self):
        return self.base.data_ptr() + 4 * 32
@gluon.jit
def copy(src, dst):
    x = gl.arange(0, 32, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(dst + x, gl.load(src - x))
x, y = torch.arange(64, dtype=torch.float32, device="cuda"), torch.zeros(32, device="cuda")
copy[(1,)](Flipped(x), y)
assert y.tolist() == list(range(32, 0, -1))
@gluon.jit
def gather(src, dst):
    x = gl.arange(0, 32, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(dst + x, gl.load(src + 2 * x))
# A row that is there 8 times, of which the kernel takes elements of all.
gather[(1,)](x.as_strided((8, 32), (0, 1)), y)
assert y.tolist() == list(range(0, 64, 2))
''')


def test_a_known_address_does_not_widen_arguments(tmp_path):
    run(tmp_path, HEAD + """
whole = torch.zeros(100, device="cuda")
whole.data_ptr()
try:
    double[(1,)](whole[:10], whole[:10], 100, 128)
    assert False
except RuntimeError as error:
    assert "past the end of `x, y`" in str(error) or "end of `x, y` (40 bytes)" in str(error), error
""")


def test_gradients_reach_leaves(tmp_path):
    run(tmp_path, '''
w = torch.ones(3, device="cuda", requires_grad=True)
(w * 2).sum().backward()
assert w.is_leaf and w.grad.tolist() == [2, 2, 2]
layer = torch.nn.Linear(4, 2).cuda()
assert layer.weight.is_cuda and layer(torch.ones(1, 4, device="cuda")).is_cuda
''')


@pytest.mark.parametrize("target, capability, backend, lanes, shared", [
    ("cuda:90a", (9, 0), "cuda", 32, 232448), ("cuda:100a", (10, 0), "cuda", 32, 232448),
    ("hip:gfx942", (9, 4), "hip", 64, 65536)])
def test_the_process_sees_the_chip(tmp_path, target, capability, backend, lanes, shared):
    run(tmp_path, f'''
assert torch.cuda.is_available() and torch.cuda.device_count() == 1
assert torch.cuda.get_device_capability() == {capability}
target = triton.runtime.driver.active.get_current_target()
assert target.backend == "{backend}" and target.warp_size == {lanes}
shared = triton.runtime.driver.active.utils.get_device_properties(0)["max_shared_mem"]
properties = torch.cuda.get_device_properties("cuda")
assert properties.shared_memory_per_block_optin == shared == {shared}
assert properties.warp_size == {lanes}
assert is_hip() == (torch.version.hip is not None) == ("{backend}" == "hip")
assert is_hopper() == ("{target}" == "cuda:90a") and is_blackwell() == ("{target}" == "cuda:100a")
assert torch.cuda.get_device_properties("cuda").multi_processor_count > 100
start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
with torch.cuda.stream(torch.cuda.Stream()):
    start.record()
end.record()
torch.cuda.synchronize()
assert start.elapsed_time(end) >= 0
''', target)


def test_hips_binding_answers_for_a_device_of_amd(tmp_path):
    run(tmp_path, '''
import hip
from hip import hip as calls
assert hip.hip.hipInit(0) == (calls.hipError_t.hipSuccess,) and calls.hipGetDeviceCount()[1] == 1
''', "hip:gfx942")


def test_a_graph_replays_what_was_captured(tmp_path):
    run(tmp_path, '''
x, y = torch.ones(128, device="cuda"), torch.zeros(128, device="cuda")
graph = torch.cuda.CUDAGraph()
compiled = double.warmup(x, x, 128, 128, grid=(1,))
w = torch.zeros(128, device="cuda")
with torch.cuda.graph(graph):
    double[(1,)](x, y, 128, 128)
    compiled[(1,)](y, w, 128)
    z = y + 1
x.fill_(4)
graph.replay()
assert y[0] == 8 and z[0] == 9 and w[0] == 16
''')


def test_generators_and_seeds(tmp_path):
    run(tmp_path, '''
def draw():
    return torch.rand(4, device="cuda", generator=torch.Generator(device="cuda").manual_seed(3))
assert torch.Generator(device="cuda").device.type == "cuda" and torch.equal(draw(), draw())
torch.manual_seed(1)
a = torch.randn(3, device="cuda")
torch.cuda.manual_seed_all(1)
assert torch.equal(a, torch.randn(3, device="cuda"))
''')


def test_launches_can_be_cut(tmp_path):
    run(tmp_path, '''
x, y = torch.ones(1024, device="cuda"), torch.zeros(1024, device="cuda")
compiled = double[(8,)](x, y, 1024, 128)
assert y.sum() == 2 * 3 * 128
y.zero_()
compiled[(8, 1, 1)](x, y, 1024)
assert y.sum() == 2 * 3 * 128
''', module=("gluonc", "--programs", "3", "--simulate"))


def test_large_random_tensors_cost_little(tmp_path):
    run(tmp_path, '''
x = torch.randn(1 << 31, device="cuda")
assert x.is_cuda and x.shape == (1 << 31,) and .9 < x[:100000].std() < 1.1
x[5] = 3
assert x[5] == 3 and x[5 + (16 << 20)] != 3
''')


def test_benchmarks_end_soon(tmp_path):
    text = run(tmp_path, '''
@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=["n"], x_vals=[128, 256], line_arg="scale", line_vals=[1, 2], line_names=["a", "b"],
    plot_name="table", args={}, ylabel="ms"))
def measure(n, scale):
    x = torch.ones(n * scale, device="cuda")
    return triton.testing.do_bench(lambda: double[(n * scale // 128,)](x, x, n * scale, 128))
measure.run(print_data=True)
assert triton.testing.do_bench_cudagraph(lambda: None) >= 0
''')
    lines = text.splitlines()
    assert lines[0] == "table:" and lines[1].split() == ["n", "a", "(ms)", "b", "(ms)"]
    assert len(lines) == 4 and float(lines[2].split()[2]) > 0


def test_times_on_a_known_chip_are_predictions_and_said_to_be(tmp_path):
    script = '''
def milliseconds(n):
    x = torch.ones(n, device="cuda")
    return triton.testing.do_bench(lambda: double[(n // 128,)](x, x, n, 128))
short, long = milliseconds(1 << 20), milliseconds(1 << 26)
print(round(milliseconds(1 << 26) / long, 6), 0.001 < short < 0.1, 0.1 < long < 1)
'''
    (tmp_path / "script.py").write_text(HEAD + script)
    done = subprocess.run([sys.executable, "-m", "gluonc", "--simulate", "cuda:90a", tmp_path / "script.py"],
                          text=True, capture_output=True, timeout=120)
    assert done.stdout.split() == ["1.0", "True", "True"], done.stderr
    assert done.stderr.count("predictions for H100 SXM") == 1


def test_times_on_an_unknown_chip_are_said_to_be_no_predictions(tmp_path):
    script = '''
x = torch.ones(128, device="cuda")
for _ in range(2):
    assert triton.testing.do_bench(lambda: double[(1,)](x, x, 128, 128)) > 0
configs = [triton.Config({"BLOCK": block}) for block in (128, 256)]
triton.autotune(configs, ["n"])(double)[(1,)](x, x, 128)
'''
    (tmp_path / "script.py").write_text(HEAD + script)
    done = subprocess.run([sys.executable, "-m", "gluonc", "--simulate", "cuda:120a", tmp_path / "script.py"],
                          text=True, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("has no figures of cuda:120a: times are of the simulation") == 1, done.stderr
    assert done.stderr.count("has no figures of cuda:120a: autotune takes the first") == 1, done.stderr


@pytest.mark.parametrize("target, chip, peak", [
    ("cuda:100a", "B200", 8000), ("hip:gfx942", "MI300X", 5300), ("hip:gfx950", "MI355X", 8000)])
def test_a_copy_is_predicted_near_the_rate_of_memory_by_published_figures(tmp_path, target, chip, peak):
    script = '''
n = 1 << 27
@gluon.jit
def copy(src, dst, layout: gl.constexpr):
    offsets = gl.program_id(0) * 4096 + gl.arange(0, 4096, layout=layout)
    gl.store(dst + offsets, gl.load(src + offsets))
x, y = (torch.ones(n, device="cuda") for _ in range(2))
lanes = 64 if triton.runtime.driver.active.get_current_target().backend == "hip" else 32
layout = gl.BlockedLayout([4], [lanes], [4], [0])
print(8 * n / triton.testing.do_bench(lambda: copy[(n // 4096,)](x, y, layout)) / 1e6)
'''
    (tmp_path / "script.py").write_text(HEAD + script)
    done = subprocess.run([sys.executable, "-m", "gluonc", "--simulate", target, tmp_path / "script.py"],
                          text=True, capture_output=True, timeout=120)
    assert f"predictions for {chip}, by figures that were published" in done.stderr, done.stderr
    assert 0.8 * peak < float(done.stdout) < peak


@pytest.mark.parametrize("target, example, call, peak", [
    ("cuda:100a", "blackwell_matmul", "product(a, b, c, 1.0)", 2250)])
def test_a_large_product_is_predicted_near_the_peak_of_tensor_cores(tmp_path, target, example, call, peak):
    script = f'''
import sys
sys.path.insert(0, {str(ROOT / "examples" / example)!r})
import matmul
n = 8192
a, b, c = (torch.empty(n, n, device="cuda", dtype=torch.float16) for _ in range(3))
print(2 * n**3 / triton.testing.do_bench(lambda: matmul.{call}) / 1e9)
'''
    (tmp_path / "script.py").write_text(HEAD + script)
    done = subprocess.run([sys.executable, "-m", "gluonc", "--simulate", target, tmp_path / "script.py"],
                          text=True, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert 0.7 * peak < float(done.stdout) < peak


def test_what_needs_other_programs_is_measured_by_the_clock(tmp_path):
    run(tmp_path, '''
@gluon.jit
def chain(flags, n):
    pid = gl.program_id(0)
    if pid > 0:
        while gl.atomic_add(flags + pid - 1, 0) == 0:
            pass
    gl.atomic_add(flags + pid, 1)
flags = torch.zeros(64, dtype=torch.int32, device="cuda")
assert triton.testing.do_bench(lambda: (flags.zero_(), chain[(64,)](flags, 64))) > 0
assert triton.testing.do_bench(lambda: flags.sum()) > 0
''')


def test_autotune_takes_the_configuration_that_is_predicted_to_be_the_fastest(tmp_path):
    run(tmp_path, '''
@triton.autotune([triton.Config({"STRIDE": stride}) for stride in (32, 1, 8)], key=["n"])
@gluon.jit
def spread(x, y, n, STRIDE: gl.constexpr):
    at = gl.program_id(0) * 1024 + gl.arange(0, 1024, gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(y + at, gl.load(x + at * STRIDE % n))
x = torch.ones(1 << 24, device="cuda")
y = torch.empty_like(x)
spread[((1 << 20) // 1024,)](x, y, 1 << 24)
assert spread.best_config.kwargs == {"STRIDE": 1}
''')


def test_a_timeline_is_of_the_launches_in_it(tmp_path):
    run(tmp_path, f'''
import json
import gluonc
x = torch.ones(1 << 20, device="cuda")
for path in ({str(tmp_path / "out.json")!r}, {str(tmp_path / "out.html")!r}):
    with gluonc.trace(path):
        double[(1024,)](x, x, 1 << 20, 1024)
        double[(1,)](x, x, 1 << 20, 1024)
events = json.load(open({str(tmp_path / "out.json")!r}))
assert events["otherData"]["kernel"] == "double, double" and events["otherData"]["chip"] == "H100 SXM"
assert any(e["name"].startswith("load script.py:") for e in events["traceEvents"])
assert "<canvas" in open({str(tmp_path / "out.html")!r}).read()
''')


def test_a_timeline_has_the_regions_that_kernels_name(tmp_path):
    run(tmp_path, f'''
import json
import gluonc
import triton.language as tl
import triton.profiler.language as pl
from triton.profiler import language
from triton.profiler.language import scope

pl.enable_semantic("triton")
assert language is pl

@triton.jit
def moved(x, y, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    with scope("all"):
        with pl.scope("load"):
            value = tl.load(x + at)
        language.enter_scope("store")
        tl.store(y + at, value)
        language.exit_scope("store")

x = torch.ones(1024, device="cuda")
y = torch.zeros_like(x)
moved[(4,)](x, y, 256)
assert (y == x).all()
with gluonc.trace({str(tmp_path / "out.json")!r}):
    moved[(4,)](x, y, 256)
events = json.load(open({str(tmp_path / "out.json")!r}))["traceEvents"]
assert {{e["name"] for e in events if e.get("cat") == "region"}} == {{"all", "load", "store"}}
''')


def test_a_missing_name_is_an_error_where_it_is_used(tmp_path):
    run(tmp_path, '''
import gluonc
for use in (lambda: no_such_name(1), lambda: no_such_name.x[0], lambda: triton.nothing.at_all()):
    try:
        use()
    except gluonc.errors.NotSupportedYet as error:
        assert "no_such_name" in str(error) or "triton.nothing" in str(error)
    else:
        raise SystemExit("not refused")
''')


def test_mx_formats_round_to_nearest_even(tmp_path):
    run(tmp_path, '''
values = torch.tensor([0.0, 0.25, 0.26, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0, 5.01, 100.0, -1.0])
four = MXFP4Tensor(data=values)
assert four.to(torch.float32).tolist() == [0, 0, .5, 1, 1, 2, 2, 4, 4, 6, 6, -1]
packed = four.to_packed_tensor(dim=0)
assert packed.shape == (6,)
assert torch.equal(four.unpack_packed_tensor(packed, 0, (12,)), four.data)
scales = MXScaleTensor(data=torch.tensor([1.0, 0.75, 4.0, -1.0, float("inf")]))
assert scales.data.tolist() == [127, 126, 129, 255, 255]
assert scales.to(torch.float32)[:3].tolist() == [1, .5, 4] and scales.to(torch.float32)[3].isnan()
assert MXScaleTensor(size=(64,)).random(low=.5, high=2.).to(torch.float32).unique().tolist() == [.5, 1, 2]
''')


TESTS = '''
import pytest

@pytest.mark.parametrize("n", range(10))
def test_double(n, device):
    x = torch.full((128,), float(n), device=device)
    y = torch.empty_like(x)
    double[(1,)](x, y, 128, 128)
    assert y[0] == 2 * n and n != 9

@pytest.mark.skipif(not is_blackwell(), reason="Blackwell")
def test_blackwell():
    no_such_name()

def test_sanitizer(fresh_knobs):
    fresh_knobs.compilation.instrumentation_mode = "consan"
    fresh_knobs.compilation.instrumentation_mode = "nosan"
'''


def test_the_pytest_plugin_reports_outcomes(tmp_path):
    import json
    path, report = tmp_path / "01-cases.py", tmp_path / "report"
    path.write_text(HEAD + TESTS)

    def outcomes(target, *options):
        report.write_text("")
        subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "gluonc.pytest",
                        "--import-mode=importlib", f"--gluonc-report={report}", *options,
                        str(path)], env={**os.environ, "GLUONC_SIMULATE": target},
                       capture_output=True, timeout=120)
        entries = [json.loads(line) for line in report.read_text().splitlines()]
        assert entries[0] == {"event": "collected", "count": 12}
        return {e["id"].partition("::")[2]: (e["outcome"], e.get("reason"))
                for e in entries if e["event"] == "end" and e["outcome"]}

    found = outcomes("cuda:90a", "--gluonc-sample=4")
    assert found == {"test_double[0]": ("passed", None), "test_double[3]": ("passed", None),
                     "test_double[6]": ("passed", None), "test_blackwell": ("skipped", ""),
                     "test_double[9]": ("failed", found["test_double[9]"][1]),
                     "test_sanitizer": ("unsupported", "nosan")}
    shuffled = [list(outcomes("cuda:90a", "--gluonc-sample=4", f"--gluonc-seed={seed}")) for seed in (1, 1, 2)]
    assert shuffled[0] == shuffled[1] != shuffled[2] and all(len(ids) == 6 for ids in shuffled)
    found = outcomes("cuda:100a")
    assert len(found) == 12
    assert found["test_blackwell"][0] == "unsupported" and "no_such_name" in found["test_blackwell"][1]


def test_stand_ins_for_tensors(tmp_path):
    run(tmp_path, '''
from triton.runtime.jit import MockTensor, TensorWrapper, reinterpret
compiled = double.warmup(MockTensor(torch.float16), MockTensor(torch.float16), 5, 128, grid=(1,))
assert "!tt.ptr<f16>" in compiled.asm["ttgir"]
x = torch.full((128,), 0xff, dtype=torch.uint8, device="cuda")
y = torch.zeros(128, dtype=torch.int32, device="cuda")
double[(1,)](reinterpret(x, tl.int8), y, 128, 128)
assert (y == -2).all()
''')


def test_a_seed_decides_which_partition_comes_first(tmp_path):
    script = tmp_path / "race.py"
    script.write_text(HEAD + '''
@gluon.jit
def write(out, value: gl.constexpr):
    gl.store(out, value)

@gluon.jit
def last_wins(out):
    # Partitions race, programs do not.
    mine = out + gl.program_id(0)
    gl.warp_specialize([(write, (mine, 1)), (write, (mine, 2))], [1], [24])

out = torch.zeros(16, dtype=torch.int32, device="cuda")
last_wins[(16,)](out)
print(out.tolist())
''')

    def outcome(seed):
        return subprocess.run([sys.executable, "-m", "gluonc", "--simulate", "cuda:90a",
                               "--schedule-seed", str(seed), str(script)], text=True, check=True,
                              capture_output=True, timeout=120).stdout

    outcomes = [outcome(seed) for seed in range(4)]
    assert len(set(outcomes)) > 1 and outcomes == [outcome(seed) for seed in range(4)]


def test_child_processes_see_the_same_gpu(tmp_path):
    body = '''
import multiprocessing
import subprocess
import sys

def work(n, queue):
    x = torch.arange(n, device="cuda", dtype=torch.float32)
    y = torch.empty_like(x)
    double[(triton.cdiv(n, 128),)](x, y, n, 128)
    queue.put((torch.cuda.get_device_name(), gluon.__name__, y.cpu().sum().item()))

if __name__ == "__main__":
    for method in ("spawn", "forkserver", "fork"):
        context = multiprocessing.get_context(method)
        queue = context.Queue()
        child = context.Process(target=work, args=(300, queue))
        child.start()
        child.join()
        assert child.exitcode == 0, method
        assert queue.get(timeout=5) == (torch.cuda.get_device_name(), "gluonc", 299 * 300.0)
    ask = "import triton, torch; print(torch.cuda.get_device_capability(), triton.__name__)"
    print(subprocess.run([sys.executable, "-c", ask], text=True, capture_output=True).stdout)
'''
    assert run(tmp_path, body, "cuda:100a") == "(10, 0) gluonc._triton\n\n"


def test_a_sitecustomize_that_is_hidden_from_children_runs(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("print('own')\n")
    script = tmp_path / "script.py"
    script.write_text("import subprocess, sys\n"
                      "subprocess.run([sys.executable, '-c', 'import triton'], check=True)\n")
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-m", "gluonc", str(script)], text=True, timeout=60,
                          capture_output=True, env={**os.environ, "PYTHONPATH": paths})
    assert done.returncode == 0 and done.stdout == "own\nown\n", done.stderr


LARGE = '''
x = torch.randn(150 << 20, device="cuda")
y = torch.empty_like(x)
y[:1 << 20] = 7
double[(2000,)](x, y, x.numel(), 128)
print((y[:1024 * 128] == 2 * x[:1024 * 128]).all().item(),
      (y[1024 * 128:2000 * 128] == 7).all().item())
'''


@pytest.mark.parametrize("options, is_cut", [((), True), (("--programs", "all"), False)])
def test_scripts_launch_parts_of_benchmarks(tmp_path, options, is_cut):
    script = tmp_path / "script.py"
    script.write_text(HEAD + LARGE)
    done = subprocess.run([sys.executable, "-m", "gluonc", *options, "--simulate", "cuda:90a",
                           str(script)], text=True, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"True {is_cut}\n"
    assert ("their first 1024 programs only" in done.stderr) == is_cut


def test_static_print_and_the_shared_memory_of_a_simulated_kernel(tmp_path):
    done = run(tmp_path, '''
@gluon.jit
def staged(x, BLOCK: gl.constexpr):
    gl.static_print("block of", BLOCK)
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    buffer = gl.allocate_shared_memory(gl.float32, [BLOCK],
                                       gl.SwizzledSharedLayout(1, 1, 1, [0]))
    at = x + gl.arange(0, BLOCK, layout)
    buffer.store(gl.load(at) + 1)
    for i in tl.range(0, 2):
        gl.store(at, buffer.load(layout))

x = torch.zeros(128, device="cuda")
kernel = staged[(1,)](x, 128)
assert torch.all(x == 1)
print(kernel.metadata.shared)
''')
    assert done.splitlines() == ["block of 128", "512"]


def test_launches_that_depend_on_each_other_come_in_order(tmp_path):
    run(tmp_path, '''
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

@gluon.jit
def add_one(x):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    at = gl.arange(0, 128, layout)
    gdc_wait()
    value = gl.load(x + at)
    gdc_launch_dependents()
    gl.store(x + at, value + 1)

x = torch.zeros(128, device="cuda")
for _ in range(3):
    add_one[(1,)](x, launch_pdl=True)
assert (x == 3).all()
''')


def test_kernels_ask_for_their_target(tmp_path):
    body = '''
from triton.language import target_info
from triton.language.target_info import cuda_capability_geq

@gluon.jit
def ask(x, layout: gl.constexpr):
    newer: gl.constexpr = 7 if cuda_capability_geq(9, 0) else 5
    gl.store(x + gl.arange(0, 128, layout), newer * 10 + (1 if target_info.is_hip() else 0))

layout = gl.BlockedLayout([1], [64 if target_info.is_hip() else 32], [4], [0])
x = torch.zeros(128, device="cuda", dtype=torch.int32)
ask[(1,)](x, layout)
print(x[0].item(), target_info.current_target())
'''
    assert run(tmp_path, body, "cuda:90a") == "70 cuda:90\n"
    assert run(tmp_path, body, "cuda:80") == "50 cuda:80\n"
    assert run(tmp_path, body, "hip:gfx942") == "51 hip:gfx942\n"


def test_races_of_programs_are_faults_unless_they_are_meant(tmp_path):
    script = tmp_path / "count.py"
    script.write_text(HEAD + '''
@gluon.jit
def count(total):
    gl.store(total, gl.load(total) + 1)

total = torch.zeros(1, dtype=torch.int32, device="cuda")
count[(4,)](total)
print("counted")
''')

    def outcome(*options):
        return subprocess.run([sys.executable, "-m", "gluonc", "--simulate", "cuda:90a", *options,
                               str(script)], text=True, capture_output=True, timeout=120)

    fault = outcome()
    assert fault.returncode and "GL5142" in fault.stderr and "counted" not in fault.stdout
    warning = outcome("--races", "warn")
    assert warning.returncode == 0 and warning.stdout == "counted\n"
    assert "warning: element 0" in warning.stderr
    assert outcome("--races", "ignore").stdout == "counted\n"


def test_descriptors_of_amds_engine_come_from_the_host(tmp_path):
    run(tmp_path, '''
from triton.experimental.gluon.amd.gfx1250 import TensorDescriptor
from triton.experimental.gluon.language.amd import gfx1250

@gluon.jit
def copy(a, b, row, column):
    smem = gl.allocate_shared_memory(a.dtype, a.block_shape, a.layout)
    gfx1250.tdm.async_load(a, [row, column], smem)
    gfx1250.tdm.async_wait(0)
    gfx1250.tdm.async_store(b, [row, column], smem)
    gfx1250.tdm.async_wait(0)

layout = gl.PaddedSharedLayout.with_identity_for([[32, 4]], [64, 32], [1, 0])
x = torch.randn(70, 33, device="cuda")
y = torch.zeros_like(x)
a, b = (TensorDescriptor.from_tensor(t, [64, 32], layout) for t in (x, y))
copy[(1,)](a, b, 64, 0)
assert torch.equal(y[64:, :32], x[64:, :32]) and not y[:64].any() and not y[:, 32].any()
copy[(1,)](a, b, 0, 0, waves_per_eu=1, matrix_instr_nonkdim=16, kpack=1, schedule_hint="none")
assert torch.equal(y[:64, :32], x[:64, :32])
for wrong in (dict(layout=gl.NVMMASharedLayout(128, 32, 2)), dict(padding="nan"),
              dict(strides=[1, 70]), dict(block_shape=[64])):
    fields = dict(base=x, shape=[70, 33], strides=[33, 1], block_shape=[64, 32], layout=layout)
    try:
        TensorDescriptor(**{**fields, **wrong})
    except AssertionError:
        continue
    raise SystemExit(f"{wrong} went unnoticed")
''', "hip:gfx1250")


def test_the_current_stream_has_a_handle(tmp_path):
    run(tmp_path, """
assert torch._C._cuda_getCurrentRawStream(0) == torch.cuda.current_stream().cuda_stream
default, other = torch.cuda.current_stream(), torch.cuda.Stream()
assert default.cuda_stream == 0 != other.cuda_stream
with torch.cuda.stream(other), torch.cuda.stream(None):
    assert torch.cuda.current_stream() is other
    assert torch._C._cuda_getCurrentRawStream(0) == other.cuda_stream
assert torch.cuda.current_stream() is default
""")


def test_the_accelerator_is_the_chip(tmp_path):
    run(tmp_path, """
accelerator = getattr(torch, "accelerator", None)
if accelerator is not None:
    assert accelerator.current_accelerator().type == "cuda"
    assert accelerator.is_available() and accelerator.device_count() == 1
    assert accelerator.current_device_index() == 0
    accelerator.synchronize()
# Optimizers ask it whether a graph is being captured.
weights = torch.zeros(4, device="cuda", requires_grad=True)
weights.grad = torch.ones_like(weights)
torch.optim.SGD([weights], lr=0.5).step()
assert weights.tolist() == [-0.5] * 4
""")


def test_peaks_of_a_device(tmp_path):
    run(tmp_path, """
from triton import testing
# 2600 MHz, twice in a cycle, 5120 bits.
assert testing.get_dram_gbps() == testing.get_dram_gbps(0) == 3328
at = 1000000
half = testing.get_max_tensorcore_tflops(torch.float16, at)
assert abs(half - 132 * 4 * 512 / 1000) < 1e-9
assert testing.get_max_tensorcore_tflops(torch.int8, at) == 2 * half
assert testing.get_max_tensorcore_tflops(tl.float8e5, at) == 2 * half
assert testing.get_max_tensorcore_tflops(torch.float32, at) == half / 2
assert testing.get_max_simd_tflops(torch.bfloat16, at) == half / 8
for ask, dtype in ((testing.get_max_tensorcore_tflops, torch.float64),
                   (testing.get_max_simd_tflops, torch.int16)):
    try:
        ask(dtype, at)
    except RuntimeError as error:
        assert str(dtype) in str(error)
    else:
        raise AssertionError(dtype)
""")


def test_threads_that_come_at_once_have_one_engine(tmp_path):
    run(tmp_path, '''
import concurrent.futures
import sys
import threading
from gluonc._engine import engine
sys.setswitchinterval(1e-6)
start = threading.Barrier(8)
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    assert len(set(pool.map(lambda _: (start.wait(), id(engine()))[1], range(8)))) == 1
''')
