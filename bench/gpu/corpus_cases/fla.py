"""fla-core: linear attention of several kinds, and modules."""

import torch
import torch.nn.functional as F

from . import B16, F32, case, rms, rotated


def recurrence(q, k, v, decay=None, beta=None, scale=None, low_rank=None, bonus=None):
    """Linear attention, step by step: a state of keys by values that decays, is corrected, and gets k v."""
    scale = q.shape[-1]**-0.5 if scale is None else scale
    state, out = q.new_zeros(q.shape[0], q.shape[2], q.shape[3], v.shape[3]), []
    for t in range(q.shape[1]):
        key, value, before = k[:, t, :, :, None], v[:, t, :, None], state
        if bonus is not None:
            out.append(((state + bonus[..., None] * key * value) * q[:, t, :, :, None]).sum(-2))
        if decay is not None:
            step = decay[:, t].exp()
            state = state * (step[..., None] if step.ndim == 3 else step[..., None, None])
        if low_rank is not None:
            state = state + low_rank[1][:, t, :, :, None] * (low_rank[0][:, t, :, :, None] * before).sum(-2, keepdim=True)
        if beta is not None:
            value = beta[:, t, :, None, None] * (value - (key * state).sum(-2, keepdim=True))
        state = state + key * value
        if bonus is None:
            out.append((state * q[:, t, :, :, None]).sum(-2))
    return torch.stack(out, 1) * scale


def heads(data, width=128, small=(1, 128, 2)):
    """(batch, length, heads, width) of linear attention."""
    return *data.size(small, (4, 2048, 16)), data.size(64, width)


def attended(data, width=128, **options):
    shape = heads(data, width, **options)
    return shape, [data.normal(*shape) for _ in range(3)]


def forward(function, *inputs):
    """Without gradients: fla-core refuses those of scalar gates on Hopper before Triton 3.7.1."""
    with torch.no_grad():
        return function(*inputs)[0]


@case("fla", tolerance=3e-2)
def gla(data):
    from fla.ops.gla import chunk_gla
    shape, inputs = attended(data)
    return [*inputs, data.gates(*shape)], lambda q, k, v, g: chunk_gla(q, k, v, g)[0], recurrence, 2


@case("fla", tolerance=3e-2)
def simple_gla(data):
    from fla.ops.simple_gla import chunk_simple_gla
    shape, inputs = attended(data)
    return [*inputs, data.gates(*shape[:3])], lambda q, k, v, g: forward(chunk_simple_gla, q, k, v, g), recurrence, 2


@case("fla", tolerance=3e-2)
def parallel_simple_gla(data):
    from fla.ops.simple_gla import parallel_simple_gla as theirs
    shape, inputs = attended(data, 64)
    return [*inputs, data.gates(*shape[:3])], lambda q, k, v, g: theirs(q, k, v, g)[0], recurrence, 2


@case("fla", tolerance=3e-2)
def fused_recurrent_gla(data):
    from fla.ops.gla import fused_recurrent_gla as theirs
    shape, inputs = attended(data, 64)
    return [*inputs, data.gates(*shape)], lambda q, k, v, g: theirs(q, k, v, g)[0], recurrence, 2


@case("fla", tolerance=3e-2)
def retention(data):
    from fla.ops.retention import chunk_retention
    shape, inputs = attended(data)
    decay = (1 - 2.0**(-5 - torch.arange(shape[2], dtype=torch.float64, device="cuda"))).log()
    return (inputs, lambda q, k, v: chunk_retention(q, k, v)[0],
            lambda q, k, v: recurrence(q, k, v, decay[:q.shape[2]].expand(*q.shape[:3])), 2)


def corrected(data):
    """Queries, keys of length 1, values, and factors of corrections."""
    shape, (q, k, v) = attended(data)
    return shape, [q, F.normalize(k.float(), dim=-1).to(B16), v, data.uniform(*shape[:3])]


@case("fla", tolerance=3e-2)
def delta_rule(data):
    from fla.ops.delta_rule import chunk_delta_rule
    _, inputs = corrected(data)
    return inputs, lambda q, k, v, b: chunk_delta_rule(q, k, v, b)[0], lambda q, k, v, b: recurrence(q, k, v, beta=b), 2


