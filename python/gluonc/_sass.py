"""Machine code as text, through NVIDIA's disassembler."""

import importlib.machinery
import os
import shutil
import subprocess
import tempfile

from gluonc.errors import Unavailable

_TOOLS = {"nvdisasm": ["-c"], "cuobjdump": ["-sass"]}


def _places():
    """Folders to look in behind PATH: CUDA's own, those of Python packages."""
    for name in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(name):
            yield os.path.join(os.environ[name], "bin")
    yield "/usr/local/cuda/bin"
    for package, inside in (("triton", ("backends", "nvidia", "bin")),
                            ("nvidia", ("cuda_nvcc", "bin")), ("nvidia", ("cu13", "bin"))):
        # Found, not imported; and the files', whatever answers for the name in this process.
        spec = importlib.machinery.PathFinder.find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            yield os.path.join(folder, *inside)


def _find():
    for tool, options in _TOOLS.items():
        for place in (None, *_places()):
            found = shutil.which(tool, path=place)
            if found:
                return [found, *options]
    raise Unavailable("sass needs nvdisasm or cuobjdump of the CUDA toolkit: neither is in PATH, "
                      "CUDA_HOME or /usr/local/cuda/bin")


def disassemble(cubin):
    command = _find()
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        done = subprocess.run([*command, file.name], capture_output=True, text=True)
    if done.returncode:
        raise Unavailable(f"{command[0]} failed: {done.stderr.strip()}")
    return done.stdout
