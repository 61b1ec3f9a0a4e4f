"""triton.runtime._allocation: memory that kernels get from the host; launches of gluonc take theirs by
themselves."""


class NullAllocator:
    """Says that nobody allocates."""

    def __call__(self, size, alignment, stream):
        raise RuntimeError("no allocator was set")
