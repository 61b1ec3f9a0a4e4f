"""Scopes, which name parts of a program, and states, which name what is launched in them."""

import functools
import time

from gluonc._triton.profiler import _sessions, _times
from gluonc._triton.profiler._sessions import place
from gluonc._triton.profiler._tree import WORK

# Under this state launch_metadata is computed. Viewers leave out what is launched then.
METADATA_STATE = "__proton_launch_metadata"


class _Around:
    """Something that is entered and left: by `with`, or around calls of a function."""

    def __enter__(self):
        self._enter()
        return self

    def __exit__(self, *_):
        self._exit()

    def __call__(self, function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with self:
                return function(*args, **kwargs)
        return wrapper


class _Entered:
    """A scope that the program is in: its frames, by session, and when it began."""

    def __init__(self, name, metrics):
        self.name, self.frames, self.clock = name, [], None
        # Whether something inside of it is timed, which its own time would count twice.
        self.holds_times = False
        place.scopes.append(self)
        self.frames = [(session, session.frame()) for session in _sessions.active()]
        self.add(metrics)
        if self.frames and not set(WORK).isdisjoint(metrics or ()) and not _times.is_captured():
            self.on_gpu = _times.has_gpu()
            self.clock = _times.DeviceClock if self.on_gpu else _times.HostClock
            self.start = self.clock.now()

    def add(self, metrics):
        for session, frame in self.frames if metrics else ():
            if session.is_active:
                session.add_metrics(frame, metrics)

    def leave(self):
        if place.scopes[-1:] != [self]:
            raise RuntimeError(f"the scope {self.name} is left while another one is inside of it")
        place.scopes.pop()
        if self.clock is None or self.holds_times or _times.is_captured():
            return
        end = self.clock.now()
        note_time()
        for session, frame in self.frames:
            if session.is_active:
                session.add_time(frame, self.clock, self.start, end, self.on_gpu)


def note_time():
    """Says that something is timed in the scopes that the program is in."""
    for entered in place.scopes:
        entered.holds_times = True


class scope(_Around):
    """Names a part of the program. `metrics`, a dict of numbers or tensors of one element, add up in
    its frame."""

    def __init__(self, name, metrics=None):
        self.name, self.metrics, self._entered = name, metrics, []

    def _enter(self):
        # A function that a scope is around may call itself.
        self._entered.append(_Entered(self.name, self.metrics) if _sessions.sessions else None)

    def _exit(self):
        entered = self._entered.pop()
        if entered is not None:
            entered.leave()
        return entered


class cpu_timed_scope(scope):
    """The same, with the time that it takes the host: the metric cpu_time."""

    def __init__(self, name, metrics=None):
        if metrics and "cpu_time" in metrics:
            raise ValueError("The metric name 'cpu_time' is reserved.")
        super().__init__(name, metrics)
        self._starts = []

    def _enter(self):
        super()._enter()
        self._starts.append(time.perf_counter_ns())

    def _exit(self):
        elapsed = time.perf_counter_ns() - self._starts.pop()
        entered = super()._exit()
        if entered is not None:
            entered.add({"cpu_time (ns)(exc)": elapsed})
        return entered


def enter_scope(name, *, metrics=None):
    """Enters a scope that exit_scope() leaves. The number of scopes that the program is in then; None
    while nothing is profiled."""
    if not _sessions.sessions:
        return None
    _Entered(name, metrics)
    return len(place.scopes)


def exit_scope(name=None, *, metrics=None):
    """Leaves the scope that was entered last, which has this name, where one is given."""
    if not _sessions.sessions:
        return None
    if not place.scopes:
        raise RuntimeError("exit_scope() outside of any scope")
    entered = place.scopes[-1]
    if name and name != entered.name:
        raise ValueError(f"Scope name mismatch: {name} != {entered.name}")
    entered.leave()
    entered.add(metrics)
    return len(place.scopes) + 1


class state(_Around):
    """Gives what is launched a frame of this name around its own. The innermost one counts."""

    def __init__(self, name):
        self.name = name

    def _enter(self):
        enter_state(self.name)

    def _exit(self):
        exit_state()


class metadata_state(state):
    """For launches that only compute metadata: viewers do not show them."""

    def __init__(self):
        super().__init__(METADATA_STATE)


def enter_state(name):
    place.states.append(name)


def exit_state():
    if place.states:
        place.states.pop()
