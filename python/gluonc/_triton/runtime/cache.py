"""triton.runtime.cache: files that libraries keep under a key. gluonc's own cache is elsewhere."""

import functools
import hashlib
import json
import os

from gluonc import _native, _settings
from gluonc._triton import knobs


def triton_key():
    """Tells builds of the compiler apart."""
    return _native.build_id


def default_cache_dir():
    return _settings.results_folder()


class FileCacheManager:
    """The files of one key, in a folder of that name."""

    def __init__(self, key, override=False, dump=False):
        self.key, root = key, _settings.results_folder()
        if not root:
            raise RuntimeError("no folder for results: set TRITON_CACHE_DIR or GLUONC_CACHE_DIR")
        self.cache_dir = os.path.join(root, key)
        os.makedirs(self.cache_dir, exist_ok=True)

    def _path(self, filename):
        return os.path.join(self.cache_dir, filename)

    def has_file(self, filename):
        return os.path.exists(self._path(filename))

    def get_file(self, filename):
        """Its path; None where there is none."""
        return self._path(filename) if self.has_file(filename) else None

    def put(self, data, filename, binary=True):
        """Writes a file and returns its path; readers see all of it or nothing."""
        if not isinstance(data, bytes):
            data = str(data).encode()
        temporary = self._path(f"{filename}.{os.getpid()}")
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, self._path(filename))
        return self._path(filename)

    def put_group(self, filename, group):
        """Notes which files belong together: name -> path."""
        return self.put(json.dumps(sorted(group)), f"{filename}.group")

    def get_group(self, filename):
        """What put_group noted; None where a file of it is gone."""
        path = self.get_file(f"{filename}.group")
        if path is None:
            return None
        with open(path) as file:
            names = json.load(file)
        found = self._get_files(names)
        return found if set(found) == set(names) else None

    def _get_files(self, names):
        """The paths of those that are there, by name."""
        return {name: path for name in names if (path := self.get_file(name)) is not None}


class RemoteCacheBackend:
    """Files of one key, elsewhere."""

    def __init__(self, key):
        self.key = key

    def get(self, filenames):
        """Those that are there: name -> bytes."""
        raise NotImplementedError

    def put(self, filename, data):
        raise NotImplementedError


class RedisRemoteCacheBackend(RemoteCacheBackend):
    """In the Redis of `knobs.redis`, by the package `redis`."""

    def __init__(self, key):
        super().__init__(key)
        self._client = redis_client(knobs.redis.host, knobs.redis.port)
        self._format = knobs.redis.key_format

    def _name(self, filename):
        return self._format.format(key=self.key, filename=filename)

    def get(self, filenames):
        found = self._client.mget([self._name(name) for name in filenames])
        return {name: data for name, data in zip(filenames, found) if data is not None}

    def put(self, filename, data):
        self._client.set(self._name(filename), data)


@functools.lru_cache(maxsize=None)
def redis_client(host, port):
    """One for the process; threads share it."""
    from gluonc.cache import connect_to_redis
    return connect_to_redis(f"redis://{host}:{port}/0")


class RemoteCacheManager(FileCacheManager):
    """The same, over files that `knobs.cache.remote_manager_class(key)` has elsewhere: get(names) gives
    those that are there as a dict of bytes, put(name, data) adds one. What comes is kept here."""

    def __init__(self, key, override=False, dump=False):
        super().__init__(key, override, dump)
        self._remote = knobs.cache.remote_manager_class(key)

    def has_file(self, filename):
        return self.get_file(filename) is not None

    def get_file(self, filename):
        """Its path; None where there is none."""
        return self._get_files([filename]).get(filename)

    def put(self, data, filename, binary=True):
        data = data if isinstance(data, bytes) else str(data).encode()
        self._remote.put(filename, data)
        return super().put(data, filename)

    def _get_files(self, names):
        keep = super().put
        return {name: keep(data, name) for name, data in self._remote.get(names).items()}


def get_cache_manager(key):
    make = knobs.cache.manager_class or FileCacheManager
    return make(hashlib.sha256(str(key).encode()).hexdigest())


get_override_manager = get_dump_manager = get_cache_manager
