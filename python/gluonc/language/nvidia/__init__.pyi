# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor
from . import ampere as ampere
from . import blackwell as blackwell
from . import hopper as hopper
from . import rubin as rubin

