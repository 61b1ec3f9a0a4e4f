"""y = a * x + y on NumPy arrays, in place: runs anywhere, on the simulator.

    python examples/numpy_axpy.py
"""

import numpy as np

import gluonc as gluon
from gluonc import language as gl


@gluon.jit
def axpy(x, y, a, n, BLOCK: gl.constexpr, layout: gl.constexpr):
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    inside = offsets < n
    result = a * gl.load(x + offsets, mask=inside) + gl.load(y + offsets, mask=inside)
    gl.store(y + offsets, result, mask=inside)


def main():
    n, block = 10_000, 1024
    random = np.random.default_rng(0)
    x, y = random.standard_normal((2, n), dtype=np.float32)
    expected = np.float32(0.5) * x + y
    layout = gl.BlockedLayout([4], [32], [4], [0])
    compiled = axpy[(gluon.cdiv(n, block),)](x, y, 0.5, n, block, layout)
    np.testing.assert_allclose(y, expected, rtol=1e-6)
    print(f"{n} elements are right; {compiled}")


if __name__ == "__main__":
    main()
