"""tokenspeed: kernels for gfx950 and gfx1250."""

import torch
import torch.nn.functional as F

from . import case

ROOT = "lightseekorg+tokenspeed/tokenspeed-kernel-amd/python/tokenspeed_kernel_amd/ops/"
OPTIONS = {"paths": ("tokenspeed-kernel-amd/python", "tokenspeed-kernel/python")}


def on(chip, file):
    return case(ROOT + f"{chip}/{file}", f"hip:{chip}", **OPTIONS)


def randn(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, device="cuda").to(dtype)


@on("gfx950", "sampling/argmax.py")
def argmax():
    from tokenspeed_kernel_amd.ops.gfx950.sampling.argmax import gluon_argmax_gfx950
    for m, n in (1, 1000), (4, 32768), (2, 163840):
        x = randn(m, n, dtype=torch.float32)
        yield f"{m}x{n}", gluon_argmax_gfx950(x), x.cpu().argmax(-1), 0


@on("gfx950", "gemm/fp16/mm.py")
def small_products():
    from tokenspeed_kernel_amd.ops.gfx950.gemm.fp16.mm import gluon_mm_a16w16_gfx950
    for m, n, k in (1, 256, 1024), (16, 256, 512), (64, 256, 512), (128, 256, 256):
        a, b = randn(m, k), randn(n, k)
        got = gluon_mm_a16w16_gfx950(a, b, torch.bfloat16)
        if got is not None:
            yield f"{m}x{n}x{k}", got, a.cpu().float() @ b.cpu().float().T, 4e-3


@on("gfx950", "attention/kda/attn_res.py")
def attention_residual():
    from tokenspeed_kernel_amd.ops.gfx950.attention.kda.attn_res import attn_res_rmsnorm_gfx950 as theirs
    tokens, blocks, hidden = 3, 4, 4096
    layer, block = randn(tokens, hidden), randn(tokens, blocks, hidden)
    res, score, output = (randn(hidden) for _ in range(3))
    got = theirs(layer_residual=layer, block_residual=block, res_weight=res, score_rms_weight=score, score_eps=1e-6,
                 output_rms_weight=output, output_eps=1e-6, num_valid_blocks=blocks)
    rows = torch.cat([block, layer[:, None]], 1).cpu().double()
    keys = F.rms_norm(rows, (hidden,), score.cpu().double(), 1e-6)
    mixed = ((keys @ res.cpu().double()).softmax(1)[..., None] * rows).sum(1)
    yield "mixed", got, F.rms_norm(mixed, (hidden,), output.cpu().double(), 1e-6), 1e-2
