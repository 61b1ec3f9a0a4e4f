"""dtypes of the language as Python values: gl.float32, gl.pointer_type(gl.int8)."""

from gluonc import _native


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

    def __repr__(self):
        return self.name

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

    def is_ptr(self):
        return False

    def is_block(self):
        return False


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


# gl.int1, …: the rows of the compiler's own table.
globals().update((_row[2], dtype._define(*_row)) for _row in _native.dtypes())
