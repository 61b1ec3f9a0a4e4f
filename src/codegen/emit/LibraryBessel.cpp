//===- LibraryBessel.cpp - Bessel functions ------------------------------------===//
//
// Of orders 0 and 1: below 8 a polynomial in x^2, for the second kind beside the logarithm
// that is its singular part; from 8 on
//
//   J_n = sqrt(2 / (pi x)) (P cos(x - (2n + 1) pi/4) - Q sin(x - (2n + 1) pi/4))
//   Y_n = sqrt(2 / (pi x)) (P sin(x - (2n + 1) pi/4) + Q cos(x - (2n + 1) pi/4))
//
// with P and Q x polynomials in (8 / x)^2. Errors are absolute, 1e-14 or so, but relative for the
// modified ones. Polynomials are fitted at Chebyshev nodes of the interval, which
// is mapped to [-1, 1]. Higher orders come from the recurrence in whichever direction it is stable.
//
//===----------------------------------------------------------------------===//
#include "codegen/emit/LibraryNumber.h"

using namespace llvm;

namespace gluonc::codegen::library {
namespace {

// Of x^2 in [0, 64]: J0, J1 / x, and what Y0 and Y1 / x are beside their singular parts.
constexpr double nearJ0[] = {
    0.045829664859813754,     0.93030124729585717,     -0.648469283087182102,
    -0.808088807669687159,    1.03837946114368829,     -0.507468045847101035,
    0.14598884856785535,      -0.0284727186108770444,  0.00405807898810882969,
    -0.000443545922443376887, 3.84732000579276036e-05, -2.71774920762617602e-06,
    1.59558488662316398e-07,  -7.9153337536856105e-09, 3.37946245206429983e-10,
    -1.24301661566400033e-11};
constexpr double nearJ1[] = {
    -0.0581438279559910731,   0.0810586603858979571,    0.151516651438066363,
    -0.259594865285930287,    0.158583764327218379,     -0.0547458182128472484,
    0.0124568143922633746,    -0.00202903949457045735,  0.000249494581359727672,
    -2.40457486600347884e-05, 1.86845260371827367e-06,  -1.19670818223410487e-07,
    6.43119017895857007e-09,  -2.94301683382949187e-10, 1.16589718840365154e-11,
    -4.00376328157967527e-13};
constexpr double nearY0[] = {
    -0.362027343237145194,    -0.417920742320695204,    1.36094565996554295,
    -0.212459994420659604,    -0.619340782630277809,    0.448246044635633334,
    -0.154536796523569692,    0.0338028569639870283,    -0.00523502766897549973,
    0.000610434564402002108,  -5.58183085172572803e-05, 4.12205431945006237e-06,
    -2.51436472719398999e-07, 1.28980901691550567e-08,  -5.67456205021762473e-10,
    2.14354686159981841e-11};
constexpr double nearY1[] = {
    0.0451026620686948293,    -0.207608578428306018,    0.0902275063673092653,
    0.120520354268881608,     -0.126419950565697048,    0.0543901163079463512,
    -0.014131923394262674,    0.00252713404668255572,   -0.000333722570055742195,
    3.40636337537988116e-05,  -2.77650569942876769e-06, 1.8524201757414394e-07,
    -1.03152483613314023e-08, 4.8710263385933495e-10,   -1.98505458306303879e-11,
    6.99142094973309941e-13};

// Of (8 / x)^2 in [0, 1]: P and Q x of orders 0 and 1.
constexpr double cosine0[] = {
    0.999457275788251942,     -0.000536367319212968392, 6.13741608014772232e-06,
    -2.05274482587994539e-07, 1.28037609907616316e-08,  -1.21210995190528838e-09,
    1.55007588509658513e-10,  -2.49111569060928251e-11, 4.78324645040706759e-12,
    -1.0160586409351026e-12,  2.48665187917022105e-13,  -1.0240462527458219e-13,
    3.2274659236696375e-14};
constexpr double sine0[] = {
    -0.124440911036108146,    0.000546651927947214506,  -1.18171106610609291e-05,
    5.68497197002558183e-07,  -4.53497320707152732e-08, 5.14616046007417982e-09,
    -7.57603945909877835e-10, 1.36480319920206184e-10,  -2.88064078422137434e-11,
    6.5409516946301043e-12,   -1.70868882599585981e-12, 7.90449153768321693e-13,
    -2.632409683663596e-13};
constexpr double cosine1[] = {
    1.00090702627808215,      0.000898804941670519456,  -7.95969469847865687e-06,
    2.45367663311693009e-07,  -1.47085125161458208e-08, 1.36029706653691109e-09,
    -1.71312789808576107e-10, 2.72341878112870635e-11,  -5.18719981491451743e-12,
    1.09580929272518012e-12,  -2.66891431604198299e-13, 1.09117834676015721e-13,
    -3.42734255116645459e-14};
constexpr double sine1[] = {
    0.374214992219591813,     -0.000769716705764040784, 1.45696148097038802e-05,
    -6.6335686543090386e-07,  5.13610638662414536e-08,  -5.72081572991553401e-09,
    8.31577066874360344e-10,  -1.48425076700964974e-10, 3.1108178791114657e-11,
    -7.03109781882185279e-12, 1.82890606546644484e-12,  -8.40120873806914508e-13,
    2.78920353756046809e-13};

// Of 8 / x in [0, 1]: sqrt(x) e^-x I_n.
constexpr double farI0[] = {
    0.402176509445008101,     0.00336055198366691033,   0.00013621607438931758,
    1.11430338604950165e-05,  1.48384776788080229e-06,  2.97358343347305407e-07,
    8.87177213495821518e-08,  3.93411519676215735e-08,  2.15939212841898366e-08,
    7.46865271844571147e-09,  -7.00455690139424839e-09, -1.31138748799418965e-08,
    -4.52213771554301317e-09, 6.90550327368461325e-09,  5.4927744102036393e-09,
    -2.5824509003351837e-09,  -3.18680216622875056e-09, 6.7025840465281115e-10,
    1.0915893161016653e-09,   -8.85307624605010798e-11, -1.71661649381754884e-10};
constexpr double farI1[] = {
    0.389398459025872334,     -0.00974957719323485579,  -0.000219235763831170214,
    -1.50385472648834711e-05, -1.83491034296633884e-06, -3.4838417530912219e-07,
    -1.00008224980712967e-07, -4.31433224673057225e-08, -2.34213213867238024e-08,
    -8.34829836133379021e-09, 7.00178707848775243e-09,  1.37618725584413891e-08,
    5.0560455441327082e-09,   -7.04544959361489502e-09, -5.87231576404901599e-09,
    2.57502201524538483e-09,  3.36440290694288606e-09,  -6.56355061082456525e-10,
    -1.14598754920843813e-09, 8.55653437326001754e-11,  1.79708076202127004e-10};

Number nearSeries(Number x, ArrayRef<double> series) {
  return polynomialOf(x * x * (1.0 / 32) - 1.0, series);
}

/// sqrt(1 / (pi x)) (P u + Q v) of 8 and more, 0 at infinity.
Number farSeries(Number x, unsigned order, Number u, Number v) {
  Number at = (64.0 / x / x) * 2.0 - 1.0;
  Number p = polynomialOf(at, order ? ArrayRef(cosine1) : ArrayRef(cosine0));
  Number q = polynomialOf(at, order ? ArrayRef(sine1) : ArrayRef(sine0)) / x;
  return select(x == infinity, 0.0, (p * u + q * v) / sqrt(x * pi));
}

/// Sums that cos and sin of x - (2n + 1) pi/4 are, times sqrt(2).
struct Waves {
  explicit Waves(Number x)
      : sum(math(MathKind::Sin, x) + math(MathKind::Cos, x)),
        difference(math(MathKind::Sin, x) - math(MathKind::Cos, x)) {}
  Number sum, difference;
};

/// Of x >= 0.
Number firstKind(Number x, unsigned order) {
  Waves waves(x);
  Number far = order ? farSeries(x, 1, waves.difference, waves.sum)
                     : farSeries(x, 0, waves.sum, -waves.difference);
  Number near = order ? x * nearSeries(x, nearJ1) : nearSeries(x, nearJ0);
  // Ordered: NaN takes the series that propagates it.
  return select(x < 8.0, near, far);
}

/// NaN below 0, where the logarithm is.
Number secondKind(Number x, unsigned order) {
  Waves waves(x);
  Number far = order ? farSeries(x, 1, -waves.sum, waves.difference)
                     : farSeries(x, 0, waves.difference, waves.sum);
  Number j = order ? x * nearSeries(x, nearJ1) : nearSeries(x, nearJ0);
  Number singular = (log(x) - ln2) * j;
  Number near = order ? (singular - 1.0 / x) * (2 / pi) + x * nearSeries(x, nearY1)
                      : singular * (2 / pi) + nearSeries(x, nearY0);
  // 0 times infinity in the first of them.
  near = select(x == 0.0, -infinity, near);
  return select(x < 8.0, near, far);
}

/// The power series: all terms have one sign.
Number modifiedNear(Number size, unsigned order) {
  constexpr unsigned terms = 25;
  double series[terms];
  double term = order ? 0.5 : 1.0;
  for (unsigned k = 0; k < terms; ++k) {
    series[k] = term;
    term /= double(k + 1) * (k + 1 + order);
  }
  Number sum = polynomialOf(size * size * 0.25, series);
  return order ? size * sum : sum;
}

/// Of |x|.
Number modified(Number size, unsigned order) {
  Number far = polynomialOf(16.0 / size - 1.0, order ? ArrayRef(farI1) : ArrayRef(farI0));
  // e^x alone would overflow first.
  Number root = exp(size * 0.5);
  far = select(size == infinity, infinity, root * (far / sqrt(size)) * root);
  return select(size < 8.0, modifiedNear(size, order), far);
}

/// F_n of F_0 and F_1: F_(k+1) = 2 k / x F_k - F_(k-1), until it is -infinity.
Number recurrence(Number n, Number x, Number zeroth, Number first) {
  Builder &builder = x.builder();
  Number one = x.of(1);
  auto values = loop(
      *x.emitter, {one.value, zeroth.value, first.value},
      [&](ArrayRef<Value *> v) {
        Number k{x.emitter, v[0]}, now{x.emitter, v[2]};
        return builder.CreateAnd(k<n, now> - infinity);
      },
      [&](ArrayRef<Value *> v) {
        Number k{x.emitter, v[0]}, before{x.emitter, v[1]}, now{x.emitter, v[2]};
        Number next = k * 2.0 / x * now - before;
        return SmallVector<Value *>{(k + 1.0).value, now.value, next.value};
      });
  return {x.emitter, values[2]};
}

/// J_n of x <= n from ratios r_k = J_k / J_(k-1) = x / (2 k - x r_(k+1)), which forget where they
/// began: far enough above n, at `start`, they are 0.
Number firstKindBelow(Number n, Number x, Number start, Number zeroth, Number first) {
  Builder &builder = x.builder();
  // Of the two that they lead to, the one that is not near a root.
  Value *toZeroth = abs(first) < abs(zeroth);
  Number last = select(toZeroth, 1.0, x.of(2));
  auto values = loop(
      *x.emitter, {start.value, x.of(0).value, x.of(1).value},
      [&](ArrayRef<Value *> v) {
        Number k{x.emitter, v[0]}, product{x.emitter, v[2]};
        return builder.CreateAnd(builder.CreateFCmpOGE(k.value, last.value),
                                 builder.CreateNot(product == 0.0));
      },
      [&](ArrayRef<Value *> v) {
        Number k{x.emitter, v[0]}, ratio{x.emitter, v[1]}, product{x.emitter, v[2]};
        Number next = x / (k * 2.0 - x * ratio);
        product = select(n < k, product, product * next);
        return SmallVector<Value *>{(k - 1.0).value, next.value, product.value};
      });
  return Number{x.emitter, values[2]} * select(toZeroth, zeroth, first);
}

} // namespace

Number besselJ0(Number x) { return firstKind(abs(x), 0); }
Number besselJ1(Number x) {
  Number size = firstKind(abs(x), 1);
  return select(x < 0.0, -size, select(x == 0.0, x, size));
}
Number besselY0(Number x) { return secondKind(x, 0); }
Number besselY1(Number x) { return secondKind(x, 1); }
Number besselI0(Number x) { return modified(abs(x), 0); }
Number besselI1(Number x) { return withSign(modified(abs(x), 1), x); }

Number besselJn(Number n, Number x) {
  Builder &builder = x.builder();
  Number size = abs(x), zeroth = firstKind(size, 0), first = firstKind(size, 1);
  // Each loop runs where the other does not.
  Value *isAbove = n < size;
  Number above = recurrence(select(isAbove, n, x.of(0)), size, zeroth, first);
  Number start = select(isAbove, 0.0, n + 30.0 + floor(sqrt(n * 40.0)));
  Number below = firstKindBelow(n, size, start, zeroth, first);
  Number result = select(isAbove, above, select(size == 0.0, 0.0, below));
  Value *isOdd = builder.CreateNot(floor(n * 0.5) * 2.0 == n);
  result = select(n == 1.0, first, result);
  result = select(builder.CreateAnd(x < 0.0, isOdd), -result, result);
  result = select(n == 0.0, zeroth, result);
  result = select(size == infinity, 0.0, result);
  return select(n < 0.0, nan, result);
}

Number besselYn(Number n, Number x) {
  Number zeroth = secondKind(x, 0), first = secondKind(x, 1);
  Number result = select(n == 0.0, zeroth, recurrence(n, x, zeroth, first));
  return select(n < 0.0, nan, result);
}

} // namespace gluonc::codegen::library
