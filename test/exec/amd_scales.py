"""Products and conversions with scales, parts of blocks, stages of pipelines, on AMD's chips."""

# RUN: scaled a='randint(0, 256, (32, 32), u8)' b='randint(0, 256, (32, 32), u8)' s='randint(125, 130, (32, 2), u8)' t='randint(125, 130, (32, 2), u8)' \
#   c='empty((32, 32), f32)' mma='gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 128])' left='gl.DotOperandLayout(0, gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 64]), 16)' right='gl.DotOperandLayout(1, gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 64]), 16)' \
#   K=64 BLOCK=32 af='"e2m1"' bf='"e2m1"' kind='"cdna5"' --grid 1 --target hip:gfx1250
# EXPECT: c == 1
# RUN: scaled a='randint(-8, 9, (32, 64), gl.float8e4nv)' b='randint(0, 256, (32, 32), u8)' s='randint(125, 130, (32, 4), u8)' t='randint(125, 130, (32, 4), u8)' \
#   c='empty((32, 32), f32)' mma='gl.amd.AMDWMMALayout(3, False, [[0, 1], [1, 0]], instr_shape=[16, 16, 128])' left='gl.DotOperandLayout(0, gl.amd.AMDWMMALayout(3, False, [[0, 1], [1, 0]], instr_shape=[16, 16, 128]), 16)' right='gl.DotOperandLayout(1, gl.amd.AMDWMMALayout(3, False, [[0, 1], [1, 0]], instr_shape=[16, 16, 64]), 16)' \
#   K=64 BLOCK=16 af='"e4m3"' bf='"e2m1"' kind='"cdna5"' --grid 1 --target hip:gfx1250
# EXPECT: c == 1
# RUN: scaled a='randint(-8, 9, (32, 128), gl.float8e4nv)' b='randint(-8, 9, (128, 32), gl.float8e4nv)' s='randint(125, 130, (32, 4), u8)' t='randint(125, 130, (32, 4), u8)' \
#   c='empty((32, 32), f32)' mma='gl.amd.AMDMFMALayout(4, [16, 16, 128], True, [2, 2])' left='gl.DotOperandLayout(0, gl.amd.AMDMFMALayout(4, [16, 16, 128], True, [2, 2]), 16)' right='gl.DotOperandLayout(1, gl.amd.AMDMFMALayout(4, [16, 16, 128], True, [2, 2]), 16)' \
#   K=128 BLOCK=32 af='"e4m3"' bf='"e4m3"' kind='"cdna4"' --grid 1 --target hip:gfx950
# EXPECT: c == 1
# RUN: scaled a='randint(-8, 9, (32, 256), gl.float8e5)' b='randint(0, 256, (128, 32), u8)' s='randint(125, 130, (32, 8), u8)' t='randint(125, 130, (32, 8), u8)' \
#   c='empty((32, 32), f32)' mma='gl.amd.AMDMFMALayout(4, [16, 16, 128], False, [2, 2])' left='gl.DotOperandLayout(0, gl.amd.AMDMFMALayout(4, [16, 16, 128], False, [2, 2]), 16)' right='gl.DotOperandLayout(1, gl.amd.AMDMFMALayout(4, [16, 16, 128], False, [2, 2]), 16)' \
#   K=256 BLOCK=32 af='"e5m2"' bf='"e2m1"' kind='"cdna4"' --grid 1 --target hip:gfx950
# EXPECT: c == 1
# RUN: scaled a='randint(0, 256, (32, 256), u8)' b='randint(0, 256, (256, 32), u8)' s='randint(125, 130, (32, 16), u8)' t='randint(125, 130, (32, 16), u8)' \
#   c='empty((32, 32), f32)' mma='gl.amd.AMDMFMALayout(4, [32, 32, 64], True, [4, 1])' left='gl.DotOperandLayout(0, gl.amd.AMDMFMALayout(4, [32, 32, 64], True, [4, 1]), 16)' right='gl.DotOperandLayout(1, gl.amd.AMDMFMALayout(4, [32, 32, 64], True, [4, 1]), 16)' \
#   K=512 BLOCK=32 af='"e2m1"' bf='"e2m1"' kind='"cdna4"' --grid 1 --target hip:gfx950
# EXPECT: c == 1
# RUN: scaled a='randint(0, 256, (32, 64), u8)' b='randint(-8, 9, (128, 32), gl.float8e4nv)' s='randint(125, 130, (32, 4), u8)' t='randint(125, 130, (32, 4), u8)' \
#   c='empty((32, 32), f32)' mma='gl.amd.AMDMFMALayout(4, [32, 32, 64], False, [2, 2])' left='gl.DotOperandLayout(0, gl.amd.AMDMFMALayout(4, [32, 32, 64], False, [2, 2]), 16)' right='gl.DotOperandLayout(1, gl.amd.AMDMFMALayout(4, [32, 32, 64], False, [2, 2]), 16)' \
#   K=128 BLOCK=32 af='"e2m1"' bf='"e4m3"' kind='"cdna4"' --grid 1 --target hip:gfx950
# EXPECT: c == 1
# RUN: scaled a='randint(-8, 9, (32, 128), gl.float8e4nv)' b='randint(-8, 9, (128, 32), gl.float8e5)' s='randint(125, 130, (32, 4), u8)' t='randint(125, 130, (32, 4), u8)' \
#   c='empty((32, 32), f32)' mma='gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 128])' left='gl.DotOperandLayout(0, gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 128]), 16)' right='gl.DotOperandLayout(1, gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 128]), 16)' \
#   K=128 BLOCK=32 af='"e4m3"' bf='"e5m2"' kind='"cdna5"' --grid 1 --target hip:gfx1250
# EXPECT: c == 1
# Runs of 8 elements, which leave K in the blocks of its scales.
# RUN: scaled a='randint(-8, 9, (32, 128), gl.float8e4nv)' b='randint(-8, 9, (128, 32), gl.float8e5)' s='randint(125, 130, (32, 4), u8)' t='randint(125, 130, (32, 4), u8)' \
#   c='empty((32, 32), f32)' mma='gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 128])' left='gl.DotOperandLayout(0, gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 128]), 8)' right='gl.DotOperandLayout(1, gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 128]), 8)' \
#   K=128 BLOCK=32 af='"e4m3"' bf='"e5m2"' kind='"cdna5"' --grid 1 --target hip:gfx1250
# EXPECT: c == 1
# RUN: scaled a='randint(-8, 9, (32, 128), gl.float8e4nv)' b='randint(-8, 9, (128, 32), gl.float8e5)' s='randint(125, 130, (32, 4), u8)' t='randint(125, 130, (32, 4), u8)' \
#   c='empty((32, 32), f32)' mma='gl.amd.AMDWMMALayout(3, False, [[0, 1], [1, 0]], instr_shape=[16, 16, 128])' left='gl.DotOperandLayout(0, gl.amd.AMDWMMALayout(3, False, [[0, 1], [1, 0]], instr_shape=[16, 16, 128]), 8)' right='gl.DotOperandLayout(1, gl.amd.AMDWMMALayout(3, False, [[0, 1], [1, 0]], instr_shape=[16, 16, 128]), 8)' \
#   K=128 BLOCK=32 af='"e4m3"' bf='"e5m2"' kind='"cdna5"' --grid 1 --target hip:gfx1250
# EXPECT: c == 1
# RUN: scaled a='randint(0, 256, (32, 128), u8)' b='randint(0, 256, (128, 32), u8)' s='randint(125, 130, (32, 16), u8)' t='randint(125, 130, (32, 16), u8)' \
#   c='empty((32, 32), f32)' mma='gl.amd.AMDWMMALayout(3, False, [[0, 0], [0, 0]], [[0, 1], [1, 0]], instr_shape=[16, 16, 128])' left='gl.DotOperandLayout(0, gl.amd.AMDWMMALayout(3, False, [[0, 0], [0, 0]], [[0, 1], [1, 0]], instr_shape=[16, 16, 64]), 16)' right='gl.DotOperandLayout(1, gl.amd.AMDWMMALayout(3, False, [[0, 0], [0, 0]], [[0, 1], [1, 0]], instr_shape=[16, 16, 64]), 16)' \
#   K=256 BLOCK=16 af='"e2m1"' bf='"e2m1"' kind='"cdna5"' --grid 1 --target hip:gfx1250
# EXPECT: c == 1
# RUN: scaled a='randint(0, 256, (32, 128), u8)' b='randint(-8, 9, (256, 32), gl.float8e4nv)' s='randint(125, 130, (32, 8), u8)' t='randint(125, 130, (32, 8), u8)' \
#   c='empty((32, 32), f32)' mma='gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 128])' left='gl.DotOperandLayout(0, gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 64]), 16)' right='gl.DotOperandLayout(1, gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 128]), 16)' \
#   K=256 BLOCK=32 af='"e2m1"' bf='"e4m3"' kind='"cdna5"' --grid 1 --target hip:gfx1250
# EXPECT: c == 1
# RUN: scaled_alike a='randint(-8, 9, (32, 128), gl.float8e4nv)' b='randint(-8, 9, (128, 32), gl.float8e4nv)' c='empty((32, 32), f32)' one=129 mma='gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 128])' --grid 1 --target hip:gfx1250
# EXPECT: c == 4 * (a.to(f32) @ b.to(f32))
# All of K in one lane.
# RUN: scaled a='randint(0, 256, (32, 16), u8)' b='randint(0, 256, (16, 32), u8)' s='randint(125, 130, (32, 1), u8)' t='randint(125, 130, (32, 1), u8)' \
#   c='empty((32, 32), f32)' mma='gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 128])' left='gl.DotOperandLayout(0, gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 64]), 16)' right='gl.DotOperandLayout(1, gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 64]), 16)' \
#   K=32 BLOCK=32 af='"e2m1"' bf='"e2m1"' kind='"cdna5"' --grid 1 --target hip:gfx1250
# EXPECT: c == 1
# RUN: scaled a='randint(0, 256, (32, 16), u8)' b='randint(0, 256, (16, 32), u8)' s='randint(125, 130, (32, 2), u8)' t='randint(125, 130, (32, 2), u8)' \
#   c='empty((32, 32), f32)' mma='gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 128])' left='gl.DotOperandLayout(0, gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 64]), 16)' right='gl.DotOperandLayout(1, gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 64]), 16)' \
#   K=32 BLOCK=16 af='"e2m1"' bf='"e2m1"' kind='"cdna5"' --grid 1 --target hip:gfx1250
# EXPECT: c == 1
# Of two workgroups with half of the rows each, or half of the columns.
# RUN: clustered a='randint(-8, 9, (64, 128), gl.float8e4nv)' b='randint(-8, 9, (128, 64), gl.float8e4nv)' s='randint(125, 130, (64, 1), u8)' c='empty((64, 64), f32)' INDEX=0 --grid 1 --num-ctas 2 --target hip:gfx1250
# EXPECT: c == (a.to(f32) * 2.0 ** (s.to(f32) - 127)) @ b.to(f32)
# RUN: clustered a='randint(-8, 9, (64, 128), gl.float8e4nv)' b='randint(-8, 9, (128, 64), gl.float8e4nv)' s='randint(125, 130, (64, 1), u8)' c='empty((64, 64), f32)' INDEX=1 --grid 1 --num-ctas 2 --target hip:gfx1250
# EXPECT: c == (a.to(f32) @ b.to(f32)) * (2.0 ** (s.to(f32) - 127)).T
# Tiles of 32 x 16.
# RUN: scaled a='randint(0, 256, (32, 128), u8)' b='randint(0, 256, (128, 32), u8)' s='randint(125, 130, (32, 8), u8)' t='randint(125, 130, (32, 8), u8)' \
#   c='empty((32, 32), f32)' mma='gl.amd.AMDWMMALayout(3, False, [[0, 1], [0, 0]], instr_shape=[32, 16, 128])' left='gl.DotOperandLayout(0, gl.amd.AMDWMMALayout(3, False, [[0, 1], [0, 0]], instr_shape=[32, 16, 64]), 16)' right='gl.DotOperandLayout(1, gl.amd.AMDWMMALayout(3, False, [[0, 1], [0, 0]], instr_shape=[32, 16, 64]), 16)' \
#   K=256 BLOCK=32 af='"e2m1"' bf='"e2m1"' kind='"cdna5"' --grid 1 --target hip:gfx1250
# EXPECT: c == 1
# RUN: scaled a='randint(0, 256, (32, 128), u8)' b='randint(0, 256, (128, 32), u8)' s='randint(125, 130, (32, 16), u8)' t='randint(125, 130, (32, 16), u8)' \
#   c='empty((32, 32), f32)' mma='gl.amd.AMDWMMALayout(3, False, [[0, 1], [0, 0]], instr_shape=[32, 16, 128])' left='gl.DotOperandLayout(0, gl.amd.AMDWMMALayout(3, False, [[0, 1], [0, 0]], instr_shape=[32, 16, 64]), 16)' right='gl.DotOperandLayout(1, gl.amd.AMDWMMALayout(3, False, [[0, 1], [0, 0]], instr_shape=[32, 16, 64]), 16)' \
#   K=256 BLOCK=16 af='"e2m1"' bf='"e2m1"' kind='"cdna5"' --grid 1 --target hip:gfx1250
# EXPECT: c == 1
# RUN: scaled a='randint(0, 256, (32, 128), u8)' b='randint(0, 256, (128, 32), u8)' s='randint(125, 130, (32, 8), u8)' t='randint(125, 130, (32, 8), u8)' \
#   c='empty((32, 32), f32)' mma='gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[32, 16, 128])' left='gl.DotOperandLayout(0, gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[32, 16, 64]), 16)' right='gl.DotOperandLayout(1, gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[32, 16, 64]), 16)' \
#   K=256 BLOCK=32 af='"e2m1"' bf='"e2m1"' kind='"cdna5"' --grid 1 --target hip:gfx1250
# EXPECT: c == 1
# RUN: scaled a='randint(0, 256, (32, 128), u8)' b='randint(0, 256, (128, 32), u8)' s='randint(125, 130, (32, 16), u8)' t='randint(125, 130, (32, 16), u8)' \
#   c='empty((32, 32), f32)' mma='gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[32, 16, 128])' left='gl.DotOperandLayout(0, gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[32, 16, 64]), 16)' right='gl.DotOperandLayout(1, gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[32, 16, 64]), 16)' \
#   K=256 BLOCK=16 af='"e2m1"' bf='"e2m1"' kind='"cdna5"' --grid 1 --target hip:gfx1250
# EXPECT: c == 1
# Of three dims, beside a product of each.
# RUN: batches a='randint(0, 256, (4, 32, 128), u8)' b='randint(-8, 9, (4, 256, 32), gl.float8e4nv)' s='randint(125, 130, (4, 32, 8), u8)' t='randint(125, 130, (4, 32, 8), u8)' \
#   c='empty((4, 32, 32), f32)' d='empty((4, 32, 32), f32)' B=4 WAVES='[[1, 0, 0], [0, 1, 0]]' TRANSPOSED=False bf='"e4m3"' BLOCK=32 --grid 1 --target hip:gfx1250
# EXPECT: c == d
# RUN: batches a='randint(0, 256, (4, 32, 128), u8)' b='randint(0, 256, (4, 128, 32), u8)' s='randint(125, 130, (4, 32, 16), u8)' t='randint(125, 130, (4, 32, 16), u8)' \
#   c='empty((4, 32, 32), f32)' d='empty((4, 32, 32), f32)' B=4 WAVES='[[1, 0, 0], [0, 1, 0]]' TRANSPOSED=False bf='"e2m1"' BLOCK=16 --grid 1 --target hip:gfx1250
# EXPECT: c == d
# RUN: batches a='randint(0, 256, (4, 32, 128), u8)' b='randint(-8, 9, (4, 256, 32), gl.float8e4nv)' s='randint(125, 130, (4, 32, 8), u8)' t='randint(125, 130, (4, 32, 8), u8)' \
#   c='empty((4, 32, 32), f32)' d='empty((4, 32, 32), f32)' B=4 WAVES='[[0, 0, 1], [1, 0, 0]]' TRANSPOSED=True bf='"e4m3"' BLOCK=32 --grid 1 --target hip:gfx1250
# EXPECT: c == d
# RUN: batches a='randint(0, 256, (4, 32, 128), u8)' b='randint(0, 256, (4, 128, 32), u8)' s='randint(125, 130, (4, 32, 16), u8)' t='randint(125, 130, (4, 32, 16), u8)' \
#   c='empty((4, 32, 32), f32)' d='empty((4, 32, 32), f32)' B=4 WAVES='[[0, 0, 1], [1, 0, 0]]' TRANSPOSED=True bf='"e2m1"' BLOCK=16 --grid 1 --target hip:gfx1250
# EXPECT: c == d
# RUN: batches a='randint(0, 256, (2, 32, 128), u8)' b='randint(-8, 9, (2, 256, 32), gl.float8e4nv)' s='randint(125, 130, (2, 32, 8), u8)' t='randint(125, 130, (2, 32, 8), u8)' \
#   c='empty((2, 32, 32), f32)' d='empty((2, 32, 32), f32)' B=2 WAVES='[[0, 0, 1], [0, 1, 0]]' TRANSPOSED=True bf='"e4m3"' BLOCK=32 --grid 1 --target hip:gfx1250
# EXPECT: c == d
# RUN: upcast x='randint(0, 256, (32, 128), u8)' s='full((32, 8), 129, u8)' y='empty((32, 256), f32)' z='empty((32, 256), f32)' run=True --grid 1 --target hip:gfx942
# EXPECT: y == 4 * z
# RUN: upcast x='randint(0, 256, (32, 128), u8)' s='full((32, 8), 126, u8)' y='empty((32, 256), f32)' z='empty((32, 256), f32)' run=True --grid 1 --target hip:gfx950
# EXPECT: y == 0.5 * z
# RUN: roundtrip x='randint(0, 256, (32, 128), u8)' y='empty((32, 128), u8)' --grid 1 --target hip:gfx950
# EXPECT: where(y % 16 == 8, 0, y % 16) + where(y // 16 == 8, 0, y // 16) == where(x % 16 == 8, 0, x % 16) + where(x // 16 == 8, 0, x // 16)
# RUN: saturate y='empty((32, 256), f32)' --grid 1 --target hip:gfx950
# EXPECT: y == 448
# Eight at once on gfx1250: scales that all lanes share along K, one for each number (those of one lane differ in the last case,
# so that no instruction for eight does), and in both halves of a wave.
# RUN: upcast_eights x='randint(-8, 9, (32, 64), gl.float8e4nv)' s='randint(120, 131, (32, 1), u8)' t='full((1, 64), 0, u8)' y='empty((32, 64), f32)' shared=True --grid 1 --target hip:gfx1250
# EXPECT: y == x.to(f32) * 2.0 ** (s.to(f32) - 127)
# RUN: upcast_eights x='randint(-8, 9, (32, 64), gl.float8e4nv)' s='randint(120, 131, (32, 1), u8)' t='full((1, 64), 0, u8)' y='empty((32, 64), f32)' shared=False --grid 1 --target hip:gfx1250
# EXPECT: y == x.to(f32) * 2.0 ** (s.to(f32) - 127)
# RUN: upcast_eights x='randint(-8, 9, (32, 64), gl.float8e4nv)' s='randint(120, 131, (32, 1), u8)' t='randint(0, 3, (1, 64), u8)' y='empty((32, 64), f32)' shared=False --grid 1 --target hip:gfx1250
# EXPECT: y == x.to(f32) * 2.0 ** (s.to(f32) + t.to(f32) - 127)
# RUN: upcast_eights x='randint(-8, 9, (32, 64), gl.float8e5)' s='randint(120, 131, (32, 1), u8)' t='full((1, 64), 0, u8)' y='empty((32, 64), f32)' shared=True --grid 1 --target hip:gfx1250
# EXPECT: y == x.to(f32) * 2.0 ** (s.to(f32) - 127)
# RUN: upcast_eights x='randint(-8, 9, (32, 64), gl.float8e5)' s='randint(120, 131, (32, 1), u8)' t='full((1, 64), 0, u8)' y='empty((32, 64), f32)' shared=False --grid 1 --target hip:gfx1250
# EXPECT: y == x.to(f32) * 2.0 ** (s.to(f32) - 127)
# RUN: upcast_eights x='randint(-8, 9, (32, 64), gl.float8e5)' s='randint(120, 131, (32, 1), u8)' t='randint(0, 3, (1, 64), u8)' y='empty((32, 64), f32)' shared=False --grid 1 --target hip:gfx1250
# EXPECT: y == x.to(f32) * 2.0 ** (s.to(f32) + t.to(f32) - 127)
# RUN: upcast_pairs x='randint(0, 256, (32, 128), u8)' s='randint(120, 131, (32, 8), u8)' y='empty((32, 256), f32)' z='empty((32, 256), f32)' --grid 1 --target hip:gfx1250
# EXPECT: y == z
# RUN: downcast_eights x='randn((32, 64), f32)' s='randint(120, 124, (32, 8), u8)' y='empty((32, 64), f32)' z='empty((32, 64), f32)' wide='gl.float32' big=1.0 --grid 1 --target hip:gfx1250
# EXPECT: y == z
# RUN: downcast_eights x='randn((32, 64), f32)' s='randint(120, 124, (32, 8), u8)' y='empty((32, 64), f32)' z='empty((32, 64), f32)' wide='gl.float16' big=40.0 --grid 1 --target hip:gfx1250
# EXPECT: y == z
# RUN: downcast_eights x='randn((32, 64), f32)' s='randint(0, 2, (32, 8), u8)' y='empty((32, 64), f32)' z='empty((32, 64), f32)' wide='gl.bfloat16' big=1e-36 --grid 1 --target hip:gfx1250
# EXPECT: y == z
# RUN: downcast_ends y='empty((32, 64), f32)' value='float("inf")' scale=254 format='"e4m3"' --grid 1 --target hip:gfx1250
# EXPECT: y == 448
# RUN: downcast_ends y='empty((32, 64), f32)' value=1e5 scale=127 format='"e5m2"' --grid 1 --target hip:gfx1250
# EXPECT: y == 57344
# Factors of f16 and f32, products in bf16.
# RUN: mixed x='randn(128, f16)' s='randn(128, f32)' y='empty(128, bf16)' --grid 1 --target hip:gfx1250
# EXPECT: y == (x.to(f32) * s).to(bf16)
# RUN: half x='randn((64, 64), f32)' y='empty((32, 32), f32)' --grid 1 --target hip:gfx942
# EXPECT: y == x[32:64, 0:32]
# RUN: stages x='randint(-9, 9, 256, i32)' y='empty(64, i32)' --grid 1 --target hip:gfx950
# EXPECT: y == x[0:64] + x[64:128] + x[128:192] + x[192:256]
# RUN: repack x='randint(0, 255, (32, 64), u8)' y='empty((64, 32), u8)' order='[1, 0]' index=0 --grid 1 --target hip:gfx950
# EXPECT: all((y[0:64:2, :] & 15) == (x[:, 0:64:2] & 15)) & all((y[0:64:2, :] // 16) == (x[:, 1:64:2] & 15))
# RUN: repack x='randint(0, 255, (32, 64), u8)' y='empty((64, 32), u8)' order='[0, 1]' index=0 --grid 1 --target hip:gfx950
# EXPECT: all((y[0:64:2, :] & 15) == (x[:, 0:64:2] & 15)) & all((y[0:64:2, :] // 16) == (x[:, 1:64:2] & 15))
# RUN: repack x='randint(0, 255, (32, 64), u8)' y='empty((64, 32), u8)' order='[1, 0]' index=0 --grid 1 --target hip:gfx950
# EXPECT: all((y[1:64:2, :] & 15) == (x[:, 0:64:2] // 16)) & all((y[1:64:2, :] // 16) == (x[:, 1:64:2] // 16))
# RUN: repack x='randint(0, 255, (32, 64), u8)' y='empty((64, 32), u8)' order='[0, 1]' index=0 --grid 1 --target hip:gfx950
# EXPECT: all((y[1:64:2, :] & 15) == (x[:, 0:64:2] // 16)) & all((y[1:64:2, :] // 16) == (x[:, 1:64:2] // 16))
# RUN: repack x='randint(0, 255, (64, 32), u8)' y='empty((32, 64), u8)' order='[1, 0]' index=1 --grid 1 --target hip:gfx1250
# EXPECT: all((y[:, 0:64:2] & 15) == (x[0:64:2, :] & 15)) & all((y[:, 0:64:2] // 16) == (x[1:64:2, :] & 15))
# RUN: repack x='randint(0, 255, (64, 32), u8)' y='empty((32, 64), u8)' order='[0, 1]' index=1 --grid 1 --target hip:gfx1250
# EXPECT: all((y[:, 0:64:2] & 15) == (x[0:64:2, :] & 15)) & all((y[:, 0:64:2] // 16) == (x[1:64:2, :] & 15))
# RUN: repack x='randint(0, 255, (64, 32), u8)' y='empty((32, 64), u8)' order='[1, 0]' index=1 --grid 1 --target hip:gfx1250
# EXPECT: all((y[:, 1:64:2] & 15) == (x[0:64:2, :] // 16)) & all((y[:, 1:64:2] // 16) == (x[1:64:2, :] // 16))
# From padded pieces of two partitions.
# RUN: repack x='randint(0, 255, (64, 32), u8)' y='empty((32, 64), u8)' order='[1, 0]' index=1 pieces=True --grid 1 --target hip:gfx1250
# EXPECT: all((y[:, 0:64:2] & 15) == (x[0:64:2, :] & 15)) & all((y[:, 0:64:2] // 16) == (x[1:64:2, :] & 15))
# RUN: repack x='randint(0, 255, (64, 32), u8)' y='empty((32, 64), u8)' order='[1, 0]' index=1 pieces=True --grid 1 --target hip:gfx1250
# EXPECT: all((y[:, 1:64:2] & 15) == (x[0:64:2, :] // 16)) & all((y[:, 1:64:2] // 16) == (x[1:64:2, :] // 16))
# RUN: repack x='randint(0, 255, (64, 32), u8)' y='empty((32, 64), u8)' order='[0, 1]' index=1 --grid 1 --target hip:gfx1250
# EXPECT: all((y[:, 1:64:2] & 15) == (x[0:64:2, :] // 16)) & all((y[:, 1:64:2] // 16) == (x[1:64:2, :] // 16))

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import cdna3, cdna4, cdna5


