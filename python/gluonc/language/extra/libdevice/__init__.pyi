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
    """The product of the lower 24 bits, with the sign of the type.

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

def add_rz(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The sum, rounded towards zero.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.add_rz(x, y)
    """
    ...

def add_rd(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The sum, rounded down.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.add_rd(x, y)
    """
    ...

def add_ru(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The sum, rounded up.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.add_ru(x, y)
    """
    ...

def sub_rz(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The difference, rounded towards zero.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.sub_rz(x, y)
    """
    ...

def sub_rd(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The difference, rounded down.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.sub_rd(x, y)
    """
    ...

def sub_ru(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The difference, rounded up.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.sub_ru(x, y)
    """
    ...

def mul_rz(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The product, rounded towards zero.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.mul_rz(x, y)
    """
    ...

def mul_rd(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The product, rounded down.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.mul_rd(x, y)
    """
    ...

def mul_ru(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The product, rounded up.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.mul_ru(x, y)
    """
    ...

def div_rz(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The quotient, rounded towards zero.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.div_rz(x, y)
    """
    ...

def div_rd(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The quotient, rounded down.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.div_rd(x, y)
    """
    ...

def div_ru(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The quotient, rounded up.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.div_ru(x, y)
    """
    ...

def rcp_rz(arg0: tensor | Number) -> Any:
    """1 / arg0, rounded towards zero.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.rcp_rz(x)
    """
    ...

def rcp_rd(arg0: tensor | Number) -> Any:
    """1 / arg0, rounded down.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.rcp_rd(x)
    """
    ...

def rcp_ru(arg0: tensor | Number) -> Any:
    """1 / arg0, rounded up.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.rcp_ru(x)
    """
    ...

def sqrt_rz(arg0: tensor | Number) -> Any:
    """The square root, rounded towards zero.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.sqrt_rz(x)
    """
    ...

def sqrt_rd(arg0: tensor | Number) -> Any:
    """The square root, rounded down.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.sqrt_rd(x)
    """
    ...

def sqrt_ru(arg0: tensor | Number) -> Any:
    """The square root, rounded up.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.sqrt_ru(x)
    """
    ...

def fma_rn(arg0: tensor | Number, arg1: tensor | Number, arg2: tensor | Number) -> Any:
    """arg0 * arg1 + arg2 with one rounding, to the nearest float.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.fma_rn(x, y, x)
    """
    ...

def fma_rz(arg0: tensor | Number, arg1: tensor | Number, arg2: tensor | Number) -> Any:
    """arg0 * arg1 + arg2 with one rounding, towards zero.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.fma_rz(x, y, x)
    """
    ...

def fma_rd(arg0: tensor | Number, arg1: tensor | Number, arg2: tensor | Number) -> Any:
    """arg0 * arg1 + arg2 with one rounding, down.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.fma_rd(x, y, x)
    """
    ...

def fma_ru(arg0: tensor | Number, arg1: tensor | Number, arg2: tensor | Number) -> Any:
    """arg0 * arg1 + arg2 with one rounding, up.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.fma_ru(x, y, x)
    """
    ...

def rsqrt_rn(arg0: tensor | Number) -> Any:
    """1 / sqrt(arg0), rounded to the nearest float.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.rsqrt_rn(x)
    """
    ...

def fmod(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """What the quotient, cut to a whole number, leaves of arg0; exact.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.fmod(x, y)
    """
    ...

def remainder(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """arg0 less arg1 times the nearest whole number to their quotient; exact.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.remainder(x, y)
    """
    ...

def norm4d(arg0: tensor | Number, arg1: tensor | Number, arg2: tensor | Number, arg3: tensor | Number) -> Any:
    """The length of the vector (arg0, arg1, arg2, arg3).

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.norm4d(x, y, x, y)
    """
    ...

def rnorm4d(arg0: tensor | Number, arg1: tensor | Number, arg2: tensor | Number, arg3: tensor | Number) -> Any:
    """1 / norm4d(arg0, arg1, arg2, arg3).

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.rnorm4d(x, y, x, y)
    """
    ...

def j0(arg0: tensor | Number) -> Any:
    """The Bessel function of the first kind of order 0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.j0(x)
    """
    ...

def j1(arg0: tensor | Number) -> Any:
    """The Bessel function of the first kind of order 1.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.j1(x)
    """
    ...

def y0(arg0: tensor | Number) -> Any:
    """The Bessel function of the second kind of order 0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.y0(x)
    """
    ...

def y1(arg0: tensor | Number) -> Any:
    """The Bessel function of the second kind of order 1.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.y1(x)
    """
    ...

def cyl_bessel_i0(arg0: tensor | Number) -> Any:
    """The modified Bessel function of the first kind of order 0.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.cyl_bessel_i0(x)
    """
    ...

def cyl_bessel_i1(arg0: tensor | Number) -> Any:
    """The modified Bessel function of the first kind of order 1.

    Gives: the type of the arguments, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.cyl_bessel_i1(x)
    """
    ...

def jn(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The Bessel function of the first kind of order arg0.

    Gives: the type of `arg1`, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.jn(i, x)
    """
    ...

def yn(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The Bessel function of the second kind of order arg0, which is not negative.

    Gives: the type of `arg1`, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.yn(i, x)
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

def float_as_uint(arg0: tensor | Number) -> Any:
    """The bits of arg0 as an int32.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.float_as_uint(x)
    """
    ...

def uint_as_float(arg0: tensor | Number) -> Any:
    """The float32 with the bits of arg0.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.uint_as_float(i.to(gl.uint32))
    """
    ...

def double_as_longlong(arg0: tensor | Number) -> Any:
    """The bits of arg0 as an int64.

    Gives: int64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double_as_longlong(x.to(gl.float64))
    """
    ...

def longlong_as_double(arg0: tensor | Number) -> Any:
    """The float64 with the bits of arg0.

    Gives: float64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.longlong_as_double(i.to(gl.int64))
    """
    ...

def double2hiint(arg0: tensor | Number) -> Any:
    """The upper half of the bits of arg0.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2hiint(x.to(gl.float64))
    """
    ...

def double2loint(arg0: tensor | Number) -> Any:
    """The lower half of the bits of arg0.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2loint(x.to(gl.float64))
    """
    ...

def hiloint2double(arg0: tensor | Number, arg1: tensor | Number) -> Any:
    """The float64 whose bits are those of arg0 above those of arg1.

    Gives: float64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.hiloint2double(i, i)
    """
    ...

def rcp64h(arg0: tensor | Number) -> Any:
    """1 / arg0 from the upper half of its bits, to 2^-20; the lower half is 0.

    Gives: float64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.rcp64h(x.to(gl.float64))
    """
    ...

def float2int_rn(arg0: tensor | Number) -> Any:
    """arg0 as an int32, the nearest whole number.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.float2int_rn(x)
    """
    ...

def float2int_rz(arg0: tensor | Number) -> Any:
    """arg0 as an int32, its fraction dropped.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.float2int_rz(x)
    """
    ...

def float2int_rd(arg0: tensor | Number) -> Any:
    """arg0 as an int32, rounded down.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.float2int_rd(x)
    """
    ...

def float2int_ru(arg0: tensor | Number) -> Any:
    """arg0 as an int32, rounded up.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.float2int_ru(x)
    """
    ...

def float2uint_rn(arg0: tensor | Number) -> Any:
    """The bits of arg0 as a uint32, the nearest whole number.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.float2uint_rn(x)
    """
    ...

def float2uint_rz(arg0: tensor | Number) -> Any:
    """The bits of arg0 as a uint32, its fraction dropped.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.float2uint_rz(x)
    """
    ...

def float2uint_rd(arg0: tensor | Number) -> Any:
    """The bits of arg0 as a uint32, rounded down.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.float2uint_rd(x)
    """
    ...

def float2uint_ru(arg0: tensor | Number) -> Any:
    """The bits of arg0 as a uint32, rounded up.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.float2uint_ru(x)
    """
    ...

def float2ll_rn(arg0: tensor | Number) -> Any:
    """arg0 as an int64, the nearest whole number.

    Gives: int64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.float2ll_rn(x)
    """
    ...

def float2ll_rz(arg0: tensor | Number) -> Any:
    """arg0 as an int64, its fraction dropped.

    Gives: int64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.float2ll_rz(x)
    """
    ...

def float2ll_rd(arg0: tensor | Number) -> Any:
    """arg0 as an int64, rounded down.

    Gives: int64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.float2ll_rd(x)
    """
    ...

def float2ll_ru(arg0: tensor | Number) -> Any:
    """arg0 as an int64, rounded up.

    Gives: int64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.float2ll_ru(x)
    """
    ...

def float2ull_rn(arg0: tensor | Number) -> Any:
    """The bits of arg0 as a uint64, the nearest whole number.

    Gives: int64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.float2ull_rn(x)
    """
    ...

def float2ull_rz(arg0: tensor | Number) -> Any:
    """The bits of arg0 as a uint64, its fraction dropped.

    Gives: int64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.float2ull_rz(x)
    """
    ...

def float2ull_rd(arg0: tensor | Number) -> Any:
    """The bits of arg0 as a uint64, rounded down.

    Gives: int64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.float2ull_rd(x)
    """
    ...

def float2ull_ru(arg0: tensor | Number) -> Any:
    """The bits of arg0 as a uint64, rounded up.

    Gives: int64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.float2ull_ru(x)
    """
    ...

def double2int_rn(arg0: tensor | Number) -> Any:
    """arg0 as an int32, the nearest whole number.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2int_rn(x.to(gl.float64))
    """
    ...

def double2int_rz(arg0: tensor | Number) -> Any:
    """arg0 as an int32, its fraction dropped.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2int_rz(x.to(gl.float64))
    """
    ...

def double2int_rd(arg0: tensor | Number) -> Any:
    """arg0 as an int32, rounded down.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2int_rd(x.to(gl.float64))
    """
    ...

def double2int_ru(arg0: tensor | Number) -> Any:
    """arg0 as an int32, rounded up.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2int_ru(x.to(gl.float64))
    """
    ...

def double2uint_rn(arg0: tensor | Number) -> Any:
    """The bits of arg0 as a uint32, the nearest whole number.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2uint_rn(x.to(gl.float64))
    """
    ...

def double2uint_rz(arg0: tensor | Number) -> Any:
    """The bits of arg0 as a uint32, its fraction dropped.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2uint_rz(x.to(gl.float64))
    """
    ...

def double2uint_rd(arg0: tensor | Number) -> Any:
    """The bits of arg0 as a uint32, rounded down.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2uint_rd(x.to(gl.float64))
    """
    ...

def double2uint_ru(arg0: tensor | Number) -> Any:
    """The bits of arg0 as a uint32, rounded up.

    Gives: int32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2uint_ru(x.to(gl.float64))
    """
    ...

def double2ll_rn(arg0: tensor | Number) -> Any:
    """arg0 as an int64, the nearest whole number.

    Gives: int64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2ll_rn(x.to(gl.float64))
    """
    ...

def double2ll_rz(arg0: tensor | Number) -> Any:
    """arg0 as an int64, its fraction dropped.

    Gives: int64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2ll_rz(x.to(gl.float64))
    """
    ...

def double2ll_rd(arg0: tensor | Number) -> Any:
    """arg0 as an int64, rounded down.

    Gives: int64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2ll_rd(x.to(gl.float64))
    """
    ...

def double2ll_ru(arg0: tensor | Number) -> Any:
    """arg0 as an int64, rounded up.

    Gives: int64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2ll_ru(x.to(gl.float64))
    """
    ...

def double2ull_rn(arg0: tensor | Number) -> Any:
    """The bits of arg0 as a uint64, the nearest whole number.

    Gives: int64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2ull_rn(x.to(gl.float64))
    """
    ...

def double2ull_rz(arg0: tensor | Number) -> Any:
    """The bits of arg0 as a uint64, its fraction dropped.

    Gives: int64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2ull_rz(x.to(gl.float64))
    """
    ...

def double2ull_rd(arg0: tensor | Number) -> Any:
    """The bits of arg0 as a uint64, rounded down.

    Gives: int64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2ull_rd(x.to(gl.float64))
    """
    ...

def double2ull_ru(arg0: tensor | Number) -> Any:
    """The bits of arg0 as a uint64, rounded up.

    Gives: int64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2ull_ru(x.to(gl.float64))
    """
    ...

def double2float_rn(arg0: tensor | Number) -> Any:
    """arg0 rounded to the nearest float32.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2float_rn(x.to(gl.float64))
    """
    ...

def double2float_rz(arg0: tensor | Number) -> Any:
    """arg0 rounded towards zero.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2float_rz(x.to(gl.float64))
    """
    ...

def double2float_rd(arg0: tensor | Number) -> Any:
    """arg0 rounded down.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2float_rd(x.to(gl.float64))
    """
    ...

def double2float_ru(arg0: tensor | Number) -> Any:
    """arg0 rounded up.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.double2float_ru(x.to(gl.float64))
    """
    ...

def int2double_rn(arg0: tensor | Number) -> Any:
    """arg0 as a float64; exact.

    Gives: float64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.int2double_rn(i)
    """
    ...

def uint2double_rn(arg0: tensor | Number) -> Any:
    """arg0 as a float64; exact.

    Gives: float64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.uint2double_rn(i.to(gl.uint32))
    """
    ...

def int2float_rn(arg0: tensor | Number) -> Any:
    """arg0 as a float32, rounded to the nearest float32.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.int2float_rn(i)
    """
    ...

def int2float_rz(arg0: tensor | Number) -> Any:
    """arg0 as a float32, rounded towards zero.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.int2float_rz(i)
    """
    ...

def int2float_rd(arg0: tensor | Number) -> Any:
    """arg0 as a float32, rounded down.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.int2float_rd(i)
    """
    ...

def int2float_ru(arg0: tensor | Number) -> Any:
    """arg0 as a float32, rounded up.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.int2float_ru(i)
    """
    ...

def uint2float_rn(arg0: tensor | Number) -> Any:
    """arg0 as a float32, rounded to the nearest float32.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.uint2float_rn(i.to(gl.uint32))
    """
    ...

def uint2float_rz(arg0: tensor | Number) -> Any:
    """arg0 as a float32, rounded towards zero.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.uint2float_rz(i.to(gl.uint32))
    """
    ...

def uint2float_rd(arg0: tensor | Number) -> Any:
    """arg0 as a float32, rounded down.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.uint2float_rd(i.to(gl.uint32))
    """
    ...

def uint2float_ru(arg0: tensor | Number) -> Any:
    """arg0 as a float32, rounded up.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.uint2float_ru(i.to(gl.uint32))
    """
    ...

def ll2float_rn(arg0: tensor | Number) -> Any:
    """arg0 as a float32, rounded to the nearest float32.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.ll2float_rn(i.to(gl.int64))
    """
    ...

def ll2float_rz(arg0: tensor | Number) -> Any:
    """arg0 as a float32, rounded towards zero.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.ll2float_rz(i.to(gl.int64))
    """
    ...

def ll2float_rd(arg0: tensor | Number) -> Any:
    """arg0 as a float32, rounded down.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.ll2float_rd(i.to(gl.int64))
    """
    ...

def ll2float_ru(arg0: tensor | Number) -> Any:
    """arg0 as a float32, rounded up.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.ll2float_ru(i.to(gl.int64))
    """
    ...

def ll2double_rn(arg0: tensor | Number) -> Any:
    """arg0 as a float64, rounded to the nearest float64.

    Gives: float64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.ll2double_rn(i.to(gl.int64))
    """
    ...

def ll2double_rz(arg0: tensor | Number) -> Any:
    """arg0 as a float64, rounded towards zero.

    Gives: float64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.ll2double_rz(i.to(gl.int64))
    """
    ...

def ll2double_rd(arg0: tensor | Number) -> Any:
    """arg0 as a float64, rounded down.

    Gives: float64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.ll2double_rd(i.to(gl.int64))
    """
    ...

def ll2double_ru(arg0: tensor | Number) -> Any:
    """arg0 as a float64, rounded up.

    Gives: float64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.ll2double_ru(i.to(gl.int64))
    """
    ...

def ull2float_rn(arg0: tensor | Number) -> Any:
    """arg0 as a float32, rounded to the nearest float32.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.ull2float_rn(i.to(gl.uint64))
    """
    ...

def ull2float_rz(arg0: tensor | Number) -> Any:
    """arg0 as a float32, rounded towards zero.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.ull2float_rz(i.to(gl.uint64))
    """
    ...

def ull2float_rd(arg0: tensor | Number) -> Any:
    """arg0 as a float32, rounded down.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.ull2float_rd(i.to(gl.uint64))
    """
    ...

def ull2float_ru(arg0: tensor | Number) -> Any:
    """arg0 as a float32, rounded up.

    Gives: float32, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.ull2float_ru(i.to(gl.uint64))
    """
    ...

def ull2double_rn(arg0: tensor | Number) -> Any:
    """arg0 as a float64, rounded to the nearest float64.

    Gives: float64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.ull2double_rn(i.to(gl.uint64))
    """
    ...

def ull2double_rz(arg0: tensor | Number) -> Any:
    """arg0 as a float64, rounded towards zero.

    Gives: float64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.ull2double_rz(i.to(gl.uint64))
    """
    ...

def ull2double_rd(arg0: tensor | Number) -> Any:
    """arg0 as a float64, rounded down.

    Gives: float64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.ull2double_rd(i.to(gl.uint64))
    """
    ...

def ull2double_ru(arg0: tensor | Number) -> Any:
    """arg0 as a float64, rounded up.

    Gives: float64, element by element.
    Errors: an element type that the function does not have: cast first.

        z = gl.extra.libdevice.ull2double_ru(i.to(gl.uint64))
    """
    ...

