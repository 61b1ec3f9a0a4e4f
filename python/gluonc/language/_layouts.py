"""Layout classes as Python values. The compiler validates them: it has the only rules."""

import ast
import inspect
from typing import TYPE_CHECKING, Any

from gluonc import _native
from gluonc._engine import check_expression
from gluonc.language._constexpr import unwrap
from gluonc.language._source import source


def _plain(value):
    """Constexprs unwrapped; sequences as lists, so that (1,) and [1] are the same layout."""
    value = unwrap(value)
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return value


class _FixedList(list):
    """A list that stays as it is: launches take layouts for what they were. `+=` makes another one."""

    def _refuse(self, *_, **__):
        raise TypeError("a layout cannot be changed")

    append = extend = insert = remove = pop = clear = sort = reverse = _refuse
    __setitem__ = __delitem__ = __imul__ = _refuse

    def __iadd__(self, other):
        return list(self) + list(other)

    def __reduce__(self):
        return _fixed, (list(self),)


def _fixed(value):
    return _FixedList(map(_fixed, value)) if isinstance(value, list) else value


def _hashable(value):
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def _evaluate(expression):
    """The layout that the compiler answers with."""
    return _read(check_expression(expression))


def _read(text):
    """The compiler prints layouts as constructors."""
    classes = {cls.__name__: cls for cls in (*DistributedLayout.__subclasses__(),
                                             *SharedLayout.__subclasses__())}
    return eval(text, {"__builtins__": {}}, classes)


def call(function, args, kwargs):
    """What a function of the language answers with: layouts, or None."""
    texts = [source(_plain(value)) for value in args]
    texts += [f"{name}={source(_plain(value))}" for name, value in kwargs.items()]
    return _evaluate(f"{function}({', '.join(texts)})")


def _evaluate_fields(expression):
    """The arguments of the constructor that the compiler answers with."""
    scope = {"__builtins__": {}, "AMDWMMALayout": lambda **values: values}
    return {"cga_layout": [], **eval(check_expression(expression), scope)}


class _OfClass:
    """A class attribute that is computed from the class when somebody asks for it."""

    def __init__(self, compute):
        self._compute = compute

    def __get__(self, instance, owner):
        return self._compute(owner)


def _signature_of(cls):
    import inspect
    return inspect.Signature([
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=(
            inspect.Parameter.empty if default is _REQUIRED else default))
        for name, default in cls._parameters])


def _fields_of(cls):
    import dataclasses
    return dataclasses.make_dataclass(cls.__name__, cls._names).__dataclass_fields__


_REQUIRED = object()
_DEFAULTS = {"": _REQUIRED, "()": (), "None": None, "False": False}


def _read_schemas():
    """Path and parameters of each class, by its name: the compiler has the only list of fields."""
    schemas = {}
    for line in _native.language_layouts().splitlines():
        path, *fields = line.split()
        parameters = []
        for field in fields:
            name, _, default = field.partition("=")
            parameters.append((name, int(default) if default.isdigit() else _DEFAULTS[default]))
        schemas[path.rpartition(".")[2]] = path, tuple(parameters)
    return schemas


SCHEMAS = _read_schemas()


