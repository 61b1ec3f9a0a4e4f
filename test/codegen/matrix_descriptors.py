"""Filters PTX: each constant that is a matrix descriptor of wgmma is replaced by its fields.

    or.b64 %rd1, %rd2, 4611686293305294848;
    or.b64 %rd1, %rd2, {address 0, leading 0, stride 1024, swizzle 128};

Bytes throughout. The fields are those of the PTX ISA, "Matrix-descriptor format" of wgmma.
"""

import re
import sys

SWIZZLES = {1: 128, 2: 64, 3: 32}
SIXTEEN_BYTES = 14  # bits of a field that counts in units of 16 bytes


def fields(match):
    bits = int(match[0])
    swizzle = SWIZZLES.get(bits >> 62)
    if not swizzle:
        return match[0]
    address, leading, stride = (bits >> first & (1 << SIXTEEN_BYTES) - 1 for first in (0, 16, 32))
    return f"{{address {16 * address}, leading {16 * leading}, stride {16 * stride}, swizzle {swizzle}}}"


for line in sys.stdin:
    sys.stdout.write(re.sub(r"\b\d{19,20}\b", fields, line))
