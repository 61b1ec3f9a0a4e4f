"""Sorts what a test raised: is gluonc wrong, or does it not have something yet?"""

import re

from gluonc import errors

# Kinds of reports that say: not there yet.
_UNSUPPORTED_KINDS = {"NotSupportedYet", "UnsupportedInSimulator", "UnsupportedInCodegen",
                      "UnsupportedConstruct", "UnsupportedHostConstruct", "UnknownTarget",
                      "TargetWithoutCode"}


def classify(error):
    """("unsupported" or "failed", reason): the first missing feature, or the first line of the
    error, with what varies between cases (numbers, sizes) taken out."""
    seen = error
    while seen is not None:
        found = _unsupported(seen)
        if found:
            return "unsupported", found
        seen = seen.__cause__ or seen.__context__
    return "failed", _short(error)


def _unsupported(error):
    if isinstance(error, errors.NotSupportedYet):
        return str(error.name or error)
    if isinstance(error, errors.GluonError):
        for diagnostic in error.diagnostics:
            if diagnostic.get("kind") in _UNSUPPORTED_KINDS:
                return _brief(diagnostic["message"])
    # A test may have turned the error into the text of another one.
    found = re.search(r"error: (.*?) \[GL\d+ (\w+)\]", str(error))
    if found and found.group(2) in _UNSUPPORTED_KINDS:
        return _brief(found.group(1))
    return None


def _brief(text):
    """Without the layouts and shapes of one case."""
    return re.sub(r"<[^`]*>", "<…>", text)


def _short(error):
    if isinstance(error, errors.GluonError) and error.diagnostics:
        first = error.diagnostics[0]
        return f"{first.get('kind', type(error).__name__)}: {_constant(first['message'])}"
    lines = [line for line in str(error).strip().splitlines() if line.strip()]
    if type(error).__name__ == "CollectError":
        # A report of what an import raised; its last line says what.
        return _constant(lines[-1].removeprefix("E   ")) if lines else "CollectError"
    return f"{type(error).__name__}: {_constant(lines[0] if lines else '')}"


def _constant(text):
    text = re.sub(r"<Function [^>]*>", "<Function>", text)
    text = re.sub(r"0x[0-9a-f]+|\b\d+(\.\d+)?(e-?\d+)?\b", "#", text)
    return text[:160]
