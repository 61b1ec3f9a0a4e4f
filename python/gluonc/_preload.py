"""A specialization as text: hooks of compilations are told it, and preload() takes it in another process.

Launches find what was preloaded: it is made as by a launch, from arguments that stand for those.
"""

import dataclasses
import importlib
import json

from gluonc import _decorated
from gluonc._engine import current_target, simulated_target
from gluonc._signature import TUPLE_KIND, TYPE_KIND, CONSTANT_KINDS
from gluonc._tensors import TensorView
from gluonc.errors import NotSupportedYet
from gluonc.language._constexpr import constexpr, unwrap
from gluonc.language._dtypes import dtype

# Integers that specialize for nothing but their type, and for being a multiple of 16.
_INTEGERS = {"i32": (3, 16), "i64": ((1 << 40) + 3, 1 << 40), "u64": ((1 << 63) + 3, 1 << 63)}


def _target():
    """The chip that launches are for now."""
    from gluonc._triton.backends.compiler import GPUTarget
    return dataclasses.asdict(GPUTarget.parse(current_target() or simulated_target()))


def describe(fn, specs, options):
    """The text of a specialization: `specs` of its parameters, `options` by name."""
    return json.dumps({"name": _decorated.name_of(fn), "key": fn.cache_key, "target": _target(),
                       "options": {name: _as_json(value) for name, value in options.items()},
                       "arguments": [_argument_as_json(spec) for spec in specs]})


def read(fn, text):
    """(args, options) of a launch that specializes `fn` as the text says; RuntimeError where it is that
    of another function or target."""
    data = json.loads(text)
    for what, own in (("name", _decorated.name_of(fn)), ("target", _target()),
                      ("key", fn.cache_key)):
        if data[what] != own:
            raise RuntimeError(f"Specialization data is for {data[what]}, not for {own} ({what})")
    arguments = [_stand_in(parameter, spec)
                 for parameter, spec in zip(fn.params, data["arguments"])]
    return arguments, {name: _value(item) for name, item in data["options"].items()}


def _argument_as_json(spec):
    kind, value = spec
    if kind == TYPE_KIND:
        return {"type": value}
    if kind == TUPLE_KIND:
        cls, items = value
        return {"class": cls and _place_of(cls), "items": [_argument_as_json(i) for i in items]}
    assert kind in CONSTANT_KINDS
    return {"value": _as_json(value)}


def _place_of(definition):
    return f"{definition.__module__}:{definition.__qualname__}"


def _as_json(value):
    value = unwrap(value)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, dtype):
        return {"dtype": value.signature}
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return {type(value).__name__: [_as_json(item) for item in value]}
    if isinstance(value, _decorated.Decorated):
        return {"function": _decorated.name_of(value), "key": value.cache_key}
    # Which preload() refuses.
    return {"unknown": type(value).__name__}


def _value(item):
    """What _as_json made the item of."""
    if not isinstance(item, dict):
        return item
    (kind, held), *rest = item.items()
    if kind == "float":
        return float.fromhex(held)
    if kind == "dtype":
        return next(known for known in dtype._all.values() if known.signature == held)
    if kind in ("tuple", "list"):
        return (tuple if kind == "tuple" else list)(map(_value, held))
    if kind == "function":
        found = _decorated.named(held)
        if found is None or found.cache_key != item["key"]:
            raise RuntimeError(f"Specialization data is for a function {held} that is not there")
        return found
    raise NotSupportedYet(f"preload() cannot make a {held}", name=f"preload of {held}")


def _stand_in(parameter, spec):
    """An argument that the parameter specializes for in the same way."""
    if "value" in spec:
        value = _value(spec["value"])
        # What launches know of a plain 1 and of None they need no constexpr for.
        is_plain = (value is None or type(value) is int and value == 1
                    or parameter is not None and parameter.is_constexpr)
        return value if is_plain else constexpr(value)
    if "items" in spec:
        items = tuple(_stand_in(None, item) for item in spec["items"])
        return items if spec["class"] is None else _find(spec["class"])(*items)
    kind, _, alignment = spec["type"].partition(":")
    if kind.startswith("*"):
        return TensorView(0 if alignment else 1, kind, None, 0, 0)
    if kind.startswith("tensordesc"):
        raise NotSupportedYet("preload() makes no descriptors", name="preload of descriptors")
    if kind == "u1":
        return True
    if kind.startswith(("fp", "bf")):
        return 0.5
    is_fixed = parameter is not None and parameter.type is not None
    return _INTEGERS["i32" if is_fixed else kind][bool(alignment)]


def _find(place):
    module, _, path = place.partition(":")
    found = importlib.import_module(module)
    for name in path.split("."):
        found = getattr(found, name)
    return found
