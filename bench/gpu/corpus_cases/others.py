"""attorch, and Apple's Cut Cross-Entropy."""

import torch
import torch.nn.functional as F

from . import F32, case


def attorch_layer(name, make, shape, reference, tolerance=1e-2):
    def made(data):
        import attorch
        layer = make(attorch, data).cuda()
        names = [name for name, _ in layer.named_parameters()]
        parameters = [data.normal(*p.shape, dtype=F32) / p.shape[0]**0.5 for p in layer.parameters()]

        def call(x, *parameters):
            return torch.func.functional_call(layer, dict(zip(names, parameters)), (x,))
        return [data.normal(*data.size(*shape), dtype=F32), *parameters], call, reference
    made.__name__ = name
    case("attorch", tolerance)(made)


WIDE = (24, 256), (8192, 4096)
attorch_layer("gelu", lambda library, data: library.GELU(), WIDE, F.gelu)
attorch_layer("mish", lambda library, data: library.Mish(), WIDE, F.mish)
attorch_layer("glu", lambda library, data: library.GLU(), WIDE, F.glu)
attorch_layer("log_softmax", lambda library, data: library.LogSoftmax(dim=-1), WIDE, lambda x: x.log_softmax(-1))
attorch_layer("attorch_layer_norm", lambda library, data: library.LayerNorm(data.size(256, 4096)), WIDE,
              lambda x, w, b: F.layer_norm(x, x.shape[1:], w, b, 1e-5))
attorch_layer("batch_norm", lambda library, data: library.BatchNorm2d(data.size(8, 128)), ((4, 8, 8, 8), (32, 128, 56, 56)),
              lambda x, w, b: F.batch_norm(x, None, None, w, b, True))
attorch_layer("linear_gelu", lambda library, data: library.Linear(*data.size((64, 64), (2048, 2048)), act_func="gelu"),
              ((64, 64), (4096, 2048)), lambda x, w, b: F.gelu(x @ w + b), 2e-2)
attorch_layer("conv2d", lambda library, data: library.Conv2d(*data.size((16, 16), (64, 64)), 3, padding=1),
              ((2, 16, 8, 8), (16, 64, 56, 56)), lambda x, w, b: F.conv2d(x, w, b, padding=1), 2e-2)


@case("cut_cross_entropy")
def linear_cross_entropy(data):
    from cut_cross_entropy import linear_cross_entropy as theirs
    tokens, width, words = data.size((128, 128, 512), (4096, 1024, 16384))
    target = data.integers(words, tokens)
    return ([data.normal(tokens, width), data.normal(words, width) / width**0.5],
            lambda e, c: theirs(e, c, target, filter_eps=None), lambda e, c: F.cross_entropy(e @ c.T, target))
