# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor
from . import mbarrier as mbarrier

from gluonc.language._layouts import TensorMemoryLayout as TensorMemoryLayout

from gluonc.language._layouts import TensorMemoryScalesLayout as TensorMemoryScalesLayout

from gluonc.language._policies import FractionalEvictionPolicy as FractionalEvictionPolicy

from gluonc.language._policies import NvidiaCachePolicy as CachePolicy

