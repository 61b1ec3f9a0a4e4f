"""triton.tools."""
