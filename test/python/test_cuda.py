"""On a GPU, with PyTorch: devices, streams, graphs, other libraries' memory."""

import gluonc
import kernels
import pytest
from gluonc import language as gl

torch = pytest.importorskip("torch")
if not torch.cuda.is_available() or torch.cuda.get_device_capability() < (8, 0):
    pytest.skip("no CUDA GPU of compute capability 8.0", allow_module_level=True)

LAYOUT = gl.BlockedLayout([1], [32], [4], [0])


def copy(src, dst):
    return kernels.copy[(gluonc.cdiv(src.numel(), 256),)](src, dst, src.numel(), 256, LAYOUT)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "int8", "int64", "bool"])
def test_tensors_are_copied(dtype):
    src = torch.randint(0, 2, (1000,), device="cuda").to(getattr(torch, dtype))
    dst = torch.zeros_like(src)
    compiled = copy(src, dst)
    assert torch.equal(src, dst)
    assert not compiled.simulated and compiled.target.startswith("cuda:")


def test_tensors_that_require_gradients_are_arguments():
    src = torch.randn(300, device="cuda", requires_grad=True)
    dst = torch.zeros(300, device="cuda")
    copy(torch.nn.Parameter(src.detach()), dst)
    assert torch.equal(src, dst)
    copy(src * 2, dst)
    assert torch.equal(src * 2, dst)


def test_tuples_reach_the_machine_code():
    a, b = (torch.full((128,), float(v), device="cuda") for v in (1, 2))
    dst = torch.zeros(128, device="cuda")
    kernels.weigh[(1,)](dst, ((a, 3.0), (None, 7.0), (b, 0.5)), 128)
    assert (dst == 4).all()


def test_a_launch_goes_to_the_current_stream():
    stream = torch.cuda.Stream()
    src, dst = torch.randn(1 << 20, device="cuda"), torch.zeros(1 << 20, device="cuda")
    # Compiling takes longer than the other stream is kept busy.
    copy(src, dst)
    dst.zero_()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(20_000_000)
        copy(src, dst)
        done = torch.cuda.Event()
        done.record()
    # The default stream does not wait for it.
    assert not done.query()
    stream.synchronize()
    assert torch.equal(src, dst)


def test_launches_are_captured_in_graphs():
    src, dst = torch.zeros(512, device="cuda"), torch.zeros(512, device="cuda")
    copy(src, dst)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        copy(src, dst)
    src.fill_(7)
    assert not dst.any()
    graph.replay()
    assert (dst == 7).all()


def test_other_libraries_memory_is_an_argument():
    class Interface:
        def __init__(self, tensor):
            self.__cuda_array_interface__ = tensor.__cuda_array_interface__

    class Capsule:
        def __init__(self, tensor):
            self.tensor = tensor

        def __dlpack__(self, **kwargs):
            return self.tensor.__dlpack__()

        def __dlpack_device__(self):
            return self.tensor.__dlpack_device__()
    src = torch.randn(256, device="cuda")
    for wrap in (Interface, Capsule):
        dst = torch.zeros(256, device="cuda")
        kernels.copy[(1,)](wrap(src), wrap(dst), 256, 256, LAYOUT)
        assert torch.equal(src, dst)


def test_tensors_in_two_places_are_refused():
    with pytest.raises(ValueError, match="src on the CPU, dst on cuda:0"):
        kernels.copy[(1,)](torch.zeros(8), torch.zeros(8, device="cuda"), 8, 256, LAYOUT)


def test_a_compiled_kernel_tells_about_itself():
    src, dst = torch.randn(256, device="cuda"), torch.zeros(256, device="cuda")
    compiled = copy(src, dst)
    assert 0 < compiled.n_regs <= 255 and compiled.n_spills == 0
    assert compiled.n_max_threads >= 128 and compiled.function
    assert len(compiled.hash) == 64
    assert compiled.metadata.num_warps == 4 and compiled.metadata["shared"] == 0
    try:
        assert "LDG" in compiled.asm["sass"]
    except gluonc.Unavailable as missing:
        assert "nvdisasm" in str(missing)
    dst.zero_()
    compiled[(1,)](src, dst, 256)
    assert torch.equal(src, dst)


