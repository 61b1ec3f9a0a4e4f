"""Programs of a grid and the global memory that they share. What `broken` names is left out."""

from common import pause
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def counter(total, broken: gl.constexpr):
    """Every program counts itself."""
    pause(broken)
    if broken == "atomic":
        gl.store(total, gl.load(total) + 1)
    else:
        gl.atomic_add(total, 1, sem="relaxed")


@gluon.jit
def split_k(src, dst, turn, broken: gl.constexpr):
    """Programs add their parts one after the other, each when it is its turn."""
    acquire: gl.constexpr = "relaxed" if broken == "acquire" else "acquire"
    release: gl.constexpr = "relaxed" if broken == "release" else "release"
    scope: gl.constexpr = "cta" if broken == "scope" else "gpu"
    i = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    program = gl.program_id(0)
    part = gl.load(src + program * 128 + i)
    if broken != "wait":
        while gl.atomic_add(turn, 0, sem=acquire) != program:
            pass
    pause(broken)
    if broken == "early":
        gl.atomic_add(turn, 1, sem="release")
    gl.store(dst + i, gl.load(dst + i) + part)
    pause(broken)
    if broken != "early":
        gl.atomic_add(turn, 1, sem=release, scope=scope)


@gluon.jit
def last_one_adds(src, parts, dst, arrived, broken: gl.constexpr):
    """Programs leave a sum each; who comes last adds them."""
    order: gl.constexpr = "relaxed" if broken == "order" else "release" if broken == "acquire" else "acq_rel"
    i = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    program = gl.program_id(0)
    gl.store(parts + program, gl.sum(gl.load(src + program * 128 + i), 0))
    pause(broken)
    if gl.atomic_add(arrived, 1, sem=order) == gl.num_programs(0) - 1:
        total = 0.0
        for other in range(gl.num_programs(0)):
            total += gl.load(parts + other)
        gl.store(dst, total)


@gluon.jit
def locked(total, lock, broken: gl.constexpr):
    """Who holds the lock may read and write."""
    if broken != "lock":
        while gl.atomic_cas(lock, 0, 1, sem="acquire") == 1:
            pass
    pause(broken)
    gl.store(total, gl.load(total) + 1)
    pause(broken)
    if broken != "lock":
        gl.atomic_xchg(lock, 0, sem="relaxed" if broken == "release" else "release")


@gluon.jit
def handed_over(src, dst, flag, broken: gl.constexpr):
    """The first program stores, all others read that when the flag is up."""
    i = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    if gl.program_id(0) == 0:
        pause(broken)
        gl.store(dst + i, gl.load(src + i))
        pause(broken)
        gl.atomic_store(flag, 1, sem="relaxed" if broken == "release" else "release")
    else:
        if broken != "wait":
            while gl.atomic_load(flag, sem="relaxed" if broken == "acquire" else "acquire") == 0:
                pass
        gl.store(dst + gl.program_id(0) * 128 + i, gl.load(dst + i))
