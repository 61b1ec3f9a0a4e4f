"""Matrix products of small integers, which every order of additions computes exactly."""

import numpy as np

import layouts


def _operands(m, left, right, dtype):
    largest = 3 if dtype != "int8" else 100
    return [m.input(shape, dtype, m.numpy.integers(-largest, largest + 1, shape))
            for shape in (left, right)]


def _sum_type(dtype):
    return "int32" if dtype == "int8" else "float32"


def mma_v2(m):
    """A chain: the first product is an operand's partner in the second."""
    dtype, width = m.rng.choice([("float16", 2), ("int8", 4), ("float32", 1)])
    rows, columns, inner = (m.rng.choice([16, 32, 64]) for _ in range(3))
    inner = max(inner, 32) if dtype == "int8" else inner
    warps = layouts._split(m.rng, layouts._log2(m.program.num_warps), 2)
    parent = (f"gl.NVMMADistributedLayout(version=[2, 0], warps_per_cta={warps}, "
              f"instr_shape=[16, 8]{layouts.cga(m.rng, (rows // 16, columns // 8), m.program)})")
    i, j = _operands(m, (rows, inner), (inner, columns), dtype)
    k = m.input((rows, columns), _sum_type(dtype),
                m.numpy.integers(-9, 10, (rows, columns)), parent)
    product = m.step(i).value.astype(np.int64) @ m.step(j).value.astype(np.int64)
    value = m.step(k).value + product * m.program.scalars[0]
    operand = f"gl.DotOperandLayout({{}}, {parent}, {width})"
    precision = ", input_precision=\"tf32\"" if dtype == "float32" else ""
    m.add(f"x = gl.convert_layout({{a0}}, {operand.format(0)})\n"
          f"y = gl.convert_layout({{a1}}, {operand.format(1)})\n"
          "z = {a2}\nfor k in range(n0):\n"
          f"    z = gl.nvidia.ampere.mma_v2(x, y, z{precision})\n{{out}} = z", [i, j, k], value,
          _sum_type(dtype), parent)


def dot_fma(m):
    rows, columns, inner = (m.rng.choice([16, 32]) for _ in range(3))
    parent = layouts.blocked(m.rng, [rows, columns], m.program)
    i, j = _operands(m, (rows, inner), (inner, columns), "float32")
    k = m.input((rows, columns), "float32", m.numpy.integers(-9, 10, (rows, columns)), parent)
    value = m.step(k).value + m.step(i).value @ m.step(j).value
    operand = f"gl.DotOperandLayout({{}}, {parent}, 0)"
    m.add(f"x = gl.convert_layout({{a0}}, {operand.format(0)})\n"
          f"y = gl.convert_layout({{a1}}, {operand.format(1)})\n{{out}} = gl.dot_fma(x, y, {{a2}})",
          [i, j, k], value, "float32", parent)


KINDS = [mma_v2, dot_fma]
