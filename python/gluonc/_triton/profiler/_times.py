"""Clocks: a point in time, and the nanoseconds between two of them; devices that run kernels."""

import sys
import time

from gluonc import _compiled, _engine, _simulated
from gluonc.errors import Unavailable


class HostClock:
    now = staticmethod(time.perf_counter_ns)

    @staticmethod
    def between(start, end):
        return end - start


class DeviceClock:
    """What PyTorch's current stream has come to."""

    @staticmethod
    def now():
        torch = sys.modules.get("torch")
        if torch is None:
            raise Unavailable("launches on a GPU are timed by events of PyTorch, which is not loaded")
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    @staticmethod
    def between(start, end):
        end.synchronize()
        return round(start.elapsed_time(end) * 1e6)


def has_gpu():
    """Whether there is a GPU that PyTorch works on, and no simulated one."""
    torch = sys.modules.get("torch")
    return torch is not None and not _simulated.is_active() and torch.cuda.is_available()


def is_captured():
    """Whether the current stream only takes down what it is given, for a CUDA graph."""
    return has_gpu() and sys.modules["torch"].cuda.is_current_stream_capturing()


def device(on_gpu):
    """("CUDA", 0): type and index of what kernels run on."""
    index = _compiled.current_device() if on_gpu else 0
    target = _engine.gpu_target(index) if on_gpu else _engine.simulated_target()
    return "HIP" if target.startswith("hip:") else "CUDA", index


def facts(on_gpu):
    """What Proton's viewer is told of a device; 0 is unknown. Clocks are in kHz, the bus in bits."""
    kind, index = device(on_gpu)
    target = _engine.gpu_target(index) if on_gpu else _engine.simulated_target()
    found = None
    if on_gpu or _simulated.is_active() and "torch" in sys.modules:
        found = sys.modules["torch"].cuda.get_device_properties(index)
    names = {"clock_rate": "clock_rate", "memory_clock_rate": "memory_clock_rate",
             "bus_width": "memory_bus_width", "num_sms": "multi_processor_count"}
    arch = target.partition(":")[2]
    return {"arch": arch.rstrip("af") if kind == "CUDA" else arch,
            **{name: getattr(found, key, 0) for name, key in names.items()}}
