x = y = lambda a, *b, c=1, **d: a if b else not c
print(f"{x!r:>{w}.{p}} {{}} {y=}" 'a' rf"\{z}", *a, **k, n=1)
{**a, b: c}, {*d, e}, {f: g for f, g in h if i if j}, {k async for k in l}
[m[1:2, ::3, *n], (o,), (), 1 < 2 <= 3 != 4 is not 5 not in 6]
-1 ** -2 // ~3 @ 4 << 5 & 6 | 7 ^ 8 or 9 and 0x1F + 0b1 + 0o7 + 1_0e-5j + .5
b'\x00' b"\n" , u'\N{BULLET}\u1234\U00012345\777', ...
(yield), (a for b in c), d(e for f in g)
