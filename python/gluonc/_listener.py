"""What `triton.knobs.compilation.listener` is told of each compilation, and when."""

import time

from gluonc import _settings

_NANOSECONDS = 1000


class CompileTimes:
    """Microseconds. `lowering_stages` holds (name, time) of what follows the front end: one entry, since
    the compiler makes all of it at once, with keeping the result on disk (`store_results` is 0)."""

    def __init__(self, ir_initialization, lowering_stages, store_results=0):
        self.ir_initialization, self.lowering_stages = ir_initialization, lowering_stages
        self.store_results = store_results

    @property
    def total_lowering(self):
        return sum(elapsed for _, elapsed in self.lowering_stages)

    @property
    def total(self):
        return self.ir_initialization + self.total_lowering + self.store_results

    def __repr__(self):
        return f"CompileTimes({self.ir_initialization}, {self.lowering_stages}, {self.store_results})"


class Stopwatch:
    """Of one compilation: mark() when the front end is done, and when the rest is."""

    def __init__(self):
        self._marks = [time.perf_counter_ns()]

    def mark(self):
        self._marks.append(time.perf_counter_ns())

    def tell(self, compiled):
        """Calls the listener, if there is one."""
        listener = _settings.value("compilation", "listener")
        if listener is None:
            return
        from gluonc._triton.backends.compiler import GPUTarget
        first, second = ((after - before) // _NANOSECONDS
                         for before, after in zip(self._marks, self._marks[1:]))
        metadata = {**compiled.metadata._asdict(), "target": GPUTarget.parse(compiled.target)}
        stage = "simulator" if compiled.simulated else compiled.asm.binary
        # Whether machine code was found on disk is not told; the front end runs in any case.
        listener(src=compiled.src, metadata=metadata, metadata_group={},
                 times=CompileTimes(first, [(stage, second)]), cache_hit=False)
