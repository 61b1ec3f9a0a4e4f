"""compile_many: specializations made side by side. The compiler runs without the GIL."""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from gluonc._engine import engine


class _Bar:
    """How far it is, on a terminal, once it takes longer than a moment."""

    _WIDTH, _PATIENCE = 30, 0.5

    def __init__(self, total, shown):
        self._total, self._done, self._drawn = total, 0, False
        self._shown = sys.stderr.isatty() if shown is None else shown
        self._start = time.monotonic()

    def step(self):
        self._done += 1
        if self._shown and (self._drawn or time.monotonic() - self._start > self._PATIENCE):
            filled = self._WIDTH * self._done // self._total
            print(f"\rcompiling kernels [{'#' * filled:<{self._WIDTH}}] "
                  f"{self._done}/{self._total}", end="", file=sys.stderr, flush=True)
            self._drawn = True

    def end(self):
        if self._drawn:
            print(file=sys.stderr)


def compile_many(launches, *, jobs=None, progress=None, return_exceptions=False):
    """Compiles what launches will need, without launching.

    `launches` holds (kernel, args) or (kernel, args, kwargs), as `kernel[grid](*args, **kwargs)`
    would get them; dtypes stand in for tensors. Returns the CompiledKernels in that order. `jobs`
    threads work at once, one per CPU if not given. `progress` shows a bar on stderr: if not given,
    on terminals. The first failure is raised once all are through, or all failures are returned
    in place of their kernels.
    """
    results = list(as_compiled(launches, jobs, progress))
    for result in results:
        if isinstance(result, Exception) and not return_exceptions:
            raise result
    return results


def as_compiled(launches, jobs=None, progress=None):
    """Yields the kernel or the failure for each of `compile_many`'s launches, in their order, as soon as it is
    through, while others are compiled. Who stops early cancels the rest."""
    launches = [(kernel, args, rest[0] if rest else {}) for kernel, args, *rest in launches]
    bar = _Bar(len(launches), progress)
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        futures = [pool.submit(kernel.warmup, *args, **kwargs) for kernel, args, kwargs in launches]
        try:
            for future in futures:
                result = future.exception() or future.result()
                bar.step()
                yield result
        except BaseException:
            # Ctrl-C, which threads do not hear of, or whoever stops early.
            pool.shutdown(wait=False, cancel_futures=True)
            # Some may be on their way to the compiler.
            while not all(future.done() for future in futures):
                engine().cancel_launches()
                time.sleep(0.02)
            raise
    bar.end()


def seal():
    """From now on nothing is compiled: a specialization that is neither in use nor in the cache
    raises Unavailable, which names the key that is missing."""
    engine().seal()
