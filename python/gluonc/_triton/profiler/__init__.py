"""triton.profiler: Proton's functions, which say how long kernels take, by the places that launch them.

A launch on a GPU takes the time between two CUDA events around it, one on the simulator that of the
host's clock, so that the latter says nothing about a GPU. Proton asks CUPTI: it sees the kernels of
other libraries, too. Here a scope that has flops or bytes and launches no kernel of gluonc's takes the
time between its borders, which is theirs. Launches of a CUDA graph are not seen when it is replayed.
"""

from gluonc._triton.profiler import context
from gluonc._triton.profiler._profile import (DEFAULT_PROFILE_NAME, activate, clear_data,
                                              deactivate, finalize, get_data, profile, start)
from gluonc._triton.profiler._scopes import (cpu_timed_scope, enter_scope, enter_state, exit_scope,
                                             exit_state, metadata_state, scope, state)
