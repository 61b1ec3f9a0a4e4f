"""`gluonc.trace()` on a GPU, or on libgluonc_cuda_cpu, which executes the kernels' PTX: run by test_trace.py."""

import ctypes
import json
import pathlib
import sys

import gluonc
import numpy as np
from gluonc import language as gl
from gluonc.language import profiler as pl

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    result = getattr(cuda, name)(*arguments)
    assert result == 0, f"{name}: {result}"


class Array:
    """On the GPU."""

    def __init__(self, values):
        self.copy, self.at = values.copy(), ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(self.at), ctypes.c_size_t(values.nbytes))
        call("cuMemcpyHtoD_v2", self.at, self._host(), ctypes.c_size_t(values.nbytes))
        self.__cuda_array_interface__ = dict(shape=values.shape, typestr=values.dtype.str,
                                             data=(self.at.value, False), version=3)

    def _host(self):
        return self.copy.ctypes.data_as(ctypes.c_void_p)

    def values(self):
        call("cuMemcpyDtoH_v2", self._host(), self.at, ctypes.c_size_t(self.copy.nbytes))
        return self.copy


@gluonc.jit
def totals(x, y, rounds, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    at = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout)
    total = gl.to_tensor(0.0)
    for i in range(rounds):
        with pl.scope("round"):
            total += gl.sum(gl.load(x + at) * i, 0)
    gl.store(y + gl.program_id(0), total)


def main(folder):
    context = ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    values = np.arange(8 * 128, dtype=np.float32) % 7
    x, plain, traced = Array(values), Array(np.zeros(8, np.float32)), Array(np.zeros(8, np.float32))
    totals[(8,)](x, plain, 5, 128)
    for name in ("out.json", "out.html"):
        with gluonc.trace(folder / name) as one:
            totals[(8,)](x, traced, 5, 128)
            totals[(2,)](x, traced, 3, 128)
            totals[(0,)](x, traced, 3, 128)
        assert one.launches == 2 and one.milliseconds > 0 and one.is_measured
    # Behind it the kernel has no timestamps, and the results are all there.
    totals[(2,)](x, traced, 5, 128)
    expected = values.reshape(8, 128).sum(1) * 10
    assert (plain.values() == expected).all() and (traced.values() == expected).all()
    timeline = json.loads((folder / "out.json").read_text())
    assert timeline["otherData"]["kernel"] == "totals, totals", timeline["otherData"]
    assert timeline["otherData"]["what"] == "measured by timestamps in the kernel"
    waits = [event for event in timeline["traceEvents"] if event.get("cat") == "wait"]
    lines = {event["name"].rsplit(":", 1)[0] for event in waits}
    assert lines == {"wait traced_script.py"}, lines
    regions = [event for event in timeline["traceEvents"] if event.get("cat") == "region"]
    assert {event["name"] for event in regions} == {"round"}
    # Five rounds of four CTAs, three of two; of each the first warp is shown.
    assert len(regions) == 5 * 4 + 3 * 2, len(regions)
    # Four CTAs of the first launch record, two of the second.
    assert {event["pid"] for event in waits} == set(range(6))
    assert "<canvas" in (folder / "out.html").read_text()
    print("traced")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
