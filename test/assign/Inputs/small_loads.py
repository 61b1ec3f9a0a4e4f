"""A block of few numbers beside the operands of a product, and columns of images of any width."""
import triton
import triton.language as tl


@triton.jit
def shifted(a, b, shift, c, K):
    row, col = tl.arange(0, 64), tl.arange(0, 64)
    acc = tl.zeros((64, 64), tl.float32)
    for k in range(0, K, 64):
        x = tl.load(a + row[:, None] * K + k + col[None, :])
        y = tl.load(b + (k + row)[:, None] * 64 + col[None, :])
        acc += tl.dot((x + tl.load(shift + k + col)[None, :]).to(tl.float16), y)
    tl.store(c + row[:, None] * 64 + col[None, :], acc)


@triton.jit
def gathered(a, index, c, K):
    row, col = tl.arange(0, 64), tl.arange(0, 64)
    acc = tl.zeros((64, 64), tl.float32)
    for k in range(0, K, 64):
        at = tl.load(index + k + row)
        acc += tl.dot(tl.load(a + row[:, None] * 64 + col[None, :]), tl.load(a + at[:, None] * 64 + col[None, :]))
    tl.store(c + row[:, None] * 64 + col[None, :], acc)


@triton.jit
def image(x, out, width, channels):
    place, channel = tl.arange(0, 128), tl.arange(0, 32)
    p = x + channel[None, :] * channels + (place // width * 1000)[:, None] + (place % width)[:, None]
    tl.store(out + place[:, None] * 32 + channel[None, :], tl.load(p))
