"""Tutorials and examples of Gluon in a copy of Triton's tree of August 2026, by the tests in them."""

from . import own_tests

ROOT = "lightseekorg+triton/"


def tests(name, file, target="cuda:90a", **options):
    own_tests(name, __name__, ROOT + file, file, target, paths=("python/tutorials/gluon", "python/examples/gluon"),
              **options)


for name, target in (("01-intro", "cuda:80"), ("02-layouts", "cuda:90a"), ("03-async-copy", "cuda:80"),
                     ("04-tma", "cuda:90a"), ("05-wgmma", "cuda:90a"), ("06-tcgen05", "cuda:100a"),
                     ("07-persistence", "cuda:90a"), ("08-warp-specialization", "cuda:90a"),
                     ("09-tma-gather-scatter", "cuda:100a"), ("10-tcgen05-copy", "cuda:100a"),
                     ("11-tcgen05-mma-scaled", "cuda:100a"), ("13-conv-im2col", "cuda:90a"),
                     ("14-multicta", "cuda:90a")):
    tests(f"tutorial_{name}", f"python/tutorials/gluon/{name}.py", target, count=3)
for name, target in (("02-conv-dgrad", "cuda:100a"), ("02-conv-fprop", "cuda:100a"), ("02-conv-wgrad", "cuda:100a"),
                     ("04-2cta-block-scale-matmul", "cuda:100a")):
    tests(f"example_{name}", f"python/examples/gluon/{name}.py", target, count=2)
