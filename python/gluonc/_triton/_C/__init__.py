"""triton._C: what host code asks of Triton's compiler."""
