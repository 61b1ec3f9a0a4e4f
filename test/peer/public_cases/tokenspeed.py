"""tokenspeed: kernels for gfx950 and gfx1250."""

import torch
import torch.nn.functional as F

from . import case

ROOT = "lightseekorg+tokenspeed/tokenspeed-kernel-amd/python/tokenspeed_kernel_amd/ops/"
OPTIONS = {"paths": ("tokenspeed-kernel-amd/python", "tokenspeed-kernel/python")}
# Not among the cases: tests that want PyTorch's results to the last bit, which the CPU's are not either.


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


@on("gfx950", "attention/mla/project_value.py")
def mla_project_value():
    from tokenspeed_kernel_amd.ops.gfx950.attention.mla.project_value import gluon_mla_project_value_gfx950 as theirs
    attention, weight, gate = randn(1, 4, 512), randn(4, 512, 128), randn(1, 512)
    expected = torch.einsum("bhl,hlv->bhv", attention.cpu().double(), weight.cpu().double()).reshape(1, -1)
    yield "without gate", theirs(attention, weight), expected, 1e-2
    yield "with gate", theirs(attention, weight, gate=gate), expected * gate.cpu().double().sigmoid(), 1e-2


@on("gfx950", "attention/mla/normalize_project_query.py")
def mla_normalize_project_query():
    from tokenspeed_kernel_amd.ops.gfx950.attention.mla.normalize_project_query import (
        gluon_mla_normalize_project_query_gfx950 as theirs)
    query, kv, query_weight, kv_weight, weight = (randn(1, 1536), randn(1, 512), randn(1536), randn(512),
                                                  randn(2304, 1536))
    exact = [x.cpu().double() for x in (query, kv, query_weight, kv_weight, weight)]
    out = torch.empty(1, 2304, dtype=torch.bfloat16, device="cuda")
    theirs(query, kv, query_weight, kv_weight, weight, eps=1e-6, out=out)
    yield "query", out, F.rms_norm(exact[0], (1536,), exact[2], 1e-6) @ exact[4].T, 1e-2
    yield "kv", kv, F.rms_norm(exact[1], (512,), exact[3], 1e-6), 1e-2


@on("gfx950", "moe/mxfp4/routing.py")
def routing():
    import tokenspeed_kernel
    logits, bias = 0.2 * randn(1, 896, dtype=torch.float32), 0.01 * randn(896, dtype=torch.float32)
    weights, ids = tokenspeed_kernel.moe_sigmoid_bias_topk(logits, bias, 16, routed_scaling_factor=2.5,
                                                           normalize_topk_weights=True)
    scores = logits.cpu().double().sigmoid()
    chosen = (scores + bias.cpu().double()).topk(16).indices.sort().values
    expected = scores.gather(1, chosen)
    order = ids.cpu().argsort()
    yield "ids", ids.cpu().gather(1, order), chosen.to(ids.dtype), 0
    yield "weights", weights.cpu().gather(1, order), 2.5 * expected / expected.sum(1, keepdim=True), 1e-6


def own(name, chip, file, tests, select="", count=4, **options):
    from . import own_tests
    own_tests(name, __name__, ROOT + f"{chip}/{file}", "tokenspeed-kernel/test/ops/" + tests, f"hip:{chip}", select, count,
              paths=OPTIONS["paths"] + ("tokenspeed-kernel/test",), **options)


own("small_and_medium_products", "gfx950", "gemm/fp16/mm.py", "gemm/test_gluon_a16w16_gfx950.py",
    "correctness or strided", 8)
own("kda_prefill", "gfx950", "attention/kda/prefill.py", "attention/test_gluon_kda_prefill_gfx950.py")
own("dsa", "gfx950", "attention/dsa/attention.py", "attention/test_gluon_dsa_amd.py", "not radix", 12)
own("dsa_standard_cache", "gfx950", "attention/dsa/standard_cache_logits.py",
    "attention/test_gluon_dsa_standard_cache_gfx950.py", "", 20)
own("moe_mxfp4_dynamic", "gfx950", "moe/mxfp4/prefill_stage1.py", "moe/test_gluon_mxfp4_amd.py", "dynamic", 2)
own("moe_direct_decode", "gfx950", "moe/mxfp4/decode_stage1.py", "moe/test_gluon_mxfp4_direct_decode_gfx950.py", "", 2)
own("moe_situ", "gfx950", "moe/mxfp4/situ_grouped.py", "moe/test_gluon_mxfp4_situ_gfx950.py", "", 3)
own("kda_recurrent", "gfx950", "attention/kda/decode.py", "test_kda_recurrent.py", "", 3)
own("kda_recurrent_gfx1250", "gfx1250", "attention/kda/decode.py", "test_kda_recurrent.py", "", 3)
own("dsa_gfx1250", "gfx1250", "attention/dsa/attention.py", "attention/test_gluon_dsa_amd.py", "not radix", 6)
