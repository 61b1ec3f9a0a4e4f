"""start() to finalize(): what a session records, and where it is written."""

import functools
import itertools
import os

from gluonc import _settings, hooks
from gluonc._triton.profiler import _sessions, _times
from gluonc._triton.profiler._scopes import metadata_state, note_time
from gluonc._triton.profiler._sessions import Session, place
from gluonc._triton.profiler._tree import WORK
from gluonc.errors import NotSupportedYet

DEFAULT_PROFILE_NAME = "proton"
_numbers = itertools.count()


def _is_disabled():
    return _settings.value("proton", "disable")


def start(name=None, *, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """Starts a session that finalize() writes to `name`.hatchet, and gives its number; one that was
    started with this name goes on. `context` is "shadow" (frames are scopes) or "python" (frames are
    calls). With `hook="triton"` kernels are called, and have the metrics, that their launch_metadata
    says. None where TRITON_PROTON_DISABLE is set."""
    if _is_disabled():
        return None
    _require(context in ("shadow", "python"), f"context={context!r}")
    _require(data == "tree", f"data={data!r}")
    _require(backend in (None, "cupti", "roctracer"), f"backend={backend!r}")
    _require(not mode, f"mode={str(mode)!r}")
    _require(hook in (None, "triton"), f"hook={hook!r}")
    path = os.fspath(DEFAULT_PROFILE_NAME if name is None else name)
    number = next((each for each, session in _sessions.sessions.items()
                   if session.path_of_file == path), None)
    if number is None:
        number = next(_numbers)
        _sessions.sessions[number] = Session(path, context, hook == "triton")
    activate(number)
    return number


def _require(is_known, setting):
    if not is_known:
        raise NotSupportedYet(f"triton.profiler.start({setting}) is not supported yet", name=setting)


def activate(session=None):
    """Records from now on: in all sessions where none is named."""
    _set_active(session, True)


def deactivate(session=None):
    """Records nothing more until activate(). What was recorded stays."""
    _set_active(session, False)


def _set_active(number, is_active):
    if _is_disabled():
        return
    for session in _sessions.sessions.values() if number is None else [_sessions.find(number)]:
        session.is_active = is_active
    _watch_launches()


def finalize(session=None, output_format=""):
    """Writes a session, or all of them, and ends it."""
    _require(output_format in (None, "", "hatchet"), f"output_format={output_format!r}")
    for number in list(_sessions.sessions) if session is None else [session]:
        ended = _sessions.sessions.pop(number, None)
        if ended is not None:
            ended.write()
    _watch_launches()


def get_data(session):
    """What a session that is not active has recorded, as finalize() would write it."""
    return _resting(session, "get").literal()


def clear_data(session):
    """Drops what a session that is not active has recorded."""
    _resting(session, "clear").clear()


def _resting(number, what):
    session = _sessions.find(number)
    if session.is_active:
        raise RuntimeError(f"Cannot {what} data while the session is active: deactivate() it first")
    return session


def profile(func=None, *, name=None, context="shadow", data="tree", backend=None, mode=None,
            hook=None):
    """Decorates a function: start() before its calls, deactivate() behind them."""
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            session = start(name, context=context, data=data, backend=backend, mode=mode, hook=hook)
            try:
                return function(*args, **kwargs)
            finally:
                deactivate(session)
        return wrapper
    return decorate if func is None else decorate(func)


# -- Launches ----------------------------------------------------------------------------------

class _Launch:
    """One that has begun: the frames that it belongs to, and when."""

    def __init__(self, metadata):
        self.metadata = metadata
        sessions = _sessions.active()
        described = metadata.data
        name = described["name"]
        if any(session.asks_launches for session in sessions):
            with metadata_state():
                described = metadata.get()
        note_time()
        metrics = {name: described[name] for name in WORK if name in described}
        self.frames = []
        for session in sessions:
            asks = session.asks_launches
            frame = session.frame(described["name"] if asks else name)
            session.add_metrics(frame, metrics if asks else {})
            self.frames.append((session, frame))
        self.on_gpu = described["function"] is not None
        self.clock = _times.DeviceClock if self.on_gpu else _times.HostClock
        # Events of a graph that is captured measure nothing.
        self.start = None if _times.is_captured() else self.clock.now()

    def end(self):
        if self.start is None:
            return
        end = self.clock.now()
        for session, frame in self.frames:
            session.add_time(frame, self.clock, self.start, end, self.on_gpu)


def _launch_starts(metadata):
    launch = _Launch(metadata)
    place.launches.append(launch)


def _launch_ended(metadata):
    # Launches that failed have no end.
    while place.launches:
        launch = place.launches.pop()
        if launch.metadata is metadata:
            launch.end()
            return


def _watch_launches():
    if _sessions.active():
        hooks.launch_enter.add(_launch_starts)
        hooks.launch_exit.add(_launch_ended)
    else:
        hooks.launch_enter.remove(_launch_starts)
        hooks.launch_exit.remove(_launch_ended)
