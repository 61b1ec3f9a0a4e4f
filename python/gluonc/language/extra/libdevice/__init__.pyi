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

def exp10(arg0: tensor | Number) -> Any:
    """10 to the power of arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.exp10(x)
    """
    ...

def expm1(arg0: tensor | Number) -> Any:
    """e to the power of arg0, less 1; exact near 0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.expm1(x)
    """
    ...

def log1p(arg0: tensor | Number) -> Any:
    """The natural logarithm of 1 + arg0; exact near 0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.log1p(x)
    """
    ...

def pow(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """arg0 to the power of arg1.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.pow(x, y)
    """
    ...

def sinh(arg0: tensor | Number) -> Any:
    """The hyperbolic sine of arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.sinh(x)
    """
    ...

def cosh(arg0: tensor | Number) -> Any:
    """The hyperbolic cosine of arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.cosh(x)
    """
    ...

def asinh(arg0: tensor | Number) -> Any:
    """The inverse hyperbolic sine of arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.asinh(x)
    """
    ...

def acosh(arg0: tensor | Number) -> Any:
    """The inverse hyperbolic cosine of arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.acosh(x)
    """
    ...

def atanh(arg0: tensor | Number) -> Any:
    """The inverse hyperbolic tangent of arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.atanh(x)
    """
    ...

def tan(arg0: tensor | Number) -> Any:
    """The tangent of arg0, in radians.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.tan(x)
    """
    ...

def asin(arg0: tensor | Number) -> Any:
    """The angle whose sine is arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.asin(x)
    """
    ...

def acos(arg0: tensor | Number) -> Any:
    """The angle whose cosine is arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.acos(x)
    """
    ...

def atan(arg0: tensor | Number) -> Any:
    """The angle whose tangent is arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.atan(x)
    """
    ...

def atan2(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The angle of the point (arg1, arg0).

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.atan2(x, y)
    """
    ...

def sinpi(arg0: tensor | Number) -> Any:
    """The sine of arg0 times pi.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.sinpi(x)
    """
    ...

def cospi(arg0: tensor | Number) -> Any:
    """The cosine of arg0 times pi.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.cospi(x)
    """
    ...

def cbrt(arg0: tensor | Number) -> Any:
    """The cube root of arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.cbrt(x)
    """
    ...

def rcbrt(arg0: tensor | Number) -> Any:
    """1 / cbrt(arg0).

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.rcbrt(x)
    """
    ...

def hypot(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """sqrt(arg0 * arg0 + arg1 * arg1), without overflow in between.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.hypot(x, y)
    """
    ...

def rhypot(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """1 / hypot(arg0, arg1).

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.rhypot(x, y)
    """
    ...

def norm3d(arg0: tensor | Number, arg1: tensor | Number, arg2: tensor | Number) -> Any:
    """The length of the vector (arg0, arg1, arg2).

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.norm3d(x, y, x)
    """
    ...

def rnorm3d(arg0: tensor | Number, arg1: tensor | Number, arg2: tensor | Number) -> Any:
    """1 / norm3d(arg0, arg1, arg2).

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.rnorm3d(x, y, x)
    """
    ...

def erfc(arg0: tensor | Number) -> Any:
    """1 - erf(arg0); exact where that is small.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.erfc(x)
    """
    ...

def erfcx(arg0: tensor | Number) -> Any:
    """erfc(arg0) times e to the power of arg0 * arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.erfcx(x)
    """
    ...

def erfinv(arg0: tensor | Number) -> Any:
    """What has the error function arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.erfinv(x)
    """
    ...

def erfcinv(arg0: tensor | Number) -> Any:
    """What has the complementary error function arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.erfcinv(x)
    """
    ...

def normcdf(arg0: tensor | Number) -> Any:
    """How much of the standard normal distribution is below arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.normcdf(x)
    """
    ...

def normcdfinv(arg0: tensor | Number) -> Any:
    """Below what arg0 of the standard normal distribution is.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.normcdfinv(x)
    """
    ...

def lgamma(arg0: tensor | Number) -> Any:
    """The logarithm of the absolute value of the gamma function.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.lgamma(x)
    """
    ...

def tgamma(arg0: tensor | Number) -> Any:
    """The gamma function of arg0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.tgamma(x)
    """
    ...

def fdim(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """arg0 - arg1, but no less than 0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.fdim(x, y)
    """
    ...

def nextafter(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The float next to arg0 on the way to arg1.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.nextafter(x, y)
    """
    ...

def logb(arg0: tensor | Number) -> Any:
    """The exponent of arg0, as a float.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.logb(x)
    """
    ...

def ilogb(arg0: tensor | Number) -> Any:
    """The exponent of arg0.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.ilogb(x)
    """
    ...

def ldexp(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """arg0 times 2 to the power of arg1.

    Gives: the type of `arg0`, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.ldexp(x, i)
    """
    ...

def scalbn(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """arg0 times 2 to the power of arg1.

    Gives: the type of `arg0`, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.scalbn(x, i)
    """
    ...

def llrint(arg0: tensor | Number) -> Any:
    """The nearest integer; halves go to the even one.

    Gives: int64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.llrint(x)
    """
    ...

def llround(arg0: tensor | Number) -> Any:
    """The nearest integer; halves go away from zero.

    Gives: int64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.llround(x)
    """
    ...

def signbit(arg0: tensor | Number) -> Any:
    """Whether the sign of arg0 is set.

    Gives: int1, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.signbit(x)
    """
    ...

def finitef(arg0: tensor | Number) -> Any:
    """Whether arg0 is finite.

    Gives: int1, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.finitef(x)
    """
    ...

def isfinited(arg0: tensor | Number) -> Any:
    """Whether arg0 is finite.

    Gives: int1, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.isfinited(x.to(gl.float64))
    """
    ...

def fast_tanf(arg0: tensor | Number) -> Any:
    """The tangent of arg0 in radians, approximate.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.fast_tanf(x)
    """
    ...

def fast_tanhf(arg0: tensor | Number) -> Any:
    """The hyperbolic tangent of arg0, approximate.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.fast_tanhf(x)
    """
    ...

def fast_powf(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """arg0 to the power of arg1, approximate.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.fast_powf(x, y)
    """
    ...

def add_rn(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The sum, rounded by itself.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.add_rn(x, y)
    """
    ...

def sub_rn(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The difference, rounded by itself.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.sub_rn(x, y)
    """
    ...

def mul_rn(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The product, rounded by itself.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.mul_rn(x, y)
    """
    ...

def rcp_rn(arg0: tensor | Number) -> Any:
    """1 / arg0, rounded to the nearest float.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.rcp_rn(x)
    """
    ...

def sqrt_rn(arg0: tensor | Number) -> Any:
    """The square root, rounded to the nearest float.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.sqrt_rn(x)
    """
    ...

def brev(arg0: tensor | Number) -> Any:
    """The bits in the opposite order.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.brev(i)
    """
    ...

def ffs(arg0: tensor | Number) -> Any:
    """The position of the lowest bit that is 1, from 1 on; 0 where there is none.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.ffs(i)
    """
    ...

def mulhi(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The upper half of the product.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.mulhi(i, i)
    """
    ...

def mul24(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The product of the lower 24 bits, as signed numbers.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.mul24(i, i)
    """
    ...

def hadd(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """Half of the sum, rounded down.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.hadd(i, i)
    """
    ...

def rhadd(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """Half of the sum, rounded up.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.rhadd(i, i)
    """
    ...

def sad(arg0: tensor | Number, arg1: tensor | Number, arg2: tensor | Number) -> Any:
    """The distance of arg0 and arg1, plus arg2.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.sad(i, i, i)
    """
    ...

def byte_perm(arg0: tensor | Number, arg1: tensor | Number, arg2: tensor | Number) -> Any:
    """Four bytes of arg0 and arg1, each chosen by a nibble of arg2.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.byte_perm(i, i, i)
    """
    ...

def float_as_int(arg0: tensor | Number) -> Any:
    """The bits of arg0 as an int32.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.float_as_int(x)
    """
    ...

def int_as_float(arg0: tensor | Number) -> Any:
    """The float32 with the bits of arg0.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.int_as_float(i)
    """
    ...

