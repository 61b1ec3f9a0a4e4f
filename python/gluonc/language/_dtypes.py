"""dtypes of the language as Python values: gl.float32, gl.pointer_type(gl.int8)."""

from gluonc import _native


_MANTISSA_BITS = {"fp8e5": 2, "fp8e5b16": 2, "fp8e4nv": 3, "fp8e4b8": 3, "fp8e4b15": 3, "fp16": 10,
                  "bf16": 7, "fp32": 23, "fp64": 52}
# Where it does not follow from the number of bits.
_BIASES = {"fp8e5b16": 16, "fp8e4b8": 8, "fp8e4b15": 15}


class dtype:
    """A scalar type. `name` is its name in signatures ("fp32"); one object per name."""

    # `signature`: as signatures spell it; int32 is "i32", uint8 is "u8", int1 is "u1".
    __slots__ = ("name", "signature", "primitive_bitwidth", "_member", "_number")
    _all = {}

    def __new__(cls, name):
        found = cls._all.get(name)
        if found is None:
            raise ValueError(f"no dtype is called {name!r}")
        return found

    @classmethod
    def _define(cls, signature, name, member, others, bits, number, array):
        made = object.__new__(cls)
        made.name, made.signature, made.primitive_bitwidth = name, signature, bits
        made._member, made._number = member, number
        cls._all[name] = made
        return made

    def __str__(self):
        return self.name

    def __repr__(self):
        return self.codegen_name()

    def __gluonc_source__(self):
        return "gl." + self._member

    def __reduce__(self):
        return dtype, (self.name,)

    def __call__(self, value):
        raise RuntimeError(f"{self._member}(...) converts values in kernels only")

    @property
    def itemsize(self):
        return max(1, self.primitive_bitwidth // 8)

    scalar = property(lambda self: self)

    def is_floating(self):
        return self._number == "float"

    def is_int(self):
        return not self.is_floating()

    def is_int_signed(self):
        return self._number == "signed"

    def is_int_unsigned(self):
        return self._number in ("unsigned", "bool")

    def is_bool(self):
        return self._number == "bool"

    def is_fp8(self):
        return self.is_floating() and self.primitive_bitwidth == 8

    def is_standard_floating(self):
        return self.is_floating() and not self.is_fp8()

    def get_int_max_value(self):
        self._require_int()
        return (1 << (self.primitive_bitwidth - self.is_int_signed())) - 1

    def get_int_min_value(self):
        self._require_int()
        return -1 << (self.primitive_bitwidth - 1) if self.is_int_signed() else 0

    def _require_int(self):
        if not self.is_int():
            raise TypeError(f"{self} is no type of integers")

    @property
    def int_bitwidth(self):
        return self.primitive_bitwidth

    @property
    def fp_mantissa_width(self):
        """Bits of the mantissa, without the leading one."""
        if not self.is_floating():
            raise TypeError(f"{self} is no type of floats")
        return _MANTISSA_BITS[self.name]

    @property
    def exponent_bias(self):
        """What is added to exponents."""
        if self.name in _BIASES:
            return _BIASES[self.name]
        return (1 << (self.primitive_bitwidth - self.fp_mantissa_width - 2)) - 1

    def codegen_name(self):
        """As generated Python calls it."""
        return f"triton.language.{self._member}"

    @property
    def cache_key_part(self):
        return self.name

    @staticmethod
    def is_dtype(type_str):
        return type_str in dtype._all

    def is_ptr(self):
        return False

    def is_block(self):
        return False

    def is_void(self):
        return False

    def is_const(self):
        return False


def _is_type_of(name):
    return lambda self: self.name == name


class pointer_type:
    """A pointer to values of `element_ty`."""

    __slots__ = ("element_ty", "address_space", "const")

    def __init__(self, element_ty, address_space=1, const=False):
        self.element_ty, self.address_space, self.const = element_ty, address_space, const

    def __repr__(self):
        return f"pointer<{self.element_ty}>"

    def __eq__(self, other):
        return isinstance(other, pointer_type) and self.signature == other.signature

    def __hash__(self):
        return hash(self.signature)

    def __gluonc_source__(self):
        return f"gl.pointer_type({self.element_ty.__gluonc_source__()})"

    signature = property(lambda self: f"*{'k' * self.const}{self.element_ty.signature}")

    scalar = property(lambda self: self)

    def is_ptr(self):
        return True

    def is_const(self):
        return self.const

    def is_int(self):
        return False

    is_block = is_floating = is_int


# gl.int1, …: the rows of the compiler's own table.
globals().update((_row[2], dtype._define(*_row)) for _row in _native.dtypes())
for _dtype in dtype._all.values():
    setattr(dtype, f"is_{_dtype.name}", _is_type_of(_dtype.name))
# Names by what they are, as Triton sorts them.
dtype.SINT_TYPES = [name for name, each in dtype._all.items() if each.is_int_signed()]
dtype.UINT_TYPES = [name for name, each in dtype._all.items() if each.is_int_unsigned()]
dtype.FP_TYPES = [name for name, each in dtype._all.items() if each.is_floating()]
dtype.STANDARD_FP_TYPES = [name for name in dtype.FP_TYPES if not dtype(name).is_fp8()]
