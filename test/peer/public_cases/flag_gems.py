"""FlagGems: operations of PyTorch, by the same names."""

import torch

from . import case

ROOT = "flag_gems-5.0.2/flag_gems/ops/"


def op(name, arguments, file=None, tolerance=1e-5, reference=None, target="cuda:90a"):
    """A case that holds `flag_gems.ops.NAME(*arguments())` to PyTorch's in float64."""
    def run():
        from flag_gems import ops

        from .sources import on_cpu
        given = arguments()
        theirs = reference or getattr(torch, name, None) or getattr(torch.nn.functional, name)
        exact = [on_cpu(x) for x in given]
        got = getattr(ops, name)(*[x.cuda() if isinstance(x, torch.Tensor) else x for x in given])
        expected = theirs(*exact)
        if not isinstance(got, (tuple, list)):
            got, expected = [got], [expected]
        for number, (one, other) in enumerate(zip(got, expected)):
            yield f"result {number}", one, other, 0 if not other.is_floating_point() else tolerance
    run.__name__, run.__module__ = name, __name__
    case(ROOT + (file or f"{name}.py"), target, "Triton", settings={"GEMS_VENDOR": "nvidia"})(run)


def randn(*shape):
    return torch.randn(*shape)


op("softmax", lambda: (randn(7, 300), 1, False), reference=lambda x, dim, _: x.softmax(dim))
op("log_softmax", lambda: (randn(7, 300), 1, False), reference=lambda x, dim, _: x.log_softmax(dim))
op("mm", lambda: (randn(50, 70), randn(70, 40)), tolerance=1e-2)
op("addmm", lambda: (randn(40), randn(50, 70), randn(70, 40)), tolerance=1e-2)
op("bmm", lambda: (randn(3, 50, 70), randn(3, 70, 40)), tolerance=1e-2)
op("mv", lambda: (randn(50, 70), randn(70)), tolerance=1e-4)
op("cumsum", lambda: (randn(5, 500), 1), tolerance=1e-4)
op("argmax", lambda: (randn(5, 500), 1))
# Of other shapes it loads behind the last element, without a mask.
op("argmin", lambda: (randn(8, 512), 1))
op("topk", lambda: (randn(5, 200), 7))
op("sort", lambda: (torch.randperm(700).reshape(1, 700), 1))
op("var_mean", lambda: (randn(9, 130), [1]), tolerance=1e-4)
op("amax", lambda: (randn(9, 130), [1]))
op("prod", lambda: (randn(40),), tolerance=1e-3)
op("triu", lambda: (randn(30, 40), 2))
op("gather", lambda: (randn(8, 50), 1, torch.randint(0, 50, (8, 20))))
op("index_select", lambda: (randn(30, 40), 0, torch.randint(0, 30, (11,))))
op("masked_fill", lambda: (randn(30, 40), randn(30, 40) > 0, 2.5))
op("flip", lambda: (randn(30, 40), [0, 1]))
op("isin", lambda: (torch.randint(0, 50, (40,)), torch.randint(0, 50, (9,))))
op("vector_norm", lambda: (randn(7, 90), 2, [1]), file="vector_norm.py", tolerance=1e-4,
   reference=lambda x, p, dim: torch.linalg.vector_norm(x, p, dim))
op("outer", lambda: (randn(30), randn(40)))
op("kron", lambda: (randn(5, 6), randn(7, 3)))
op("diag", lambda: (randn(20),))
op("rms_norm", lambda: (randn(9, 130), [130], randn(130)), tolerance=1e-4,
   reference=lambda x, shape, weight: torch.nn.functional.rms_norm(x, shape, weight, 1e-5))
