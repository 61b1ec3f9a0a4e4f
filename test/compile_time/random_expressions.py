#!/usr/bin/env python3
"""Random expressions in CPython and in the compiler's evaluator: the same value, or both refuse.

    random_expressions.py --library build/release/lib/libgluonc.so [--count 20000] [--seed 1]

What the compiler refuses though CPython does not is counted by its message: a limit or something
that compile-time code does not have. What only the compiler accepts is counted likewise. A different
value is a failure.
"""

import argparse
import collections
import ctypes
import math
import random
import re
import resource
import sys
import warnings

from expressions import Maker

# Longer results say nothing more.
LONGEST = 2000
# The compiler may take these: they are mistakes to CPython, but have one meaning only.
LENIENT = ["unhashable type"]


class Engine:
    """Expressions through the C API: thousands a second."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.gluonc_error_text.restype = ctypes.c_char_p
        self.engine = ctypes.c_void_p()
        if self.library.gluonc_engine_create(None, ctypes.byref(self.engine), None):
            sys.exit("cannot make an engine")

    def evaluate(self, expression):
        """(True, repr) or (False, message)."""
        text, error = ctypes.c_char_p(), ctypes.c_void_p()
        if not self.library.gluonc_engine_evaluate(self.engine, expression.encode(),
                                                   ctypes.byref(text), ctypes.byref(error)):
            return True, text.value.decode(errors="replace")
        message = self.library.gluonc_error_text(error).decode(errors="replace")
        self.library.gluonc_error_destroy(error)
        return False, message.split("error: ", 1)[-1].split("\n")[0]


def in_python(expression):
    """(True, repr) or (False, message); None for what is not worth comparing."""
    try:
        value = eval(expression, {"math": math})
        if isinstance(value, complex):
            return False, "complex"
        text = repr(value)
    except MemoryError:
        return None
    except Exception as error:  # whatever CPython says
        return False, f"{type(error).__name__}: {error}"
    # Strings of the compiler are UTF-8: half of a surrogate pair is none.
    if len(text) > LONGEST or "complex" in text or re.search(r"\d+j", text):
        return None
    return True, text


def kind(message):
    return re.sub(r"`[^`]*`|'[^']*'|\d+", "#", message)[:70]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    # CPython has no limit of its own: what does not fit is not compared.
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    maker, engine = Maker(random.Random(options.seed)), Engine(options.library)
    count, different = collections.Counter(), 0
    refused, accepted = collections.Counter(), collections.Counter()
    while count["compared"] < options.count:
        expression = maker.expression()
        expected = in_python(expression) if len(expression) < 400 else None
        if expected is None:
            continue
        count["compared"] += 1
        fine, text = engine.evaluate(expression)
        if expected == (fine, text) or not (expected[0] or fine):
            count["the same"] += 1
        elif expected[0] and fine:
            different += 1
            print(f"{expression}\n    CPython: {expected[1][:200]}\n    gluonc:  {text[:200]}")
        elif fine:
            accepted[kind(expected[1])] += 1
            if options.verbose and accepted[kind(expected[1])] <= 2:
                print(f"accepted: {expression}: {text} ({expected[1]})")
        else:
            refused[kind(text)] += 1
            if options.verbose and refused[kind(text)] <= 2:
                print(f"refused: {expression}: {text} ({expected[1][:60]})")
    print(f"{count['compared']} expressions of seed {options.seed}: {count['the same']} the same, "
          f"{different} different, {sum(refused.values())} refused by gluonc alone, "
          f"{sum(accepted.values())} accepted by gluonc alone")
    for name, counter in (("refused", refused), ("accepted", accepted)):
        for message, times in counter.most_common(12):
            print(f"  {name} {times}: {message}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
