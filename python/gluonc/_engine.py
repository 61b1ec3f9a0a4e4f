"""The one engine of the process, made when it is first needed."""

import functools
import os
import sys
import threading

from gluonc import _native, _settings, cache


_making = threading.Lock()


@functools.lru_cache(maxsize=None)
def engine():
    # The cache alone lets threads that come at once make one each.
    with _making:
        return _engine()


@functools.lru_cache(maxsize=None)
def _engine():
    made = _native.Engine(_settings.compiler_folder(), _native.find_ptxas(), **cache.remote())
    made.print_to_python()
    made.check_signals()
    seed = os.environ.get("GLUONC_SCHEDULE_SEED")
    if seed:
        made.set_schedule_seed(int(seed))
    if races := os.environ.get("GLUONC_RACES"):
        made.set_races(races)
    if masked_off := os.environ.get("GLUONC_MASKED_OFF"):
        made.set_masked_off(masked_off)
    if unknown_reads := os.environ.get("GLUONC_UNKNOWN_READS"):
        made.set_unknown_reads(unknown_reads)
    if branches := os.environ.get("GLUONC_MAX_BRANCHES"):
        made.set_max_branches(int(branches))
    made.set_executes_ptx(os.environ.get("GLUONC_EXECUTE_PTX", "0") != "0")
    return made


def gpu_is_amd():
    """Whose GPUs tensors on "cuda" are on: those that PyTorch is for, where it is loaded and for any;
    else AMD's where only they are there."""
    version = getattr(sys.modules.get("torch"), "version", None)
    if getattr(version, "hip", None):
        return True
    if getattr(version, "cuda", None):
        return False
    return not engine().cuda_device_count() and engine().hip_device_count() > 0


def gpu_count():
    return engine().hip_device_count() if gpu_is_amd() else engine().cuda_device_count()


def gpu_target(device):
    """"cuda:90a" or "hip:gfx942" for a GPU that is there."""
    return _target_of(gpu_is_amd(), device)


@functools.lru_cache(maxsize=None)
def _target_of(is_amd, device):
    return engine().hip_target(device) if is_amd else engine().cuda_target(device)


@functools.lru_cache(maxsize=None)
def simulated_target():
    """The chip that the simulator pretends to be: GLUONC_SIMULATE, else the GPU that is there."""
    chosen = os.environ.get("GLUONC_SIMULATE")
    if chosen:
        return chosen
    from gluonc.errors import Unavailable
    try:
        return gpu_target(0) if gpu_count() else "cuda:90a"
    except Unavailable:
        # The driver answers no child that a process with a GPU has forked.
        return "cuda:90a"


def current_target():
    """The device that scripts see: the simulated one, else the GPU that is there, else None."""
    chosen = os.environ.get("GLUONC_SIMULATE")
    if chosen:
        return chosen
    return gpu_target(0) if gpu_count() else None


@functools.lru_cache(maxsize=4096)
def check_expression(text):
    """Lets the compiler validate an expression of the language; raises CompilationError."""
    return engine().evaluate(text)
