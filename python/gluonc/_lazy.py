"""Attributes that are computed when they are first read."""


class lazy:
    """functools.cached_property without the lock that Python 3.11 has in it, which stays locked in a
    process that is forked meanwhile. Threads may compute at once; the first value stays."""

    def __init__(self, compute):
        self._compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return instance.__dict__.setdefault(self._name, self._compute(instance))
