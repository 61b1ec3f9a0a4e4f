"""triton.backends.nvidia."""
