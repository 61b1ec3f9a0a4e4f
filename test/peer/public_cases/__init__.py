"""What public_kernels.py runs: each case names a file of a public repository, and states inputs and results."""

import dataclasses
import importlib
import pkgutil
from typing import Any, Callable

_cases = []


@dataclasses.dataclass
class Case:
    """`run()` yields (label, result, expected result, tolerance relative to the largest expected value)."""
    name: str
    language: str
    file: str
    target: str
    run: Callable[[], Any]
    # Folders below the repository's that are searched for modules; packages whose __init__ is not run; those that
    # are not installed.
    paths: tuple = ()
    bare: tuple = ()
    absent: tuple = ()
    # Variables of the environment.
    settings: dict = dataclasses.field(default_factory=dict)

    @property
    def repository(self):
        return self.file.split("/")[0].replace("+", "/")


def case(file, target, language="Gluon", **options):
    def decorate(function):
        name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
        _cases.append(Case(name, language, file, target, function, **options))
        return function
    return decorate


def own_tests(name, module, file, tests, target, select="", count=4, language="Gluon", **options):
    """A case that runs tests of the repository's own, which hold the kernels of `file` to functions of theirs."""
    def run():
        from . import sources
        yield from sources.run_tests(sources.top / tests, select, count)
    run.__name__, run.__module__ = name, module
    case(file, target, language, **options)(run)


def all_cases():
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return _cases


def find(name):
    return next(case for case in all_cases() if case.name == name)
