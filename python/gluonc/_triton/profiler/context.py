"""triton.profiler.context."""

from gluonc._triton.profiler import _sessions


def depth(session=0):
    """How many scopes, or calls, the place is in that runs now; None while nothing is profiled."""
    if not _sessions.sessions:
        return None
    return len(_sessions.find(session).path())
