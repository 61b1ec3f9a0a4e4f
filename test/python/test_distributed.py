"""Bundles that tasks compile, variant by variant: the bytes that `gluonc build` makes."""

import concurrent.futures
import multiprocessing
import os
import subprocess

import pytest

from gluonc import distributed
from gluonc.errors import CompilationError, Unavailable

pytestmark = pytest.mark.skipif(not os.path.exists(distributed._PROGRAM), reason="the package has no program")

MANIFEST = """
[[kernel]]
source = "../kernels/scale.py::scale"
targets = ["hip:gfx942", "hip:gfx950"]
arguments = { x = "*fp32:16", factor = "fp32" }

[[kernel.variant]]
arguments.BLOCK = 256

[[kernel.variant]]
arguments.BLOCK = 1024
"""
KERNEL = """
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from places import places


@gluon.jit
def scale(x, factor, BLOCK: gl.constexpr):
    at = places(BLOCK)
    gl.store(x + at, gl.load(x + at) * factor)
"""
HELPER = """
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def places(BLOCK: gl.constexpr):
    return gl.arange(0, BLOCK, layout=gl.BlockedLayout([1], [64], [gl.num_warps()], [0]))
"""


@pytest.fixture
def work(tmp_path, monkeypatch):
    """A folder to work in, whose kernels and helpers lie beside it."""
    for name, text in {"work/kernels.toml": MANIFEST, "kernels/scale.py": KERNEL, "helpers/places.py": HELPER}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("GLUONC_CACHE_DIR", "")
    subprocess.run([distributed._PROGRAM, "build", "kernels.toml", "-I", "../helpers", "-o", "plain", "--header", "plain.h"],
                   check=True)
    return tmp_path / "work"


def processes():
    return concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


def test_processes_make_the_same_bytes(work):
    steps = []
    with processes() as executor:
        distributed.build(work / "kernels.toml", "made", executor, header="made.h", include=["../helpers"],
                          progress=lambda done, all_of_them: steps.append((done, all_of_them)))
    assert (work / "made").read_bytes() == (work / "plain").read_bytes()
    assert (work / "made.h").read_bytes() == (work / "plain.h").read_bytes()
    assert steps == [(i + 1, 4) for i in range(4)]


def test_targets_are_those_that_are_asked_for(work):
    text = MANIFEST.replace('targets = ["hip:gfx942", "hip:gfx950"]\n', "")
    (work / "kernels.toml").write_text('targets = ["hip:gfx942"]\n' + text)
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        distributed.build("kernels.toml", "made", executor, include=["../helpers"], targets=["hip:gfx950"])
    listed = subprocess.run([distributed._PROGRAM, "bundle", "list", "made"], check=True, capture_output=True, text=True)
    assert "gfx950" in listed.stdout and "gfx942" not in listed.stdout


def test_mistakes_are_told_with_their_place(work):
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        with pytest.raises(CompilationError, match=r"scale\.py:9:10: error: `places`"):
            distributed.build("kernels.toml", "made", executor)
        # What only compilation finds.
        (work / "../kernels/scale.py").write_text(KERNEL + "    gl.static_assert(BLOCK < 1000)\n")
        with pytest.raises(CompilationError, match=r"scale\.py:11:\d+: error"):
            distributed.build("kernels.toml", "made", executor, include=["../helpers"])
    assert not (work / "made").exists()


def test_a_machine_with_another_compiler_is_refused(work, monkeypatch):
    builds = iter(["build one"] + ["build two"] * 4)
    monkeypatch.setattr(distributed, "_tools", lambda: [next(builds)])
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        with pytest.raises(Unavailable, match="a machine has build two, but the bundle is made with build one"):
            distributed.build("kernels.toml", "made", executor, include=["../helpers"])


def test_build_and_version_of_ptxas_are_compared(tmp_path, monkeypatch):
    ptxas = tmp_path / "ptxas"
    ptxas.write_text("#!/bin/sh\necho ptxas: assembler\necho Build cuda_1.2\n")
    ptxas.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    build, version = distributed._tools()
    assert build.startswith("build ") and version == "ptxas Build cuda_1.2"


def test_ray_makes_the_same_bytes(work):
    pytest.importorskip("ray")
    with distributed.RayExecutor() as executor:
        distributed.build("kernels.toml", "made", executor, include=["../helpers"])
    assert (work / "made").read_bytes() == (work / "plain").read_bytes()