def test_an_empty_grid_runs_nothing():
    dst = torch.zeros(4, device="cuda")
    kernels.fill[(0,)](dst, 7, 4)
    assert not dst.any()


@pytest.mark.parametrize("ctas", [1, 4])
def test_programs_of_a_cooperative_launch_wait_for_each_other(ctas):
    if ctas > 1 and torch.cuda.get_device_capability() < (9, 0):
        pytest.skip("no clusters")
    programs = torch.cuda.get_device_properties(0).multi_processor_count // (2 * ctas)
    arrived = torch.zeros(1, dtype=torch.int32, device="cuda")
    seen = torch.zeros(programs, dtype=torch.int32, device="cuda")
    kernels.wait_for_all[(programs,)](arrived, seen, num_ctas=ctas, launch_cooperative_grid=True)
    assert (seen == 1).all()


def test_a_cooperative_launch_that_does_not_fit_says_what_does():
    arrived = torch.zeros(1, dtype=torch.int32, device="cuda")
    seen = torch.zeros(100000, dtype=torch.int32, device="cuda")
    with pytest.raises(gluonc.Unavailable, match="of 100000 CTAs; at most [1-9][0-9]* are on the"):
        kernels.wait_for_all[(100000,)](arrived, seen, launch_cooperative_grid=True)
    assert not seen.any()


def test_a_grid_beyond_the_hardware_is_refused():
    dst = torch.zeros(128, device="cuda")
    with pytest.raises(gluonc.Unavailable, match="at most 2147483647 x 65535 x 65535"):
        kernels.fill[(1, 65536)](dst, 1.0, 128)


