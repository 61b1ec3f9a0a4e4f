#!/usr/bin/env python3
"""Whether loads of shared memory have read when a barrier object says so: they have behind a proxy fence.

    proxy_fence.py --out FILE.json [--launches N]

A partition lets the copy engine fill one buffer again and again; another loads the block and arrives
at the barrier that lets the engine go on. Only the first block has values, those behind the end of
the tensor are zeros, which come sooner. Without `fence_async_shared` between load and arrival (or between
the wait and the next copy) the engine overwrites what has not been read yet; counted are programs
that got a wrong value, by layout: how often lanes of a warp meet in one bank is how long a load takes.
Exit status 1 when a program with a fence was wrong.
"""

import argparse
import json
import sys

import torch

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.nvidia.hopper import fence_async_shared, mbarrier, tma
from gluonc.nvidia.hopper import TensorDescriptor

SIZE = gl.constexpr(64)
PROGRAMS = 1056


@gluon.jit
def copies(desc, buffer, filled, drained, blocks, FENCE: gl.constexpr):
    for k in range(blocks):
        mbarrier.wait(drained, k & 1 ^ 1)
        if FENCE == "before the copy":
            fence_async_shared()
        mbarrier.expect(filled, desc.nbytes_per_cta)
        tma.async_load(desc, [0, k * SIZE], filled, buffer)


@gluon.jit
def loads(out, buffer, filled, drained, blocks, layout: gl.constexpr, FENCE: gl.constexpr):
    total = gl.zeros([SIZE, SIZE], gl.int32, layout)
    for k in range(blocks):
        mbarrier.wait(filled, k & 1)
        block = buffer.load(layout)
        if FENCE == "after the load":
            fence_async_shared()
        mbarrier.arrive(drained)
        total = total + block
    rows = gl.arange(0, SIZE, layout=gl.SliceLayout(1, layout))[:, None]
    cols = gl.arange(0, SIZE, layout=gl.SliceLayout(0, layout))[None, :]
    gl.store(out + (gl.program_id(0) * SIZE + rows) * SIZE + cols, total)


@gluon.jit
def kernel(desc, out, blocks, layout: gl.constexpr, FENCE: gl.constexpr):
    buffer = gl.allocate_shared_memory(gl.int32, [SIZE, SIZE], desc.layout)
    filled = mbarrier.allocate_mbarrier()
    drained = mbarrier.allocate_mbarrier()
    mbarrier.init(filled, count=1)
    mbarrier.init(drained, count=1)
    gl.warp_specialize([(loads, (out, buffer, filled, drained, blocks, layout, FENCE)),
                        (copies, (desc, buffer, filled, drained, blocks, FENCE))], [1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--launches", type=int, default=100)
    options = parser.parse_args()
    values = torch.arange(1, 4097, dtype=torch.int32, device="cuda").reshape(64, 64)
    desc = TensorDescriptor.from_tensor(values, [64, 64], gl.NVMMASharedLayout(0, 32, 2))
    rows = []
    for warps in (1, 4):
        for name, layout in [("a row", gl.BlockedLayout([1, 4], [2, 16], [warps, 1], [1, 0])),
                             ("blocks of 4 rows", gl.BlockedLayout([1, 4], [4, 8], [warps, 1], [0, 1])),
                             ("a column", gl.BlockedLayout([1, 1], [32, 1], [warps, 1], [0, 1]))]:
            for fence in ("none", "after the load", "before the copy"):
                wrong = torch.zeros((), dtype=torch.int64, device="cuda")
                for _ in range(options.launches):
                    out = torch.full((PROGRAMS, 64, 64), -1, dtype=torch.int32, device="cuda")
                    kernel[(PROGRAMS,)](desc, out, 3, layout, fence, num_warps=warps)
                    wrong += (out != values).flatten(1).any(1).sum()
                rows.append({"warps": warps, "a warp loads": name, "fence": fence,
                             "programs": options.launches * PROGRAMS, "wrong": int(wrong)})
                print(*rows[-1].values(), flush=True)
    report = {"what": __doc__.splitlines()[0], "device": torch.cuda.get_device_name(), "rows": rows}
    with open(options.out, "w") as file:
        json.dump(report, file, indent=1)
    return int(any(row["wrong"] for row in rows if row["fence"] != "none"))


if __name__ == "__main__":
    sys.exit(main())
