"""python -m gluonc runs scripts that were written for Triton's Gluon."""

import subprocess
import sys

SCRIPT = '''
import sys
import numpy as np
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import tma
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor
import gluonc

@gluon.jit
def iota(dst, n, BLOCK: gl.constexpr):
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(dst + offsets, offsets, mask=offsets < n)

if __name__ == "__main__":
    assert gluon is gluonc and gl is gluonc.language
    dst = np.zeros(300, np.int32)
    iota[(triton.cdiv(300, 128),)](dst, 300, 128)
    assert (dst == np.arange(300)).all()
    print("argument", *sys.argv[1:])
'''

# As in a machine without Triton.
WITHOUT_TRITON = '''
import importlib.util, runpy, sys
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "triton" else real(name, *rest)
sys.argv = ["gluonc", *sys.argv[1:]]
runpy.run_module("gluonc", run_name="__main__")
'''


def run(*command):
    return subprocess.run([sys.executable, *command], text=True, capture_output=True, timeout=120)


def test_a_script_runs_unchanged_and_gets_its_arguments(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    for command in (["-m", "gluonc"], ["-c", WITHOUT_TRITON]):
        done = run(*command, str(script), "a", "-b")
        assert done.returncode == 0, done.stderr
        assert done.stdout == "argument a -b\n"


def test_autotune_takes_a_configuration(tmp_path):
    script = tmp_path / "tuned.py"
    script.write_text(SCRIPT.replace("@gluon.jit\n", "@triton.autotune(\n"
                                     "    configs=[triton.Config({'BLOCK': 64}, num_warps=4)],\n"
                                     "    key=['n'])\n@gluon.jit\n")
                      .replace("(dst, 300, 128)", "(dst, 300)")
                      .replace("triton.cdiv(300, 128),",
                               "lambda meta: triton.cdiv(meta['n'], meta['BLOCK']),")
                      .replace("[(lambda", "[lambda").replace("['BLOCK']),)]", "['BLOCK'])]"))
    done = run("-c", WITHOUT_TRITON, str(script))
    assert done.returncode == 0, done.stderr


def test_a_command_line_without_a_script_explains_itself():
    done = run("-m", "gluonc")
    assert done.returncode == 2 and "usage:" in done.stderr


def test_a_broken_rule_of_the_ir_is_what_scripts_for_triton_catch():
    from gluonc import errors
    made = errors.make(1, "text", '{"kind": "InvalidIr"}')
    assert isinstance(made, errors.CompilationError) and isinstance(made, RuntimeError)
    assert not isinstance(errors.make(1, "text", '{"kind": "InvalidLayout"}'), RuntimeError)