class _Layout:
    """A frozen value with the fields of its class as parameters; the compiler has their schema.

    What dataclasses would make of it; but they compile methods for each class, and importing all
    layouts took longer than a launch from the cache.
    """

    # How the language calls the class, below `gl`.
    _path = None
    # (name, default) of what the constructor takes, and the names of what an instance has.
    _parameters, _names = (), ()
    # Parameters after the fields, which other fields follow from: older sources have them.
    _older = ()
    __signature__ = _OfClass(_signature_of)
    # For dataclasses.fields and is_dataclass.
    __dataclass_fields__ = _OfClass(_fields_of)

    def __init_subclass__(cls):
        if cls.__name__ in SCHEMAS:
            cls._path, fields = SCHEMAS[cls.__name__]
            cls._parameters = fields + cls._older
            cls._names = cls.__match_args__ = tuple(name for name, _ in fields)

    @property
    def rank(self):
        """Number of dimensions: a field, or the length of a list that has an item for each."""
        if "rank" in self.__dict__:
            return self.__dict__["rank"]
        for name in ("order", "shape", "warps_per_cta"):
            if name in self.__dict__:
                return len(self.__dict__[name])
        raise AttributeError(f"a {type(self).__name__} has no rank")

    def __init__(self, *args, **kwargs):
        self._set(self._bind(args, kwargs))
        for name, value in self.__dict__.items():
            self.__dict__[name] = _fixed(value)
        self._validate()

    def _bind(self, args, kwargs):
        """The values of a call by name."""
        name_of = type(self).__name__
        if len(args) > len(self._parameters):
            raise TypeError(f"{name_of} takes {len(self._parameters)} arguments but {len(args)} "
                            "were given")
        values = {name: value for (name, _), value in zip(self._parameters, args)}
        for name, value in kwargs.items():
            if name in values or all(name != known for known, _ in self._parameters):
                raise TypeError(f"{name_of} got {'twice' if name in values else 'an unknown'} "
                                f"argument {name!r}")
            values[name] = value
        for name, default in self._parameters:
            if values.setdefault(name, default) is _REQUIRED:
                raise TypeError(f"{name_of} is missing its argument {name!r}")
        return values

    def _set(self, values):
        for name in self._names:
            value = _plain(values[name])
            self.__dict__[name] = [] if name == "cga_layout" and value is None else value

    def _validate(self):
        check_expression(self.__gluonc_source__())

    def _values(self):
        return tuple(self.__dict__[name] for name in self._names)

    def __setattr__(self, name, value):
        raise AttributeError(f"a {type(self).__name__} cannot be changed")

    def __delattr__(self, name):
        raise AttributeError(f"a {type(self).__name__} cannot be changed")

    def __gluonc_source__(self):
        values = ", ".join(f"{name}={source(self.__dict__[name])}" for name in self._names)
        return f"gl.{self._path}({values})"

    def __repr__(self):
        values = ", ".join(f"{name}={self.__dict__[name]!r}" for name in self._names)
        return f"{type(self).__name__}({values})"

    def __eq__(self, other):
        if type(other) is not type(self):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self):
        # Every launch asks for it.
        found = self.__dict__.get("_hash")
        if found is None:
            found = hash((type(self).__name__, *map(_hashable, self._values())))
            self.__dict__["_hash"] = found
        return found

    def __reduce__(self):
        # Without the hash, which differs between processes.
        return type(self), self._values()

    if TYPE_CHECKING:
        # Fields.
        def __getattr__(self, name: str) -> Any: ...

    def _view(self, method, shape):
        if isinstance(self, (AutoLayout, CoalescedLayout, PaddedSharedLayout)):
            raise ValueError(f"{type(self).__name__} cannot be visualized")
        text = f"{self.__gluonc_source__()}.{method}({source(_plain(shape))})"
        return ast.literal_eval(check_expression(text))

    def format_tensor_view(self, shape):
        """Who holds each element of a tensor of this shape."""
        return self._view("format_tensor_view", shape)

    def format_hardware_view(self, shape):
        """Which element each thread (each offset) holds."""
        return self._view("format_hardware_view", shape)


class DistributedLayout(_Layout):
    """Spreads a tensor over the registers of a CTA's threads."""


class SharedLayout(_Layout):
    """Places a tensor in shared memory."""


class AutoLayout(DistributedLayout):
    """Left to the compiler."""

    def _validate(self):
        pass

    @property
    def rank(self):
        raise ValueError("AutoLayout has no rank")


class CoalescedLayout(DistributedLayout):
    """Chosen by the compiler from the addresses that are accessed."""

    def _validate(self):
        pass

    @property
    def rank(self):
        raise ValueError("CoalescedLayout has no rank")


class BlockedLayout(DistributedLayout):
    """A block of `size_per_thread` elements per thread; threads and warps tile the rest."""


class SliceLayout(DistributedLayout):
    """`parent` without its dimension `dim`."""

    rank = property(lambda self: self.parent.rank - 1)
    cga_layout = property(lambda self: [
        [value for i, value in enumerate(basis) if i != self.dim]
        for basis in self.parent.cga_layout
    ])


class DistributedLinearLayout(DistributedLayout):
    """A layout by its bases."""


class NVMMADistributedLayout(DistributedLayout):
    """What mma.sync (version [2, 0]) and wgmma (version [3, 0]) leave in registers."""


class DotOperandLayout(DistributedLayout):
    """The left (0) or right (1) operand of a product whose result has layout `parent`."""

    rank = property(lambda self: self.parent.rank)

    @property
    def cga_layout(self):
        k_dim = self.rank - (1 if self.operand_index == 0 else 2)
        return [[0 if i == k_dim else value for i, value in enumerate(basis)]
                for basis in self.parent.cga_layout]


class SwizzledSharedLayout(SharedLayout):
    """Rows and columns, with columns permuted by row so that banks do not collide."""


class PaddedSharedLayout(SharedLayout):
    """Linear, with `padding` elements after every `interval`."""

    @staticmethod
    def with_identity_for(interval_padding_pairs, shape, order, cga_layout=()):
        """Padded rows of `shape`, dimension order[0] fastest."""
        values = map(_plain, (interval_padding_pairs, shape, order, cga_layout))
        return _evaluate("gl.PaddedSharedLayout.with_identity_for"
                         f"({', '.join(map(source, values))})")


class SharedLinearLayout(SharedLayout):
    """A shared layout by its bases."""

    rank = property(lambda self: len(self.offset_bases[0]))

    @property
    def shape(self):
        bits = [0] * self.rank
        for basis in [*self.offset_bases, *self.block_bases]:
            bits = [a | b for a, b in zip(bits, basis)]
        return [1 << value.bit_length() for value in bits]


class PartitionedSharedLayout(SharedLayout):
    """Pieces of a tensor, which belong to several partitions of LDS in turn."""

    rank = property(lambda self: self.partition_layout.rank)
    cga_layout = property(lambda self: self.partition_layout.cga_layout)


