"""A PyTorch module whose forward and backward are Gluon kernels, trained for a few steps.

    python examples/torch_rmsnorm.py

Runs on the CPU, where the kernels are simulated, and on the GPU where there is one; the losses of
both, and of the same module in plain PyTorch, must agree.

RMSNorm (Zhang and Sennrich 2019, arXiv:1910.07467) scales each row x of length N by its root mean
square: y = x * r * w with r = 1 / sqrt(mean(x^2) + eps). With g = dy * w, its gradients are
dx = r * (g - x * r^2 * mean(g * x)) and dw = sum over rows of dy * x * r.
"""

import torch

import gluonc as gluon
from gluonc import language as gl


@gluon.jit
def rmsnorm_forward(x, w, y, inverse_rms, n, eps, BLOCK: gl.constexpr, layout: gl.constexpr):
    """One program normalizes one row; `inverse_rms` keeps r for the backward pass."""
    row = gl.program_id(0)
    column = gl.arange(0, BLOCK, layout=layout)
    inside = column < n
    values = gl.load(x + row * n + column, mask=inside, other=0.0)
    r = gl.rsqrt(gl.sum(values * values, axis=0) / n + eps)
    gl.store(inverse_rms + row, r)
    gl.store(y + row * n + column, values * r * gl.load(w + column, mask=inside), mask=inside)


@gluon.jit
def rmsnorm_backward(x, w, dy, inverse_rms, dx, dw, n, BLOCK: gl.constexpr, layout: gl.constexpr):
    """One program does one row of dx and adds the row's share of dw."""
    row = gl.program_id(0)
    column = gl.arange(0, BLOCK, layout=layout)
    inside = column < n
    values = gl.load(x + row * n + column, mask=inside, other=0.0)
    gradient = gl.load(dy + row * n + column, mask=inside, other=0.0)
    scaled = gradient * gl.load(w + column, mask=inside, other=0.0)
    r = gl.load(inverse_rms + row)
    mean = gl.sum(scaled * values, axis=0) / n
    gl.store(dx + row * n + column, r * (scaled - values * r * r * mean), mask=inside)
    gl.atomic_add(dw + column, gradient * values * r, mask=inside)


class RMSNormFunction(torch.autograd.Function):
    @staticmethod
    def shape_arguments(n):
        """BLOCK and layout for rows of n elements: four in a row for each of 128 threads."""
        return max(gluon.next_power_of_2(n), 512), gl.BlockedLayout([4], [32], [4], [0])

    @staticmethod
    def forward(context, x, w, eps):
        x = x.contiguous()
        rows, n = x.shape
        y, inverse_rms = torch.empty_like(x), torch.empty(rows, device=x.device)
        rmsnorm_forward[(rows,)](x, w, y, inverse_rms, n, eps, *RMSNormFunction.shape_arguments(n))
        context.save_for_backward(x, w, inverse_rms)
        return y

    @staticmethod
    def backward(context, dy):
        x, w, inverse_rms = context.saved_tensors
        rows, n = x.shape
        dx, dw = torch.empty_like(x), torch.zeros_like(w)
        rmsnorm_backward[(rows,)](x, w, dy.contiguous(), inverse_rms, dx, dw, n,
                                  *RMSNormFunction.shape_arguments(n))
        return dx, dw, None


class RMSNorm(torch.nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.weight, self.eps = torch.nn.Parameter(torch.ones(features)), eps

    def forward(self, x):
        return RMSNormFunction.apply(x, self.weight, self.eps)


class PlainRMSNorm(RMSNorm):
    """The same in PyTorch's own operations."""

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * self.weight


def train(norm, device, steps=5):
    """Losses of a small regression, the same data and start for every kind of norm and device."""
    torch.manual_seed(0)
    features = 200
    model = torch.nn.Sequential(torch.nn.Linear(features, features), norm(features),
                                torch.nn.Linear(features, 1)).to(device)
    x, target = torch.randn(32, features).to(device), torch.randn(32, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    losses = []
    for _ in range(steps):
        loss = torch.nn.functional.mse_loss(model(x), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main():
    expected = train(PlainRMSNorm, "cpu")
    for device in ["cpu"] + ["cuda"] * torch.cuda.is_available():
        losses = train(RMSNorm, device)
        torch.testing.assert_close(losses, expected, rtol=1e-4, atol=1e-5)
        print(f"{device}: losses", " ".join(f"{loss:.6f}" for loss in losses))
    print("PyTorch's own:", " ".join(f"{loss:.6f}" for loss in expected))


if __name__ == "__main__":
    main()
