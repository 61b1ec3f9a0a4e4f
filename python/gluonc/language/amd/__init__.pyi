# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor
from . import cdna3 as cdna3
from . import cdna4 as cdna4
from . import cdna5 as cdna5
from . import gfx1250 as gfx1250
from . import rdna3 as rdna3
from . import rdna4 as rdna4

from gluonc.language._layouts import AMDMFMALayout as AMDMFMALayout

from gluonc.language._layouts import AMDWMMALayout as AMDWMMALayout

