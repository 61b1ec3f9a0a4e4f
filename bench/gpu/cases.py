"""What bench/gpu measures: the copy kernels of test/exec/copies.py at full size.

A case builds its tensors and launch arguments; `Side` objects (ours.py,
triton's own launcher) run it. Sizes are those of Triton's Gluon tutorials, so
that figures can be compared with published ones.
"""

import dataclasses
import typing

GIB_ELEMENTS = 1 << 28  # float32 elements in a GiB


@dataclasses.dataclass
class Layout:
    """A BlockedLayout as plain data: both compilers construct their own from it."""
    size_per_thread: list
    threads_per_warp: list
    warps_per_cta: list
    order: list

    def text(self):
        return (f"gl.BlockedLayout({self.size_per_thread}, {self.threads_per_warp}, "
                f"{self.warps_per_cta}, {self.order})")


@dataclasses.dataclass
class Case:
    name: str
    kernel: str
    arguments: dict  # name -> tensor | int | Layout, in the kernel's order
    constexprs: tuple  # names of the arguments that are compile-time values
    grid: tuple
    num_warps: int
    moved_bytes: int
    check: typing.Callable  # () -> bool, after a launch on a poisoned output
    poison: typing.Callable


def cdiv(a, b):
    return (a + b - 1) // b


ROWS = Layout([1, 1], [1, 32], [1, 4], [1, 0])
COLUMNS = Layout([1, 1], [32, 1], [4, 1], [0, 1])


def case_1d(torch, name, elements, block, registers):
    src = torch.randn(elements, device="cuda")
    dst = torch.empty_like(src)
    layout = Layout([registers], [32], [4], [0])
    return Case(name, "copy_1d", dict(src=src, dst=dst, n=elements, BLOCK=block, layout=layout),
                ("BLOCK", "layout"), (cdiv(elements, block), 1, 1), 4, 2 * src.nbytes,
                lambda: torch.equal(src, dst), lambda: dst.fill_(float("nan")))


def case_scalar(torch, name, elements, block):
    src = torch.randn(elements, device="cuda")
    dst = torch.empty_like(src)
    return Case(name, "copy_scalars", dict(src=src, dst=dst, n=elements, BLOCK=block), ("BLOCK", ),
                (cdiv(elements, block), 1, 1), 1, 2 * src.nbytes, lambda: torch.equal(src, dst),
                lambda: dst.fill_(float("nan")))


def case_2d(torch, name, src, dst, layout, rows, cols):
    m, n = src.shape
    arguments = dict(src=src, dst=dst, rows=m, cols=n, src_row=src.stride(0), src_col=src.stride(1),
                     dst_row=dst.stride(0), dst_col=dst.stride(1), layout=layout, ROWS=rows, COLS=cols)
    return Case(name, "copy_2d", arguments, ("layout", "ROWS", "COLS"), (cdiv(m, rows), cdiv(n, cols), 1), 4,
                2 * src.numel() * src.element_size(), lambda: torch.equal(src, dst),
                lambda: dst.fill_(float("nan")))


def case_converted(torch, name, src, dst, src_layout, dst_layout, rows, cols):
    m, n = src.shape
    arguments = dict(src=src, dst=dst, rows=m, cols=n, src_row=src.stride(0), src_col=src.stride(1),
                     dst_row=dst.stride(0), dst_col=dst.stride(1), src_layout=src_layout,
                     dst_layout=dst_layout, ROWS=rows, COLS=cols)
    return Case(name, "copy_2d_converted", arguments, ("src_layout", "dst_layout", "ROWS", "COLS"),
                (cdiv(m, rows), cdiv(n, cols), 1), 4, 2 * src.numel() * src.element_size(),
                lambda: torch.equal(src, dst), lambda: dst.fill_(float("nan")))


def all_cases(torch, scale):
    """Yields the cases one by one, so that only one pair of tensors lives at a time.

    `scale` divides every size: 1 for measuring, 64 for a quick look.
    """
    elements = 8 * GIB_ELEMENTS // scale
    for registers in (1, 2, 4, 8, 16):
        yield case_1d(torch, f"copy 1-D R={registers}", elements, 2048, registers)

    side_m, side_n = 32 * 1024, 64 * 1024 // scale
    matrix = torch.randn((side_m, side_n), device="cuda")
    out = torch.empty_like(matrix)
    yield case_2d(torch, "copy 2-D row-major", matrix, out, ROWS, 1, 2048)
    yield case_2d(torch, "copy 2-D wrong order", matrix.T, out.T, ROWS, 1, 2048)
    yield case_2d(torch, "copy 2-D fixed", matrix.T, out.T, COLUMNS, 2048, 1)
    strided = matrix[::2]
    half = torch.empty_like(strided)
    yield case_2d(torch, "strided copy 2-D", strided, half, ROWS, 1, 2048)
    yield case_2d(torch, "strided copy transposed", strided.T, half.T, COLUMNS, 2048, 1)
    del matrix, out, strided, half

    side_n = 32 * 1024 // scale
    src = torch.randn((side_m, side_n), device="cuda")
    dst = torch.empty((side_n, side_m), device="cuda").T
    yield case_2d(torch, "in/out order [1, 0]", src, dst, ROWS, 1, 2048)
    yield case_2d(torch, "in/out order [0, 1]", src, dst, COLUMNS, 2048, 1)
    yield case_converted(torch, "in/out convert_layout", src, dst, ROWS, COLUMNS, 128, 128)
    del src, dst

    yield case_scalar(torch, "scalar copy", elements // 4, 2048)
