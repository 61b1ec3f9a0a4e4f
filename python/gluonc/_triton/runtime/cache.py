"""triton.runtime.cache: files that libraries keep under a key. gluonc's own machine code is elsewhere."""

import hashlib
import json
import os

from gluonc import _native, _settings
from gluonc._triton import knobs


def triton_key():
    """Differs where the compiler does."""
    return _native.__version__


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
            found = {name: self.get_file(name) for name in json.load(file)}
        return None if None in found.values() else found


class RemoteCacheManager:
    """The same, over files that `knobs.cache.remote_manager_class(key)` has elsewhere: get(names) gives
    those that are there as a dict of bytes, put(name, data) adds one. What comes is kept here."""

    def __init__(self, key, override=False, dump=False):
        self._files = FileCacheManager(key, override, dump)
        self._remote = knobs.cache.remote_manager_class(key)

    def has_file(self, filename):
        return self.get_file(filename) is not None

    def get_file(self, filename):
        """Its path; None where there is none."""
        data = self._remote.get([filename]).get(filename)
        return None if data is None else self._files.put(data, filename)

    def put(self, data, filename, binary=True):
        data = data if isinstance(data, bytes) else str(data).encode()
        self._remote.put(filename, data)
        return self._files.put(data, filename)

    def put_group(self, filename, group):
        return self.put(json.dumps(sorted(group)), f"{filename}.group")

    def get_group(self, filename):
        """What put_group noted; None where a file of it is gone."""
        path = self.get_file(f"{filename}.group")
        if path is None:
            return None
        with open(path) as file:
            names = json.load(file)
        found = self._remote.get(names)
        if set(found) != set(names):
            return None
        return {name: self._files.put(data, name) for name, data in found.items()}


def get_cache_manager(key):
    make = knobs.cache.manager_class or FileCacheManager
    return make(hashlib.sha256(str(key).encode()).hexdigest())


get_override_manager = get_dump_manager = get_cache_manager
