"""Programs of several CTAs, on the GPU where there is one."""

import cluster_kernels
import pytest
from gluonc import language as gl
from gluonc.nvidia.hopper import TensorDescriptor

torch = pytest.importorskip("torch")
IS_HOPPER = torch.cuda.is_available() and torch.cuda.get_device_capability()[0] == 9
DEVICE = "cuda" if IS_HOPPER else "cpu"


def describe(tensor, block, cga):
    layout = gl.NVMMASharedLayout.get_default_for(block, gl.float16, cga_layout=cga)
    return TensorDescriptor.from_tensor(tensor, block, layout)


@pytest.mark.parametrize("multicast", [False, True])
@pytest.mark.parametrize("cga", [[[1, 0]], [[0, 1]], [[0, 0]], [[1, 0], [0, 0]], [[0, 0], [0, 1]],
                                 [[0, 0], [0, 0], [1, 0]]], ids=str)
def test_the_engine_serves_every_cta(cga, multicast):
    src = torch.randn(384, 128, device=DEVICE, dtype=torch.float16)
    dst = torch.zeros_like(src)
    compiled = cluster_kernels.move[(3,)](describe(src, [128, 128], cga),
                                          describe(dst, [128, 128], cga), multicast,
                                          num_ctas=2**len(cga))
    assert torch.equal(src, dst)
    if not compiled.simulated:
        copies = multicast and [0, 0] in cga
        assert (".multicast::cluster" in compiled.asm["ptx"]) == copies


@pytest.mark.parametrize("cga", [[[1, 0]], [[0, 1]], [[1, 0], [0, 1]]], ids=str)
def test_products_share_operands(cga):
    a = torch.randn(256, 256, device=DEVICE, dtype=torch.float16)
    b = torch.randn(256, 256, device=DEVICE, dtype=torch.float16)
    c = torch.zeros_like(a)
    cluster_kernels.multiply[(2, 2)](describe(a, [128, 64], [[m, 0] for m, _ in cga]),
                                     describe(b, [64, 128], [[0, n] for _, n in cga]),
                                     describe(c, [128, 128], cga), 256, cga,
                                     num_ctas=2**len(cga))
    torch.testing.assert_close(c.float(), a.float() @ b.float(), atol=0.1, rtol=0.01)
