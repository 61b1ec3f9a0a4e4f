"""Kernels as operators of PyTorch."""


def torch_op(name, *, mutates_args=(), **options):
    """Makes a function that launches kernels an operator, which torch.compile keeps as it is.

        @gluonc.torch_op("mine::twice")
        def twice(x: torch.Tensor) -> torch.Tensor:
            out = torch.empty_like(x)
            twice_kernel[(1,)](out, x, x.numel())
            return out

        @twice.register_fake
        def _(x):
            return torch.empty_like(x)

    `mutates_args` names the parameters whose memory the kernels write. The result is that of
    torch.library.custom_op: register_fake, register_autograd and the rest are its methods.
    """
    from torch.library import custom_op
    return custom_op(name, mutates_args=mutates_args, **options)
