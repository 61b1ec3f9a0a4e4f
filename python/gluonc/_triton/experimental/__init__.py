"""triton.experimental: Gluon lives below it."""
