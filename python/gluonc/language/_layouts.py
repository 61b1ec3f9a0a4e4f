"""Layout classes as Python values. The compiler validates them: it has the only rules."""

from dataclasses import dataclass, field, fields

from gluonc._engine import check_expression
from gluonc.language._constexpr import unwrap
from gluonc.language._source import source


def _plain(value):
    """Constexprs unwrapped; sequences as lists, so that (1,) and [1] are the same layout."""
    value = unwrap(value)
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return value


def _hashable(value):
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def _evaluate(expression):
    """The layout that the compiler answers with; it prints layouts as constructors."""
    classes = {cls.__name__: cls for cls in (*DistributedLayout.__subclasses__(),
                                             *SharedLayout.__subclasses__())}
    return eval(check_expression(expression), {"__builtins__": {}}, classes)


class _Layout:
    # How the language calls the class, below `gl`.
    _path = None

    def __post_init__(self):
        for item in fields(self):
            object.__setattr__(self, item.name, _plain(getattr(self, item.name)))
        self._validate()

    def _validate(self):
        check_expression(self.__gluonc_source__())

    def __gluonc_source__(self):
        values = ", ".join(f"{item.name}={source(getattr(self, item.name))}"
                           for item in fields(self))
        return f"gl.{self._path or type(self).__name__}({values})"

    def __hash__(self):
        # Every launch asks for it.
        found = self.__dict__.get("_hash")
        if found is None:
            values = (_hashable(getattr(self, item.name)) for item in fields(self))
            found = hash((type(self).__name__, *values))
            object.__setattr__(self, "_hash", found)
        return found

    def __reduce__(self):
        # Without the hash, which differs between processes.
        return type(self), tuple(getattr(self, item.name) for item in fields(self))


class DistributedLayout(_Layout):
    """Spreads a tensor over the registers of a CTA's threads."""


class SharedLayout(_Layout):
    """Places a tensor in shared memory."""


def _layout(cls):
    # `eq` without `unsafe_hash` would take the hash away again: lists are not hashable.
    made = dataclass(frozen=True)(cls)
    made.__hash__ = _Layout.__hash__
    return made


@_layout
class AutoLayout(DistributedLayout):
    """Left to the compiler."""

    def _validate(self):
        pass

    @property
    def rank(self):
        raise ValueError("AutoLayout has no rank")


@_layout
class CoalescedLayout(DistributedLayout):
    """Chosen by the compiler from the addresses that are accessed."""

    def _validate(self):
        pass

    @property
    def rank(self):
        raise ValueError("CoalescedLayout has no rank")


@_layout
class BlockedLayout(DistributedLayout):
    """A block of `size_per_thread` elements per thread; threads and warps tile the rest."""

    size_per_thread: list
    threads_per_warp: list
    warps_per_cta: list
    order: list
    cga_layout: list = field(default_factory=list)

    rank = property(lambda self: len(self.order))


@_layout
class SliceLayout(DistributedLayout):
    """`parent` without its dimension `dim`."""

    dim: int
    parent: DistributedLayout

    rank = property(lambda self: self.parent.rank - 1)
    cga_layout = property(lambda self: [
        [value for i, value in enumerate(basis) if i != self.dim]
        for basis in self.parent.cga_layout
    ])


@_layout
class DistributedLinearLayout(DistributedLayout):
    """A layout by its bases."""

    reg_bases: list
    lane_bases: list
    warp_bases: list
    block_bases: list
    shape: list

    rank = property(lambda self: len(self.shape))


@_layout
class SwizzledSharedLayout(SharedLayout):
    """Rows and columns, with columns permuted by row so that banks do not collide."""

    vec: int
    per_phase: int
    max_phase: int
    order: list
    cga_layout: list = field(default_factory=list)

    rank = property(lambda self: len(self.order))


@_layout
class PaddedSharedLayout(SharedLayout):
    """Linear, with `padding` elements after every `interval`."""

    interval_padding_pairs: list
    offset_bases: list
    cga_layout: list
    shape: list

    rank = property(lambda self: len(self.shape))

    @staticmethod
    def with_identity_for(interval_padding_pairs, shape, order, cga_layout=()):
        """Padded rows of `shape`, dimension order[0] fastest."""
        values = map(_plain, (interval_padding_pairs, shape, order, cga_layout))
        return _evaluate("gl.PaddedSharedLayout.with_identity_for"
                         f"({', '.join(map(source, values))})")


@_layout
class SharedLinearLayout(SharedLayout):
    """A shared layout by its bases."""

    offset_bases: list
    block_bases: list = field(default_factory=list)
    alignment: int = 16

    rank = property(lambda self: len(self.offset_bases[0]))

    @property
    def shape(self):
        bits = [0] * self.rank
        for basis in [*self.offset_bases, *self.block_bases]:
            bits = [a | b for a, b in zip(bits, basis)]
        return [1 << value.bit_length() for value in bits]
