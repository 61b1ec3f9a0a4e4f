"""dtypes of the language as Python values: gl.float32, gl.pointer_type(gl.int8)."""

import re


class dtype:
    """A scalar type. `name` is its name in signatures ("fp32"); one object per name."""

    __slots__ = ("name",)
    _all = {}

    def __new__(cls, name):
        found = cls._all.get(name)
        if found is None:
            raise ValueError(f"no dtype is called {name!r}")
        return found

    @classmethod
    def _define(cls, name, attribute):
        made = object.__new__(cls)
        made.name = name
        cls._all[name] = made
        _ATTRIBUTES[name] = attribute
        return made

    def __repr__(self):
        return self.name

    def __gluonc_source__(self):
        return "gl." + _ATTRIBUTES[self.name]

    def __reduce__(self):
        return dtype, (self.name,)

    def __call__(self, value):
        raise RuntimeError(f"{_ATTRIBUTES[self.name]}(...) converts values in kernels only")

    @property
    def primitive_bitwidth(self):
        if self.name == "int1":
            return 1
        return int(re.match(r"[a-z]+(\d+)", self.name).group(1))

    @property
    def itemsize(self):
        return max(1, self.primitive_bitwidth // 8)

    @property
    def signature(self):
        """As signatures spell it: int32 is "i32", uint8 is "u8", int1 is "u1"."""
        if self.name == "int1":
            return "u1"
        return self.name.replace("uint", "u").replace("int", "i")

    scalar = property(lambda self: self)

    def is_floating(self):
        return self.name.startswith(("fp", "bf"))

    def is_int(self):
        return not self.is_floating()

    def is_int_signed(self):
        return self.name.startswith("int")

    def is_int_unsigned(self):
        return self.name.startswith("uint")

    def is_bool(self):
        return self.name == "int1"

    def is_ptr(self):
        return False

    def is_block(self):
        return False


_ATTRIBUTES = {}


class pointer_type:
    """A pointer to values of `element_ty`."""

    __slots__ = ("element_ty", "address_space", "const")

    def __init__(self, element_ty, address_space=1, const=False):
        self.element_ty, self.address_space, self.const = element_ty, address_space, const

    def __repr__(self):
        return f"pointer<{self.element_ty!r}>"

    def __eq__(self, other):
        return isinstance(other, pointer_type) and self.signature == other.signature

    def __hash__(self):
        return hash(self.signature)

    def __gluonc_source__(self):
        return f"gl.pointer_type({self.element_ty.__gluonc_source__()})"

    signature = property(lambda self: f"*{'k' * self.const}{self.element_ty.signature}")

    def is_ptr(self):
        return True


int1 = dtype._define("int1", "int1")
int8 = dtype._define("int8", "int8")
int16 = dtype._define("int16", "int16")
int32 = dtype._define("int32", "int32")
int64 = dtype._define("int64", "int64")
uint8 = dtype._define("uint8", "uint8")
uint16 = dtype._define("uint16", "uint16")
uint32 = dtype._define("uint32", "uint32")
uint64 = dtype._define("uint64", "uint64")
float8e5 = dtype._define("fp8e5", "float8e5")
float8e5b16 = dtype._define("fp8e5b16", "float8e5b16")
float8e4nv = dtype._define("fp8e4nv", "float8e4nv")
float8e4b8 = dtype._define("fp8e4b8", "float8e4b8")
float8e4b15 = dtype._define("fp8e4b15", "float8e4b15")
float16 = dtype._define("fp16", "float16")
bfloat16 = dtype._define("bf16", "bfloat16")
float32 = dtype._define("fp32", "float32")
float64 = dtype._define("fp64", "float64")
