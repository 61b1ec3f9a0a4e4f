"""triton.backends: whose chips kernels are made for, by name. There are no plug-ins."""

from dataclasses import dataclass

from gluonc._triton.backends import compiler, driver


@dataclass(frozen=True)
class Backend:
    """What compiles, and what launches."""

    compiler: type
    driver: type


backends = {"nvidia": Backend(compiler.CUDABackend, driver.CudaDriver),
            "amd": Backend(compiler.HIPBackend, driver.HIPDriver),
            "cpu": Backend(compiler.CPUBackend, driver.CPUDriver)}
