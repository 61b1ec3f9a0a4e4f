"""triton.backends.driver: devices that kernels run on, real or simulated."""

from gluonc import _engine, _native
from gluonc._triton.backends.compiler import GPUTarget
from gluonc.errors import Unavailable

class _Utils:
    @staticmethod
    def get_device_properties(device):
        """What launches and benchmarks ask of a device."""
        target = GPUDriver.get_current_target()
        import torch
        properties = torch.cuda.get_device_properties(device)
        chip = _native.target_info(_engine.current_target())
        return {"max_shared_mem": chip["max_shared_bytes"],
                "multiprocessor_count": properties.multi_processor_count,
                "max_num_regs": 65536, "warpSize": target.warp_size,
                "sm_clock_rate": 1500000, "mem_clock_rate": 2600000, "mem_bus_width": 5120}


class GPUDriver:
    """The current GPU."""

    utils = _Utils()

    @staticmethod
    def get_current_target():
        name = _engine.current_target()
        if name is None:
            raise Unavailable("no GPU is active; `python -m gluonc --simulate cuda:90a …` "
                              "simulates one")
        return GPUTarget.parse(name)

    @staticmethod
    def get_current_device():
        import torch
        return torch.cuda.current_device()

    @staticmethod
    def set_current_device(device):
        import torch
        torch.cuda.set_device(device)

    @staticmethod
    def get_current_stream(device=None):
        import torch
        return torch.cuda.current_stream(device).cuda_stream

    @staticmethod
    def get_active_torch_device():
        import torch
        return torch.device("cuda", torch.cuda.current_device())

    @staticmethod
    def get_device_interface():
        import torch
        return torch.cuda

    @staticmethod
    def get_device_capability(device=None):
        import torch
        return torch.cuda.get_device_capability(device)

    @staticmethod
    def get_empty_cache_for_benchmark():
        from gluonc._testing import flush_buffer
        return flush_buffer()

    @staticmethod
    def clear_cache(cache):
        cache.zero_()

    @staticmethod
    def get_benchmarker():
        from gluonc._testing import do_bench
        return do_bench

    @staticmethod
    def is_active():
        return _engine.current_target() is not None


class CudaDriver(GPUDriver):
    """A GPU of NVIDIA's."""

    @staticmethod
    def is_active():
        return (_engine.current_target() or "").startswith("cuda:")


class HIPDriver(GPUDriver):
    """A GPU of AMD's."""

    @staticmethod
    def is_active():
        return (_engine.current_target() or "").startswith("hip:")


class CPUDriver:
    """The simulator, for tensors on the CPU. It pretends to be the chip that `gluonc.compile` chooses for
    it."""

    @staticmethod
    def get_current_target():
        return GPUTarget("cpu", "", 0)

    @staticmethod
    def get_current_device():
        return 0

    @staticmethod
    def set_current_device(device):
        """There is one."""

    @staticmethod
    def get_current_stream(device=None):
        return 0

    @staticmethod
    def get_active_torch_device():
        import torch
        return torch.device("cpu")

    @staticmethod
    def get_device_interface():
        import torch
        return torch.cpu

    @staticmethod
    def get_benchmarker():
        from gluonc._testing import do_bench
        return do_bench

    @staticmethod
    def is_active():
        return True
