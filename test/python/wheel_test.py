#!/usr/bin/env python3
"""The wheel as users have it: made, judged, installed into an environment of its own and used.

    wheel_test.py BUILD

Exit status 77: the build has no Python package.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/memcpy.py"

# What an installed package tells of itself.
TELLS = '''
import importlib.metadata, inspect, io, contextlib, pathlib, pydoc, rlcompleter
import gluonc
from gluonc import language as gl

about = importlib.metadata.metadata("gluonc")
assert about["Version"] == gluonc.__version__ and about["License-Expression"] == "MIT", about
assert about["Summary"] and about["Requires-Python"] == ">=3.10"
assert about.get_all("Provides-Extra") == ["numpy", "torch", "test"]
assert "Typing :: Typed" in about.get_all("Classifier")
files = {str(path): path for path in importlib.metadata.files("gluonc")}
notices = next(path for name, path in files.items() if name.endswith("THIRD_PARTY_NOTICES"))
for project in ("LLVM", "MLIR", "Zstandard", "zlib", "nanobind"):
    assert project in notices.read_text(), project
assert "gluonc/py.typed" in files and "gluonc/language/__init__.pyi" in files
assert all(path.locate().exists() for path in files.values())

text = pydoc.render_doc(gl.load, renderer=pydoc.plaintext)
assert "load(pointer, mask=None" in text and "Gives" in text, text
assert list(inspect.signature(gl.load).parameters)[:3] == ["pointer", "mask", "other"]
assert {"load", "BlockedLayout", "float32", "nvidia"} <= set(dir(gl))
assert rlcompleter.Completer({"gl": gl}).complete("gl.loa", 0).startswith("gl.load")
stub = (pathlib.Path(gl.__file__).parent / "__init__.pyi").read_text()
assert "def load(" in stub
'''


def run(*words, status=0):
    done = subprocess.run(list(map(str, words)), text=True, capture_output=True, cwd="/")
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout


def check_commands(environment):
    python, command = environment / "bin/python", environment / "bin/gluonc"
    for name in ("run", "compile", "build", "tune", "bundle", "lift", "explain", "verify", "debug", "check", "layout", "pipeline", "doc", "cache",
                 "info", "completion", "man"):
        assert run(python, "-m", "gluonc", name, "--help") == run(command, name, "--help")
    listed = run(command, "completion", "bash")
    from_package = run(python, "-c", "import gluonc.__main__ as m; print(*m._COMMANDS)").split()
    assert f'choices="{" ".join(from_package)} --help' in listed
    assert "memcpy" in run(command, "check", EXAMPLE)
    # Beside the command, where man and shells look.
    for words, place in (("man", "man/man1/gluonc.1"),
                         ("completion bash", "bash-completion/completions/gluonc"),
                         ("completion zsh", "zsh/site-functions/_gluonc"),
                         ("completion fish", "fish/vendor_completions.d/gluonc.fish")):
        assert (environment / "share" / place).read_text() == run(command, *words.split()), place
    run(python, "-m", "gluonc", "check", "/no/such/file.py", status=1)
    text = run(python, "-m", "gluonc", "--help")
    assert "--simulate" in text and "check" in text


# A launch looks at cells, defaults, code, classes and globals, which the stable ABI shows otherwise.
STABLE = '''
import linecache, gluonc, sys
from gluonc import _native
assert _native.__file__.endswith("_native.abi3.so"), _native.__file__
text = """
import gluonc as gluon
from gluonc import language as gl
STEP = gl.constexpr(2)

class Widths:
    width = 3
Settings = gl.constexpr(Widths)

@gluon.constexpr_function
def plus(x):
    return x + 10

@gluon.constexpr_function
def more(x):
    return x + 20

def make(cell):
    @gluon.jit
    def tell(x, y: gl.constexpr = 5):
        gl.device_print("sum", x + y + STEP + cell + Settings.width + plus(1))
    def change(value):
        nonlocal cell
        cell = value
    return tell, change
tell, change = make(gl.constexpr(100))
"""
linecache.cache["k.py"] = len(text), None, text.splitlines(True), "k.py"
names = {"__name__": "k"}
exec(compile(text, "k.py", "exec"), names)
gl, tell = names["gl"], names["tell"]
tell[(1,)](1)
tell[(1,)](1)
names["Widths"].width = 4
tell[(1,)](1)
tell.fn.__defaults__ = (6,)
tell[(1,)](1)
names["plus"] = names["more"]
tell[(1,)](1)
names["change"](gl.constexpr(200))
try:
    tell[(1,)](1)
except RuntimeError as error:
    print(str(error).split(" since ")[0])
'''


def later_python():
    """A Python that a module of the stable ABI can be made with, beside our own; None: there is none."""
    if sys.version_info >= (3, 12):
        return sys.executable
    has_headers = "import os, sysconfig as s; assert os.path.exists(s.get_path('include') + '/Python.h')"
    installed = pathlib.Path.home().glob(".pyenv/versions/3.12.*/bin/python")
    for path in filter(None, [shutil.which("python3.12"), *installed]):
        if subprocess.run([path, "-c", has_headers], capture_output=True).returncode == 0:
            return path
    return None


def check_stable(python, wheel, folder):
    """That a Python which has no module of its own takes that of the stable ABI."""
    run(python, "-m", "venv", folder / "later")
    run(folder / "later/bin/python", "-m", "pip", "install", "-q", "--no-index", wheel)
    for path in (folder / "later").glob("lib/*/site-packages/gluonc/_native.cpython-*"):
        path.unlink()
    said = run(folder / "later/bin/python", "-c", STABLE)
    assert re.findall(r"sum: (\d+)", said) == ["122", "122", "123", "124", "134"], said
    assert said.endswith("has changed from gl.constexpr(100) to gl.constexpr(200)\n"), said


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if not list(build.glob("python/gluonc/_native*")):
        print("skipped: the build has no Python package")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        later = later_python()
        others = [later] if later not in (None, sys.executable) else []
        run(sys.executable, ROOT / "tools/make_wheel", build, folder, *others)
        wheel = next(folder.glob("*.whl"))
        assert "manylinux_2_28" in wheel.name, wheel.name
        print(run(sys.executable, ROOT / "tools/check_wheel", wheel).strip())
        run(sys.executable, "-m", "venv", folder / "env")
        python = folder / "env/bin/python"
        run(python, "-m", "pip", "install", "-q", "--no-index", wheel)
        run(python, "-c", TELLS)
        check_commands(folder / "env")
        if later:
            check_stable(later, wheel, folder)
        print("with" if later else "without", "a module of the stable ABI")
    return 0


if __name__ == "__main__":
    sys.exit(main())
