"""Times of launches on a simulated GPU, which the performance model predicts."""

import functools
import sys

from gluonc import _simulated


class predicted:
    """While it is entered, launches are predicted and not simulated: the machine code of a few
    programs of each is executed. Afterwards it has what they would take together."""

    milliseconds, launches, limit, chip, is_measured = 0.0, 0, None, None, False
    timeline = page = ""

    def __enter__(self):
        from gluonc._engine import engine
        self._engine = engine()
        self._begin(self._engine)
        self._whole = _simulated.whole_grids()
        self._whole.__enter__()
        return self

    @staticmethod
    def _begin(engine):
        engine.begin_prediction()

    def __exit__(self, *failure):
        self._whole.__exit__(*failure)
        (self.milliseconds, self.launches, self.limit, self.chip, self.is_measured, self.timeline,
         self.page) = self._engine.end_prediction()


class trace(predicted):
    """`with gluonc.trace("out.json"):` writes a timeline of the launches in it: for Perfetto, or a page for
    a name that ends in .html. On an NVIDIA GPU it is measured, by timestamps in the kernels. Launches
    on the simulator are predicted by the performance model, so that their results are incomplete."""

    def __init__(self, path):
        self._path = path

    @staticmethod
    def _begin(engine):
        engine.begin_trace()

    def __exit__(self, *failure):
        super().__exit__(*failure)
        if failure[0] is not None:
            return
        if not self.launches:
            print(f"gluonc: {self._path} is empty: nothing was launched that a timeline can show "
                  "(NVIDIA's GPUs and simulated ones)", file=sys.stderr)
        with open(self._path, "w", encoding="utf-8") as file:
            file.write(self.page if str(self._path).endswith(".html") else self.timeline)


def are_known(target):
    """Whether the model has figures of a chip."""
    from gluonc import _native
    return _native.is_predicted(target)


def milliseconds(fn):
    """What the launches of a call would take; None, with a word on stderr, if there are none, where the
    model does not know the chip, and where the few programs that are executed do not end without the
    others."""
    from gluonc._engine import simulated_target
    from gluonc.errors import KernelFault, Unavailable
    target = simulated_target()
    if not are_known(target):
        return tell_why(f"the performance model has no figures of {target}")
    try:
        with predicted() as prediction:
            fn()
    except (KernelFault, Unavailable):
        return tell_why("the few programs that the performance model executes do not end without the others")
    if not prediction.launches:
        return tell_why("no kernel was launched that the performance model can predict")
    _tell(prediction.chip, prediction.is_measured)
    return prediction.milliseconds


@functools.lru_cache(maxsize=None)
def tell_why(reason, instead="times are of the simulation by this machine's clock, and say nothing about a GPU"):
    print(f"gluonc: {reason}: {instead}", file=sys.stderr)


@functools.lru_cache(maxsize=None)
def _tell(chip, is_measured):
    source = "measured there" if is_measured else "published"
    print(f"gluonc: times on the simulated GPU are predictions for {chip}, by figures that were "
          f"{source}; they are no measurements", file=sys.stderr)
