//===- LowerLibdevice.cpp - Functions of the device library -----------------===//
//
// By name, as ir/tt/Libdevice.def lists them: an operation that already is the function, the
// host's library, or LibraryFunctions.h.
//
//===----------------------------------------------------------------------===//
#include "bitcode/Bitcode.h"
#include "numeric/DirectedRounding.h"
#include "sim/lower/LibraryFunctions.h"

#include <cmath>

namespace gluonc::sim {
namespace library {
using namespace numeric;
} // namespace library
namespace {

#define GL_SIM_FUNCTION(Name, expression)                                                          \
  struct Name {                                                                                    \
    template <class T> static T apply(T x) { return expression; }                                  \
  };
GL_SIM_FUNCTION(Exp10, std::pow(T(10), x))
GL_SIM_FUNCTION(Saturate, std::fmin(std::fmax(x, T(0)), T(1)))
#undef GL_SIM_FUNCTION

template <class E, bool infinite> struct Test {
  using Result = uint32_t;
  using Operand = typename E::Storage;
  static Result apply(Operand x) { return infinite ? std::isinf(x) : std::isnan(x); }
};
template <class E, bool leading> struct Count {
  using Result = uint32_t;
  using Operand = typename E::Storage;
  static Result apply(Operand x) {
    return static_cast<uint32_t>(leading ? std::countl_zero(x) : std::popcount(x));
  }
};

/// Text as a template argument.
template <size_t size> struct Text {
  char characters[size];
  consteval Text(const char (&text)[size]) { std::copy_n(text, size, characters); }
};

/// A function that some operation already is.
template <Text name> bool same(Lowering &lowering, mlir::Operation *operation) {
  LowerFunction function = operationTable().lookup(name.characters);
  return function ? function(lowering, operation)
                  : lowering.unsupported(operation, name.characters);
}

bool absolute(Lowering &lowering, mlir::Operation *operation) {
  mlir::Type type = mlir::getElementTypeOrSelf(operation->getOperand(0).getType());
  return mlir::isa<mlir::FloatType>(type) ? same<"math.absf">(lowering, operation)
                                          : same<"math.absi">(lowering, operation);
}
template <bool infinite> bool test(Lowering &lowering, mlir::Operation *operation) {
  bool isDouble = mlir::getElementTypeOrSelf(operation->getOperand(0).getType()).isF64();
  return isDouble ? lowerUnary<Test<F64, infinite>>(lowering, operation)
                  : lowerUnary<Test<F32, infinite>>(lowering, operation);
}
template <bool leading> bool count(Lowering &lowering, mlir::Operation *operation) {
  bool isLong = mlir::getElementTypeOrSelf(operation->getOperand(0).getType()).isInteger(64);
  return isLong ? lowerUnary<Count<I64, leading>>(lowering, operation)
                : lowerUnary<Count<I32, leading>>(lowering, operation);
}

using library::rn, library::rz, library::rd, library::ru;

template <llvm::RoundingMode mode> bool fused(Lowering &lowering, mlir::Operation *operation) {
  bool isDouble = mlir::getElementTypeOrSelf(operation->getOperand(0).getType()).isF64();
  return isDouble
             ? lowerTernary<library::Three<F64, library::fused<double, mode>>>(lowering, operation)
             : lowerTernary<library::Three<F32, library::fused<float, mode>>>(lowering, operation);
}

/// The types of Libdevice.def.
namespace named {
using float32 = float;
using float64 = double;
using int32 = int32_t;
using uint32 = uint32_t;
using int64 = int64_t;
using uint64 = uint64_t;
} // namespace named

/// As slots store them: integers without a sign.
template <class T> struct StoredAs {
  using Type = std::make_unsigned_t<T>;
};
template <std::floating_point T> struct StoredAs<T> {
  using Type = T;
};
template <class From, class To, llvm::RoundingMode mode>
bool cast(Lowering &lowering, mlir::Operation *operation) {
  return lowerUnary<library::Turn<typename StoredAs<From>::Type, typename StoredAs<To>::Type,
                                  library::converted<From, To, mode>>>(lowering, operation);
}

/// What executes each row of Libdevice.def, under the row's name.
namespace functions {
constexpr LowerFunction abs = absolute;
constexpr LowerFunction floor = same<"math.floor">;
constexpr LowerFunction ceil = same<"math.ceil">;
constexpr LowerFunction trunc = same<"math.trunc">;
constexpr LowerFunction rint = same<"math.roundeven">;
constexpr LowerFunction nearbyint = same<"math.roundeven">;
constexpr LowerFunction round = same<"math.round">;
constexpr LowerFunction sqrt = same<"math.sqrt">;
constexpr LowerFunction rsqrt = same<"math.rsqrt">;
constexpr LowerFunction exp = same<"math.exp">;
constexpr LowerFunction exp2 = same<"math.exp2">;
constexpr LowerFunction log = same<"math.log">;
constexpr LowerFunction log2 = same<"math.log2">;
constexpr LowerFunction log10 = same<"math.log10">;
constexpr LowerFunction erf = same<"math.erf">;
constexpr LowerFunction tanh = same<"math.tanh">;
constexpr LowerFunction sin = same<"math.sin">;
constexpr LowerFunction cos = same<"math.cos">;
constexpr LowerFunction saturatef = lowerFloatUnary<Saturate>;
constexpr LowerFunction fast_expf = same<"math.exp">;
constexpr LowerFunction fast_exp10f = lowerFloatUnary<Exp10>;
constexpr LowerFunction fast_logf = same<"math.log">;
constexpr LowerFunction fast_log2f = same<"math.log2">;
constexpr LowerFunction fast_log10f = same<"math.log10">;
constexpr LowerFunction fast_sinf = same<"math.sin">;
constexpr LowerFunction fast_cosf = same<"math.cos">;
constexpr LowerFunction fast_dividef = same<"arith.divf">;
constexpr LowerFunction div_rn = same<"arith.divf">;
constexpr LowerFunction copysign = same<"math.copysign">;
constexpr LowerFunction fma = same<"math.fma">;
constexpr LowerFunction isnan = test<false>;
constexpr LowerFunction isinf = test<true>;
constexpr LowerFunction clz = count<true>;
constexpr LowerFunction popc = count<false>;
constexpr LowerFunction exp10 = lowerFloatUnary<Exp10>;
constexpr LowerFunction expm1 = lowerFloatUnary<library::Expm1>;
constexpr LowerFunction log1p = lowerFloatUnary<library::Log1p>;
constexpr LowerFunction pow = lowerFloatBinary<library::Power>;
constexpr LowerFunction sinh = lowerFloatUnary<library::Sinh>;
constexpr LowerFunction cosh = lowerFloatUnary<library::Cosh>;
constexpr LowerFunction asinh = lowerFloatUnary<library::Asinh>;
constexpr LowerFunction acosh = lowerFloatUnary<library::Acosh>;
constexpr LowerFunction atanh = lowerFloatUnary<library::Atanh>;
constexpr LowerFunction tan = lowerFloatUnary<library::Tan>;
constexpr LowerFunction asin = lowerFloatUnary<library::Asin>;
constexpr LowerFunction acos = lowerFloatUnary<library::Acos>;
constexpr LowerFunction atan = lowerFloatUnary<library::Atan>;
constexpr LowerFunction atan2 = lowerFloatBinary<library::Atan2>;
constexpr LowerFunction sinpi = lowerFloatUnary<library::OfHalfTurns<false>>;
constexpr LowerFunction cospi = lowerFloatUnary<library::OfHalfTurns<true>>;
constexpr LowerFunction cbrt = lowerFloatUnary<library::Cbrt>;
constexpr LowerFunction rcbrt = lowerFloatUnary<library::Rcbrt>;
constexpr LowerFunction hypot = lowerFloatBinary<library::Hypot>;
constexpr LowerFunction rhypot = lowerFloatBinary<library::Rhypot>;
constexpr LowerFunction norm3d = library::ofFloat<library::Length>;
constexpr LowerFunction rnorm3d = library::ofFloat<library::InverseLength>;
constexpr LowerFunction erfc = lowerFloatUnary<library::Erfc>;
constexpr LowerFunction erfcx = lowerFloatUnary<library::Erfcx>;
constexpr LowerFunction erfinv = lowerFloatUnary<library::Erfinv>;
constexpr LowerFunction erfcinv = lowerFloatUnary<library::Erfcinv>;
constexpr LowerFunction normcdf = lowerFloatUnary<library::Normcdf>;
constexpr LowerFunction normcdfinv = lowerFloatUnary<library::Normcdfinv>;
constexpr LowerFunction lgamma = lowerFloatUnary<library::Lgamma>;
constexpr LowerFunction tgamma = lowerFloatUnary<library::Tgamma>;
constexpr LowerFunction fdim = lowerFloatBinary<library::Fdim>;
constexpr LowerFunction nextafter = lowerFloatBinary<library::NextAfter>;
constexpr LowerFunction logb = lowerFloatUnary<library::Logb>;
constexpr LowerFunction ilogb = library::ofFloat<library::ExponentOf>;
constexpr LowerFunction ldexp = library::ofFloat<library::Scaled>;
constexpr LowerFunction scalbn = library::ofFloat<library::Scaled>;
constexpr LowerFunction llrint = library::ofFloat<library::NearestEven>;
constexpr LowerFunction llround = library::ofFloat<library::NearestAway>;
constexpr LowerFunction signbit = library::ofFloat<library::HasSign>;
constexpr LowerFunction finitef = library::ofFloat<library::IsFinite>;
constexpr LowerFunction isfinited = library::ofFloat<library::IsFinite>;
constexpr LowerFunction fast_tanf = lowerFloatUnary<library::Tan>;
constexpr LowerFunction fast_tanhf = same<"math.tanh">;
constexpr LowerFunction fast_powf = lowerFloatBinary<library::Power>;
constexpr LowerFunction add_rn = same<"arith.addf">;
constexpr LowerFunction sub_rn = same<"arith.subf">;
constexpr LowerFunction mul_rn = same<"arith.mulf">;
constexpr LowerFunction rcp_rn = lowerFloatUnary<library::Reciprocal>;
constexpr LowerFunction sqrt_rn = same<"math.sqrt">;
constexpr LowerFunction brev = library::reversed;
constexpr LowerFunction ffs = library::firstOne;
constexpr LowerFunction mulhi = library::upperProduct;
constexpr LowerFunction unsigned_mulhi = library::unsignedUpperProduct;
constexpr LowerFunction unsigned_mul24 = lowerBinary<library::Two<uint32_t, library::unsigned24>>;
constexpr LowerFunction unsigned_hadd =
    lowerBinary<library::Two<uint32_t, library::unsignedHalfSum<0>>>;
constexpr LowerFunction unsigned_rhadd =
    lowerBinary<library::Two<uint32_t, library::unsignedHalfSum<1>>>;
constexpr LowerFunction unsigned_sad = lowerTernary<library::Three<I32, library::unsignedDistance>>;
constexpr LowerFunction mul24 = lowerBinary<library::Two<uint32_t, library::product24>>;
constexpr LowerFunction hadd = lowerBinary<library::Two<uint32_t, library::halfSum<0>>>;
constexpr LowerFunction rhadd = lowerBinary<library::Two<uint32_t, library::halfSum<1>>>;
constexpr LowerFunction sad = lowerTernary<library::Three<I32, library::distancePlus>>;
constexpr LowerFunction byte_perm = lowerTernary<library::Three<I32, library::chosenBytes>>;
constexpr LowerFunction float_as_int =
    lowerUnary<library::Turn<float, uint32_t, library::bitsOfFloat>>;
constexpr LowerFunction int_as_float =
    lowerUnary<library::Turn<uint32_t, float, library::floatOfBits>>;
constexpr LowerFunction add_rz = lowerFloatBinary<library::RoundedSum<rz>>;
constexpr LowerFunction sub_rz = lowerFloatBinary<library::RoundedDifference<rz>>;
constexpr LowerFunction mul_rz = lowerFloatBinary<library::RoundedProduct<rz>>;
constexpr LowerFunction div_rz = lowerFloatBinary<library::RoundedQuotient<rz>>;
constexpr LowerFunction rcp_rz = lowerFloatUnary<library::RoundedReciprocal<rz>>;
constexpr LowerFunction sqrt_rz = lowerFloatUnary<library::RoundedRoot<rz>>;
constexpr LowerFunction add_rd = lowerFloatBinary<library::RoundedSum<rd>>;
constexpr LowerFunction sub_rd = lowerFloatBinary<library::RoundedDifference<rd>>;
constexpr LowerFunction mul_rd = lowerFloatBinary<library::RoundedProduct<rd>>;
constexpr LowerFunction div_rd = lowerFloatBinary<library::RoundedQuotient<rd>>;
constexpr LowerFunction rcp_rd = lowerFloatUnary<library::RoundedReciprocal<rd>>;
constexpr LowerFunction sqrt_rd = lowerFloatUnary<library::RoundedRoot<rd>>;
constexpr LowerFunction add_ru = lowerFloatBinary<library::RoundedSum<ru>>;
constexpr LowerFunction sub_ru = lowerFloatBinary<library::RoundedDifference<ru>>;
constexpr LowerFunction mul_ru = lowerFloatBinary<library::RoundedProduct<ru>>;
constexpr LowerFunction div_ru = lowerFloatBinary<library::RoundedQuotient<ru>>;
constexpr LowerFunction rcp_ru = lowerFloatUnary<library::RoundedReciprocal<ru>>;
constexpr LowerFunction sqrt_ru = lowerFloatUnary<library::RoundedRoot<ru>>;
constexpr LowerFunction fma_rn = fused<rn>;
constexpr LowerFunction fma_rz = fused<rz>;
constexpr LowerFunction fma_rd = fused<rd>;
constexpr LowerFunction fma_ru = fused<ru>;
constexpr LowerFunction rsqrt_rn = lowerFloatUnary<library::InverseRoot>;
constexpr LowerFunction fmod = lowerFloatBinary<library::Fmod>;
constexpr LowerFunction remainder = lowerFloatBinary<library::Remainder>;
constexpr LowerFunction norm4d = library::ofFloat<library::Length4>;
constexpr LowerFunction rnorm4d = library::ofFloat<library::InverseLength4>;
constexpr LowerFunction j0 = lowerFloatUnary<library::BesselJ0>;
constexpr LowerFunction j1 = lowerFloatUnary<library::BesselJ1>;
constexpr LowerFunction y0 = lowerFloatUnary<library::BesselY0>;
constexpr LowerFunction y1 = lowerFloatUnary<library::BesselY1>;
constexpr LowerFunction cyl_bessel_i0 = lowerFloatUnary<library::BesselI0>;
constexpr LowerFunction cyl_bessel_i1 = lowerFloatUnary<library::BesselI1>;
constexpr LowerFunction jn = library::ofFloatOperand<1, library::FirstKind>;
constexpr LowerFunction yn = library::ofFloatOperand<1, library::SecondKind>;
constexpr LowerFunction float_as_uint =
    lowerUnary<library::Turn<float, uint32_t, library::bitsOfFloat>>;
constexpr LowerFunction uint_as_float =
    lowerUnary<library::Turn<uint32_t, float, library::floatOfBits>>;
constexpr LowerFunction double_as_longlong =
    lowerUnary<library::Turn<double, uint64_t, library::bitsOfDouble>>;
constexpr LowerFunction longlong_as_double =
    lowerUnary<library::Turn<uint64_t, double, library::doubleOfBits>>;
constexpr LowerFunction double2hiint =
    lowerUnary<library::Turn<double, uint32_t, library::upperWordOf>>;
constexpr LowerFunction double2loint =
    lowerUnary<library::Turn<double, uint32_t, library::lowerWordOf>>;
constexpr LowerFunction rcp64h =
    lowerUnary<library::Turn<double, double, library::roughReciprocal>>;
constexpr LowerFunction hiloint2double = lowerBinary<library::JoinWords>;
#define GL_LIBDEVICE_CAST(name, from, to, rounding, what)                                          \
  constexpr LowerFunction name = cast<named::from, named::to, llvm::RoundingMode::rounding>;
#include "ir/tt/Libdevice.def"
} // namespace functions

/// By symbol.
const llvm::StringMap<LowerFunction> &libraryFunctions() {
  static const llvm::StringMap<LowerFunction> table = [] {
    llvm::StringMap<LowerFunction> all;
    auto add = [&](std::initializer_list<llvm::StringRef> symbols, LowerFunction function) {
      for (llvm::StringRef symbol : symbols)
        if (!symbol.empty())
          all[symbol] = function;
    };
#define GL_LIBDEVICE(name, arity, f32, f64, i32, i64, gives, what)                                 \
  add({f32, f64, i32, i64}, functions::name);
#define GL_LIBDEVICE_OF(name, arity, from, to, what) add({"__nv_" #name}, functions::name);
#define GL_LIBDEVICE_CAST(name, from, to, rounding, what) add({"__nv_" #name}, functions::name);
#define GL_LIBDEVICE_UNSIGNED(name, u32, u64) add({u32, u64}, functions::unsigned_##name);
#include "ir/tt/Libdevice.def"
    // The code generator has none in float64; IR that others made may name them.
    add({"__nv_log10"}, functions::log10);
    return all;
  }();
  return table;
}

} // namespace

bool lowerLibraryFunction(Lowering &lowering, mlir::Operation *operation) {
  llvm::StringRef symbol = mlir::cast<tt::ExternElementwiseOp>(operation).getSymbol();
  if (lowering.userLibraries() && lowering.userLibraries()->defines(symbol))
    return lowerExternal(lowering, operation);
  LowerFunction function = libraryFunctions().lookup(symbol);
  return function ? function(lowering, operation)
                  : lowering.unsupported(operation, "`" + symbol + "`");
}

} // namespace gluonc::sim
