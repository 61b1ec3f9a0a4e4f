"""Liger Kernel, forward and backward."""

import torch
import torch.nn.functional as F

from . import case
from .sources import same_gradients

ROOT = "liger_kernel-0.8.5/liger_kernel/ops/"


def randn(*shape):
    return torch.randn(*shape, device="cuda")


def liger(file):
    return case(ROOT + file, "cuda:90a", "Triton")


@liger("rms_norm.py")
def rms_norm():
    from liger_kernel.ops.rms_norm import LigerRMSNormFunction
    yield from same_gradients(
        lambda x, w: LigerRMSNormFunction.apply(x, w, 1e-6), lambda x, w: F.rms_norm(x, (100,), w, 1e-6),
        [randn(12, 100), randn(100)], 1e-4)


@liger("layer_norm.py")
def layer_norm():
    from liger_kernel.ops.layer_norm import LigerLayerNormFunction
    yield from same_gradients(
        lambda x, w, b: LigerLayerNormFunction.apply(x, w, b, 1e-6), lambda x, w, b: F.layer_norm(x, (100,), w, b, 1e-6),
        [randn(12, 100), randn(100), randn(100)], 1e-4)


@liger("group_norm.py")
def group_norm():
    from liger_kernel.ops.group_norm import LigerGroupNormFunction
    yield from same_gradients(
        lambda x, w, b: LigerGroupNormFunction.apply(x, w, b, 8, 4, 1e-6),
        lambda x, w, b: F.group_norm(x, 4, w, b, 1e-6), [randn(2, 8, 50), randn(8), randn(8)], 1e-4)


@liger("geglu.py")
def geglu():
    from liger_kernel.ops.geglu import LigerGELUMulFunction
    yield from same_gradients(LigerGELUMulFunction.apply, lambda a, b: F.gelu(a, approximate="tanh") * b,
                              [randn(3, 5, 100), randn(3, 5, 100)], 1e-4)


@liger("swiglu.py")
def swiglu():
    from liger_kernel.ops.swiglu import LigerSiLUMulFunction
    yield from same_gradients(LigerSiLUMulFunction.apply, lambda a, b: F.silu(a) * b,
                              [randn(3, 5, 100), randn(3, 5, 100)], 1e-4)


@liger("softmax.py")
def softmax():
    from liger_kernel.ops.softmax import LigerSoftmaxFunction
    yield from same_gradients(LigerSoftmaxFunction.apply, lambda x: x.softmax(-1), [randn(9, 300)], 1e-4)


@liger("cross_entropy.py")
def cross_entropy():
    from liger_kernel.ops.cross_entropy import LigerCrossEntropyFunction
    target = torch.randint(0, 300, (12,), device="cuda")
    yield from same_gradients(
        lambda x: LigerCrossEntropyFunction.apply(x, target, None, -100, 0.0, 0.1, "mean")[0],
        lambda x: F.cross_entropy(x, target.cpu(), label_smoothing=0.1), [randn(12, 300)], 1e-4)


@liger("kl_div.py")
def kl_div():
    from liger_kernel.ops.kl_div import LigerKLDivLossFunction
    y = randn(9, 100).softmax(-1)
    yield from same_gradients(
        lambda x: LigerKLDivLossFunction.apply(x, y, "batchmean"),
        lambda x: F.kl_div(x, y.cpu().double(), reduction="batchmean"), [randn(9, 100).log_softmax(-1)], 1e-4)


@liger("dyt.py")
def dynamic_tanh():
    from liger_kernel.ops.dyt import LigerDyTFunction
    yield from same_gradients(LigerDyTFunction.apply, lambda x, a, g, b: g * torch.tanh(a * x) + b,
                              [randn(3, 5, 64), randn(1), randn(64), randn(64)], 1e-4)


@liger("relu_squared.py")
def relu_squared():
    from liger_kernel.ops.relu_squared import LigerReLUSquaredFunction
    yield from same_gradients(LigerReLUSquaredFunction.apply, lambda x: x.relu()**2, [randn(9, 100)], 1e-4)


@liger("tvd.py")
def total_variation():
    from liger_kernel.ops.tvd import LigerTVDLossFunction
    q = randn(9, 100).softmax(-1)
    yield from same_gradients(
        lambda p: LigerTVDLossFunction.apply(p, q, None, "batchmean"),
        lambda p: (p - q.cpu().double()).abs().sum() / 2 / 9, [randn(9, 100).softmax(-1)], 1e-4)


@liger("sparsemax.py")
def sparsemax():
    from liger_kernel.ops.sparsemax import LigerSparsemaxFunction

    def reference(x):
        ranked, _ = x.sort(-1, descending=True)
        sums = ranked.cumsum(-1) - 1
        count = torch.arange(1, x.shape[-1] + 1, dtype=x.dtype)
        kept = (ranked * count > sums).sum(-1, keepdim=True)
        return (x - sums.gather(-1, kept - 1) / kept).clamp(min=0)
    yield from same_gradients(lambda x: LigerSparsemaxFunction.apply(x, -1), reference, [randn(9, 60)], 1e-4)
