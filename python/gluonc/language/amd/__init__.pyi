# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor
from . import cdna3 as cdna3
from . import cdna4 as cdna4
from . import cdna5 as cdna5
from . import gfx1250 as gfx1250
from . import hint as hint
from . import rdna3 as rdna3
from . import rdna4 as rdna4

from gluonc.language._layouts import AMDMFMALayout as AMDMFMALayout

from gluonc.language._layouts import AMDWMMALayout as AMDWMMALayout

def slice(source: tensor, shape: Sequence[int], offsets: Sequence[int]) -> Any:
    """A part of a block that every thread has already: whole tiles of the layout.

    Gives: a block of this shape, in the layout of `source`.
    Errors: a part outside of the block; one for which elements would change their threads.

        # hip:gfx942
        waves: gl.constexpr = gl.BlockedLayout([1, 4], [8, 8], [4, 1], [1, 0])
        part = gl.amd.slice(gl.full([64, 64], 1.0, gl.float32, waves), [32, 32], [32, 0])
    """
    ...

def warp_pipeline_stage(label: str = ..., *, priority: int | None = ...) -> Any:
    """Makes the lines of a `with` a stage of a loop that two halves of the warps run in turns.

    While one half loads, the other computes: warps from the fifth on are one stage behind. `label` is
    the name of the stage, `priority` (0 to 3) that of its warps where both halves want to issue. What
    one half does in a stage is at the same time as what the other does in the stage before, so
    neighbours may not use the same bytes of shared memory. Warps wait for each other between stages; a
    stage in which all of them meet once more makes the halves run alike.

    Gives: what `with` takes, and nothing else.
    Errors: other priorities; on the simulator neighbours that use the same bytes (GL5148).

        # hip:gfx950
        total = 0
        for k in range(4):
            with gl.amd.warp_pipeline_stage("load", priority=1):
                part = gl.load(counts + k)
            with gl.amd.warp_pipeline_stage("compute"):
                total += part
    """
    ...

