"""triton._C.libtriton.nvidia: cuBLAS to compare with, through PyTorch's matrix products."""

import types


class CublasLt:
    """matmul(A, B, C): C = A @ B.T, as scripts call it."""

    def __init__(self, workspace):
        pass

    def matmul(self, a, b, c):
        import torch
        if type(a) is not torch.Tensor or not a.is_cuda:
            c.copy_((a.float() @ b.float().T).to(c.dtype))
        elif a.dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
            # Triton asks cuBLAS for the fast sums of 8-bit floats, too.
            one = torch.ones((), device=a.device)
            c.copy_(torch._scaled_mm(a, b.T, one, one, out_dtype=c.dtype, use_fast_accum=True))
        else:
            torch.mm(a, b.T, out=c)


cublas = types.SimpleNamespace(CublasLt=CublasLt)
