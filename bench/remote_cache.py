#!/usr/bin/env python3
"""How long a machine with an empty disk takes to get its kernels: compiled, from a shared folder, from a server
on this machine, from its own disk.

    remote_cache.py MANIFEST.toml [--gluonc gluonc] [--repeat 3]

Every variant of the manifest is built; the front end runs in all cases. `pull` is the exchange alone:
fetched, signature checked, written to the disk.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

SERVER = pathlib.Path(__file__).resolve().parent.parent / "python/gluonc/cache_server.py"


class Machine:
    def __init__(self, given, work):
        self.given, self.work = given, work
        self.keys = {}

    def run(self, *words, remote=None, disk="disk"):
        environment = {**os.environ, "GLUONC_CACHE_DIR": str(self.work / disk), "GLUONC_REMOTE_CACHE": remote or "",
                       "GLUONC_REMOTE_CACHE_KEYS": str(self.work / "key")}
        start = time.monotonic()
        done = subprocess.run([self.given.gluonc, *words], env=environment, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        return time.monotonic() - start

    def build(self, **where):
        return self.run("build", str(self.given.manifest), "-o", str(self.work / "out.gluonpack"), **where)

    def empty(self):
        shutil.rmtree(self.work / "disk", ignore_errors=True)

    def median(self, measure, before=lambda: None):
        times = []
        for _ in range(self.given.repeat):
            before()
            times.append(measure())
        return sorted(times)[len(times) // 2]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("manifest", type=pathlib.Path)
    parser.add_argument("--gluonc", default="gluonc")
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        machine = Machine(given, pathlib.Path(name))
        shared, names = str(machine.work / "shared"), str(machine.work / "names")
        os.mkdir(shared)
        machine.run("cache", "keygen", str(machine.work / "key"))
        server = subprocess.Popen([sys.executable, SERVER, shared, "--port", "0"], stdout=subprocess.PIPE, text=True)
        try:
            url = server.stdout.readline().strip()
            rows = [("compiled", machine.median(machine.build, machine.empty))]
            machine.empty()
            rows.append(("compiled and put into the folder", machine.build(remote=shared)))
            rows.append(("own disk", machine.median(machine.build)))
            machine.run("cache", "push", "--list", names, remote=shared)
            for place, where in (("folder", shared), ("server", url)):
                rows.append((f"empty disk, {place}",
                             machine.median(lambda where=where: machine.build(remote=where), machine.empty)))
                rows.append((f"pull from {place}", machine.median(
                    lambda where=where: machine.run("cache", "pull", "--list", names, remote=where), machine.empty)))
        finally:
            server.kill()
            server.wait()
        count = len(pathlib.Path(names).read_text().splitlines())
        size = sum(path.stat().st_size for path in pathlib.Path(shared).glob("*/*"))
        print(f"{count} kernels, {size / 1e6:.2f} MB")
        for what, seconds in rows:
            print(f"{what:<34} {1000 * seconds:8.0f} ms {1000 * seconds / count:8.2f} ms a kernel")


if __name__ == "__main__":
    main()
