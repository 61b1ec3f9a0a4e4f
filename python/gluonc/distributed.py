"""Bundles compiled by many processes or machines, a task for each variant.

    python -m gluonc.distributed kernels.toml -o kernels.gluonpack [--header kernels.h] [--ray [ADDRESS]]

The bundle has the bytes that `gluonc build` makes. From Python, `build()` takes any `concurrent.futures.Executor`: a pool of
processes, `RayExecutor` here, Dask's `Client.get_executor()`, mpi4py's `MPIPoolExecutor`. Tasks bring the sources with them;
a machine that executes them needs this package, of the same build, and `ptxas` for NVIDIA's chips.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from gluonc.__main__ import _PROGRAM
from gluonc.errors import CompilationError, Unavailable

def _run(words, folder=None):
    return subprocess.run([_PROGRAM, *words], cwd=folder, capture_output=True, text=True, check=False)


def _tools():
    """What decides the bytes of a bundle beside its sources: the build of gluonc, and the version of ptxas where there is one."""
    facts = dict(line.split(maxsplit=1) for line in _run(["info"]).stdout.splitlines()
                 if line.startswith(("build ", "ptxas ")))
    if os.path.exists(facts.get("ptxas", "")):
        version = subprocess.run([facts["ptxas"], "--version"], capture_output=True, text=True, check=False).stdout
        facts["ptxas"] = version.rstrip().rpartition("\n")[2]
    return [f"{name} {fact}" for name, fact in facts.items()]


def _compile(files, folder, words, variant, tools):
    """A task: (None, bytes of the part), or an error of gluonc.errors and its text. `files` has the bytes of sources by paths
    below a common folder, `folder` is where among them the command `words` runs."""
    mine = _tools()
    if mine != tools:
        return Unavailable, f"a machine has {'; '.join(mine)}, but the bundle is made with {'; '.join(tools)}"
    with tempfile.TemporaryDirectory() as base:
        base = pathlib.Path(base)
        for name, content in files.items():
            path = base / "sources" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        where = base / "sources" / folder
        where.mkdir(parents=True, exist_ok=True)
        part = base / "part"
        done = _run([*words, "--variant", variant, "-o", str(part)], where)
        return (None, part.read_bytes()) if done.returncode == 0 else (CompilationError, done.stderr.rstrip())


def _sources(names):
    """(bytes of files by their paths below a common folder, the working folder's path there)."""
    here = os.getcwd()
    paths = [os.path.abspath(name) for name in names]
    base = os.path.commonpath([here, *(os.path.dirname(path) for path in paths)])
    return {os.path.relpath(path, base): pathlib.Path(path).read_bytes() for path in paths}, os.path.relpath(here, base)


def _command(words):
    done = _run(words)
    if done.returncode:
        raise CompilationError(done.stderr.rstrip())


def build(manifest, output, executor, *, header=None, targets=(), include=(), ptx=False, progress=None):
    """Writes the bundle `output` of a manifest, and a C++ header where one is wanted; `executor` compiles the variants.

    `targets`, `include` and `ptx` are `--target`, `-I` and `--ptx` of `gluonc build`. `progress(done, all)` is called when a
    variant is there. Raises CompilationError for what `gluonc build` would refuse, and Unavailable where a machine has
    another gluonc or ptxas; other tasks are cancelled then.
    """
    words = ["build", os.path.relpath(manifest)]
    for target in targets:
        words += ["--target", target]
    for folder in include:
        words += ["-I", os.path.relpath(folder)]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        _command([*words, *(["--ptx"] if ptx else []), "--graph", "json", "-o", str(folder / "graph")])
        graph = json.loads((folder / "graph").read_text())
        files, here = _sources(graph["inputs"])
        tools = _tools()
        parts = {executor.submit(_compile, files, here, graph["command"], each["variant"], tools): folder / f"part{i}"
                 for i, each in enumerate(graph["variants"])}
        try:
            for done, task in enumerate(concurrent.futures.as_completed(parts), 1):
                error, content = task.result()
                if error:
                    raise error(content)
                parts[task].write_bytes(content)
                if progress:
                    progress(done, len(parts))
        except BaseException:
            for task in parts:
                task.cancel()
            raise
        (folder / "parts").write_text("".join(f"{part}\n" for part in parts.values()))
        named = ["--header", str(header), "--namespace", graph["namespace"]] if header else []
        _command(["bundle", "merge", "--parts", str(folder / "parts"), "-o", str(output), *named])


class RayExecutor(concurrent.futures.Executor):
    """Tasks of one processor each on a Ray cluster: that of `address`, of RAY_ADDRESS, or one of this machine."""

    def __init__(self, address=None):
        import ray
        self._ray, self._mine = ray, not ray.is_initialized()
        if self._mine:
            ray.init(address=address, log_to_driver=False, logging_level="error")
        self._remote = {}

    def submit(self, fn, /, *args, **kwargs):
        if fn not in self._remote:
            self._remote[fn] = self._ray.remote(fn)
        return self._remote[fn].remote(*args, **kwargs).future()

    def shutdown(self, wait=True, *, cancel_futures=False):
        if self._mine:
            self._ray.shutdown()


def main():
    parser = argparse.ArgumentParser(prog="python -m gluonc.distributed", description=__doc__.splitlines()[0])
    parser.add_argument("manifest")
    parser.add_argument("-o", required=True, metavar="FILE", dest="output", help="where the bundle goes")
    parser.add_argument("--header", metavar="FILE", help="where a C++ header goes")
    parser.add_argument("--target", action="append", default=[], dest="targets")
    parser.add_argument("-I", action="append", default=[], metavar="FOLDER", dest="include")
    parser.add_argument("--ptx", action="store_true", help="PTX in place of cubins")
    parser.add_argument("--ray", nargs="?", const="", metavar="ADDRESS",
                        help="on a Ray cluster; without an address that of RAY_ADDRESS, or one of this machine. Without "
                             "--ray in processes of this machine")
    options = parser.parse_args()
    executor = (concurrent.futures.ThreadPoolExecutor(os.cpu_count()) if options.ray is None
                else RayExecutor(options.ray or None))
    show = None
    if sys.stderr.isatty():
        def show(done, all_of_them):
            print(f"\r{done}/{all_of_them}", end="\n" if done == all_of_them else "", file=sys.stderr, flush=True)
    try:
        with executor:
            build(options.manifest, options.output, executor, header=options.header, targets=options.targets,
                  include=options.include, ptx=options.ptx, progress=show)
    except (CompilationError, Unavailable) as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    main()
