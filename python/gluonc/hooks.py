"""Functions that are called around launches and compilations: for profilers and test runners.

    gluonc.hooks.launch_enter.add(lambda metadata: print(metadata.get()["name"]))

`metadata.get()` is a dict with `name`, `function`, `stream`, and what the kernel's launch_metadata
(grid, metadata, arguments) adds to it, which is called only if somebody asks. Launches pay nothing
while no hook is there.
"""

from collections import namedtuple

from gluonc import _native


class HookChain:
    """Functions that are called in the order in which they were added, or in the reverse."""

    def __init__(self, reversed=False):
        self.calls, self.reversed = [], reversed

    def add(self, function):
        if function not in self.calls:
            self.calls.append(function)
            _watch_launches()

    def remove(self, function):
        if function in self.calls:
            self.calls.remove(function)
            _watch_launches()

    def replace(self, functions):
        """Puts a function, those of another chain, or none in the place of what is there."""
        if functions is None:
            self.calls = []
        elif isinstance(functions, HookChain):
            self.calls = list(functions.calls)
        else:
            self.calls = [functions]
        _watch_launches()

    def __copy__(self):
        copied = HookChain(self.reversed)
        copied.calls = list(self.calls)
        return copied

    def __call__(self, *args, **kwargs):
        for function in self.calls[::-1] if self.reversed else list(self.calls):
            function(*args, **kwargs)

    def __bool__(self):
        return bool(self.calls)


launch_enter = HookChain()
launch_exit = HookChain(reversed=True)
# Called with a kernel's module, handle of the driver, name, metadata and hash before and after it is
# loaded.
load_start, load_end = HookChain(), HookChain(reversed=True)
# Called with keywords before and after a kernel is compiled: `fn`, `key`, `repr`, `compile` (what
# for), … What is true of the first one's result keeps the kernel from being compiled and launched.
compile_enter = compile_exit = None

# What hooks of compilations get as `fn`.
JitFunctionInfo = namedtuple("JitFunctionInfo", "module name jit_function")


def _watch_launches():
    _native.watch_launches(bool(launch_enter or launch_exit))


class LaunchMetadata:
    """What hooks of launches get. get() gives the dict."""

    def __init__(self, data):
        self.data, self.extras = data, []

    def add(self, function, args):
        """`function(*args)` gives more entries once they are asked for."""
        self.extras.append((function, args))

    def get(self):
        while self.extras:
            function, args = self.extras.pop(0)
            self.data = {**self.data, **function(*args)}
        return self.data


def describe(compiled, grid, stream, names, values, launch_metadata):
    """The LaunchMetadata of one launch."""
    found = LaunchMetadata({"name": compiled.name, "function": compiled.function,
                            "stream": stream})
    if launch_metadata is not None:
        found.add(launch_metadata, (grid, compiled.metadata, dict(zip(names, values))))
    return found
