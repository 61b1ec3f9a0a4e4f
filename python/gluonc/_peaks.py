"""What a device can do at most, for benchmarks that say how much of it they reach.

By the rates that Triton counts with, which for chips after Ampere are below those of data sheets.
"""

# Operations of one of the four parts of a multiprocessor in a cycle, by the width of an element in
# bits: of units for products, and of the others.
_PRODUCTS = {32: 256, 16: 512, 8: 1024}
_SINGLE = {32: 32, 16: 64}
_PARTS = 4


def get_dram_gbps(device=None):
    """GB/s between a device and its memory, which transfers twice in a cycle."""
    found, _ = _properties(device)
    return found["mem_clock_rate"] * found["mem_bus_width"] * 2 / 8 / 1e6


def get_max_tensorcore_tflops(dtype, clock_rate, device=None):
    """Tera-operations of products per second; `clock_rate` is in kHz."""
    found, capability = _properties(device)
    if capability[0] < 8:
        return _rate(found, clock_rate, 256 if _width(dtype) == 16 else None, dtype)
    return _rate(found, clock_rate, _PRODUCTS.get(_width(dtype)), dtype)


def get_max_simd_tflops(dtype, clock_rate, device=None):
    """The same of operations on single elements, of floating point."""
    name = str(dtype)
    is_float = "float" in name or name.startswith(("fp", "bf"))
    rate = _SINGLE.get(_width(dtype)) if is_float else None
    found, _ = _properties(device)
    return _rate(found, clock_rate, rate, dtype)


def _rate(found, clock_rate, operations, dtype):
    if operations is None:
        raise RuntimeError(f"no rate is known for {dtype}")
    return found["multiprocessor_count"] * _PARTS * clock_rate * operations / 1e9


def _properties(device):
    """(properties, capability) of a device, the current one by default."""
    from gluonc._triton.runtime import driver
    active = driver.active
    device = active.get_current_device() if device is None else device
    return active.utils.get_device_properties(device), active.get_device_capability(device)


def _width(dtype):
    """Bits of an element, of PyTorch's or of Triton's types."""
    bits = getattr(dtype, "itemsize", None)
    return bits * 8 if bits else getattr(dtype, "primitive_bitwidth", None)
