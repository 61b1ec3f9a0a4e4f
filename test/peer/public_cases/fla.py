"""fla-core: the Gluon back ends, forward and backward, as bench/gpu/fla_core.py states them."""

import importlib.util
import pathlib

import torch

from . import case
from .sources import same_gradients

ROOT = "fla_core-0.6.0/fla/"
BENCH = pathlib.Path(__file__).resolve().parents[3] / "bench/gpu/fla_core.py"


def operation(name, file, tokens, tolerance=2e-6):
    def run():
        spec = importlib.util.spec_from_file_location("fla_core_bench", BENCH)
        bench = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(bench)
        inputs, theirs, reference = bench.OPERATIONS[name][0](tokens, "cuda", torch.float32)
        yield from same_gradients(theirs, reference, inputs, tolerance)
        from gluonc import _jit
        taken = {kernel.__name__ for kernel in _jit._launched if kernel.is_gluon()}
        yield "Gluon's back end was taken", bool(taken), True, 0
    run.__name__, run.__module__ = name.replace(" ", "_"), __name__
    case(ROOT + file, "cuda:90a", settings={"FLA_GLUON": "1"})(run)


operation("sinkhorn", "ops/utils/sinkhorn/gluon.py", 64)
operation("cross entropy", "modules/fused_cross_entropy/gluon.py", 8)
operation("causal conv1d", "modules/causal_conv1d/backends/gluon.py", 256)
operation("attention residual", "ops/attnres/backends/gluon.py", 16)
