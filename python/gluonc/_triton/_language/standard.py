"""triton.language.standard: functions that Triton writes in its own language."""

from gluonc import language as _gluon
from gluonc._triton._language import *  # noqa: F401,F403


def __getattr__(name):
    return _gluon.find_device_function("tl", f"standard.{name}")
