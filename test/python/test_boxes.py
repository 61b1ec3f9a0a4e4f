"""The copy engine on blocks that the host describes, of every rank and type; on the GPU if any."""

import box_kernels
import pytest
from gluonc import language as gl
from gluonc.errors import KernelFault
from gluonc.nvidia.hopper import TensorDescriptor, TensorDescriptorIm2Col

torch = pytest.importorskip("torch")
IS_HOPPER = torch.cuda.is_available() and torch.cuda.get_device_capability()[0] == 9
DEVICE = "cuda" if IS_HOPPER else "cpu"

TYPES = [torch.int8, torch.uint8, torch.float8_e4m3fn, torch.float8_e5m2, torch.int16,
         torch.float16, torch.bfloat16, torch.int32, torch.float32, torch.int64, torch.float64]
# A tensor, a block of it, and where the block begins: at the tensor's end, partly outside.
BOXES = [([1008], [512], [608]),
         ([40, 128], [32, 128], [16, 0]),
         ([5, 20, 128], [4, 16, 128], [2, 8, 0]),
         ([3, 5, 20, 128], [2, 2, 8, 128], [2, 2, 16, 0]),
         ([3, 3, 5, 10, 128], [1, 2, 4, 4, 128], [1, 2, 3, 8, 0])]


def numbers(*shape, dtype):
    return torch.randint(1, 100, shape).to(torch.float32).to(dtype)


def as_bytes(tensor):
    """Two small floats of different bits may compare equal."""
    return tensor.cpu().contiguous().view(torch.uint8).reshape(*tensor.shape, -1)


def layout_of(dtype, block, swizzle, cga=()):
    bits = torch.empty(0, dtype=dtype).element_size() * 8
    return gl.NVMMASharedLayout(swizzle, bits, rank=len(block), cga_layout=cga)


def check_move(dtype, box, swizzle, cga=(), multicast=False):
    shape, block, at = box
    src = numbers(*shape, dtype=dtype).to(DEVICE)
    dst = torch.zeros_like(src)
    layout = layout_of(dtype, block, swizzle, cga)
    sides = [TensorDescriptor.from_tensor(tensor, block, layout) for tensor in (src, dst)]
    box_kernels.move[(1,)](*sides, tuple(at), multicast, num_ctas=2**len(cga))
    want = torch.zeros_like(as_bytes(src))
    inside = tuple(slice(begin, begin + length) for begin, length in zip(at, block))
    want[inside] = as_bytes(src)[inside]
    assert torch.equal(as_bytes(dst), want)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("box", BOXES, ids=lambda box: f"rank{len(box[0])}")
def test_blocks_of_every_rank_and_type_are_moved(box, dtype):
    for swizzle in ([0] if len(box[0]) == 1 else [0, 32, 64, 128]):
        check_move(dtype, box, swizzle)


@pytest.mark.parametrize("multicast", [False, True])
@pytest.mark.parametrize("box, cga", [
    (BOXES[0], [[1], [0]]), (BOXES[2], [[0, 1, 0], [1, 0, 0]]), (BOXES[2], [[0, 0, 0], [0, 0, 1]]),
    (BOXES[3], [[0, 0, 1, 0], [0, 0, 0, 0]]), (BOXES[3], [[0, 1, 0, 0], [1, 0, 0, 0]]),
    (BOXES[4], [[0, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 1, 0, 0, 0]]), (BOXES[4], [[0, 0, 0, 0, 1]]),
], ids=str)
def test_clusters_share_blocks_of_every_rank(box, cga, multicast):
    check_move(torch.float16, box, 64 if len(box[0]) > 1 else 0, cga, multicast)


def pixels_of(images, at, offsets, steps, lower, upper, count, channels):
    """What im2col means: pixel after pixel within the bounding boxes, each moved by the offsets."""
    spatial = range(images.dim() - 2)
    last = [images.shape[1 + d] - 1 + upper[d] for d in spatial]
    result = torch.zeros(count, channels, dtype=images.dtype)
    image, place = at[0], list(at[1:-1])
    for pixel in range(count):
        moved = [place[d] + offsets[d] for d in spatial]
        inside = all(0 <= moved[d] < images.shape[1 + d] for d in spatial)
        if image < images.shape[0] and inside:
            row = images[(image, *moved)][at[-1]:at[-1] + channels]
            result[pixel, :len(row)] = row
        for d in reversed(spatial):
            place[d] += steps[1 + d]
            if place[d] <= last[d]:
                break
            place[d] = lower[d]
        else:
            image += 1
    return result


