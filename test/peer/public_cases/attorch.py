"""attorch: layers of torch.nn, forward and backward."""

import copy

import torch
from torch import nn

from . import case
from .sources import same_gradients

ROOT = "BobMcDear+attorch/attorch/"


def layer(name, file, make, *inputs, tolerance=1e-4, target="cuda:90a", wanted=None):
    """A case that holds a layer of attorch to the one of PyTorch of the same name."""
    def run():
        import attorch
        theirs, ours = make(nn), make(attorch).cuda()
        # Weights of its linear layers are transposed.
        state = {key: value.T if value.shape != ours.state_dict()[key].shape else value
                 for key, value in theirs.state_dict().items()}
        ours.load_state_dict(state)
        exact = copy.deepcopy(theirs).double()
        tensors = [x().cuda() for x in inputs]
        yield from same_gradients(ours, exact, tensors, tolerance, wanted)
        for (label, got), (_, expected) in zip(ours.named_parameters(), exact.named_parameters()):
            exact_grad = expected.grad.T if expected.shape != got.shape else expected.grad
            yield f"gradient of {label}", got.grad, exact_grad, tolerance
    run.__name__, run.__module__ = name, __name__
    case(ROOT + file, target, "Triton")(run)


def randn(*shape):
    return lambda: torch.randn(*shape)


for act in "GELU", "SiLU", "ReLU6", "Mish", "Softplus", "Hardswish", "LogSigmoid", "SELU", "CELU", "Tanh", "Sigmoid":
    layer(f"act_{act}", "act_layers.py", lambda nn, act=act: getattr(nn, act)(), randn(5, 300))
layer("batch_norm", "batch_norm_layer.py", lambda nn: nn.BatchNorm2d(6), randn(4, 6, 5, 7))
layer("conv2d", "conv_layer.py", lambda nn: nn.Conv2d(4, 8, 3, padding=1), randn(2, 4, 9, 9), tolerance=1e-2)
layer("cross_entropy", "cross_entropy_loss_layer.py", lambda nn: nn.CrossEntropyLoss(), randn(16, 70),
      lambda: torch.randint(0, 70, (16,)), wanted=[0])
layer("glu", "glu_layer.py", lambda nn: nn.GLU(), randn(6, 128))
layer("layer_norm", "layer_norm_layer.py", lambda nn: nn.LayerNorm(100), randn(12, 100))
layer("linear", "linear_layer.py", lambda nn: nn.Linear(70, 40), randn(24, 70), tolerance=1e-2)
layer("nll_loss", "nll_loss_layer.py", lambda nn: nn.NLLLoss(), randn(16, 70), lambda: torch.randint(0, 70, (16,)),
      wanted=[0])
layer("l1_loss", "p_loss_layers.py", lambda nn: nn.L1Loss(), randn(16, 70), randn(16, 70))
layer("smooth_l1_loss", "p_loss_layers.py", lambda nn: nn.SmoothL1Loss(), randn(16, 70), randn(16, 70))
layer("avg_pool2d", "pooling_layer.py", lambda nn: nn.AvgPool2d(2), randn(2, 4, 8, 8), tolerance=1e-2)
layer("rms_norm", "rms_norm_layer.py", lambda nn: nn.RMSNorm(100, eps=1e-6), randn(12, 100))
layer("softmax", "softmax_layers.py", lambda nn: nn.Softmax(dim=-1), randn(12, 100))
layer("log_softmax", "softmax_layers.py", lambda nn: nn.LogSoftmax(dim=-1), randn(12, 100))
