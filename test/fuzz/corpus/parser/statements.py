from . import a as b, c
from ..x import (y, z as w,)
import os.path as p, q
@d.e(1)
async def f(a, /, b: int = 1, *args: *Ts, k, l=2, **kw) -> None:
    global g; nonlocal h
    async with (a as b, c as d): await x
    async for i, *j in y: yield from z
    else: pass
class C[T: int, *U, **V](B, metaclass=M): x: int = 3
type X[T] = list[T]
try: raise E from e
except* (A, B) as e: del a[0], b.c
finally: assert x, y
if a: pass
elif b: continue
else: break
while (n := n - 1): x @= 1; y **= 2
match p, q:
    case {"a": 1, -1 + 2j: [x, *_], **r} | C(1, k=None) as s if t: pass
    case (a.b | _): return
