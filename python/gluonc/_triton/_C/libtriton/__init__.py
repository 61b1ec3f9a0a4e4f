"""triton._C.libtriton."""

from gluonc._triton._C.libtriton import gluon_ir, ir, nvidia


def __getattr__(name):
    # Imports torch-free modules of the package above, which import this one.
    if name == "native_specialize_impl":
        from gluonc._triton.runtime._specialize import native_specialize_impl
        return native_specialize_impl
    raise AttributeError(name)
