"""AsyncCompileMode: meanwhile warmup() hands compilations to an executor and does not wait."""

import contextvars

# The AsyncCompileMode that is entered, or None. Threads of an executor see none.
active_mode = contextvars.ContextVar("gluonc.async_compile", default=None)


class FutureKernel:
    """A kernel that an executor compiles. The launch that needs it waits for it."""

    # Nothing for a launch yet.
    executable = None

    def __init__(self, future):
        self._future = future

    def done(self):
        return self._future.done()

    def result(self):
        """The CompiledKernel, once it is there; raises what its compilation raised."""
        return self._future.result()

    def __getattr__(self, name):
        # Scripts use it like the kernel itself.
        return getattr(self.result(), name)


class AsyncCompileMode:
    """`with AsyncCompileMode(executor):`, an Executor of concurrent.futures. Its end waits for what was
    begun, and raises the first failure unless `ignore_errors`. An exception does not wait."""

    def __init__(self, executor, *, ignore_errors=False):
        self._executor, self._ignores_errors, self._kernels = executor, ignore_errors, []

    def submit(self, make):
        """The FutureKernel of what `make()` will return."""
        kernel = FutureKernel(self._executor.submit(make))
        self._kernels.append(kernel)
        return kernel

    def __enter__(self):
        if active_mode.get() is not None:
            raise RuntimeError("an AsyncCompileMode is active already")
        self._token = active_mode.set(self)
        return self

    def __exit__(self, kind, error, trace):
        active_mode.reset(self._token)
        kernels, self._kernels = self._kernels, []
        if error is not None:
            return
        failures = [kernel._future.exception() for kernel in kernels]
        first = next(filter(None, failures), None)
        if first is not None and not self._ignores_errors:
            raise first