@gluon.jit
def at(M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    return rows[:, None] * N + columns[None, :]


@gluon.jit
def upcast(x, s, y, z, run: gl.constexpr):
    pairs: gl.constexpr = gl.BlockedLayout([1, 16], [8, 8], [4, 1], [1, 0])
    wide: gl.constexpr = gl.BlockedLayout([1, 32], [8, 8], [4, 1], [1, 0])
    data = gl.load(x + at(32, 128, pairs))
    scale: gl.constexpr = cdna3.get_scaled_upcast_fp4_scale_layout(data, 32, gl.bfloat16, 1)
    out = cdna3.scaled_upcast(data, gl.load(s + at(32, 8, scale)), gl.bfloat16, axis=1)
    gl.store(y + at(32, 256, wide), out.to(gl.float32))
    gl.store(z + at(32, 256, wide), gl.fp4_to_fp(data, gl.bfloat16, axis=1).to(gl.float32))


@gluon.jit
def roundtrip(x, y):
    pairs: gl.constexpr = gl.BlockedLayout([1, 16], [8, 8], [4, 1], [1, 0])
    data = gl.load(x + at(32, 128, pairs))
    scale: gl.constexpr = cdna4.get_scaled_upcast_fp4_scale_layout(data, 32, gl.float16, 1)
    s = gl.full([32, 8], 130, gl.uint8, scale)
    gl.store(y + at(32, 128, pairs), cdna4.scaled_downcast(cdna4.scaled_upcast(data, s, gl.float16, 1), s, "e2m1"))


@gluon.jit
def saturate(y):
    wide: gl.constexpr = gl.BlockedLayout([1, 32], [8, 8], [4, 1], [1, 0])
    one: gl.constexpr = gl.BlockedLayout([1, 1], [8, 8], [4, 1], [1, 0])
    big = gl.full([32, 256], 1e5, gl.float32, wide)
    gl.store(y + at(32, 256, wide), cdna4.scaled_downcast(big, gl.full([32, 8], 127, gl.uint8, one), "e4m3").to(gl.float32))


@gluon.jit
def upcast_eights(x, s, t, y, shared: gl.constexpr):
    # Lanes that are 16 apart hold the same, or other rows.
    apart: gl.constexpr = [0, 0] if shared else [16, 0]
    warp: gl.constexpr = [16, 0] if shared else [0, 0]
    own: gl.constexpr = gl.DistributedLinearLayout([[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], [[1, 0], [2, 0], [4, 0], [8, 0], apart], [warp, [0, 0]], [], [32, 64])
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, own))
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, own))
    scale = gl.load(s + rows)[:, None] + gl.load(t + columns)[None, :]
    data = gl.load(x + at(32, 64, own))
    gl.store(y + at(32, 64, own), cdna5.scaled_upcast(data, scale, gl.bfloat16).to(gl.float32))


