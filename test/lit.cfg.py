"""lit configuration: golden tests of IR, PTX, diagnostics and the command line.

`bin` (a lit parameter) is the folder with gluonc and gluon-opt; FileCheck, not
and split-file come from LLVM 22. Features: `ptxas` and `ninja` where they are found.
"""

import os
import shutil
import sys

import lit.formats

LLVM_BIN = "/usr/lib/llvm-22/bin"

config.name = "gluonc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test", ".ttgir"]
config.excludes = ["consumer", "exec", "fuzz", "golden", "peer", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
bin_dir = lit_config.params.get("bin") or os.path.join(config.test_source_root, "../build/release/bin")
config.test_exec_root = os.path.join(os.path.dirname(os.path.abspath(bin_dir)), "lit")

config.environment["PATH"] = os.pathsep.join([bin_dir, LLVM_BIN, os.environ.get("PATH", "")])
# Results never depend on what an earlier run left in the user's cache.
config.environment["GLUONC_CACHE_DIR"] = os.path.join(config.test_exec_root, "cache")
for name in ("CUDA_HOME", "GLUONC_UPDATE_GOLDEN"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%python", sys.executable))
# The folder of a driver for NVIDIA's GPUs that executes PTX on the CPU.
config.substitutions.append(("%cuda_cpu", os.path.join(os.path.dirname(os.path.abspath(bin_dir)), "lib/gluonc_cuda_cpu")))
if shutil.which("ninja"):
    config.available_features.add("ninja")
ptxas = shutil.which("ptxas") or shutil.which("ptxas", path=os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin"))
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
