# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor

class clc_result:
    """Methods of answers to requests for the work of other clusters."""

    def is_canceled(self) -> Any:
        """Whether there was a cluster, whose work is to be done now.

        Gives: an int1 scalar.
        Errors: none.

            # cuda:100a
            answer = gl.allocate_shared_memory(gl.int64, [2], line)
            more = blackwell.clc.load_result(answer).is_canceled()
        """
        ...

    def program_id(self, dim: int) -> Any:
        """The number of the program to do, as `gl.program_id(dim)` would have said it there.

        It says nothing where there was none.

        Gives: an int32 scalar.
        Errors: a dim that is not 0, 1 or 2.

            # cuda:100a
            answer = gl.allocate_shared_memory(gl.int64, [2], line)
            x = blackwell.clc.load_result(answer).program_id(0)
        """
        ...

def try_cancel(result: shared_memory_descriptor, barrier: shared_memory_descriptor) -> None:
    """Asks for the work of a cluster that has not begun.

    If there is one it is never launched: its programs are for the cluster that asked. The answer
    comes into `result`, 16 bytes that the barrier counts; in a cluster each CTA gets it. After an
    answer that there is none, do not ask again.

    Gives: nothing.
    Errors: another buffer than two int64, the same in each CTA; another barrier than one per CTA.

        # cuda:100a
        answer = gl.allocate_shared_memory(gl.int64, [2], line)
        blackwell.mbarrier.expect(bar, 16)
        blackwell.clc.try_cancel(answer, bar)
    """
    ...

def load_result(src: shared_memory_descriptor) -> Any:
    """Reads the answer to `try_cancel`, once its barrier says that it is there.

    Gives: a clc_result, with `.is_canceled()` and `.program_id(dim)`.
    Errors: another buffer than two int64, the same in each CTA.

        # cuda:100a
        answer = gl.allocate_shared_memory(gl.int64, [2], line)
        blackwell.mbarrier.expect(bar, 16)
        blackwell.clc.try_cancel(answer, bar)
        blackwell.mbarrier.wait(bar, 0)
        work = blackwell.clc.load_result(answer)
    """
    ...

