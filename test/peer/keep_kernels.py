"""`pytest -p gluonc.pytest -p keep_kernels`: keeps what the tests compile, for assemblers and other compilers.

GLUONC_KEEP names a folder. Each kernel is there once, as NAME-HASH.ptx and .ttgir, beside a .json with its
name, target and warps, the first test that compiled it, and the error where there is no machine code.
Kernels of sanitizers, which the simulator alone runs, are left out. With GLUONC_KEEP_ALONE=1 no kernel
runs, and what PyTorch would multiply beside them has the shape and no values, so that tests fail, but soon.
"""

import functools
import hashlib
import json
import os
import pathlib

import pytest
from gluonc import _compiled

_waiting = []


class _Noting(_compiled.CompiledKernel):
    """As the class that it stands for; what is made is noted."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if not self.metadata.instrumentation_mode:
            _waiting.append((self.name, self.target, self.metadata, self.asm))


def _shaped(function):
    """What the function gives, but for the values."""
    import torch
    from torch.utils import _pytree

    def shape(*args, **kwargs):
        args, kwargs = _pytree.tree_map_only(torch.Tensor, lambda each: each.to("meta"), (args, kwargs))
        return _pytree.tree_map_only(torch.Tensor, lambda each: torch.empty_like(each, device="cpu"),
                                     function(*args, **kwargs))
    return shape


def _skip_references():
    import torch
    import torch.nn.functional as functional
    for home, names in ((torch, ("matmul", "mm", "bmm", "einsum")),
                        (torch.Tensor, ("__matmul__", "matmul")),
                        (functional, ("conv2d", "scaled_dot_product_attention")),
                        (torch.nn.grad, ("conv2d_input", "conv2d_weight"))):
        for name in names:
            setattr(home, name, _shaped(getattr(home, name)))


def pytest_configure(config):
    from gluonc import _compile, _jit
    for module in (_jit, _compile):
        if getattr(module, "CompiledKernel", None) is _compiled.CompiledKernel:
            module.CompiledKernel = _Noting
    if os.environ.get("GLUONC_KEEP_ALONE"):
        _jit.JITFunction.__getitem__ = lambda self, grid: functools.partial(self.warmup, grid=grid)
        _skip_references()


def _keep(folder, test, name, target, metadata, asm):
    try:
        ir = asm["ttgir"]
    except Exception as problem:  # What came from a file of IR.
        ir = f"// {problem}\n"
    stem = f"{name}-{hashlib.sha256((target + ir).encode()).hexdigest()[:16]}"
    if (folder / f"{stem}.json").exists():
        return
    facts = {"name": name, "target": target, "warps": metadata.num_warps, "ctas": metadata.num_ctas, "test": test}
    try:
        (folder / f"{stem}.ptx").write_text(asm["ptx"])
        (folder / f"{stem}.ttgir").write_text(ir)
    except Exception as problem:  # Counted by who reads the folder.
        facts["error"] = str(problem)[:500]
    (folder / f"{stem}.json").write_text(json.dumps(facts))


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item):
    folder = pathlib.Path(os.environ["GLUONC_KEEP"])
    folder.mkdir(parents=True, exist_ok=True)
    while _waiting:
        _keep(folder, item.nodeid, *_waiting.pop())