class NVMMASharedLayout(SharedLayout):
    """Swizzled tiles of 8 rows, as tensor cores and the tensor memory accelerator want them."""

    @staticmethod
    def get_default_for(block_shape, dtype, transposed=False, fp4_padded=False, cga_layout=None):
        """The widest swizzle that suits a block of this shape and dtype."""
        values = map(_plain, (block_shape, dtype, transposed, fp4_padded, cga_layout or []))
        return _evaluate("gl.NVMMASharedLayout.get_default_for"
                         f"({', '.join(map(source, values))})")


class AMDMFMALayout(DistributedLayout):
    """What matrix instructions of AMD's CDNA leave in registers."""

    def _set(self, values):
        if unwrap(values["element_bitwidth"]) is None:
            values["element_bitwidth"] = 32
        if unwrap(values["tiles_per_warp"]) is None:
            values["tiles_per_warp"] = [1] * len(unwrap(values["warps_per_cta"]))
        super()._set(values)


class AMDWMMALayout(DistributedLayout):
    """What matrix instructions of AMD's RDNA and of gfx1250 leave in registers."""

    # Grids instead of bases.
    _older = (("warps_per_cta", None), ("tiles_per_warp", None))

    def _set(self, values):
        given = _plain([values[name] for name, _ in self._parameters])
        given[5] = given[5] or []
        self.__dict__.update(
            _evaluate_fields(f"gl.amd.AMDWMMALayout({', '.join(map(source, given))})"))

    def _validate(self):
        pass


class TensorMemoryLayout(_Layout):
    """Accumulators side by side in the tensor memory of sm_100."""

    # How Gluon of December 2025 gave the CTAs.
    _older = (("cta_split_num", None),)

    def _set(self, values):
        counts = _plain(values["cta_split_num"])
        if counts and not unwrap(values["cga_layout"]):
            # Those that multiply in pairs are neighbours along the first dim; else neighbours are along
            # the last.
            bits = [(dim, bit) for dim in reversed(range(len(counts)))
                    for bit in range(counts[dim].bit_length() - 1)]
            if unwrap(values["two_ctas"]) and (0, 0) in bits:
                bits.remove((0, 0))
                bits.insert(0, (0, 0))
            values["cga_layout"] = [[1 << bit if i == dim else 0 for i in range(len(counts))]
                                    for dim, bit in bits]
        super()._set(values)


class TensorMemoryScalesLayout(_Layout):
    """Scales of block-scaled products in tensor memory."""


def bases_per_dim(bases, rank, skip_broadcast=True):
    """How many owners `bases` spread over each dimension. A basis of zeros makes copies; they count
    for the dimension before them unless `skip_broadcast`."""
    counts, last = [1] * rank, None
    for basis in bases or []:
        moved = [i for i, value in enumerate(basis) if value]
        if moved:
            last = moved[0]
        elif skip_broadcast:
            continue
        counts[last] *= 2
    return counts


def warps_per_cta(layout, shape):
    """How many warps stand along each dimension of a tensor of this shape."""
    if isinstance(layout, (SliceLayout, DotOperandLayout)):
        return warps_per_cta(layout.parent, shape)
    if hasattr(layout, "warp_bases"):
        return bases_per_dim(layout.warp_bases, len(shape))
    return layout.warps_per_cta


class TensorMemoryLinearLayout(_Layout):
    """Rows and columns of tensor memory by their bases: for looking at, not for kernels."""

    _names = __match_args__ = ("rows", "cols", "shape")
    _parameters = tuple((name, _REQUIRED) for name in _names)

    def _validate(self):
        pass

    def __gluonc_source__(self):
        raise TypeError("a TensorMemoryLinearLayout is for looking at: kernels take the layout that "
                        "it was made of")


def to_linear_layout(layout, shape):
    """The same layout by its bases."""
    text = check_expression(f"gl.to_linear_layout({source(unwrap(layout))}, "
                            f"{source(_plain(shape))})")
    if isinstance(layout, (TensorMemoryLayout, TensorMemoryScalesLayout)):
        call = ast.literal_eval(text)
        return eval(call, {"__builtins__": {}}, {"TensorMemoryLinearLayout":
                                                 TensorMemoryLinearLayout})
    return _read(text)


class MBarrierLayout(SwizzledSharedLayout):
    """Barriers, one behind the other."""

    __signature__ = inspect.Signature(
        [inspect.Parameter("cga_layout", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)])

    def __init__(self, cga_layout=None):
        super().__init__(1, 1, 1, [0], _plain(cga_layout) or [])

    def __gluonc_source__(self):
        return f"gl.nvidia.hopper.mbarrier.MBarrierLayout({source(self.cga_layout)})"

    def __reduce__(self):
        return type(self), (self.cga_layout,)

    @classmethod
    def multicta(cls, num_ctas, two_cta=False):
        """One barrier in each CTA, or in the first CTA of each pair."""
        text = f"gl.nvidia.hopper.mbarrier.MBarrierLayout.multicta({num_ctas}, {bool(two_cta)})"
        return cls(_evaluate(text).cga_layout)
