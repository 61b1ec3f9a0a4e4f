# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor

def abs(arg0: tensor | Number) -> Any:
    """The absolute value.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.abs(x)
    """
    ...

def floor(arg0: tensor | Number) -> Any:
    """The largest whole number that is not above arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.floor(x)
    """
    ...

def ceil(arg0: tensor | Number) -> Any:
    """The smallest whole number that is not below arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.ceil(x)
    """
    ...

def trunc(arg0: tensor | Number) -> Any:
    """arg0 without its fraction.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.trunc(x)
    """
    ...

def rint(arg0: tensor | Number) -> Any:
    """The nearest whole number; halves go to the even one.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.rint(x)
    """
    ...

def nearbyint(arg0: tensor | Number) -> Any:
    """The nearest whole number; halves go to the even one.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.nearbyint(x)
    """
    ...

def round(arg0: tensor | Number) -> Any:
    """The nearest whole number; halves go away from zero.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.round(x)
    """
    ...

def sqrt(arg0: tensor | Number) -> Any:
    """The square root of arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.sqrt(x)
    """
    ...

def rsqrt(arg0: tensor | Number) -> Any:
    """1 / sqrt(arg0).

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.rsqrt(x)
    """
    ...

def exp(arg0: tensor | Number) -> Any:
    """e to the power of arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.exp(x)
    """
    ...

def exp2(arg0: tensor | Number) -> Any:
    """2 to the power of arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.exp2(x)
    """
    ...

def log(arg0: tensor | Number) -> Any:
    """The natural logarithm of arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.log(x)
    """
    ...

def log2(arg0: tensor | Number) -> Any:
    """The logarithm of arg0 to base 2.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.log2(x)
    """
    ...

def log10(arg0: tensor | Number) -> Any:
    """The logarithm of arg0 to base 10.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.log10(x)
    """
    ...

def erf(arg0: tensor | Number) -> Any:
    """The error function of arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.erf(x)
    """
    ...

def tanh(arg0: tensor | Number) -> Any:
    """The hyperbolic tangent of arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.tanh(x)
    """
    ...

def sin(arg0: tensor | Number) -> Any:
    """The sine of arg0, in radians.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.sin(x)
    """
    ...

def cos(arg0: tensor | Number) -> Any:
    """The cosine of arg0, in radians.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.cos(x)
    """
    ...

def saturatef(arg0: tensor | Number) -> Any:
    """arg0, but no less than 0 and no more than 1.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.saturatef(x)
    """
    ...

def fast_expf(arg0: tensor | Number) -> Any:
    """e to the power of arg0, approximate.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.fast_expf(x)
    """
    ...

def fast_exp10f(arg0: tensor | Number) -> Any:
    """10 to the power of arg0, approximate.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.fast_exp10f(x)
    """
    ...

def fast_logf(arg0: tensor | Number) -> Any:
    """The natural logarithm of arg0, approximate.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.fast_logf(x)
    """
    ...

def fast_log2f(arg0: tensor | Number) -> Any:
    """The logarithm of arg0 to base 2, approximate.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.fast_log2f(x)
    """
    ...

def fast_log10f(arg0: tensor | Number) -> Any:
    """The logarithm of arg0 to base 10, approximate.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.fast_log10f(x)
    """
    ...

def fast_sinf(arg0: tensor | Number) -> Any:
    """The sine of arg0 in radians, approximate.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.fast_sinf(x)
    """
    ...

def fast_cosf(arg0: tensor | Number) -> Any:
    """The cosine of arg0 in radians, approximate.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.fast_cosf(x)
    """
    ...

def fast_dividef(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The quotient, approximate.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.fast_dividef(x, y)
    """
    ...

def div_rn(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The quotient, rounded to the nearest float.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.div_rn(x, y)
    """
    ...

def copysign(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The first argument with the sign of the second.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.copysign(x, y)
    """
    ...

def fma(arg0: tensor | Number, arg1: tensor | Number, arg2: tensor | Number) -> Any:
    """arg0 * arg1 + arg2 with one rounding.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.fma(x, y, x)
    """
    ...

def isnan(arg0: tensor | Number) -> Any:
    """Whether arg0 is NaN.

    Gives: int1, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.isnan(x)
    """
    ...

def isinf(arg0: tensor | Number) -> Any:
    """Whether arg0 is infinite.

    Gives: int1, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.isinf(x)
    """
    ...

def clz(arg0: tensor | Number) -> Any:
    """The number of leading zero bits.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.clz(i)
    """
    ...

def popc(arg0: tensor | Number) -> Any:
    """The number of bits that are 1.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.popc(i)
    """
    ...