@gluon.jit
def upcast_pairs(x, s, y, z):
    pairs: gl.constexpr = gl.BlockedLayout([1, 16], [4, 8], [4, 1], [1, 0])
    wide: gl.constexpr = gl.BlockedLayout([1, 32], [4, 8], [4, 1], [1, 0])
    data = gl.load(x + at(32, 128, pairs))
    compact: gl.constexpr = cdna5.get_scaled_upcast_fp4_scale_layout(data, 32, gl.bfloat16, 1)
    scale = gl.load(s + at(32, 8, compact))
    gl.store(y + at(32, 256, wide), cdna5.scaled_upcast(data, scale, gl.bfloat16, axis=1).to(gl.float32))
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, wide))
    columns = gl.arange(0, 256, layout=gl.SliceLayout(0, wide))
    power = gl.exp2(gl.load(s + rows[:, None] * 8 + columns[None, :] // 32).to(gl.float32) - 127)
    gl.store(z + at(32, 256, wide), gl.fp4_to_fp(data, gl.bfloat16, axis=1).to(gl.float32) * power)


@gluon.jit
def downcast_eights(x, s, y, z, wide: gl.constexpr, big: gl.constexpr):
    own: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    one: gl.constexpr = gl.BlockedLayout([1, 1], [4, 8], [4, 1], [1, 0])
    data = (gl.load(x + at(32, 64, own)) * big).to(wide)
    scale = gl.load(s + at(32, 8, one))
    gl.store(y + at(32, 64, own), cdna5.scaled_downcast(data, scale, "e4m3", axis=1).to(gl.float32))
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, own))
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, own))
    exponent = gl.load(s + rows[:, None] * 8 + columns[None, :] // 8).to(gl.float32) - 127
    quotient = data.to(gl.float32) * gl.exp2(-exponent)
    gl.store(z + at(32, 64, own), gl.minimum(gl.maximum(quotient, -448.0), 448.0).to(gl.float8e4nv).to(gl.float32))


@gluon.jit
def downcast_ends(y, value: gl.constexpr, scale: gl.constexpr, format: gl.constexpr):
    own: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    one: gl.constexpr = gl.BlockedLayout([1, 1], [4, 8], [4, 1], [1, 0])
    data = gl.full([32, 64], value, gl.float32, own)
    gl.store(y + at(32, 64, own), cdna5.scaled_downcast(data, gl.full([32, 8], scale, gl.uint8, one), format, axis=1).to(gl.float32))


@gluon.jit
def mixed(x, s, y):
    # One element in each thread, so that no two are multiplied at once.
    own: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    i = gl.arange(0, 128, layout=own)
    gl.store(y + i, (gl.load(x + i).to(gl.float32) * gl.load(s + i)).to(gl.bfloat16))


@gluon.jit
def half(x, y):
    tile: gl.constexpr = gl.BlockedLayout([1, 4], [8, 8], [4, 1], [1, 0])
    part = gl.amd.slice(gl.load(x + at(64, 64, tile)), [32, 32], [32, 0])
    gl.store(y + at(32, 32, tile), part)


@gluon.jit
def stages(x, y):
    line: gl.constexpr = gl.BlockedLayout([1], [64], [4], [0])
    i = gl.arange(0, 64, layout=line)
    total = gl.zeros_like(i)
    for k in range(4):
        with gl.amd.warp_pipeline_stage("load", priority=1):
            part = gl.load(x + k * 64 + i)
        with gl.amd.warp_pipeline_stage("sum"):
            total += part
        gl.amd.hint.sched_barrier()
    gl.store(y + i, total)


@gluon.jit
def every(scale, COUNT: gl.constexpr, LANES: gl.constexpr):
    """Each scale COUNT times, as a number: [M, K / COUNT] to [M, K]."""
    x = gl.exp2(gl.convert_layout(scale, gl.BlockedLayout([1, 1], [LANES // 4, 4], [4, 1], [1, 0])).to(gl.float32) - 127)
    for _ in gl.static_range(gl.constexpr(COUNT.bit_length() - 1)):
        x = gl.reshape(gl.join(x, x), [x.shape[0], 2 * x.shape[1]])
    return x


@gluon.jit
def numbers(x, is_packed: gl.constexpr):
    if is_packed:
        x = gl.fp4_to_fp(x, gl.bfloat16, axis=1)
    return x.to(gl.float32)


@gluon.jit
def scaled(a, b, s, t, c, mma: gl.constexpr, left: gl.constexpr, right: gl.constexpr, K: gl.constexpr, BLOCK: gl.constexpr,
           af: gl.constexpr, bf: gl.constexpr, kind: gl.constexpr):
    """A product with scales against one, element by element, of numbers that were scaled before."""
    LANES: gl.constexpr = 64 if kind == "cdna4" else 32
    plain: gl.constexpr = gl.BlockedLayout([1, 4], [LANES // 16, 16], [4, 1], [1, 0])
    ka: gl.constexpr = K // 2 if af == "e2m1" else K
    kb: gl.constexpr = K // 2 if bf == "e2m1" else K
    x = gl.load(a + at(32, ka, plain))
    y = gl.load(b + at(kb, 32, plain))
    zero = gl.zeros([32, 32], gl.float32, mma)
    if kind == "cdna4":
        sx = gl.load(s + at(32, K // BLOCK, cdna4.get_mfma_scale_layout(left, [32, K // BLOCK])))
        sy = gl.load(t + at(32, K // BLOCK, cdna4.get_mfma_scale_layout(right, [32, K // BLOCK])))
        out = cdna4.mfma_scaled(gl.convert_layout(x, left), sx, af, gl.convert_layout(y, right), sy, bf, zero)
    else:
        sx = gl.load(s + at(32, K // BLOCK, cdna5.get_wmma_scale_layout(left, [32, K // BLOCK], BLOCK)))
        sy = gl.load(t + at(32, K // BLOCK, cdna5.get_wmma_scale_layout(right, [32, K // BLOCK], BLOCK)))
        out = cdna5.wmma_scaled(gl.convert_layout(x, left), sx, af, gl.convert_layout(y, right), sy, bf, zero)
    fx = gl.convert_layout(numbers(x, af == "e2m1"), plain) * gl.convert_layout(every(sx, BLOCK, LANES), plain)
    fy = gl.convert_layout(numbers(gl.convert_layout(gl.permute(y, [1, 0]), plain), bf == "e2m1"), plain)
    fy = gl.permute(fy * gl.convert_layout(every(sy, BLOCK, LANES), plain), [1, 0])
    sums: gl.constexpr = gl.BlockedLayout([2, 2], [LANES // 8, 8], [4, 1], [1, 0])
    ref = gl.dot_fma(gl.convert_layout(fx, gl.DotOperandLayout(0, sums, 0)),
                     gl.convert_layout(fy, gl.DotOperandLayout(1, sums, 0)), gl.zeros([32, 32], gl.float32, sums))
    same = gl.convert_layout(out, plain) == gl.convert_layout(ref, plain)
    gl.store(c + at(32, 32, plain), same.to(gl.float32))


@gluon.jit
def scaled_alike(a, b, c, one, mma: gl.constexpr):
    """One scale for all of an operand, a number of the launch: 2 to the power of `one` - 127."""
    plain: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    x = gl.convert_layout(gl.load(a + at(32, 128, plain)), gl.DotOperandLayout(0, mma, 16))
    y = gl.convert_layout(gl.load(b + at(128, 32, plain)), gl.DotOperandLayout(1, mma, 16))
    zero = gl.zeros([32, 32], gl.float32, mma)
    twice = cdna5.wmma_scaled(x, one, "e4m3", y, None, "e4m3", zero)
    gl.store(c + at(32, 32, mma), twice)


@gluon.jit
def clustered(a, b, s, c, INDEX: gl.constexpr):
    """Operand INDEX has scales, one for each of its lines, and is split over a cluster."""
    rows: gl.constexpr = [[1, 0]]
    columns: gl.constexpr = [[0, 1]]
    none: gl.constexpr = [[0, 0]]
    waves: gl.constexpr = [[0, 1], [1, 0]]
    mma: gl.constexpr = gl.amd.AMDWMMALayout(3, True, waves, [], [16, 16, 128], rows if INDEX == 0 else columns)
    first: gl.constexpr = gl.amd.AMDWMMALayout(3, True, waves, [], [16, 16, 128], rows if INDEX == 0 else none)
    second: gl.constexpr = gl.amd.AMDWMMALayout(3, True, waves, [], [16, 16, 128], none if INDEX == 0 else columns)
    # Along the lines and K of scales.
    along: gl.constexpr = gl.amd.AMDWMMALayout(3, True, waves, [], [16, 16, 128], rows)
    x = gl.load(a + at(64, 128, gl.DotOperandLayout(0, first, 16)))
    y = gl.load(b + at(128, 64, gl.DotOperandLayout(1, second, 16)))
    scale: gl.constexpr = cdna5.get_wmma_scale_layout(gl.DotOperandLayout(INDEX, along, 16), [64, 4])
    line = gl.arange(0, 64, layout=gl.SliceLayout(1, scale))[:, None] + 0 * gl.arange(0, 4, layout=gl.SliceLayout(0, scale))[None, :]
    zero = gl.zeros([64, 64], gl.float32, mma)
    if INDEX == 0:
        out = cdna5.wmma_scaled(x, gl.load(s + line), "e4m3", y, None, "e4m3", zero)
    else:
        out = cdna5.wmma_scaled(x, None, "e4m3", y, gl.load(s + line), "e4m3", zero)
    gl.store(c + at(64, 64, mma), out)


@gluon.jit
def in_batches(B: gl.constexpr, M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    batches = gl.arange(0, B, layout=gl.SliceLayout(1, gl.SliceLayout(2, layout)))
    rows = gl.arange(0, M, layout=gl.SliceLayout(0, gl.SliceLayout(2, layout)))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, gl.SliceLayout(1, layout)))
    return batches[:, None, None] * (M * N) + rows[None, :, None] * N + columns[None, None, :]


@gluon.jit
def batches(a, b, s, t, c, d, B: gl.constexpr, WAVES: gl.constexpr, TRANSPOSED: gl.constexpr, bf: gl.constexpr,
            BLOCK: gl.constexpr):
    """A product of three dims with scales, and one of two dims for each of the first."""
    K: gl.constexpr = 128 if bf == "e4m3" else 64
    ROWS: gl.constexpr = 2 * K
    COUNT: gl.constexpr = 256 // BLOCK
    mma: gl.constexpr = gl.amd.AMDWMMALayout(3, TRANSPOSED, WAVES, [], [16, 16, 128], None, 3)
    left: gl.constexpr = gl.DotOperandLayout(0, gl.amd.AMDWMMALayout(3, TRANSPOSED, WAVES, [], [16, 16, 64], None, 3), 16)
    right: gl.constexpr = gl.DotOperandLayout(1, gl.amd.AMDWMMALayout(3, TRANSPOSED, WAVES, [], [16, 16, K], None, 3), 16)
    sx = gl.load(s + in_batches(B, 32, COUNT, cdna5.get_wmma_scale_layout(left, [B, 32, COUNT], BLOCK)))
    sy = gl.load(t + in_batches(B, 32, COUNT, cdna5.get_wmma_scale_layout(right, [B, 32, COUNT], BLOCK)))
    x = gl.load(a + in_batches(B, 32, 128, left))
    y = gl.load(b + in_batches(B, ROWS, 32, right))
    zero = gl.zeros([B, 32, 32], gl.float32, mma)
    gl.store(c + in_batches(B, 32, 32, mma), cdna5.wmma_scaled(x, sx, "e2m1", y, sy, bf, zero))
    flat: gl.constexpr = gl.amd.AMDWMMALayout(3, TRANSPOSED, [[0, 1], [1, 0]], instr_shape=[16, 16, 128])
    first: gl.constexpr = gl.DotOperandLayout(0, gl.amd.AMDWMMALayout(3, TRANSPOSED, [[0, 1], [1, 0]], instr_shape=[16, 16, 64]), 16)
    second: gl.constexpr = gl.DotOperandLayout(1, gl.amd.AMDWMMALayout(3, TRANSPOSED, [[0, 1], [1, 0]], instr_shape=[16, 16, K]), 16)
    for i in range(B):
        u = gl.load(s + i * 32 * COUNT + at(32, COUNT, cdna5.get_wmma_scale_layout(first, [32, COUNT], BLOCK)))
        v = gl.load(t + i * 32 * COUNT + at(32, COUNT, cdna5.get_wmma_scale_layout(second, [32, COUNT], BLOCK)))
        one = gl.load(a + i * 32 * 128 + at(32, 128, first))
        other = gl.load(b + i * ROWS * 32 + at(ROWS, 32, second))
        part = cdna5.wmma_scaled(one, u, "e2m1", other, v, bf, gl.zeros([32, 32], gl.float32, flat))
        gl.store(d + i * 32 * 32 + at(32, 32, flat), part)


@gluon.jit
def repack(x, y, order: gl.constexpr, index: gl.constexpr, pieces: gl.constexpr = False):
    """Bytes of neighbours along M or N become bytes of neighbours along K."""
    if index == 0:
        mma: gl.constexpr = gl.amd.AMDMFMALayout(4, [16, 16, 128], True, [2, 2])
        tile: gl.constexpr = gl.BlockedLayout([1, 4], [4, 16], [4, 1], [1, 0])
    else:
        mma: gl.constexpr = gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 64])
        tile: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    rows: gl.constexpr = 64 if index else 32
    cols: gl.constexpr = 32 if index else 64
    r = gl.arange(0, rows, layout=gl.SliceLayout(1, tile))
    c = gl.arange(0, cols, layout=gl.SliceLayout(0, tile))
    plain: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, order)
    padded: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[32, 16]], [rows // 4, cols], order)
    cut: gl.constexpr = cdna5.PartitionedSharedLayout(2, 2, 0, padded)
    smem = gl.allocate_shared_memory(gl.uint8, [rows, cols], cut if pieces else plain)
    smem.store(gl.load(x + r[:, None] * cols + c[None, :]))
    if index == 0:
        z = cdna4.load_shared_fp4_repacked(smem, gl.DotOperandLayout(0, mma, 16))
    else:
        z = cdna5.load_shared_fp4_repacked(smem, gl.DotOperandLayout(1, mma, 16))
    z = gl.convert_layout(z, tile)
    i = gl.arange(0, cols, layout=gl.SliceLayout(1, tile))
    j = gl.arange(0, rows, layout=gl.SliceLayout(0, tile))
    gl.store(y + i[:, None] * rows + j[None, :], z)
