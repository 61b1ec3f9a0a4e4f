//===- MatrixCores.cpp - AMD: products on matrix cores ------------------------===//
#include "sema/builtins/amd/MatrixElement.h"
#include "sema/builtins/amd/Products.h"

#include "ir/Dialects.h"
#include "target/amd/Chips.h"

#include "llvm/Support/FormatVariadic.h"

namespace gluonc::sema::ops {

using layout::AMDMFMALayout;
using layout::AMDWMMALayout;
using layout::DotOperandLayout;
namespace amd = target::amd;

namespace {

/// What a layout of products says, of either kind.
struct Instruction {
  int version;
  /// Of the tile that it leaves, as the tensor has it.
  int64_t rows, columns;
};

} // namespace

static std::optional<Product> readProduct(Context &context, const BoundArgs &arguments) {
  for (llvm::StringRef name : {"a", "b", "acc"})
    if (!blockArgument(context, arguments, name))
      return std::nullopt;
  return Product{operand(arguments, "a"), operand(arguments, "b"), operand(arguments, "acc")};
}

bool refuseLayout(Context &context, const Operand &operand, llvm::StringRef name,
                  const std::string &wanted) {
  context
      .report(diag::Kind::MmaLayout, operand.span, name, wanted, layoutOf(operand.value).toString())
      .end();
  return false;
}

/// Operands may sum over instructions of another K than the result's layout says.
static bool isSameButForDepth(const layout::Layout &lhs, const layout::Layout &rhs) {
  const auto *left = lhs.as<AMDWMMALayout>(), *right = rhs.as<AMDWMMALayout>();
  if (!left || !right)
    return lhs == rhs;
  AMDWMMALayout copy = *left;
  copy.instrShape[2] = right->instrShape[2];
  return copy == *right;
}

bool checkOperands(Context &context, const Product &product) {
  layout::Layout parent = layoutOf(product.acc.value);
  std::optional<int64_t> width;
  for (auto [index, operand, name] :
       {std::tuple(0, &product.a, "a"), std::tuple(1, &product.b, "b")}) {
    layout::Layout layout = layoutOf(operand->value);
    const auto *dot = layout.as<DotOperandLayout>();
    if (dot && dot->operandIndex == index && isSameButForDepth(dot->parent, parent) &&
        dot->kWidth == width.value_or(dot->kWidth)) {
      width = dot->kWidth;
      continue;
    }
    return refuseLayout(context, *operand, name,
                        "DotOperandLayout(" + std::to_string(index) + ", <the layout of acc>, " +
                            (width ? std::to_string(*width) : "k_width") + ")");
  }
  return true;
}

static bool refuseTypes(Context &context, const Product &product) {
  context
      .report(diag::Kind::MmaTypes, context.span, product.a.dtype().name(),
              product.b.dtype().name(), product.acc.dtype().name())
      .end();
  return false;
}

/// Whether the shapes multiply. Tensors may be smaller than an instruction's results: lanes then
/// hold elements more than once.
static bool checkShapes(Context &context, const Product &product) {
  llvm::ArrayRef<int64_t> x = product.a.value.shape(), y = product.b.value.shape(),
                          z = product.acc.value.shape();
  size_t rank = z.size();
  bool agree = rank >= 2 && x.size() == rank && y.size() == rank &&
               x.drop_back(2) == z.drop_back(2) && y.drop_back(2) == z.drop_back(2) &&
               x[rank - 2] == z[rank - 2] && y[rank - 1] == z[rank - 1] &&
               x[rank - 1] == y[rank - 2];
  if (!agree) {
    context.report(diag::Kind::DotShape, context.span, shapeText(x), shapeText(y), shapeText(z))
        .end();
    return false;
  }
  return true;
}

static Result emitDot(Context &context, const Product &product) {
  mlir::Value result = tt::DotOp::create(context.builder, context.loc(), product.acc.value.irType(),
                                         product.a.value.ir(), product.b.value.ir(),
                                         product.acc.value.ir(), tt::InputPrecision::IEEE,
                                         /*maxNumImpreciseAcc=*/0);
  return tensor(result, product.acc.dtype());
}

Result withRegisterClass(Context &context, const BoundArgs &arguments, Result product) {
  const Value &wanted = arguments["cd_regclass"];
  if (!product || !isGiven(wanted))
    return product;
  if (!wanted.is(ValueKind::String) || !llvm::is_contained({"a", "v"}, wanted.asString())) {
    context
        .report(diag::Kind::ArgumentChoice, arguments.span("cd_regclass"), "cd_regclass",
                wanted.repr(), "\"a\", \"v\", None")
        .end();
    return std::nullopt;
  }
  if (mlir::Operation *made = product->ir().getDefiningOp())
    made->setDiscardableAttr("amdg.cd_regclass", context.builder.getStringAttr(wanted.asString()));
  return product;
}

/// The instruction for the types of a product; `find` takes depth and the three types.
template <typename F> static bool hasInstruction(const Product &product, F find) {
  auto a = amdMatrixElement(product.a.dtype()), b = amdMatrixElement(product.b.dtype()),
       sum = amdMatrixElement(product.acc.dtype());
  return a && b && sum && find(product.a.value.shape().back(), *a, *b, *sum);
}

static Result emitMfma(Context &context, const BoundArgs &arguments) {
  std::optional<Product> product = readProduct(context, arguments);
  if (!product)
    return std::nullopt;
  layout::Layout parent = layoutOf(product->acc.value);
  const auto *mfma = parent.as<AMDMFMALayout>();
  int newest = context.options.target.amdChip()->matrixVersion;
  if (!mfma || mfma->version > newest) {
    refuseLayout(context, product->acc, "acc",
                 "an AMDMFMALayout of version " + std::to_string(newest) + " or older");
    return std::nullopt;
  }
  if (!checkOperands(context, *product))
    return std::nullopt;
  Instruction instruction = {int(mfma->version), mfma->instrShape[0], mfma->instrShape[1]};
  bool known = hasInstruction(*product, [&](int64_t depth, auto a, auto b, auto sum) {
    return amd::mfma(instruction.version, int(instruction.rows), int(instruction.columns), depth, a,
                     b, sum)
        .has_value();
  });
  if ((!known && !refuseTypes(context, *product)) || !checkShapes(context, *product))
    return std::nullopt;
  return withRegisterClass(context, arguments, emitDot(context, *product));
}

template <int version> static Result emitWmma(Context &context, const BoundArgs &arguments) {
  std::optional<Product> product = readProduct(context, arguments);
  if (!product)
    return std::nullopt;
  layout::Layout parent = layoutOf(product->acc.value);
  const auto *wmma = parent.as<AMDWMMALayout>();
  if (!wmma || wmma->version != version) {
    refuseLayout(context, product->acc, "acc",
                 "an AMDWMMALayout of version " + std::to_string(version));
    return std::nullopt;
  }
  if (!checkOperands(context, *product))
    return std::nullopt;
  const layout::Ints &shape = wmma->instrShape;
  Instruction instruction = {version, shape[wmma->transposed], shape[1 - wmma->transposed]};
  bool known = hasInstruction(*product, [&](int64_t depth, auto a, auto b, auto sum) {
    return amd::wmma(version, depth, a, b, sum).has_value();
  });
  if ((!known && !refuseTypes(context, *product)) || !checkShapes(context, *product))
    return std::nullopt;
  return emitDot(context, *product);
}

llvm::ArrayRef<Builtin> amdMatrixBuiltins() {
  static const Builtin table[] = {
      {"amd.cdna3.mfma",
       "a: block, b: block, acc: block, cd_regclass: value = None",
       emitMfma,
       {.needs = target::Feature::Mfma},
       R"(
a @ b + acc on the matrix cores of CDNA, all operands in registers.

Shapes are [.., M, K], [.., K, N] and [.., M, N]. The accumulator lies in an `AMDMFMALayout` of the
chip's version (gfx942: 3, gfx950: 4) or an older one, the operands in its `DotOperandLayout`s.
Element types: float16, bfloat16, float32 and two 8-bit floats into float32, int8 into int32,
float64 into float64. 8-bit floats are float8e4b8 and float8e5b16 in version 3, float8e4nv and
float8e5 in version 4. `cd_regclass` says which registers the sums are to take, "a" (AGPRs) or "v"
(VGPRs); it is noted in the IR, and registers are allocated without it.

Gives: a block like `acc`.
Errors: other layouts, shapes or element types; another `cd_regclass`.

    # hip:gfx942
    mma: gl.constexpr = gl.amd.AMDMFMALayout(3, [32, 32, 8], True, [2, 2])
    a = gl.full([64, 32], 1.0, gl.float16, gl.DotOperandLayout(0, mma, 4))
    b = gl.full([32, 64], 2.0, gl.float16, gl.DotOperandLayout(1, mma, 4))
    product = cdna3.mfma(a, b, gl.zeros([64, 64], gl.float32, mma))
)"},
      {"amd.rdna3.wmma",
       "a: block, b: block, acc: block",
       emitWmma<1>,
       {.needs = target::Feature::WmmaRdna3},
       R"(
a @ b + acc on the matrix cores of RDNA3, all operands in registers.

Shapes are [.., M, K], [.., K, N] and [.., M, N]. The accumulator lies in an `AMDWMMALayout` of
version 1, the operands in its `DotOperandLayout`s. Element types: float16 and bfloat16 into
float32, int8 into int32.

Gives: a block like `acc`.
Errors: other layouts, shapes or element types.

    # hip:gfx1100
    mma: gl.constexpr = gl.amd.AMDWMMALayout(1, True, [[0, 1], [1, 0]])
    a = gl.full([64, 32], 1.0, gl.float16, gl.DotOperandLayout(0, mma, 16))
    b = gl.full([32, 64], 2.0, gl.float16, gl.DotOperandLayout(1, mma, 16))
    product = rdna3.wmma(a, b, gl.zeros([64, 64], gl.float32, mma))
)"},
      {"amd.rdna4.wmma",
       "a: block, b: block, acc: block",
       emitWmma<2>,
       {.needs = target::Feature::WmmaRdna4},
       R"(
a @ b + acc on the matrix cores of RDNA4, all operands in registers.

Shapes are [.., M, K], [.., K, N] and [.., M, N]. The accumulator lies in an `AMDWMMALayout` of
version 2, the operands in its `DotOperandLayout`s. Element types: float16, bfloat16 and two of
float8e4nv and float8e5 into float32, int8 into int32.

Gives: a block like `acc`.
Errors: other layouts, shapes or element types.

    # hip:gfx1200
    mma: gl.constexpr = gl.amd.AMDWMMALayout(2, True, [[0, 1], [1, 0]])
    a = gl.full([64, 32], 1.0, gl.float16, gl.DotOperandLayout(0, mma, 8))
    b = gl.full([32, 64], 2.0, gl.float16, gl.DotOperandLayout(1, mma, 8))
    product = rdna4.wmma(a, b, gl.zeros([64, 64], gl.float32, mma))
)"},
      {"amd.cdna5.wmma",
       "a: block, b: block, acc: block",
       emitWmma<3>,
       {.needs = target::Feature::WmmaCdna5},
       R"(
a @ b + acc on the matrix cores of gfx1250, all operands in registers.

Shapes are [.., M, K], [.., K, N] and [.., M, N]. The accumulator lies in an `AMDWMMALayout` of
version 3, the operands in its `DotOperandLayout`s, whose K may be another one. Element types:
float16, bfloat16, float32 and two of float8e4nv and float8e5 into float32, int8 into int32.

Gives: a block like `acc`.
Errors: other layouts, shapes or element types.

    # hip:gfx1250
    mma: gl.constexpr = gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 32])
    a = gl.full([64, 32], 1.0, gl.float16, gl.DotOperandLayout(0, mma, 8))
    b = gl.full([32, 64], 2.0, gl.float16, gl.DotOperandLayout(1, mma, 8))
    product = cdna5.wmma(a, b, gl.zeros([64, 64], gl.float32, mma))
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops
