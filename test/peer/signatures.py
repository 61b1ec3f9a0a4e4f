"""What the RUN lines of test/exec mean for a compilation without data."""

import re

TYPES = {"f64": "fp64", "f32": "fp32", "f16": "fp16", "bf16": "bf16", "i1": "i1", "i8": "i8", "u8": "u8", "i16": "i16",
         "u16": "u16", "i32": "i32", "u32": "u32", "i64": "i64", "u64": "u64", "gl.float8e4nv": "fp8e4nv",
         "gl.float8e5": "fp8e5"}
TENSOR = re.compile(r"[a-z]+\(.*, ([\w.]+)\)")


def signature(arguments):
    """The arguments of `gluonc compile` for those of `gluonc run`."""
    words, options, position = [], [], 0
    while position < len(arguments):
        word = arguments[position]
        if word.startswith("--"):
            if word in ("--num-warps", "--num-ctas"):
                options += arguments[position:position + 2]
            position += 2
            continue
        name, value = word.split("=", 1)
        if match := TENSOR.fullmatch(value):
            value = "*" + TYPES[match[1]] + ":16"
        elif name in ("n", "on"):
            value = "i32"
        words.append(f"{name}={value}")
        position += 1
    return words + options
