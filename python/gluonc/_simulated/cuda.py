"""torch.cuda of a simulated device."""

import contextlib
import itertools
import time
import types

import torch

from gluonc._simulated import tensors


class Stream:
    """Work is done when it is given to a stream."""

    device_index = 0
    device_type = 1
    priority = 0
    _numbers = itertools.count()
    # Streams of `with` blocks that are open, the default stream below them.
    _current = []

    def __init__(self, device=None, priority=0, **_):
        # The default stream, which is made first, has none.
        self.cuda_stream = self.stream_id = next(Stream._numbers)

    device = property(lambda self: torch.device("cuda", 0))

    def synchronize(self):
        pass

    def is_capturing(self):
        return tensors._recording is not None

    def wait_event(self, event):
        pass

    def wait_stream(self, stream):
        pass

    def query(self):
        return True

    def record_event(self, event=None):
        event = event or Event()
        event.record()
        return event

    def __enter__(self):
        Stream._current.append(self)
        return self

    def __exit__(self, *_):
        Stream._current.pop()


class Event:
    """The host's clock."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, **_):
        self._time = None

    def record(self, stream=None):
        self._time = time.perf_counter()

    def wait(self, stream=None):
        pass

    def query(self):
        return True

    def synchronize(self):
        pass

    def elapsed_time(self, end):
        """Milliseconds."""
        return (end._time - self._time) * 1e3


_STREAM = Stream()
Stream._current.append(_STREAM)


def _current_stream():
    return Stream._current[-1]


def _set_stream(stream):
    Stream._current[-1] = stream or _STREAM


@contextlib.contextmanager
def _graph(cuda_graph, *_, **__):
    cuda_graph.capture_begin()
    try:
        yield
    finally:
        cuda_graph.capture_end()


def _context():
    """A context that nothing happens in."""
    @contextlib.contextmanager
    def current(*_, **__):
        yield
    return current


def _properties(chip):
    major, minor = chip.capability
    facts = chip.facts
    return types.SimpleNamespace(
        name=chip.name, major=major, minor=minor, total_memory=chip.memory,
        multi_processor_count=chip.processors, warp_size=facts["warp_size"],
        max_threads_per_multi_processor=2048, max_threads_per_block=facts["max_threads"],
        regs_per_multiprocessor=65536, shared_memory_per_block=48 << 10,
        shared_memory_per_block_optin=facts["max_shared_bytes"],
        shared_memory_per_multiprocessor=chip.shared, L2_cache_size=chip.l2,
        is_integrated=0, is_multi_gpu_board=0, clock_rate=1500000, memory_clock_rate=2600000,
        memory_bus_width=5120, gcnArchName=chip.arch if chip.is_hip else "", pci_bus_id=0,
        uuid="simulated")


def _functions(chip):
    properties = _properties(chip)

    def constant(value):
        return lambda *_, **__: value

    # torch.compile has a rule for each name, so each has a function of its own.
    answers = {
        "is_available": constant(True), "is_initialized": constant(True),
        "device_count": constant(1), "current_device": constant(0),
        "get_device_capability": constant(chip.capability),
        "get_device_name": constant(chip.name), "get_device_properties": constant(properties),
        "get_arch_list": constant([f"sm_{chip.arch}" if not chip.is_hip else chip.arch]),
        "mem_get_info": constant((chip.memory, chip.memory)),
        "current_stream": lambda device=None: _current_stream(),
        "set_stream": lambda stream: _set_stream(stream),
        "default_stream": constant(_STREAM),
        "is_current_stream_capturing": lambda: tensors._recording is not None,
        "memory_stats": constant({}), "is_bf16_supported": constant(True),
        "graph_pool_handle": constant((0, 0)), "initial_seed": lambda: torch.initial_seed(),
        "manual_seed": lambda seed: torch.default_generator.manual_seed(seed),
        "manual_seed_all": lambda seed: torch.default_generator.manual_seed(seed),
        "get_rng_state": lambda *_: torch.get_rng_state(),
        "set_rng_state": lambda state, *_: torch.set_rng_state(state),
        "Stream": Stream, "Event": Event, "CUDAGraph": tensors.CUDAGraph, "graph": _graph,
        "device": _context(), "device_of": _context(), "stream": lambda stream: stream or contextlib.nullcontext(),
    }
    for name in ("memory_allocated", "max_memory_allocated", "memory_reserved",
                 "max_memory_reserved"):
        answers[name] = constant(0)
    for name in ("synchronize", "empty_cache", "set_device", "init", "_lazy_init",
                 "ipc_collect", "reset_peak_memory_stats", "reset_max_memory_allocated"):
        answers[name] = constant(None)
    return answers


def _answer_as_accelerator():
    """torch.accelerator, of which there is one."""
    accelerator = torch.accelerator
    accelerator.current_accelerator = lambda check_available=False: torch.device("cuda")
    accelerator.is_available = lambda: True
    accelerator.device_count = lambda: 1
    accelerator.current_device_index = lambda: 0
    accelerator.current_stream = lambda device=None: _current_stream()
    accelerator.set_stream = lambda stream: _set_stream(stream)
    for name in ("synchronize", "set_device_index"):
        setattr(accelerator, name, lambda *_, **__: None)


def install(chip):
    for name, answer in _functions(chip).items():
        setattr(torch.cuda, name, answer)
    # Libraries hand streams to launchers of their own.
    torch._C._cuda_getCurrentRawStream = lambda device: _current_stream().cuda_stream
    if hasattr(torch, "accelerator"):
        _answer_as_accelerator()
    torch.version.cuda = None if chip.is_hip else "13.0"
    torch.version.hip = "7.0" if chip.is_hip else None
    nothing = types.SimpleNamespace(
        range_push=lambda *_: None, range_pop=lambda *_: None, mark=lambda *_: None, range=_context())
    torch.cuda.nvtx = nothing