def test_a_kernel_inside_torch_compile():
    @gluonc.torch_op("gluonc_test::twice")
    def twice(x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        kernels.weigh[(1,)](out, ((x, 2.0),), x.numel())
        return out

    @twice.register_fake
    def _(x):
        return torch.empty_like(x)
    x = torch.randn(128, device="cuda")
    compiled = torch.compile(lambda x: twice(x + 1) * 3, backend="aot_eager", fullgraph=True)
    assert torch.allclose(compiled(x), (x + 1) * 6)


def test_a_fork_after_a_launch_says_so():
    import os
    src, dst = torch.randn(256, device="cuda"), torch.zeros(256, device="cuda")
    copy(src, dst)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            copy(src, dst)
            os.write(write, b"ran")
        except gluonc.Unavailable as problem:
            os.write(write, str(problem).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert "fork" in os.read(read, 1000).decode()


def test_misplaced_memory_is_refused_on_the_device_it_is_on():
    if torch.cuda.device_count() < 2:
        pytest.skip("one GPU")
    src, dst = torch.randn(256, device="cuda:1"), torch.zeros(256, device="cuda:1")
    copy(src, dst)
    assert torch.equal(src, dst) and torch.cuda.current_device() == 0


def test_threads_launch_at_once():
    import threading
    src = torch.randn(4096, device="cuda")
    outputs = [torch.zeros(4096, device="cuda") for _ in range(8)]

    def work(dst):
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(200):
                copy(src, dst)
    torch.cuda.synchronize()
    threads = [threading.Thread(target=work, args=(dst,)) for dst in outputs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    torch.cuda.synchronize()
    assert all(torch.equal(src, dst) for dst in outputs)


def test_a_hundred_thousand_launches_leave_no_memory_behind():
    import resource
    x = torch.zeros(16, device="cuda")

    def launch(times):
        for i in range(times):
            kernels.nothing[(1,)](x, (x, 2.5, None), 2 + i % 50)
        torch.cuda.synchronize()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    before = launch(5000)
    # KiB. Ten bytes a launch would be 1000.
    assert launch(100000) - before < 512


@pytest.mark.parametrize("dtype, swizzle, columns", [
    ("float16", 128, 64), ("float16", 0, 64), ("float32", 64, 32), ("int8", 32, 128)])
def test_descriptors_move_blocks(dtype, swizzle, columns):
    if torch.cuda.get_device_capability() < (9, 0):
        pytest.skip("no tensor memory accelerator")
    import descriptor_kernels
    from gluonc.nvidia.hopper import TensorDescriptor
    kind = getattr(torch, dtype)
    src = torch.randint(-100, 100, (200, 256), device="cuda").to(kind)
    dst = torch.zeros(64, columns, device="cuda", dtype=kind)
    layout = gl.NVMMASharedLayout(swizzle, src.element_size() * 8, 2)
    # The last rows and columns of the block lie outside of the tensor.
    for row, column in ((0, 0), (16, 32), (150, 256 - columns // 2)):
        dst.fill_(1)
        descriptor_kernels.move[(1,)](
            TensorDescriptor.from_tensor(src, [64, columns], layout),
            TensorDescriptor.from_tensor(dst, [64, columns], layout), row, column)
        block = src[row:row + 64, column:column + columns]
        expected = torch.zeros_like(dst)
        expected[:block.shape[0], :block.shape[1]] = block
        assert torch.equal(dst, expected)


def test_autotune_measures_and_leaves_arguments_as_they_were():
    from gluonc._autotune import Config, autotune
    tuned = autotune([Config({"BLOCK": 64}), Config({"BLOCK": 1024})], ["n"],
                     restore_value=["dst"])(gluonc.jit(kernels.fill.fn))
    dst = torch.zeros(1 << 20, device="cuda")
    tuned[lambda meta: (1,)](dst, 7, dst.numel())
    block = tuned.best_config.kwargs["BLOCK"]
    # Only the launch after the measurements is to be seen.
    assert dst.sum() == 7 * block


def test_descriptors_made_by_the_kernel_in_a_graph():
    if torch.cuda.get_device_capability() < (9, 0):
        pytest.skip("no tensor memory accelerator")
    import descriptor_kernels
    layout = gl.NVMMASharedLayout(128, 16, 2)
    src = torch.randn(64 * 40, 64, device="cuda").half()
    dst = torch.zeros_like(src)
    compiled = descriptor_kernels.move_own[(40,)](src, dst, layout)
    assert torch.equal(src, dst)
    assert compiled.metadata.global_scratch_size == 256
    # Memory for the descriptors is part of the graph.
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        descriptor_kernels.move_own[(40,)](src, dst, layout)
    for _ in range(3):
        src.normal_()
        graph.replay()
        assert torch.equal(src, dst)


@pytest.mark.parametrize("kernel", ["add_one", "add_one_in_partitions"])
def test_launches_that_overlap_wait_in_the_kernel(kernel):
    if torch.cuda.get_device_capability() < (9, 0):
        pytest.skip("no grid dependency control")
    import overlap_kernels
    x = torch.zeros(1 << 22, device="cuda")
    for _ in range(200):
        compiled = getattr(overlap_kernels, kernel)[(x.numel() // 1024,)](
            x, x.numel(), 1024, LAYOUT, launch_pdl=True)
    assert (x == 200).all()
    assert compiled.metadata.launch_pdl
    assert "griddepcontrol.wait" in compiled.asm["ptx"]


def test_ir_and_sources_compile_for_the_gpu(tmp_path):
    src = torch.arange(1000, device="cuda", dtype=torch.int32)
    dst = torch.zeros_like(src)
    path = tmp_path / "copy.ttgir"
    path.write_text(copy(src, dst).asm["ttgir"])
    made = gluonc.compile(str(path))
    assert not made.simulated and made.asm["cubin"]
    dst.zero_()
    made[(4,)](src, dst, src.numel())
    assert torch.equal(src, dst)
    source = gluonc.ASTSource(kernels.copy, {"src": "*i32", "dst": "*i32", "n": "i32"},
                              {"BLOCK": 256, "layout": LAYOUT})
    dst.zero_()
    gluonc.compile(source, device="cuda")[(4,)](src, dst, src.numel())
    assert torch.equal(src, dst)
    # On the same machine, for the simulator.
    host = torch.zeros(1000, dtype=torch.int32)
    gluonc.compile(source, device="cpu")[(4,)](src.cpu(), host, host.numel())
    assert torch.equal(src.cpu(), host)
    with pytest.raises(ValueError, match="different devices"):
        made[(4,)](src.cpu(), host, host.numel())
