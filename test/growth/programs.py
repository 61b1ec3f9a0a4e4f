"""Kernels of any size: each function gives the text of one with about `n` statements of its kind."""

HEAD = """from triton.experimental import gluon
from triton.experimental.gluon import language as gl
LAYOUT: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
SHARED: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])


"""

BEGIN = """@gluon.jit
def kernel(p, q, n):
    offsets = gl.arange(0, 128, LAYOUT)
    pid = gl.program_id(0)
    x = pid + n
    v = gl.load(p + offsets)
"""

END = """    gl.store(q + offsets, v + x)
    gl.store(q + pid, x)
"""

SIGNATURE = ["p=*i32:16", "q=*i32:16", "n=i32"]


def _kernel(lines, before=""):
    body = "".join(f"    {line}\n" for line in lines)
    return HEAD + before + BEGIN + body + END


def scalars(n):
    return _kernel(f"x = (x ^ {i}) * n" for i in range(n))


def one_line(n):
    return _kernel(["; ".join(f"x = (x ^ {i}) * n" for i in range(n))])


def tensors(n):
    return _kernel(f"v = (v ^ {i}) * n" for i in range(n))


def names(n):
    return _kernel([f"x{i} = n + {i}" if i < 1 else f"x{i} = x{i - 1} * n" for i in range(n)] +
                   [f"x = x{n - 1}"])


def loads(n):
    return _kernel(f"v += gl.load(p + offsets + {128 * i})" for i in range(n))


def scalar_loads(n):
    return _kernel(f"x += gl.load(p + x)" for i in range(n))


def stores(n):
    return _kernel(f"gl.store(q + offsets + {128 * i}, v)" for i in range(n))


def masked(n):
    return _kernel(f"gl.store(q + offsets, gl.load(p + offsets, mask=offsets < n + {i}), mask=offsets < n + {i})"
                   for i in range(n))


def copies(n):
    return _kernel(f"gl.store(q + {128 * i} + offsets, gl.load(p + {128 * i} + offsets))"
                   for i in range(n))


