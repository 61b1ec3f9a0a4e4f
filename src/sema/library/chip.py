"""The chip"""

import triton
import triton.language as tl


@triton.jit
def globaltimer():
    """Nanoseconds, the same clock for the whole chip."""
    return tl.inline_asm_elementwise(
        "mov.u64 $0, %globaltimer;", "=l", [], dtype=tl.int64, is_pure=False, pack=1
    )


@triton.jit
def smid():
    """The number of the multiprocessor that the program runs on."""
    return tl.inline_asm_elementwise(
        "mov.u32 $0, %smid;", "=r", [], dtype=tl.int32, is_pure=True, pack=1
    )
