"""The cache of compiled kernels that machines share, behind the one on disk (docs/remote-cache.md).

What is found there is believed only where a key of this machine signed it; that is the compiler's work
(libgluonc), whatever the storage is.
"""

import os

from gluonc import _settings
from gluonc.errors import UsageError

# In seconds, of a connection and of an answer. The library gives up after two.
_CONNECT, _ANSWER = 0.5, 1.5
_chosen = None


class Storage:
    """Bytes under names, for `set_remote`. Threads call, several at once; nobody waits longer than two
    seconds. Exceptions are failures: the storage is then left alone for a minute."""

    def get(self, name):
        """The bytes under a name of 64 letters and digits; None where there are none."""
        raise NotImplementedError

    def put(self, name, data):
        raise NotImplementedError


def connect_to_redis(url):
    """A client of the package `redis`, which has time limits."""
    try:
        import redis
    except ImportError:
        raise UsageError(f"`{url}` needs the package redis: pip install redis") from None
    return redis.Redis.from_url(url, socket_connect_timeout=_CONNECT, socket_timeout=_ANSWER)


class RedisStorage(Storage):
    """Of redis://HOST:PORT/DATABASE: GET and SET of `gluonc:NAME`."""

    def __init__(self, url):
        self._client = connect_to_redis(url)

    def get(self, name):
        return self._client.get("gluonc:" + name)

    def put(self, name, data):
        self._client.set("gluonc:" + name, data)


class _OfTriton(Storage):
    """What `TRITON_REMOTE_CACHE_BACKEND` names: a class that is made for each key."""

    _FILE = "gluonc"

    def __init__(self, backend):
        self._backend = backend

    def get(self, name):
        return self._backend(name).get([self._FILE]).get(self._FILE)

    def put(self, name, data):
        self._backend(name).put(self._FILE, data)


def set_remote(place="", *, keys=None, read_only=None, storage=None):
    """Where the kernels are that machines share, before the first compilation: a folder, a URL of http://,
    https:// or redis://, or a `Storage`, which `place` then names in messages; nothing of these: nowhere.
    What is not given is what the environment says: GLUONC_REMOTE_CACHE_KEYS, GLUONC_REMOTE_CACHE_MODE."""
    global _chosen
    from gluonc._engine import engine
    if engine.cache_info().currsize:
        raise UsageError("the compiler is already in use: set_remote comes before the first kernel")
    _chosen = (place, keys, read_only, storage)


def _is_read_only(given):
    if given is not None:
        return bool(given)
    mode = os.environ.get("GLUONC_REMOTE_CACHE_MODE", "")
    if mode not in ("", "read", "readwrite"):
        raise UsageError(f"GLUONC_REMOTE_CACHE_MODE is `read` or `readwrite`, not `{mode}`")
    return mode == "read"


def remote():
    """What `_native.Engine` takes."""
    place, keys, read_only, storage = _chosen or (os.environ.get("GLUONC_REMOTE_CACHE", ""), None, None, None)
    keys = os.environ.get("GLUONC_REMOTE_CACHE_KEYS", "") if keys is None else os.fspath(keys)
    place = os.fspath(place)
    if storage is None and place.startswith(("redis://", "rediss://")):
        storage = RedisStorage(place)
    if storage is None and not place and not _chosen and keys:
        # Without keys nothing of it could be believed.
        backend = _settings.value("cache", "remote_manager_class")
        storage = backend and _OfTriton(backend)
    if storage is None and not place:
        return {}
    return {"remote_cache": place or f"{type(storage).__name__}", "remote_keys": keys,
            "remote_is_read_only": _is_read_only(read_only), "storage": storage}


def statistics():
    """What the remote cache gave in this process: a dict of numbers `hits`, `misses`, `stores`, `failures`, and
    `refused`, a dict of reasons; empty where there is no remote cache. `gluonc cache stats` has those of
    all processes."""
    import json
    from gluonc._engine import engine
    return json.loads(engine().remote_cache_statistics())
