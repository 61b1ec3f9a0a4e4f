"""gl.constexpr: a value that is known when a kernel is compiled."""

import operator

from gluonc import _native


def unwrap(value):
    """The plain value inside constexprs, at every depth of tuples and lists."""
    if isinstance(value, constexpr):
        return unwrap(value.value)
    if type(value) in (tuple, list):
        return type(value)(unwrap(item) for item in value)
    return value


class constexpr:
    """Marks a compile-time value. Behaves like the value in host code."""

    __slots__ = ("value",)
    # For gluonc.language._source.
    _is_constexpr = True
    type = property(lambda self: constexpr)

    def __init__(self, value):
        _set(self, unwrap(value))

    def __setattr__(self, name, value):
        # Launches do not look into it.
        _native.announce_change()
        object.__setattr__(self, name, value)

    def __repr__(self):
        return f"constexpr[{self.value!r}]"

    def __hash__(self):
        return hash(self.value)

    def __bool__(self):
        return bool(self.value)

    def __index__(self):
        return operator.index(self.value)

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    def __call__(self, *args, **kwargs):
        return self.value(*args, **kwargs)

    def __getitem__(self, key):
        return constexpr(self.value[unwrap(key)])

    def __getattr__(self, name):
        if name.startswith("__") or name == "value":
            raise AttributeError(name)
        return getattr(self.value, name)

    def __reduce__(self):
        return constexpr, (self.value,)


_set = constexpr.value.__set__


def _forward(name, function):
    def straight(self, *others):
        return constexpr(function(self.value, *(unwrap(other) for other in others)))

    def reflected(self, other):
        return constexpr(function(unwrap(other), self.value))

    setattr(constexpr, f"__{name}__", straight)
    return reflected


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and",
              "or", "xor"):
    _function = getattr(operator, _name + "_" if _name in ("and", "or") else _name)
    setattr(constexpr, f"__r{_name}__", _forward(_name, _function))
for _name in ("eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "invert"):
    _forward(_name, getattr(operator, _name))
