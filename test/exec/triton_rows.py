"""Rows by number, through descriptors that the host makes: by the copy engine of Blackwell."""

# RUN: copy_rows x='randn((64, 32), f32)' src='TensorDescriptor.from_tensor(x, [1, 32])' y='zeros((64, 32), f32)' \
#   dst='TensorDescriptor.from_tensor(y, [1, 32])' START=0 ROWS=32 --grid 2 --target cuda:100a
# EXPECT: all(y[0:32, :] == x[0:64:2, :]) & all(y[32:64, :] == x[1:64:2, :])
# RUN: copy_rows x='randn((64, 64), f16)' src='TensorDescriptor.from_tensor(x, [1, 64])' y='zeros((64, 64), f16)' \
#   dst='TensorDescriptor.from_tensor(y, [1, 64])' START=0 ROWS=32 --grid 2 --num-warps 8 --target cuda:100a
# EXPECT: all(y[0:32, :] == x[0:64:2, :]) & all(y[32:64, :] == x[1:64:2, :])
# RUN: copy_rows x='randint(0, 99, (64, 64), u8)' src='TensorDescriptor.from_tensor(x, [1, 32])' y='zeros((64, 64), u8)' \
#   dst='TensorDescriptor.from_tensor(y, [1, 32])' START=32 ROWS=32 --grid 2 --num-warps 1 --target cuda:100a
# EXPECT: all(y[0:32, 32:64] == x[0:64:2, 32:64]) & all(y[32:64, 32:64] == x[1:64:2, 32:64]) & all(y[:, 0:32] == 0)
# RUN: copy_rows x='randn((60, 32), f32)' src='TensorDescriptor.from_tensor(x, [1, 32])' y='zeros((64, 32), f32)' \
#   dst='TensorDescriptor.from_tensor(y, [1, 32])' START=0 ROWS=32 --grid 2 --target cuda:100a
# EXPECT: all(y[0:30, :] == x[0:60:2, :]) & all(y[30:32, :] == 0) & all(y[32:62, :] == x[1:60:2, :])

# What is stored is read again.
# RUN: there_and_back x='randn((32, 32), f32)' d='TensorDescriptor.from_tensor(x, [1, 32])' y='zeros((32, 32), f32)' \
#   e='TensorDescriptor.from_tensor(y, [1, 32])' z='empty((32, 32), f32)' --target cuda:100a
# EXPECT: all(z == x) & all(y[::-1, :] == x)

# By threads on chips without it.
# RUN: copy_rows x='randn((64, 8), f16)' src='TensorDescriptor.from_tensor(x, [1, 8])' y='zeros((64, 8), f16)' \
#   dst='TensorDescriptor.from_tensor(y, [1, 8])' START=0 ROWS=32 --grid 2 --target cuda:80
# EXPECT: all(y[0:32, :] == x[0:64:2, :]) & all(y[32:64, :] == x[1:64:2, :])

import triton
import triton.language as tl


@triton.jit
def copy_rows(src, dst, START: tl.constexpr, ROWS: tl.constexpr):
    number = tl.program_id(0)
    at = tl.arange(0, ROWS)
    dst.scatter(src.gather(2 * at + number, START), number * ROWS + at, START)


@triton.jit
def there_and_back(d, e, y, z):
    at = tl.arange(0, 32)
    e.scatter(d.gather(at, 0), 31 - at, 0)
    place = at[:, None] * 32 + at[None, :]
    tl.store(z + place, tl.load(y + (31 - at)[:, None] * 32 + at[None, :]))