def loops(n):
    return _kernel(f"for i in range(n):\n        x += i * {i}" for i in range(n // 2))


def tensor_loops(n):
    return _kernel(f"for i in range(n):\n        v += i ^ {i}" for i in range(n // 2))


def loading_loops(n):
    return _kernel(f"for i in range(n):\n        v += gl.load(p + offsets + i * {i})" for i in range(n // 2))


def while_loops(n):
    return _kernel(f"while x < {i}:\n        x += n" for i in range(n // 2))


def nested_loops(n):
    lines = []
    for i in range(n // 8):
        for depth in range(7):
            lines.append("    " * depth + f"for i{depth} in range(n):")
        lines.append("    " * 7 + f"x += i6 * {i}")
    return _kernel(lines)


def ifs(n):
    return _kernel(f"if x > {i}:\n        x = x * n + {i}" for i in range(n // 2))


def tensor_ifs(n):
    return _kernel(f"if x > {i}:\n        v = v * n + {i}" for i in range(n // 2))


def returns(n):
    return _kernel(f"if x == {i}:\n        return" for i in range(n // 2))


def nested_returns(n):
    """Both branches of every other `if` may go on."""
    return _kernel(f"if x > {i}:\n        if n == {i}:\n            gl.store(q, x)\n            return\n        x = x * n"
                   for i in range(n // 5))


def value_returns(n):
    """In a helper function, of a value."""
    body = "".join(f"    if x > {i}:\n        if n == {i}:\n            return x\n        x = x * n\n" for i in range(n // 5))
    return _kernel(["x = helper(x, n)"], f"@gluon.jit\ndef helper(x, n):\n{body}    return x + n\n\n\n")


def tensor_returns(n):
    body = "".join(f"    if x > {i}:\n        if n == {i}:\n            return v\n        v = v * n\n" for i in range(n // 5))
    return _kernel(["v = helper(v, x, n)"], f"@gluon.jit\ndef helper(v, x, n):\n{body}    return v + n\n\n\n")


def return_tree(n):
    """A binary decision, every leaf of which returns."""
    lines = []

    def split(low, high, depth):
        pad = "    " * depth
        if high - low == 1:
            lines.append(f"{pad}gl.store(q + pid, x * {low})")
            lines.append(f"{pad}return")
            return
        middle = (low + high) // 2
        lines.append(f"{pad}if x < {middle}:")
        split(low, middle, depth + 1)
        lines.append(f"{pad}else:")
        split(middle, high, depth + 1)

    split(0, max(1, n // 4), 0)
    return _kernel(lines)


def calls(n):
    return _kernel((f"x = helper(x, {i})" for i in range(n)),
                   "@gluon.jit\ndef helper(a, b: gl.constexpr):\n    return (a ^ b) * a\n\n\n")


def run_time_calls(n):
    return _kernel((f"x = helper(x, n)" for i in range(n)),
                   "@gluon.jit\ndef helper(a, b):\n    return (a ^ b) * a\n\n\n")


def noinline_calls(n):
    return _kernel((f"x = helper(x, n)" for i in range(n)),
                   "@gluon.jit(noinline=True)\ndef helper(a, b):\n    return (a ^ b) * a\n\n\n")


def noinline_functions(n):
    return _kernel((f"x = helper(x, {i})" for i in range(n)),
                   "@gluon.jit(noinline=True)\ndef helper(a, b: gl.constexpr):\n    return (a ^ b) * a\n\n\n")


def functions(n):
    before = "".join(f"@gluon.jit\ndef helper{i}(a):\n    return (a ^ {i}) * a\n\n\n" for i in range(n // 4))
    return _kernel((f"x = helper{i}(x)" for i in range(n // 4)), before)


def static_range(n):
    return _kernel([f"for i in gl.static_range({n}):", "    x = (x ^ i) * n"])


def static_loads(n):
    return _kernel([f"for i in gl.static_range({n}):", "    v += gl.load(p + offsets + i * 128)"])


def buffers(n):
    """Each alive for a moment."""
    lines = []
    for i in range(n // 3):
        lines += [f"s{i} = gl.allocate_shared_memory(gl.int32, [128], SHARED)", f"s{i}.store(v)",
                  f"v = s{i}.load(LAYOUT) ^ {i}"]
    return _kernel(lines)


def live_buffers(n):
    """All alive to the end."""
    lines = []
    for i in range(n // 3):
        lines += [f"s{i} = gl.allocate_shared_memory(gl.int8, [1], SHARED)",
                  f"s{i}.store(gl.full([1], {i % 100}, gl.int8, LAYOUT))"]
    lines += [f"x += gl.sum(s{i}.load(LAYOUT).to(gl.int32), 0)" for i in range(n // 3)]
    return _kernel(lines)


def shared(n):
    """Stores and loads of one buffer: a barrier between any two."""
    lines = ["s = gl.allocate_shared_memory(gl.int32, [128], SHARED)"]
    for i in range(n // 2):
        lines += ["s.store(v)", f"v = s.load(LAYOUT) ^ {i}"]
    return _kernel(lines)


def shared_windows(n):
    """Places that never meet: what is pending grows."""
    lines = ["s = gl.allocate_shared_memory(gl.int32, [32, 128], SHARED)"]
    lines += [f"s.index({i % 32}).store(v + {i})" for i in range(n)]
    lines += ["v += s.index(0).load(LAYOUT)"]
    return _kernel(lines)


def shared_in_loops(n):
    lines = ["s = gl.allocate_shared_memory(gl.int32, [128], SHARED)"]
    for i in range(n // 3):
        lines += [f"for i in range(n):\n        s.store(v ^ i)\n        v += s.load(LAYOUT) ^ {i}"]
    return _kernel(lines)


def reductions(n):
    return _kernel(f"x += gl.sum(v ^ {i}, 0)" for i in range(n))


def conversions(n):
    before = "OTHER: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])\n\n\n"
    return _kernel([f"v = gl.convert_layout(gl.convert_layout(v, OTHER) ^ {i}, LAYOUT)" for i in range(n // 2)],
                   before)


def atomics(n):
    return _kernel(f"gl.atomic_add(q + offsets, v + {i})" for i in range(n))


def partitions(n):
    lines = [f"    gl.store(q + {i} + offsets, x + offsets)" for i in range(n // 2)]
    body = "\n".join(lines) + "\n"
    before = ("@gluon.jit\ndef first(p, q, x):\n    offsets = gl.arange(0, 128, LAYOUT)\n" + body +
              "\n\n@gluon.jit\ndef second(p, q, x):\n    offsets = gl.arange(0, 128, LAYOUT)\n" + body + "\n\n")
    return _kernel(["gl.warp_specialize([(first, (p, q, x)), (second, (p, q, x))], [4], [24])"], before)


def many_partitions(n):
    before = ("@gluon.jit\ndef first(p, q, x):\n    gl.store(p, x)\n\n\n"
              "@gluon.jit\ndef second(p, q, x):\n    gl.store(q, x)\n\n\n")
    return _kernel(["gl.warp_specialize([(first, (p, q, x)), (second, (p, q, x))], [4], [24])"] * (n // 4), before)


def comments(n):
    return _kernel(f"# {i}" for i in range(n))


def globals_(n):
    return _kernel([], "".join(f"C{i}: gl.constexpr = {i}\n" for i in range(n)))


def arguments(n):
    names = ", ".join(f"a{i}" for i in range(n))
    return _kernel([f"x = helper({', '.join(['x'] * n)})"],
                   f"@gluon.jit\ndef helper({names}):\n    return a0 + a{n - 1}\n\n\n")


def tuples(n):
    return _kernel([f"t = ({', '.join(['x'] * n)})", f"x += t[{n - 1}]"])


def asserts(n):
    return _kernel(f"gl.static_assert({i} < {n})" for i in range(n))


def prints(n):
    return _kernel(f"gl.device_print(\"x{i}\", x)" for i in range(n))


PROGRAMS = {name.rstrip("_"): function for name, function in list(globals().items())
            if callable(function) and not name.startswith("_")}
