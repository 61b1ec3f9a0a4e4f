"""triton.language.random: numbers that look random, functions of a seed and an offset."""

from gluonc import language as _gluon


def __getattr__(name):
    return _gluon.find_device_function("tl", f"random.{name}")
