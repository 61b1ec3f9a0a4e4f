"""do_bench: the time of a call, in milliseconds."""

import time


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Runs `fn` for about `rep` ms after `warmup` ms: mean (or min, max, median, all) or quantiles.

    CUDA events measure on the GPU, with the L2 cache cleared before each call; else the clock.
    """
    try:
        import torch
        on_gpu = torch.cuda.is_available()
    except ImportError:
        on_gpu = False
    measure = _on_gpu(torch) if on_gpu else _on_cpu
    fn()
    estimate = max(measure(fn), 1e-4)
    for _ in range(int(warmup / estimate)):
        fn()
    times = []
    for _ in range(max(1, int(rep / estimate))):
        for tensor in grad_to_none or ():
            tensor.grad = None
        times.append(measure(fn))
    times.sort()
    if quantiles is not None:
        picked = [times[min(len(times) - 1, int(q * len(times)))] for q in quantiles]
        return picked[0] if len(picked) == 1 else picked
    if return_mode == "all":
        return times
    return {"mean": sum(times) / len(times), "min": times[0], "max": times[-1],
            "median": times[len(times) // 2]}[return_mode]


def _on_cpu(fn):
    start = time.perf_counter()
    fn()
    return (time.perf_counter() - start) * 1e3


def _on_gpu(torch):
    cache = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def measure(fn):
        cache.zero_()
        start.record()
        fn()
        end.record()
        end.synchronize()
        return start.elapsed_time(end)
    return measure
