"""Sessions, each of which fills one profile, and the place in the program that counts for them."""

import json
import os
import sys
import threading

import gluonc
from gluonc._triton.profiler import _times
from gluonc._triton.profiler._tree import Tree

# Of those that are not finalized, by their numbers.
sessions = {}
_PACKAGE = os.path.dirname(os.path.abspath(gluonc.__file__))
# So many times are left open: to read one waits for what it measures.
_OPEN = 4096
_of_main_thread = []


class _Place(threading.local):
    """The scopes that a thread is in, and its state. A thread starts in the scopes of the main one."""

    def __init__(self):
        is_main = threading.current_thread() is threading.main_thread()
        self.scopes = _of_main_thread if is_main else list(_of_main_thread)
        self.states, self.launches = [], []


place = _Place()


class Session:
    """`follows` says what tells places apart: "shadow", the scopes, or "python", the calls."""

    def __init__(self, path, follows, asks_launches):
        self.path_of_file, self._follows, self.asks_launches = path, follows, asks_launches
        self.is_active, self._lock = True, threading.Lock()
        self.clear()

    def clear(self):
        self.tree, self._open = Tree(), []

    def path(self):
        """Names of the frames that the program is in."""
        if self._follows == "python":
            return _calls()
        return [each.name for each in place.scopes]

    def frame(self, *names):
        """The frame of this place, or of what is launched in it under these names."""
        return self.tree.root.at([*self.path(), *place.states[-1:], *names])

    def add_metrics(self, frame, metrics):
        for name, value in metrics.items():
            if hasattr(value, "data_ptr"):
                # It may change before it is read.
                self._later(lambda name=name, value=value.detach().clone():
                            self.tree.add_metric(frame, name, value.item()))
            else:
                self.tree.add_metric(frame, name, value)

    def add_time(self, frame, clock, start, end, on_gpu):
        device = _times.device(on_gpu)
        if device not in self.tree.devices:
            self.tree.devices[device] = _times.facts(on_gpu)
        self._later(lambda: self.tree.add_time(frame, device, clock.between(start, end)))

    def _later(self, action):
        self._open.append(action)
        if len(self._open) >= _OPEN:
            self._settle(_OPEN // 2)

    def _settle(self, count=None):
        """Reads the oldest of what is left open, or all of it."""
        with self._lock:
            ready = self._open[:count]
            del self._open[:count]
        for each in ready:
            each()

    def literal(self):
        """What was recorded, as json has it."""
        self._settle()
        return self.tree.literal()

    def write(self):
        """`-` is the standard output."""
        text = json.dumps(self.literal())
        if self.path_of_file == "-":
            print(text)
            return
        with open(self.path_of_file + ".hatchet", "w") as file:
            file.write(text)


def _calls():
    """The calls of Python, outermost first, but those of this package."""
    names, frame = [], sys._getframe()
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(_PACKAGE + os.sep):
            names.append(f"{code.co_filename}:{frame.f_lineno}@{code.co_name}")
        frame = frame.f_back
    return names[::-1]


def active():
    return [session for session in sessions.values() if session.is_active]


def find(number):
    if number not in sessions:
        raise RuntimeError(f"Session has not been initialized: {number}")
    return sessions[number]
