"""aiter: Gluon kernels for AMD's chips, by the tests of the repository, and kernels of the Triton language."""

from . import own_tests

GLUON = "ROCm+aiter/aiter/ops/triton/_gluon_kernels/"
TESTS = "op_tests/triton_tests/"


def tests(name, file, tests, target="hip:gfx1250", **options):
    own_tests(name, __name__, file, TESTS + tests, target, bare=("aiter",), paths=(".", "aiter/jit/utils"),
              settings={"AITER_TRITON_ONLY": "1"}, **options)


# Of its other tests most import what asks for the installed ROCm.
tests("fused_rmsnorm_add", GLUON + "gfx1250/norm/fused_rmsnorm_add.py", "normalization/test_fused_rmsnorm_add.py")
tests("gemm_a16w16", GLUON + "gfx1250/gemm/basic/gemm_a16w16.py", "gemm/basic/test_gemm_a16w16.py", count=2)
tests("batched_gemm_bf16", GLUON + "gfx1250/gemm/batched/batched_gemm_bf16.py",
      "gemm/batched/test_batched_gemm_bf16.py", count=2)
tests("fp8_mqa_logits", GLUON + "gfx1250/attention/fp8_mqa_logits.py", "attention/test_fp8_mqa_logits.py")
tests("fp8_mqa_logits_gfx950", GLUON + "gfx950/attention/fp8_mqa_logits.py", "attention/test_fp8_mqa_logits.py",
      "hip:gfx950")
