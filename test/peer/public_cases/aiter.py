"""aiter: Gluon kernels for AMD's chips, by the tests of the repository, and kernels of the Triton language."""

from . import own_tests

ROOT = "ROCm+aiter/"
GLUON = ROOT + "aiter/ops/triton/_gluon_kernels/"
TESTS = "op_tests/triton_tests/"


def tests(name, file, tests, target="hip:gfx1250", **options):
    own_tests(name, __name__, file, TESTS + tests, target, bare=("aiter",), paths=(".", "aiter/jit/utils"),
              settings={"AITER_TRITON_ONLY": "1"}, **options)


tests("fused_rmsnorm_add", GLUON + "gfx1250/norm/fused_rmsnorm_add.py", "normalization/test_fused_rmsnorm_add.py")
tests("gemm_a16w16", GLUON + "gfx1250/gemm/basic/gemm_a16w16.py", "gemm/basic/test_gemm_a16w16.py")
tests("gemm_a8w8_blockscale", GLUON + "gfx1250/gemm/basic/gemm_a8w8_blockscale.py",
      "gemm/basic/test_gemm_a8w8_blockscale.py")
tests("gemm_mxfp4", GLUON + "gfx1250/gemm/basic/gemm_mxfp4.py", "gemm/basic/test_gemm_afp4wfp4.py")
tests("batched_gemm_bf16", GLUON + "gfx1250/gemm/batched/batched_gemm_bf16.py",
      "gemm/batched/test_batched_gemm_bf16.py")
tests("fused_kv_cache", GLUON + "gfx1250/fusions/fused_kv_cache.py", "fusions/test_fused_kv_cache.py")
tests("fp8_mqa_logits", GLUON + "gfx1250/attention/fp8_mqa_logits.py", "attention/test_fp8_mqa_logits.py")
tests("fp8_mqa_logits_gfx950", GLUON + "gfx950/attention/fp8_mqa_logits.py", "attention/test_fp8_mqa_logits.py",
      "hip:gfx950")
tests("unified_attention", GLUON + "gfx1250/attention/unified_attention_2d.py", "attention/test_unified_attention.py")
tests("mla", GLUON + "gfx1250/attention/mla.py", "attention/test_mla.py")
tests("pa_prefill_sparse", GLUON + "gfx1250/attention/pa_prefill_sparse.py", "attention/test_pa_prefill_sparse.py")
tests("pa_decode_sparse", GLUON + "gfx1250/attention/pa_decode_sparse.py", "attention/test_pa_decode_sparse.py")
tests("pa_decode_sparse_gfx950", GLUON + "gfx950/attention/pa_decode_sparse.py", "attention/test_pa_decode_sparse.py",
      "hip:gfx950")
tests("moe_int8_smoothquant", GLUON + "gfx942/moe/moe_op_gemm_int8_smoothquant.py",
      "moe/test_moe_gemm_int8_smoothquant.py", "hip:gfx942")
tests("gemm_a8w8_gfx950", ROOT + "aiter/ops/triton/gluon/gemm_a8w8.py", "gemm/basic/test_gemm_a8w8.py", "hip:gfx950")
tests("gemm_afp4wfp4_gfx950", ROOT + "aiter/ops/triton/gluon/gemm_afp4wfp4.py", "gemm/basic/test_gemm_afp4wfp4.py",
      "hip:gfx950")
tests("gemm_a8w8_blockscale_gfx950", ROOT + "aiter/ops/triton/gluon/gemm_a8w8_blockscale.py",
      "gemm/basic/test_gemm_a8w8_blockscale.py", "hip:gfx950")
