"""The cache that machines share, as Python sets it up. Each process here is a machine: it has a disk of its own."""

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import time

import pytest

# As test_cached.py has it: machine code without a GPU.
HEAD = """
import json, sys
import gluonc as gluon
from gluonc import cache, language as gl
from gluonc._engine import engine
"""
TAIL = """
@gluon.jit
def k(x):
    gl.store(x, 7)
class Compiled(gluon.JITFunction):
    def _compile(self, specs, options, device, values, is_warmup):
        made = engine().make(self._specialization(specs, options), "hip:gfx942", False)
        print(json.dumps(cache.statistics()))
        raise SystemExit
Compiled(k.fn).warmup(gl.int32)
"""


class Fleet:
    def __init__(self, path):
        self.path = path
        self.keys = path / "keys"
        self.keys.write_text("hmac-sha256 " + "5a" * 32 + "\n")
        self.keys.chmod(0o600)

    def run(self, machine, setup="", status=0, **environment):
        """What the machine's statistics say after one kernel; of a failure, what it said."""
        path = self.path / "program.py"
        path.write_text(HEAD + setup + TAIL)
        paths = os.pathsep.join([str(self.path), *filter(None, sys.path)])
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith(("GLUONC_", "TRITON_"))}
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=120,
                              env={**clean, "PYTHONPATH": paths, "GLUONC_CACHE_DIR": str(self.path / machine),
                                   "GLUONC_REMOTE_CACHE_KEYS": str(self.keys), **environment})
        assert done.returncode == status, done.stderr
        return done.stderr if status else json.loads(done.stdout)


@pytest.fixture
def fleet(tmp_path):
    return Fleet(tmp_path)


def counts(found):
    return {name: found[name] for name in ("hits", "misses", "stores", "failures") if found[name]}


def check_shared(fleet, setup="", **environment):
    assert counts(fleet.run("a", setup, **environment)) == {"misses": 1, "stores": 1}
    assert counts(fleet.run("b", setup, **environment)) == {"hits": 1}
    # From its own disk.
    assert counts(fleet.run("b", setup, **environment)) == {}


def test_without_one(fleet):
    assert fleet.run("a") == {}


def test_a_folder_by_the_environment(fleet):
    (fleet.path / "shared").mkdir()
    check_shared(fleet, GLUONC_REMOTE_CACHE=str(fleet.path / "shared"))


def test_a_folder_by_a_call(fleet):
    (fleet.path / "shared").mkdir()
    check_shared(fleet, f"cache.set_remote({str(fleet.path / 'shared')!r}, keys={str(fleet.keys)!r})\n",
                 GLUONC_REMOTE_CACHE_KEYS="")


STORAGE = """
import pathlib
class Files(cache.Storage):
    folder = pathlib.Path(FOLDER)
    def get(self, name):
        path = self.folder / name
        return path.read_bytes() if path.exists() else None
    def put(self, name, data):
        assert isinstance(data, bytes)
        (self.folder / name).write_bytes(data)
"""


def test_a_storage_of_the_programs_own(fleet):
    setup = STORAGE.replace("FOLDER", repr(str(fleet.path))) + "cache.set_remote('ours', storage=Files())\n"
    check_shared(fleet, setup)
    # What anybody may have changed is refused, and put there anew.
    entry, = [path for path in fleet.path.iterdir() if len(path.name) == 64]
    entry.write_bytes(entry.read_bytes()[:-1] + b"x")
    found = fleet.run("c", setup)
    assert found["refused"]["wrong-signature"] == 1 and found["stores"] == 1
    assert counts(fleet.run("d", setup)) == {"hits": 1}


def test_a_storage_that_raises_is_left_alone(fleet):
    setup = """
class Broken(cache.Storage):
    def get(self, name):
        raise OSError("no")
cache.set_remote("ours", storage=Broken())
"""
    assert counts(fleet.run("a", setup)) == {"failures": 1}


def test_readers_do_not_write(fleet):
    (fleet.path / "shared").mkdir()
    place = {"GLUONC_REMOTE_CACHE": str(fleet.path / "shared")}
    assert counts(fleet.run("a", GLUONC_REMOTE_CACHE_MODE="read", **place)) == {"misses": 1}
    assert counts(fleet.run("b", "cache.set_remote(" + repr(place["GLUONC_REMOTE_CACHE"]) + ", read_only=True)\n")) \
        == {"misses": 1}
    assert "is `read` or `readwrite`" in fleet.run("a", status=1, GLUONC_REMOTE_CACHE_MODE="both", **place)


