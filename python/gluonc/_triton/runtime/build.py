"""triton.runtime.build: extension modules that libraries compile from C or C++ text."""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sysconfig
import tempfile

from gluonc._triton.runtime.cache import get_cache_manager
from gluonc.errors import Unavailable

_COMPILERS = {"c": ("cc", "gcc", "clang"), "c++": ("c++", "g++", "clang++")}
_ENDINGS = {"c": ".c", "c++": ".cpp"}


def _find_compiler(language):
    chosen = os.environ.get("CC" if language == "c" else "CXX")
    found = next(filter(None, map(shutil.which, filter(None, (chosen, *_COMPILERS[language])))),
                 None)
    if found is None:
        raise Unavailable(f"no compiler of {language.upper()} is installed")
    return found


def _compile(text, name, library_dirs, include_dirs, libraries, ccflags, language):
    """The bytes of a shared library."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, name + _ENDINGS[language])
        out = os.path.join(folder, name + ".so")
        with open(source, "w") as file:
            file.write(text)
        includes = [*include_dirs, folder, sysconfig.get_path("include")]
        command = [_find_compiler(language), source, "-O3", "-shared", "-fPIC", "-o", out,
                   *ccflags, *(f"-I{path}" for path in includes),
                   *(f"-L{path}" for path in library_dirs), *(f"-l{each}" for each in libraries)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
        with open(out, "rb") as file:
            return file.read()


def _load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compile_module_from_src(src, name, library_dirs=None, include_dirs=None, libraries=None,
                            ccflags=None, language="c"):
    """The Python module `name` of a C text. It is compiled once for all processes; a file that does
    not load is compiled anew."""
    lists = [list(each or ()) for each in (library_dirs, include_dirs, libraries, ccflags)]
    ending = sysconfig.get_config_var("EXT_SUFFIX")
    key = hashlib.sha256("\0".join(map(str, (src, name, lists, language, ending))).encode())
    cache = get_cache_manager(key.hexdigest())
    kept = cache.get_file(name + ending)
    if kept is not None:
        try:
            return _load(name, kept)
        except ImportError:
            pass
    return _load(name, cache.put(_compile(src, name, *lists, language), name + ending))


def compile_module_from_file(src_path, name, library_dirs=None, include_dirs=None, libraries=None,
                             ccflags=None):
    """The same for a file, whose ending tells C from C++."""
    language = "c" if os.path.splitext(src_path)[1] == ".c" else "c++"
    with open(src_path) as file:
        text = file.read()
    return compile_module_from_src(text, name, library_dirs,
                                   [*(include_dirs or ()), os.path.dirname(src_path)], libraries,
                                   ccflags, language)
