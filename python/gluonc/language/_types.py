"""Types of tensors and buffers that host code spells out, as compile-time arguments of kernels."""

import math
from dataclasses import dataclass, replace
from typing import Any

from gluonc._engine import check_expression
from gluonc.language._layouts import _plain
from gluonc.language._source import source


class _Type:
    _path = ""

    def __gluonc_source__(self):
        fields = (source(_plain(value)) for value in vars(self).values())
        return f"gl.{self._path}({', '.join(fields)})"

    def __eq__(self, other):
        return type(other) is type(self) and (other.__gluonc_source__()
                                              == self.__gluonc_source__())

    def __hash__(self):
        return hash(self.__gluonc_source__())


@dataclass(frozen=True, eq=False)
class distributed_type(_Type):
    """What `x.type` of a tensor is."""
    element_ty: Any
    shape: Any
    layout: Any
    _path = "distributed_type"

    def with_element_ty(self, scalar_ty):
        """The type of the same tensors of other elements."""
        return replace(self, element_ty=scalar_ty)


@dataclass(frozen=True, eq=False)
class block_type(_Type):
    """The type of a tensor whose layout is open."""
    element_ty: Any
    shape: Any
    _path = "block_type"

    scalar = property(lambda self: self.element_ty)

    @property
    def numel(self):
        return math.prod(map(int, self.shape))

    @property
    def nbytes(self):
        return self.numel * self.element_ty.primitive_bitwidth // 8

    def is_block(self):
        return True

    def get_block_shapes(self):
        return self.shape

    def with_element_ty(self, scalar_ty):
        """The type of the same tensors of other elements."""
        return replace(self, element_ty=scalar_ty)


@dataclass(frozen=True, eq=False)
class shared_memory_descriptor_type(_Type):
    """What `buffer.type` of a buffer is."""
    element_ty: Any
    shape: Any
    layout: Any
    alloc_shape: Any
    _path = "shared_memory_descriptor_type"


def bank_conflicts(distr_ty, shared_ty):
    """How many more wavefronts than necessary each wavefront of a store takes."""
    return int(check_expression(f"gl.bank_conflicts({source(distr_ty)}, {source(shared_ty)})"))
