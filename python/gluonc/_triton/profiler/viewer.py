"""triton.profiler.viewer: profiles as trees of text.

    python -m gluonc._triton.profiler.viewer -m tflop16/s,time/ms matmul.hatchet
"""

import argparse
import json
import re

from gluonc._triton.profiler._scopes import METADATA_STATE
from gluonc.errors import NotSupportedYet, UsageError

_SCALES = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}
_PREFIXES = {"": 1.0, "g": 1e9, "t": 1e12}
# Metrics that are made of others: NAME/s of work done, times in a unit.
_RATE = re.compile(r"(|g|t)(flop(?:8|16|32|64)?|byte)/s")
_TIME = re.compile(r"(avg_)?(cpu_)?time/(s|ms|us|ns)")
_PARTS = ("full", "file_function_line", "function_line", "file_function")


class Profile:
    """A tree of frames. A frame has a name, children, and metrics of its own and with theirs."""

    def __init__(self, root, inclusive, exclusive):
        self.root, self.inclusive, self.exclusive = root, inclusive, exclusive

    def frames(self):
        return list(self.root.walk())


class Frame:
    def __init__(self, literal):
        self.name, self.own = literal["frame"]["name"], literal["metrics"]
        self.children = [Frame(child) for child in literal["children"] if not _is_empty(child)]
        # What print_tree() shows.
        self.shown = {}

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def total(self, metric):
        return sum(frame.own.get(metric, 0) for frame in self.walk())


def _is_empty(literal):
    """Whether nothing was measured there but what computes metadata."""
    if literal["frame"]["name"] == METADATA_STATE:
        return True
    children = literal["children"]
    return all(map(_is_empty, children)) if children else not literal["metrics"]


def read(filename):
    """(Profile, its inclusive metrics, its exclusive ones, devices) of a file."""
    with open(filename) as file:
        literal, devices = json.load(file)[:2]
    root = Frame(literal)
    inclusive = list(literal["metrics"])
    exclusive = [name for name in dict.fromkeys(key for frame in root.walk() for key in frame.own)
                 if name not in inclusive]
    return Profile(root, inclusive, exclusive), inclusive, exclusive, devices


def parse(metrics, filename, include=None, exclude=None, threshold=None):
    """(Profile, names of what it shows) for metrics such as "time/ms", "tflop16/s", "gbyte/s",
    "time/%" or "count". `include` and `exclude` are patterns for names of frames: what leads to or
    comes from the former is shown, nothing from the latter on; `threshold` is the least value of the
    first metric."""
    profile, *_ = read(filename)
    shown = []
    for metric in [metrics] if isinstance(metrics, str) else metrics:
        name, value = _derived(profile, metric)
        for frame in profile.frames():
            frame.shown[name] = value(frame)
        shown.append(name)
    if include:
        _keep(profile.root, lambda frame, inside: inside or re.fullmatch(include, frame.name))
    if exclude:
        _drop(profile.root, lambda frame: re.fullmatch(exclude, frame.name))
    if threshold:
        _drop(profile.root, lambda frame: not (frame.shown[shown[0]] or 0) >= threshold)
    return profile, shown


def _derived(profile, metric):
    """The name of a metric in tables, and what gives its value in a frame."""
    if found := _RATE.fullmatch(metric):
        prefix, work = found.groups()
        work = _find(profile, "flops" + work[4:] if work.startswith("flop") else "bytes")
        time, scale = _find(profile, "time"), 1e9 / _PREFIXES[prefix]
        return f"{metric} (inc)", lambda frame: _ratio(frame.total(work) * scale, frame.total(time))
    if found := _TIME.fullmatch(metric):
        is_average, is_cpu, unit = found.groups()
        time = _find(profile, "cpu_time" if is_cpu else "time")
        count = _find(profile, "count") if is_average else None
        return (f"{metric} (inc)",
                lambda frame: _ratio(frame.total(time) if time in profile.inclusive
                                     else frame.own.get(time, 0),
                                     _SCALES[unit] * (frame.total(count) if count else 1)))
    if metric == "util":
        raise NotSupportedYet("the metric `util` is not supported yet", name=metric)
    name, _, unit = metric.partition("/")
    if unit not in ("", "%"):
        raise UsageError(f"the metric {metric} has the unit {unit}, which is not known")
    found = _find(profile, name)
    is_inclusive = found in profile.inclusive
    suffix = " (inc)" if is_inclusive else ""

    def value(frame):
        return frame.total(found) if is_inclusive else frame.own.get(found)
    if not unit:
        return found + suffix, value
    whole = profile.root.total(found)
    return metric + suffix, lambda frame: _ratio(100 * (value(frame) or 0), whole)


