#!/usr/bin/env python3
"""The wheel as users have it: made, judged, installed into an environment of its own and used.

    wheel_test.py BUILD

Exit status 77: the build has no Python package.
"""

import pathlib
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
    for name in ("run", "compile", "check", "layout", "doc", "cache", "info", "completion", "man"):
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


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if not list(build.glob("python/gluonc/_native*")):
        print("skipped: the build has no Python package")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        run(sys.executable, ROOT / "tools/make_wheel", build, folder)
        wheel = next(folder.glob("*.whl"))
        assert "manylinux_2_28" in wheel.name, wheel.name
        print(run(sys.executable, ROOT / "tools/check_wheel", wheel).strip())
        run(sys.executable, "-m", "venv", folder / "env")
        python = folder / "env/bin/python"
        run(python, "-m", "pip", "install", "-q", "--no-index", wheel)
        run(python, "-c", TELLS)
        check_commands(folder / "env")
    return 0


if __name__ == "__main__":
    sys.exit(main())
