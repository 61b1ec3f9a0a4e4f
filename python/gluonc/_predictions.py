"""Times of launches on a simulated GPU, which the performance model predicts."""

import functools
import sys

from gluonc import _simulated


class predicted:
    """While it is entered, launches are predicted and not simulated: the machine code of a few
    programs of each is executed. Afterwards it has what they would take together."""

    milliseconds, launches, limit, chip, is_measured = 0.0, 0, None, None, False

    def __enter__(self):
        from gluonc._engine import engine
        self._engine = engine()
        self._engine.begin_prediction()
        self._whole = _simulated.whole_grids()
        self._whole.__enter__()
        return self

    def __exit__(self, *failure):
        self._whole.__exit__(*failure)
        (self.milliseconds, self.launches, self.limit, self.chip,
         self.is_measured) = self._engine.end_prediction()


def milliseconds(fn):
    """What the launches of a call would take; None where the model does not know the chip."""
    from gluonc.errors import Unavailable
    try:
        with predicted() as prediction:
            fn()
    except Unavailable:
        return None
    if prediction.launches:
        _tell(prediction.chip, prediction.is_measured)
    return prediction.milliseconds


@functools.lru_cache(maxsize=None)
def _tell(chip, is_measured):
    source = "measured there" if is_measured else "published"
    print(f"gluonc: times on the simulated GPU are predictions for {chip}, by figures that were "
          f"{source}; they are no measurements", file=sys.stderr)