def check_pixels(dtype, shape, block, at, offsets, steps, lower, upper, cga=(), multicast=False):
    images = numbers(*shape, dtype=dtype)
    layout = layout_of(dtype, block, 64, cga)
    src, out = images.to(DEVICE), torch.zeros(*block, dtype=dtype, device=DEVICE)
    described = TensorDescriptorIm2Col(src, list(src.shape), list(src.stride()), block, layout,
                                       element_strides=steps, pixel_box_lower_corner=lower,
                                       pixel_box_upper_corner=upper)
    target = TensorDescriptor.from_tensor(out, block, layout)
    box_kernels.move_pixels[(1,)](described, target, tuple(at), tuple(offsets), multicast,
                                  num_ctas=2**len(cga))
    want = pixels_of(images, at, offsets, steps, lower, upper, *block)
    assert torch.equal(out.cpu(), want)


# Rows, images and volumes; filters of several sizes, some of which skip pixels.
IMAGES = [
    dict(shape=[4, 30], at=[0, 0], offsets=[1], steps=[1, 1, 1], lower=[0], upper=[-2]),
    dict(shape=[4, 30], at=[1, -2], offsets=[2], steps=[1, 2, 1], lower=[-2], upper=[0]),
    dict(shape=[3, 6, 7], at=[1, -1, -1], offsets=[1, 2], steps=[1, 1, 1, 1], lower=[-1, -1],
         upper=[-1, -1]),
    dict(shape=[2, 9, 9], at=[0, 3, 1], offsets=[2, 0], steps=[1, 2, 2, 1], lower=[-1, -1],
         upper=[-1, -1]),
    dict(shape=[2, 3, 300], at=[0, 0, 100], offsets=[0, 0], steps=[1, 1, 1, 1], lower=[0, 0],
         upper=[0, 0]),
    dict(shape=[2, 3, 4, 5], at=[0, -1, -1, -1], offsets=[1, 0, 2], steps=[1, 1, 1, 1, 1],
         lower=[-1, -1, -1], upper=[-1, -1, -1]),
    dict(shape=[2, 5, 6, 7], at=[0, -1, 1, -1], offsets=[1, 0, 2], steps=[1, 2, 2, 1, 1],
         lower=[-1, -1, -1], upper=[0, 0, 0]),
]


@pytest.mark.parametrize("dtype", [torch.int8, torch.bfloat16, torch.float32], ids=str)
@pytest.mark.parametrize("images", IMAGES, ids=lambda images: str(images["shape"]))
def test_pixels_become_rows(images, dtype):
    channels = 64 // torch.empty(0, dtype=dtype).element_size()
    rest = {name: value for name, value in images.items() if name not in ("shape", "at")}
    # The block takes the second half of the channels.
    check_pixels(dtype, images["shape"] + [2 * channels], [64, channels],
                 images["at"] + [channels], **rest)


@pytest.mark.parametrize("multicast", [False, True])
@pytest.mark.parametrize("cga", [[[0, 0]], [[0, 1]], [[0, 0], [0, 1]], [[0, 1], [0, 2]]], ids=str)
def test_clusters_share_pixels(cga, multicast):
    check_pixels(torch.float16, [2, 9, 9, 128], [32, 128], [0, -1, -1, 0], [2, 2], [1, 1, 1, 1],
                 [-1, -1], [-1, -1], cga, multicast)


def split_pixels(width, steps=(1, 1, 1, 1)):
    check_pixels(torch.float16, [1, 2, width, 32], [64, 32], [0, 0, 0, 0], [0, 0], list(steps),
                 [0, 0], [0, 0], [[1, 0]])


def test_clusters_split_a_row_of_pixels():
    for width in (48, 64):
        split_pixels(width)


@pytest.mark.skipif(IS_HOPPER, reason="the simulator tells of it")
@pytest.mark.parametrize("broken", [dict(width=24), dict(width=128, steps=(1, 1, 2, 1))], ids=str)
def test_what_the_engine_cannot_split_is_a_fault(broken):
    words = "splits its pixels among CTAs, of which one begins with pixel 32"
    with pytest.raises(KernelFault, match=words):
        split_pixels(**broken)
