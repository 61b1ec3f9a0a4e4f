"""Liger Kernel."""

import torch
import torch.nn.functional as F

from . import F32, case, rms, rotated


def liger(name):
    from liger_kernel import ops
    return getattr(ops, name).apply


@case("liger")
def rms_norm(data):
    x = data.rows(4096)
    return [x, data.normal(x.shape[1])], lambda x, w: liger("LigerRMSNormFunction")(
        x, w, 1e-6, 0.0, "llama", False, True), lambda x, w: rms(x) * w


@case("liger")
def rms_norm_blocks(data):
    x = data.rows(256, 65536, small=(32768, 16))  # of fewer rows each program has one
    return [x, data.normal(x.shape[1])], lambda x, w: liger("LigerRMSNormFunction")(
        x, w, 1e-6, 0.0, "gemma", False, False), lambda x, w: rms(x) * w


@case("liger")
def layer_norm(data):
    x = data.rows(4096)
    return ([x, data.normal(x.shape[1]), data.normal(x.shape[1])],
            lambda x, w, b: liger("LigerLayerNormFunction")(x, w, b, 1e-6),
            lambda x, w, b: F.layer_norm(x, x.shape[1:], w, b, 1e-6))


@case("liger")
def group_norm(data):
    channels = data.size(8, 64)
    x = data.normal(data.size(2, 64), channels, data.size(100, 1024), dtype=F32)
    return ([x, data.normal(channels, dtype=F32), data.normal(channels, dtype=F32)],
            lambda x, w, b: liger("LigerGroupNormFunction")(x, w, b, channels, 4, 1e-6),
            lambda x, w, b: F.group_norm(x, 4, w, b, 1e-6))


@case("liger")
def fused_add_rms_norm(data):
    x = data.rows(4096)
    return ([x, data.rows(4096).roll(1, 1), data.normal(x.shape[1])],
            lambda x, r, w: liger("LigerFusedAddRMSNormFunction")(x, r, w, 1e-6, 0.0, "llama", False),
            lambda x, r, w: (rms(x + r) * w, x + r))


@case("liger")
def modulated_rms_norm(data):
    x = data.normal(data.size(2, 8), data.size(12, 512), data.size(256, 4096))
    scale, shift = (data.normal(x.shape[0], x.shape[2]) for _ in range(2))
    return ([x, data.normal(x.shape[2]), scale, shift],
            lambda x, w, scale, shift: liger("LigerModulatedRMSNormFunction")(x, w, scale, shift, 1e-6, 0.0, "llama", False),
            lambda x, w, scale, shift: (1 + scale[:, None]) * rms(x) * w + shift[:, None])


@case("liger")
def poly_norm(data):
    return ([data.rows(4096), data.normal(3, dtype=F32), data.normal(dtype=F32)],
            lambda x, w, b: liger("LigerPolyNormFunction")(x, w, b, 1e-6, False),
            lambda x, w, b: w[0] * rms(x**3) + w[1] * rms(x**2) + w[2] * rms(x) + b)


@case("liger")
def dyt(data):
    x = data.rows(4096)
    return ([x, data.normal(1, dtype=F32), data.normal(x.shape[1]), data.normal(x.shape[1])],
            liger("LigerDyTFunction"), lambda x, a, g, b: g * torch.tanh(a * x) + b)


@case("liger")
def geglu(data):
    return ([data.rows(11008), data.rows(11008).roll(1, 1)], liger("LigerGELUMulFunction"),
            lambda a, b: F.gelu(a, approximate="tanh") * b)


@case("liger")
def swiglu(data):
    return [data.rows(11008), data.rows(11008).roll(1, 1)], liger("LigerSiLUMulFunction"), lambda a, b: F.silu(a) * b


@case("liger")
def swiglu_gate_up(data):
    def reference(y):
        gate, up = y.chunk(2, -1)
        return F.silu(gate) * up
    return [data.rows(16384)], liger("LigerFusedGateUpSiLUMulFunction"), reference


@case("liger")
def relu_squared(data):
    return [data.rows(8192)], liger("LigerReLUSquaredFunction"), lambda x: x.relu()**2


@case("liger")
def softmax(data):
    return [data.rows(8192)], liger("LigerSoftmaxFunction"), lambda x: x.softmax(-1)


@case("liger")
def sparsemax(data):
    def reference(x):
        ranked, _ = x.sort(-1, descending=True)
        sums = ranked.cumsum(-1) - 1
        count = torch.arange(1, x.shape[-1] + 1, dtype=x.dtype, device=x.device)
        kept = (ranked * count > sums).sum(-1, keepdim=True)
        return (x - sums.gather(-1, kept - 1) / kept).clamp(min=0)
    return [data.rows(1024).float()], lambda x: liger("LigerSparsemaxFunction")(x, -1), reference


@case("liger")
def cross_entropy(data):
    x = data.rows(32000, 2048)
    target = data.integers(x.shape[1], x.shape[0])
    return ([x], lambda x: liger("LigerCrossEntropyFunction")(x, target, None, -100, 0.0, 0.1, "mean")[0],
            lambda x: F.cross_entropy(x, target, label_smoothing=0.1))


@case("liger")
def kl_div(data):
    x = data.rows(16384, 2048).float().log_softmax(-1)
    y = data.rows(16384, 2048).float().roll(1, 1).softmax(-1)
    return ([x], lambda x: liger("LigerKLDivLossFunction")(x, y, "batchmean"),
            lambda x: F.kl_div(x, y.double(), reduction="batchmean"))