def _find(profile, metric):
    """The name with its unit of a metric that was recorded."""
    for name in [*profile.inclusive, *profile.exclusive]:
        if metric.lower() in (name, name.partition("(")[0].strip().lower()):
            return name
    recorded = ", ".join([*profile.inclusive, *profile.exclusive]) or "none"
    raise UsageError(f"the profile has no metric {metric}; there are {recorded}")


def _ratio(value, divisor):
    """None where nothing was measured."""
    return value / divisor if divisor else None


def _keep(frame, is_wanted, inside=False):
    """Leaves the paths that pass a wanted frame; whether this one is on such a path."""
    inside = bool(is_wanted(frame, inside))
    frame.children = [child for child in frame.children if _keep(child, is_wanted, inside)]
    return inside or bool(frame.children)


def _drop(frame, is_unwanted):
    frame.children = [child for child in frame.children if not is_unwanted(child)]
    for child in frame.children:
        _drop(child, is_unwanted)


def print_tree(tree, metrics, depth=100, format=None, print_sorted=False):
    """Prints a Profile of parse(), a frame in a line, with the metrics in its front. `format` says what
    of a name is shown that is a place in a file: full, file_function_line, function_line or
    file_function."""
    if format not in (None, *_PARTS):
        raise UsageError(f"the format is one of {', '.join(_PARTS)}, not {format}")
    print("  ".join(metrics))
    _print(tree.root, metrics, depth, format)
    if print_sorted:
        print(f"Sorted kernels by metric {metrics[0]}")
        frames = [frame for frame in tree.frames() if frame is not tree.root]
        for frame in sorted(frames, key=lambda each: -(each.shown[metrics[0]] or 0)):
            print(f"{frame.name}  {_text(frame.shown[metrics[0]])}")


def _print(frame, metrics, depth, format, head="", tail=""):
    values = " ".join(_text(frame.shown[metric]) for metric in metrics)
    print(f"{head}{values} {_short(frame.name, format)}")
    children = frame.children if depth > 0 else []
    for child in children:
        is_last = child is children[-1]
        _print(child, metrics, depth - 1, format, tail + ("└─ " if is_last else "├─ "),
               tail + ("   " if is_last else "│  "))


def _text(value):
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, (int, float)) else str(value)


def _short(name, format):
    if format == "file_function_line":
        return name.rpartition("/")[2]
    if format == "function_line":
        return name.rpartition(":")[2]
    if format == "file_function" and "@" in name:
        return f"{name.rpartition('/')[2].partition(':')[0]}@{name.rpartition('@')[2]}"
    return name


def show_metrics(file_name):
    """Prints what was recorded in a file."""
    _, inclusive, exclusive, _ = read(file_name)
    for title, names in (("inclusive", inclusive), ("exclusive", exclusive)):
        print(f"Available {title} metrics:")
        for name in names:
            print(f"- {name.partition('(')[0].strip().lower()}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Prints a profile as a tree.")
    parser.add_argument("-l", "--list", action="store_true", help="list the metrics of the file")
    parser.add_argument("-m", "--metrics", help="what to show, separated by commas")
    parser.add_argument("-i", "--include", help="show what leads to or comes from such frames")
    parser.add_argument("-e", "--exclude", help="show nothing from such frames on")
    parser.add_argument("-t", "--threshold", type=float, help="least value of the first metric")
    parser.add_argument("-d", "--depth", type=int, default=100, help="levels to show")
    parser.add_argument("-f", "--format", choices=_PARTS, default="full",
                        help="what of a place in a file to show")
    parser.add_argument("--print-sorted", action="store_true", help="list frames by the first metric")
    parser.add_argument("file")
    options = parser.parse_args(arguments)
    if options.list or not options.metrics:
        return show_metrics(options.file)
    tree, metrics = parse(options.metrics.split(","), options.file, options.include,
                          options.exclude, options.threshold)
    return print_tree(tree, metrics, options.depth, options.format, options.print_sorted)


if __name__ == "__main__":
    main()
