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
        if self.__dict__.get("cga_layout", []) is None:
            object.__setattr__(self, "cga_layout", [])
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
class NVMMADistributedLayout(DistributedLayout):
    """What mma.sync (version [2, 0]) and wgmma (version [3, 0]) leave in registers."""

    version: list
    warps_per_cta: list
    instr_shape: list
    cga_layout: list = field(default_factory=list)

    rank = property(lambda self: len(self.warps_per_cta))


@_layout
class DotOperandLayout(DistributedLayout):
    """The left (0) or right (1) operand of a product whose result has layout `parent`."""

    operand_index: int
    parent: DistributedLayout
    k_width: int

    rank = property(lambda self: self.parent.rank)

    @property
    def cga_layout(self):
        k_dim = self.rank - (1 if self.operand_index == 0 else 2)
        return [[0 if i == k_dim else value for i, value in enumerate(basis)]
                for basis in self.parent.cga_layout]


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


@_layout
class NVMMASharedLayout(SharedLayout):
    """Swizzled tiles of 8 rows, as tensor cores and the tensor memory accelerator want them."""

    swizzle_byte_width: int
    element_bitwidth: int
    rank: int = 2
    transposed: bool = False
    fp4_padded: bool = False
    cga_layout: list = field(default_factory=list)

    @staticmethod
    def get_default_for(block_shape, dtype, transposed=False, fp4_padded=False, cga_layout=None):
        """The widest swizzle that suits a block of this shape and dtype."""
        values = map(_plain, (block_shape, dtype, transposed, fp4_padded, cga_layout or []))
        return _evaluate("gl.NVMMASharedLayout.get_default_for"
                         f"({', '.join(map(source, values))})")


class MBarrierLayout(SwizzledSharedLayout):
    """Barriers, one behind the other."""

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
