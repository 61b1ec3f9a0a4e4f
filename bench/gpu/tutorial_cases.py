"""Every configuration that Triton's Gluon tutorials benchmark on Hopper, as data.

A case calls the tutorial's own function for the host; nothing of a tutorial is here
but the names of its functions and the values they are benchmarked with.
"""

import dataclasses
import typing

ADD, COPY, TMA, WGMMA, PERSISTENT, SPECIALIZED = (
    "03-async-copy", "03-async-copy", "04-tma", "05-wgmma", "07-persistence", "08-warp-specialization")
FILES = (ADD, TMA, WGMMA, PERSISTENT, SPECIALIZED)


@dataclasses.dataclass
class Case:
    name: str
    problem: tuple  # what `tensors` is asked for
    call: typing.Callable  # (tutorials, gl, tensors) -> anything; launches once
    work: float  # bytes or floating-point operations
    unit: str  # "TB/s", "TFLOP/s"


def _add(name, file, function, size, *arguments, layout=False):
    def call(tutorials, gl, t):
        plain = (gl.SwizzledSharedLayout(vec=1, per_phase=1, max_phase=1, order=[1, 0]), ) if layout else ()
        return getattr(tutorials[file], function)(t.a, t.b, t.c, *plain, *arguments)
    return Case(f"{file[:2]} {name}", ("add", size), call, 3 * 4 * size * size, "TB/s")


def additions(size):
    yield _add("elementwise_add", ADD, "elementwise_add", size)
    yield _add("elementwise_add_cpasync", ADD, "elementwise_add_cpasync", size, layout=True)
    for buffers in (2, 3):
        yield _add(f"elementwise_add_pipelined 32x64 x{buffers}", ADD, "elementwise_add_pipelined", size, 32, 64,
                   buffers)
    for rows, columns, buffers in ((32, 64, 2), (64, 128, 3)):
        yield _add(f"elementwise_add_tma {rows}x{columns} x{buffers}", TMA, "elementwise_add_tma", size, rows,
                   columns, buffers)
    yield _add("elementwise_add_warp_specialized 64x128 x3", SPECIALIZED, "elementwise_add_warp_specialized", size,
               64, 128, 3, 1, 4)


def small_products():
    m, n, k = 64, 128, 128
    for in_registers in (False, True):
        for columns in (16, 32, 64, 128):
            yield Case(f"05 small_mma n{columns}{' registers' if in_registers else ''}", ("small", m, n, k),
                       lambda tutorials, gl, t, c=columns, r=in_registers:
                       tutorials[WGMMA].small_mma(t.a, t.b, t.c, t.d, c, r, 4),
                       2 * m * n * k, "TFLOP/s")


def _product(name, problem, file, function, *arguments):
    return Case(f"{file[:2]} {name}", ("product", *problem),
                lambda tutorials, gl, t: getattr(tutorials[file], function)(
                    t.a, t.b, t.c, *(a(tutorials) if callable(a) else a for a in arguments)),
                2 * problem[0] * problem[1] * problem[2], "TFLOP/s")


def _plain(tutorials):
    return tutorials[PERSISTENT].PersistentTileScheduler


def _grouped(size):
    # One class for each size: a class made anew would be compiled anew.
    made = {}

    def scheduler(tutorials):
        key = id(tutorials)
        if key not in made:
            made[key] = tutorials[PERSISTENT].GroupedPersistentTileScheduler(size)
        return made[key]
    return scheduler


def blocked_products(problem, tutorials):
    """The configurations that the tutorial itself picks."""
    find = tutorials[WGMMA].find_configs
    import torch
    plain = find(occupancy=1, dtype=torch.float16) + find(occupancy=2, dtype=torch.float16)
    for rows, columns, depth, warps, _, occupancy in plain:
        yield _product(f"blocked_matmul {rows}x{columns}x{depth} w{warps}", problem, WGMMA, "blocked_matmul", rows,
                       columns, depth, False, warps)
    pipelined = [*find(occupancy=1, dtype=torch.float16, num_buffers=2),
                 *find(occupancy=2, dtype=torch.float16, num_buffers=2), (64, 256, 128, 4, 256, 2)]
    for rows, columns, depth, warps, _, occupancy in pipelined:
        yield _product(f"blocked_matmul_pipelined {rows}x{columns}x{depth} w{warps}", problem, WGMMA,
                       "blocked_matmul_pipelined", rows, columns, depth, warps)


def persistent_products(problem, depths):
    for depth, buffers in ((128, 2), (64, 3), (64, 4)):
        yield _product(f"matmul_pipelined 128x256x{depth} x{buffers}", problem, PERSISTENT, "matmul_pipelined", 128,
                       256, depth, buffers, 8)
    for depth, buffers in ((128, 2), (64, 3), (64, 4)):
        yield _product(f"persistent_matmul 128x256x{depth} x{buffers}", problem, PERSISTENT, "persistent_matmul",
                       128, 256, depth, buffers, 8, _plain)
    for group in (1, 2, 4, 6, 8):
        yield _product(f"persistent_matmul grouped {group}", problem, PERSISTENT, "persistent_matmul", 128, 256, 64,
                       3, 8, _grouped(group))
    # As the tutorial's last table has them.
    for depth in depths:
        shape = (*problem[:2], depth)
        yield _product(f"matmul_pipelined K={depth}", shape, PERSISTENT, "matmul_pipelined", 128, 256, 64, 3, 8)
        yield _product(f"persistent_matmul K={depth}", shape, PERSISTENT, "persistent_matmul", 128, 256, 64, 3, 8,
                       _plain)
        yield _product(f"persistent_matmul_pipelined K={depth}", shape, PERSISTENT, "persistent_matmul_pipelined",
                       128, 256, 64, 3, 8, _plain)


def all_cases(side, scale=1):
    """`scale` divides the sizes of the problems: 1 is what the tutorials take."""
    size, problem = 32 * 1024 // scale, (8192 // scale, 8192 // scale, 16384 // scale)
    yield from additions(size)
    yield from small_products()
    with side.entered():
        products = list(blocked_products(problem, side.tutorials))
    yield from products
    yield from persistent_products(problem, [2**i // scale for i in range(9, 15)])
