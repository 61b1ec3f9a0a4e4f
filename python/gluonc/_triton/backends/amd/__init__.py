"""triton.backends.amd."""
