"""triton.experimental.gluon.amd."""

from gluonc.errors import NotSupportedYet


class TensorDescriptor:
    """A tensor as AMD's data mover sees it; Triton's launches ask whether an argument is one."""

    def __init__(self, *_, **__):
        raise NotSupportedYet("gluonc has no tensor descriptors for AMD yet",
                              name="triton.experimental.gluon.amd.TensorDescriptor")

    @classmethod
    def from_tensor(cls, *_, **__):
        return cls()
