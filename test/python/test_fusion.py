"""Whether products and sums become fma, and other options of a launch that Triton 3.9 has."""

import re

import gluonc
import kernels
import numpy as np
import pytest
from gluonc import _settings
from gluonc._triton import knobs


def compiled(**options):
    return kernels.fill.warmup(np.zeros(4, np.int32), 7, 4, **options)


@pytest.fixture(autouse=True)
def settings(monkeypatch):
    monkeypatch.delenv("TRITON_DEFAULT_FP_FUSION", raising=False)
    monkeypatch.delenv("TRITON_FORCE_DISABLE_FP_FUSION", raising=False)
    # What triton.knobs says, which other tests may have set.
    with knobs.language.scope():
        knobs.language.reset()
        yield


def test_fusion_is_on_unless_somebody_says_otherwise(monkeypatch):
    assert _settings.fuses(None) and knobs.language.default_fp_fusion
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "0")
    assert not _settings.fuses(None) and _settings.fuses(True)
    knobs.language.default_fp_fusion = True
    assert _settings.fuses(None)
    monkeypatch.setenv("TRITON_FORCE_DISABLE_FP_FUSION", "1")
    assert not _settings.fuses(True)


def test_a_kernel_tells_what_was_chosen():
    assert compiled().metadata.enable_fp_fusion is True
    assert compiled(enable_fp_fusion=False).metadata.enable_fp_fusion is False
    knobs.language.default_fp_fusion = False
    fresh = gluonc.jit(kernels.fill.fn)
    assert fresh.warmup(np.zeros(4, np.int32), 7, 4).metadata.enable_fp_fusion is False


def test_lines_are_in_machine_code_where_a_script_wants_them(monkeypatch):
    def code():
        fresh = gluonc.jit(kernels.fill.fn)
        made = fresh.warmup(np.zeros(4, np.int32), 7, 4, arch="gfx1100")
        return made.asm["amdgcn"]

    assert ".loc" not in code()
    monkeypatch.setenv("TRITON_DISABLE_LINE_INFO", "0")
    assert re.search(r"\.loc\s.*kernels\.py", code())
    with knobs.compilation.scope():
        knobs.compilation.disable_line_info = True
        assert ".loc" not in code()


def test_options_of_the_scheduler_change_nothing():
    assert compiled(sched4reg=True).asm["ttgir"] == compiled().asm["ttgir"]


def test_the_front_ends_ir_is_the_first_form():
    made = compiled()
    assert list(made.asm)[0] == "glir" and "tt.func public @fill" in made.asm["glir"]
    assert dict(made.asm.items()).keys() == set(made.asm.keys())


def test_sources_are_exported():
    assert gluonc.GluonASTSource is gluonc.ASTSource
    source = gluonc.GluonASTSource(kernels.fill, {"dst": "*i32", "value": "i32", "n": "i32"})
    assert "tt.func public @fill" in gluonc.compile(source).asm["glir"]