@case("fla", tolerance=3e-2)
def gated_delta_rule(data):
    from fla.ops.gated_delta_rule import chunk_gated_delta_rule
    shape, inputs = corrected(data)
    return ([*inputs, data.gates(*shape[:3])], lambda q, k, v, b, g: forward(chunk_gated_delta_rule, q, k, v, g, b),
            lambda q, k, v, b, g: recurrence(q, k, v, g, b), 2)


@case("fla", tolerance=3e-2)
def kda(data):
    from fla.ops.kda import chunk_kda
    shape, inputs = corrected(data)
    return ([*inputs, data.gates(*shape)], lambda q, k, v, b, g: chunk_kda(q, k, v, g, b)[0],
            lambda q, k, v, b, g: recurrence(q, k, v, g, b), 2)


@case("fla", tolerance=4e-2)
def rwkv7(data):
    from fla.ops.rwkv7 import chunk_rwkv7
    shape, (r, k, v) = attended(data, 64)
    a = F.normalize(data.normal(*shape, dtype=F32), dim=-1)
    b = -a * data.uniform(*shape, dtype=F32)
    return ([r, data.gates(*shape), k, v, a.to(B16), b.to(B16)],
            lambda r, w, k, v, a, b: chunk_rwkv7(r, w, k, v, a, b, 1.0)[0],
            lambda r, w, k, v, a, b: recurrence(r, k, v, w, scale=1, low_rank=(a, b)), 2)


@case("fla", tolerance=3e-2)
def rwkv6(data):
    from fla.ops.rwkv6 import chunk_rwkv6
    shape, inputs = attended(data, 64)
    bonus = data.normal(*shape[2:])
    return ([*inputs, data.gates(*shape)], lambda r, k, v, w: chunk_rwkv6(r, k, v, w, bonus)[0],
            lambda r, k, v, w: recurrence(r, k, v, w, bonus=bonus.double()[:r.shape[2]]), 2)


def hgrn_case(name):
    def make(data):
        from fla.ops import hgrn
        from fla.ops.hgrn.chunk import chunk_hgrn
        function = chunk_hgrn if name == "chunk_hgrn" else hgrn.fused_recurrent_hgrn
        shape = data.size((1, 128, 128), (8, 2048, 2048))

        def reference(x, g):
            state, out = torch.zeros_like(x[:, 0]), []
            for t in range(x.shape[1]):
                state = state * g[:, t].exp() + x[:, t]
                out.append(state)
            return torch.stack(out, 1)
        return [data.normal(*shape), data.gates(*shape).to(B16)], lambda x, g: function(x, g)[0], reference, 64
    make.__name__ = name
    case("fla", tolerance=3e-2)(make)


hgrn_case("chunk_hgrn")
hgrn_case("fused_recurrent_hgrn")


def causal(q, k, v, bias=0):
    """Attention of (batch, length, heads, width) to what came before; heads of keys may be fewer."""
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    at = torch.arange(q.shape[2], device=q.device)
    scores = (q @ k.mT * q.shape[-1]**-0.5 + bias).masked_fill(at[:, None] < at, -float("inf"))
    return (scores.softmax(-1) @ v).transpose(1, 2)


@case("fla")
def attention(data):
    from fla.ops.attn import parallel_attn
    _, inputs = attended(data)
    return inputs, parallel_attn, causal, 2


@case("fla")
def forgetting_attention(data):
    from fla.ops.forgetting_attn import parallel_forgetting_attn
    shape, inputs = attended(data, 64)

    def reference(q, k, v, g):
        sums = g.cumsum(1).transpose(1, 2)
        return causal(q, k, v, sums[..., None] - sums[..., None, :])
    return [*inputs, data.gates(*shape[:3])], parallel_forgetting_attn, reference, 2


@case("fla")
def sparse_attention(data):
    """Each query attends to the latest blocks."""
    from fla.ops.nsa import parallel_nsa
    batch, length, block, count = data.size((1, 128, 32, 2), (4, 2048, 64, 8))
    place = torch.arange(length, device="cuda")[:, None] // block
    blocks = (place - torch.arange(count, device="cuda")).clamp(min=-1)
    indices = blocks[None, :, None].repeat(batch, 1, 1, 1).contiguous()
    far = torch.where(place - place.T >= count, -float("inf"), 0.0).double()
    return ([data.normal(batch, length, 16, 64), data.normal(batch, length, 1, 64), data.normal(batch, length, 1, 64)],
            lambda q, k, v: parallel_nsa(q, k, v, block_indices=indices, block_counts=count, block_size=block),
            lambda q, k, v: causal(q, k, v, far), 16)


