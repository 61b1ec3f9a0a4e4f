"""triton.runtime.autotuner."""

from gluonc._autotune import Autotuner, Config, Heuristics, autotune, heuristics
from gluonc._triton.runtime.errors import OutOfResources, PTXASError
