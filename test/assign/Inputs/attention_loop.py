import triton
import triton.language as tl


@triton.jit
def attention(q, k, v, o, length):
    row = tl.arange(0, 64)[:, None]
    column = tl.arange(0, 64)[None, :]
    x = tl.load(q + row * 64 + column)
    best = tl.full([64], -float("inf"), tl.float32)
    weight = tl.zeros([64], tl.float32)
    total = tl.zeros([64, 64], tl.float32)
    for start in range(0, length, 64):
        scores = tl.dot(x, tl.trans(tl.load(k + (start + row) * 64 + column)))
        newest = tl.maximum(best, tl.max(scores, 1))
        p = tl.exp2(scores - newest[:, None])
        fade = tl.exp2(best - newest)
        weight = weight * fade + tl.sum(p, 1)
        total = tl.dot(p.to(tl.float16), tl.load(v + (start + row) * 64 + column), total * fade[:, None])
        best = newest
    tl.store(o + row * 64 + column, (total / weight[:, None]).to(tl.float16))
