"""Sorts what a test raised: is gluonc wrong, or does it not have something yet?"""

import re

from gluonc import errors

# Kinds of reports that say: not there yet.
_UNSUPPORTED_KINDS = {"NotSupportedYet", "UnsupportedInSimulator", "UnsupportedInCodegen",
                      "UnsupportedConstruct", "UnsupportedHostConstruct", "UnknownTarget",
                      "TargetWithoutCode"}


def classify(error):
    """("unsupported", "worded" or "failed", reason): the first missing feature, or the first line
    of the error, with what varies between cases (numbers, sizes) taken out."""
    chain = [error]
    while chain[-1] is not None:
        chain.append(chain[-1].__cause__ or chain[-1].__context__)
    chain.pop()
    if str(error).startswith("Regex pattern did not match"):
        # Of `pytest.raises`, which got an exception of the class that it wants.
        return "worded", "error"
    for seen in chain:
        found = _unsupported(seen)
        if found:
            return "unsupported", found
    return _worded(error, chain) or ("failed", _short(error))


def _worded(error, chain):
    """A test that compares IR with Triton's word by word, or the words of an error, and found that
    gluonc compiles or refuses the kernel as it should, in words of its own."""
    text = str(error)
    if text.startswith(("FileCheck:", "Mismatch between actual and expect strings")):
        return "worded", "IR"
    if not isinstance(error, AssertionError):
        return None
    refused = [*chain[1:], *_caught(error)]
    if any(isinstance(other, errors.CompilationError) for other in refused):
        return "worded", "error"
    return None


def _caught(error):
    """The exceptions that `pytest.raises` put into variables of the functions that failed."""
    trace = error.__traceback__
    while trace is not None:
        for value in trace.tb_frame.f_locals.values():
            if type(value).__name__ == "ExceptionInfo":
                # Unfilled where nothing was raised.
                yield getattr(value, "_excinfo", None) and value.value
        trace = trace.tb_next


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
