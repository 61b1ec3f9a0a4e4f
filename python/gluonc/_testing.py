"""do_bench: the time of a call, in milliseconds.

On a simulated GPU the performance model predicts what a call takes. Of a chip that it does not know,
and without one, the clock measures the simulator, which says nothing about a GPU: a call is measured
once, on the first programs of its grids, and its time scaled, so that the tables of a script appear.
"""

import functools
import time

from gluonc import _predictions, _simulated

# Calls that show whether more of them are worth their time.
_FEW = 5


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Runs `fn` for about `rep` ms after `warmup` ms: mean (or min, max, median, all) or quantiles.

    CUDA events measure on the GPU, with the L2 cache cleared before each call; else the clock.
    """
    return bench(fn, warmup, rep, grad_to_none, quantiles, return_mode)


def bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean", hopeless=float("inf")):
    """`do_bench`, which stops behind a few calls if half of them take more than `hopeless` ms."""
    measure = _measure()
    if _simulated.is_active():
        prediction = _predictions.milliseconds(fn)
        if prediction is not None:
            return _summary([prediction], quantiles, return_mode)
        with _simulated.few_programs() as cut:
            times = [measure(fn)]
        return _summary([time * cut.scale for time in times], quantiles, return_mode)
    fn()
    # One call by itself may be far off, and then decides how often the others are made.
    estimate = max(min(measure(fn) for _ in range(3)), 1e-4)
    for _ in range(int(warmup / estimate)):
        fn()
    times = []
    for _ in range(max(1, int(rep / estimate))):
        for tensor in grad_to_none or ():
            tensor.grad = None
        times.append(measure(fn))
        if len(times) == _FEW and sorted(times)[_FEW // 2] > hopeless:
            break
    return _summary(times, quantiles, return_mode)


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """The same of a CUDA graph of calls, which leaves out what launches cost the host."""
    torch = _torch_with_gpu()
    if torch is None or _simulated.is_active():
        return do_bench(fn, 0, rep, grad_to_none, quantiles, return_mode)
    with torch.cuda.stream(torch.cuda.Stream()):
        estimate = max(do_bench(fn, 1, 5, grad_to_none), 1e-3)
        calls = max(1, int(rep / estimate))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(calls):
                for tensor in grad_to_none or ():
                    tensor.grad = None
                fn()
        measure, times = _events(torch, None), []
        for _ in range(10):
            times.append(measure(graph.replay) / calls)
    return _summary(times, quantiles, return_mode)


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """Compares tensors, arrays or numbers; by default within 1e-2."""
    import numpy

    def array(value):
        if hasattr(value, "detach"):
            value = value.detach()
            value = (value.float() if value.is_floating_point() else value).cpu().numpy()
        return numpy.asarray(value)
    numpy.testing.assert_allclose(array(x), array(y), atol=1e-2 if atol is None else atol,
                                  rtol=0.0 if rtol is None else rtol, err_msg=err_msg,
                                  equal_nan=True)


def _summary(times, quantiles, return_mode):
    times = sorted(times)
    if quantiles is not None:
        picked = [times[min(len(times) - 1, int(q * len(times)))] for q in quantiles]
        return picked[0] if len(picked) == 1 else picked
    if return_mode == "all":
        return times
    return {"mean": sum(times) / len(times), "min": times[0], "max": times[-1],
            "median": times[len(times) // 2]}[return_mode]


def _torch_with_gpu():
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


def _measure():
    torch = _torch_with_gpu()
    if torch is None or _simulated.is_active():
        return _on_cpu
    return _events(torch, flush_buffer())


def _on_cpu(fn):
    start = time.perf_counter()
    fn()
    return (time.perf_counter() - start) * 1e3


@functools.lru_cache(maxsize=1)
def flush_buffer():
    """Memory larger than any L2 cache: writing it evicts the rest."""
    import torch
    return torch.empty(1 if _simulated.is_active() else 256 << 20, dtype=torch.int8, device="cuda")


def _events(torch, cache):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def measure(fn):
        if cache is not None:
            cache.zero_()
        start.record()
        fn()
        end.record()
        end.synchronize()
        return start.elapsed_time(end)
    return measure