@case("liger")
def jsd(data):
    x, y = data.rows(16384, 2048).float().log_softmax(-1), data.rows(16384, 2048).float().roll(1, 1).log_softmax(-1)

    def reference(x):
        target = y.double()
        middle = ((x.exp() + target.exp()) / 2).log()
        return sum(F.kl_div(middle, z, reduction="sum", log_target=True) for z in (x, target)) / 2 / len(x)
    return [x], lambda x: liger("LigerJSDFunction")(x, y, None, 0.5), reference


@case("liger")
def tvd(data):
    p, q = data.rows(16384, 2048).float().softmax(-1), data.rows(16384, 2048).float().roll(1, 1).softmax(-1)
    return ([p], lambda p: liger("LigerTVDLossFunction")(p, q, None, "batchmean"),
            lambda p: (p - q.double()).abs().sum() / 2 / len(p))


@case("liger")
def ce_tvd(data):
    x, y = data.rows(16384, 2048), data.rows(16384, 2048).roll(1, 1)
    target = data.integers(x.shape[1], x.shape[0])
    return ([x], lambda x: liger("LigerFusedCETVDFunction")(x, y, target, -100),
            lambda x: (F.cross_entropy(x, target, reduction="none"),
                       (x.softmax(-1) - y.double().softmax(-1)).abs().sum(-1) / 2))


@case("liger")
def rope(data):
    batch, length, heads, width = data.size((1, 16, 2, 64), (4, 2048, 32, 128))
    q, k = (data.normal(batch, count, length, width) for count in (heads, heads // 2))
    angles = data.normal(length, width // 2, dtype=F32)
    cos, sin = angles.cos()[None], angles.sin()[None]
    wide = [torch.cat((x, x), -1) for x in (cos, sin)]
    return ([q, k], lambda q, k: liger("LigerRopeFunction")(q, k, *wide),
            lambda q, k: tuple(rotated(x, cos.double(), sin.double()) for x in (q, k)))


@case("liger")
def llama4_rope(data):
    batch, length, heads, width = data.size((1, 16, 2, 64), (4, 2048, 32, 128))
    q, k = (data.normal(batch, length, count, width) for count in (heads, heads // 2))
    angles = data.normal(length, width // 2, dtype=F32)
    turns = torch.polar(torch.ones_like(angles), angles)

    def reference(*tensors):
        turn = turns.to(torch.complex128)[None, :, None]
        return tuple(torch.view_as_real(torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * turn).flatten(3)
                     for x in tensors)
    return [q, k], lambda q, k: liger("LigerLlama4RopeFunction")(q, k, turns), reference


@case("liger")
def attention_residual(data):
    layers, tokens, width = data.size((3, 8, 128), (8, 4096, 2048))

    def reference(v, query, weight):
        return ((rms(v) * weight @ query).softmax(0)[..., None] * v).sum(0)
    return ([data.normal(layers, 1, tokens, width), data.normal(width) / width**0.5, data.normal(width)],
            lambda v, q, w: liger("LigerAttnResFunction")(v, q, w, 1e-6), reference)


@case("liger")
def hyper_connections(data):
    tokens, ways, width = data.size((8, 4, 128), (8192, 4, 2048))
    post, residual = data.normal(tokens, ways, dtype=F32), data.normal(tokens, ways, ways, dtype=F32)

    def library(x, f, before):
        mixed = liger("LigerMHCPostResFunction")(x, f, post, residual)
        return mixed, liger("LigerMHCPreFunction")(x, before)
    return ([data.normal(tokens, ways, width), data.normal(tokens, width), data.normal(tokens, ways, dtype=F32)], library,
            lambda x, f, before: (torch.einsum("nij,njc->nic", residual.double(), x) + post.double()[..., None] * f[:, None],
                                  (x * before[..., None]).sum(1)))


@case("liger")
def neighborhood_attention(data):
    batch, heads, length, width = data.size((1, 2, 64, 32), (2, 8, 1024, 64))

    def reference(q, k, v):
        at = torch.arange(length, device=q.device)
        scores = (q @ k.mT / width**0.5).masked_fill((at[:, None] - at).abs() > 3, -float("inf"))
        return scores.softmax(-1) @ v
    return ([data.normal(batch, heads, length, width) for _ in range(3)],
            lambda q, k, v: liger("LigerFusedNeighborhoodAttentionFunction")(q, k, v, 7, 1), reference)


@case("liger")
def gemm_swiglu(data):
    tokens, width, inner = data.size((128, 128, 128), (4096, 2048, 5632))
    return ([data.normal(1, tokens, width), data.normal(inner, width) / width**0.5, data.normal(inner, width) / width**0.5,
             data.normal(width, inner) / inner**0.5], liger("LigerMLPFunction"),
            lambda x, gate, up, down: (F.silu(x @ gate.T) * (x @ up.T)) @ down.T)


@case("liger", tolerance=3e-2)
def mixture_of_experts(data):
    tokens, width, inner, experts = data.size((64, 128, 64, 4), (4096, 1024, 512, 8))
    first = data.integers(experts, tokens)
    chosen = torch.stack((first, (first + 1) % experts), -1)

    def reference(x, up, down, weights):
        out = torch.zeros_like(x)
        for expert in range(experts):
            for way in range(2):
                rows = (chosen[:, way] == expert).nonzero()[:, 0]
                gate, value = (x[rows] @ up[expert].T).chunk(2, -1)
                part = (F.silu(gate) * value) @ down[expert].T * weights[rows, way, None]
                out = out.index_add(0, rows, part)
        return out
    return ([data.normal(tokens, width), data.normal(experts, 2 * inner, width) / width**0.5,
             data.normal(experts, width, inner) / inner**0.5, data.uniform(tokens, 2)],
            lambda x, up, down, w: liger("LigerFusedMoEFunction")(x, up, down, chosen.int(), w), reference)