def fla_norm(name, kind, reference, biased=False, gated=False, width=2048):
    def make(data):
        from fla.modules import fused_norm_gate, layernorm
        small = 24, min(width, 1024)  # those above 512 have kernels of their own
        function = getattr(fused_norm_gate if gated else layernorm, kind)
        x = data.rows(width, 8192, small)
        gate = [data.rows(width, 8192, small).roll(1, 1)] if gated else []
        weight, bias = data.normal(x.shape[1]), data.normal(x.shape[1])
        if biased:
            return [x, *gate, weight, bias], lambda *all: function(*all, eps=1e-6), reference
        return [x, *gate, weight], lambda *all: function(*all, None, eps=1e-6), reference
    make.__name__ = name
    case("fla")(make)


fla_norm("fla_layer_norm", "layer_norm", lambda x, w, b: F.layer_norm(x, x.shape[1:], w, b, 1e-6), biased=True)
fla_norm("fla_rms_norm_narrow", "rms_norm", lambda x, w: rms(x) * w, width=256)
fla_norm("fla_rms_norm_gated", "rms_norm_gated", lambda x, g, w: rms(x) * w * F.silu(g), gated=True)


@case("fla")
def l2_norm(data):
    from fla.modules.l2norm import l2norm
    return ([data.normal(*heads(data))], l2norm, lambda x: x * torch.rsqrt(x.square().sum(-1, keepdim=True) + 1e-6))


@case("fla")
def rotary(data):
    from fla.modules.rotary import rotary_embedding
    shape = heads(data)
    angles = data.normal(shape[1], shape[3] // 2, dtype=F32)
    cos, sin = angles.cos().to(B16), angles.sin().to(B16)
    return ([data.normal(*shape)], lambda x: rotary_embedding(x, cos, sin),
            lambda x: rotated(x, cos.double()[:, None], sin.double()[:, None]))


def activation(name, reference, inputs=1):
    def make(data):
        from fla.modules import activations
        tensors = [data.rows(8192).roll(at, 1) for at in range(inputs)]
        return tensors, getattr(activations, name), reference
    make.__name__ = f"fla_{name}"
    case("fla")(make)


activation("swish", F.silu)
activation("logsigmoid", F.logsigmoid)
activation("swiglu", lambda x, y: F.silu(x) * y, 2)


@case("fla")
def token_shift(data):
    from fla.modules.token_shift import token_shift as theirs
    return ([data.normal(*data.size((2, 64, 128), (8, 2048, 2048)))], theirs,
            lambda x: F.pad(x, (0, 0, 1, 0))[:, :-1] - x)


@case("fla")
def fla_cross_entropy(data):
    from fla.modules.fused_cross_entropy.ops import cross_entropy_loss
    x = data.rows(32000, 2048)
    target = data.integers(x.shape[1], x.shape[0])
    return ([x], lambda x: cross_entropy_loss(x, target, label_smoothing=0.1)[0],
            lambda x: F.cross_entropy(x, target, reduction="none", label_smoothing=0.1))


@case("fla")
def causal_conv1d(data):
    from fla.modules.causal_conv1d import causal_conv1d as theirs
    batch, length, width = data.size((2, 128, 64), (4, 4096, 2048))

    def reference(x, weight):
        padded = F.pad(x.transpose(1, 2), (3, 0))
        return F.silu(F.conv1d(padded, weight[:, None], groups=width)).transpose(1, 2)
    return ([data.normal(batch, length, width), data.normal(width, 4)],
            lambda x, w: theirs(x=x, weight=w, activation="silu")[0], reference)


@case("fla")
def global_cumsum(data):
    from fla.ops.utils import chunk_global_cumsum
    x = data.normal(*heads(data), dtype=F32)
    return [x], lambda x: (chunk_global_cumsum(x), chunk_global_cumsum(x[..., 0].contiguous())), \
        lambda x: (x.cumsum(1), x[..., 0].cumsum(1))