def test_settings_that_are_wrong(fleet):
    (fleet.path / "shared").mkdir()
    place = {"GLUONC_REMOTE_CACHE": str(fleet.path / "shared")}
    assert "needs a file of keys" in fleet.run("a", status=1, **{**place, "GLUONC_REMOTE_CACHE_KEYS": ""})
    fleet.keys.chmod(0o644)
    assert "may be read by others" in fleet.run("a", status=1, **place)
    said = fleet.run("a", "engine()\ncache.set_remote('/tmp')\n", status=1)
    assert "set_remote comes before the first kernel" in said


def test_the_server(fleet):
    server = subprocess.Popen([sys.executable, "-m", "gluonc.cache_server", str(fleet.path / "shared"), "--port", "0"],
                              stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
    try:
        check_shared(fleet, GLUONC_REMOTE_CACHE=server.stdout.readline().strip())
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


BACKEND = """
import pathlib
class Files:
    def __init__(self, key):
        self.folder = pathlib.Path(FOLDER) / key
    def get(self, filenames):
        return {name: (self.folder / name).read_bytes() for name in filenames if (self.folder / name).exists()}
    def put(self, filename, data):
        self.folder.mkdir(exist_ok=True)
        (self.folder / filename).write_bytes(data)
"""


def test_a_backend_of_tritons_form(fleet):
    (fleet.path / "backends.py").write_text(BACKEND.replace("FOLDER", repr(str(fleet.path))))
    check_shared(fleet, TRITON_REMOTE_CACHE_BACKEND="backends:Files")
    # Nothing of it could be believed without keys.
    assert fleet.run("c", GLUONC_REMOTE_CACHE_KEYS="", TRITON_REMOTE_CACHE_BACKEND="backends:Files") == {}


def test_files_of_libraries_by_tritons_variables(fleet):
    (fleet.path / "backends.py").write_text(BACKEND.replace("FOLDER", repr(str(fleet.path))))
    setup = """
from gluonc._triton.runtime.cache import get_cache_manager
manager = get_cache_manager("key")
assert type(manager).__name__ == "RemoteCacheManager"
if not manager.has_file("text"):
    manager.put("words", "text", binary=False)
    print(json.dumps("put"))
else:
    print(json.dumps(open(manager.get_file("text")).read()))
raise SystemExit
"""
    chosen = {"TRITON_CACHE_MANAGER": "triton.runtime.cache:RemoteCacheManager",
              "TRITON_REMOTE_CACHE_BACKEND": "backends:Files"}
    assert fleet.run("a", setup, **chosen) == "put"
    assert fleet.run("b", setup, **chosen) == "words"


# In the place of a client and its server: files, with the calls that the client has.
REDIS = """
import pathlib
class Redis:
    folder = pathlib.Path(__file__).parent / "redis"
    @classmethod
    def from_url(cls, url, socket_connect_timeout, socket_timeout):
        assert 0 < socket_connect_timeout <= 1 and 0 < socket_timeout < 2
        cls.folder.mkdir(exist_ok=True)
        (cls.folder / "url").write_text(url)
        return cls()
    def get(self, key):
        path = self.folder / key.replace("/", "_")
        return path.read_bytes() if path.exists() else None
    def mget(self, keys):
        return [self.get(key) for key in keys]
    def set(self, key, data):
        (self.folder / key.replace("/", "_")).write_bytes(data)
"""


def test_redis_by_what_its_client_is_asked(fleet):
    (fleet.path / "redis.py").write_text(REDIS)
    check_shared(fleet, GLUONC_REMOTE_CACHE="redis://host:7/2")
    assert (fleet.path / "redis/url").read_text() == "redis://host:7/2"
    assert len(list((fleet.path / "redis").glob("gluonc:*"))) == 1


def test_redis_by_tritons_names(fleet):
    (fleet.path / "redis.py").write_text(REDIS)
    check_shared(fleet, TRITON_REMOTE_CACHE_BACKEND="triton.runtime.cache:RedisRemoteCacheBackend",
                 TRITON_REDIS_HOST="host", TRITON_REDIS_PORT="7", TRITON_REDIS_KEY_FORMAT="our:{filename}:{key}")
    assert (fleet.path / "redis/url").read_text() == "redis://host:7/0"
    assert len(list((fleet.path / "redis").glob("our:*"))) == 1


@pytest.mark.skipif(importlib.util.find_spec("redis") is not None, reason="the package redis is here")
def test_redis_without_its_package(fleet):
    assert "pip install redis" in fleet.run("a", status=1, GLUONC_REMOTE_CACHE="redis://host")


@pytest.mark.skipif(importlib.util.find_spec("redis") is None or shutil.which("redis-server") is None,
                    reason="needs the package redis and redis-server")
def test_a_redis(fleet):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen(["redis-server", "--port", str(port), "--save", "", "--bind", "127.0.0.1"],
                              stdout=subprocess.DEVNULL, cwd=fleet.path)
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        check_shared(fleet, GLUONC_REMOTE_CACHE=f"redis://127.0.0.1:{port}/0")
    finally:
        server.kill()
        server.wait()
