//===- Mma.cpp - Products on tensor cores whose operands are in registers -----===//
#include "sema/builtins/Emit.h"

#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "sema/builtins/core/MatrixElement.h"

#include "llvm/Support/FormatVariadic.h"

namespace gluonc::sema::ops {

using layout::DotOperandLayout;
using layout::NVMMADistributedLayout;
namespace mma = target::nvidia::mma;

static llvm::ArrayRef<int64_t> shapeOf(const Operand &block) { return block.value.shape(); }

/// Whether `acc` is in a layout of mma.sync and the operands are in those that belong to it.
static bool checkLayouts(Context &context, const Operand &a, const Operand &b, const Operand &acc) {
  layout::Layout parent = layoutOf(acc.value);
  const auto *mma = parent.as<NVMMADistributedLayout>();
  if (!mma || mma->isWarpGroup()) {
    context
        .report(diag::Kind::MmaLayout, acc.span, "acc",
                "an NVMMADistributedLayout of version [2, 0]", parent.toString())
        .end();
    return false;
  }
  std::optional<int64_t> width;
  for (auto [index, operand, name] : {std::tuple(0, &a, "a"), std::tuple(1, &b, "b")}) {
    layout::Layout layout = layoutOf(operand->value);
    const auto *dot = layout.as<DotOperandLayout>();
    if (dot && dot->operandIndex == index && dot->parent == parent &&
        dot->kWidth == width.value_or(dot->kWidth)) {
      width = dot->kWidth;
      continue;
    }
    std::string wanted = "DotOperandLayout(" + std::to_string(index) + ", <the layout of acc>, " +
                         (width ? std::to_string(*width) : "k_width") + ")";
    context.report(diag::Kind::MmaLayout, operand->span, name, wanted, layout.toString()).end();
    return false;
  }
  return true;
}

/// Whether mma.sync has these types, on this target.
static bool checkTypes(Context &context, const Operand &a, const Operand &b, const Operand &acc) {
  DType x = a.dtype(), y = b.dtype(), sum = acc.dtype();
  auto xElement = matrixElement(x), yElement = matrixElement(y), sumElement = matrixElement(sum);
  if (xElement && yElement && isFloat8(*xElement) && isFloat8(*yElement) &&
      !requireFeature(context, "mma_v2 of 8-bit floats", target::Feature::MmaSyncFp8))
    return false;
  // `tt.dot` has signed integers only.
  bool known = xElement && yElement && sumElement && !x.isUnsignedInt() && !y.isUnsignedInt() &&
               mma::multiplies(*xElement, *yElement, *sumElement);
  known |= context.options.sanitizesFloats() && xElement && yElement && isFloat8(*xElement) &&
           isFloat8(*yElement) && sum == dtypes::float16;
  if (!known)
    context.report(diag::Kind::MmaTypes, context.span, x.name(), y.name(), sum.name()).end();
  return known;
}

/// Whether the shapes multiply and cover whole instructions.
static bool checkShapes(Context &context, const Operand &a, const Operand &b, const Operand &acc) {
  llvm::ArrayRef<int64_t> x = shapeOf(a), y = shapeOf(b), z = shapeOf(acc);
  size_t rank = z.size();
  bool agree = rank >= 2 && x.size() == rank && y.size() == rank &&
               x.drop_back(2) == z.drop_back(2) && y.drop_back(2) == z.drop_back(2) &&
               x[rank - 2] == z[rank - 2] && y[rank - 1] == z[rank - 1] &&
               x[rank - 1] == y[rank - 2];
  std::string problem = agree ? "" : "they must be [.., M, K], [.., K, N] and [.., M, N]";
  if (agree) {
    bool isDouble = a.dtype() == ScalarKind::Float64;
    int64_t width = layoutOf(a.value).as<DotOperandLayout>()->kWidth;
    int64_t m = mma::rows(*matrixElement(a.dtype())), n = mma::columns;
    int64_t k = (isDouble ? 4 : 8) * width;
    if (z[rank - 2] < m || z[rank - 1] < n || x[rank - 1] < k)
      problem = llvm::formatv("M, N and K must be at least {0}, {1} and {2}", m, n, k).str();
  }
  if (problem.empty())
    return true;
  context
      .report(diag::Kind::MmaShape, context.span, shapeText(x), shapeText(y), shapeText(z), problem)
      .end();
  return false;
}

/// float32 operands are cut to tf32, which the author must ask for or leave to the default.
static bool checkPrecision(Context &context, const BoundArgs &arguments, const Operand &a) {
  std::optional<llvm::StringRef> precision = stringArgument(context, arguments, "input_precision");
  if (!precision)
    return false;
  if (*precision == "tf32" || a.dtype() != ScalarKind::Float32)
    return true;
  context.report(diag::Kind::MmaPrecision, arguments.span("input_precision"), *precision).end();
  return false;
}

static Result emitMmaV2(Context &context, const BoundArgs &arguments) {
  if (!blockArgument(context, arguments, "a") || !blockArgument(context, arguments, "b") ||
      !blockArgument(context, arguments, "acc"))
    return std::nullopt;
  Operand a = operand(arguments, "a"), b = operand(arguments, "b"), acc = operand(arguments, "acc");
  if (!checkLayouts(context, a, b, acc) || !checkTypes(context, a, b, acc) ||
      !checkShapes(context, a, b, acc) || !checkPrecision(context, arguments, a))
    return std::nullopt;
  mlir::Value product = tt::DotOp::create(
      context.builder, context.loc(), acc.value.irType(), a.value.ir(), b.value.ir(),
      acc.value.ir(),
      a.dtype() == ScalarKind::Float32 ? tt::InputPrecision::TF32 : tt::InputPrecision::IEEE,
      /*maxNumImpreciseAcc=*/0);
  return tensor(product, acc.dtype());
}

llvm::ArrayRef<Builtin> mmaBuiltins() {
  static const Builtin table[] = {
      {"nvidia.ampere.mma_v2",
       "a: block, b: block, acc: block, input_precision: str = 'tf32'",
       emitMmaV2,
       {.needs = target::Feature::MmaSync},
       R"(
a @ b + acc on tensor cores, all operands in registers.

Shapes are [.., M, K], [.., K, N] and [.., M, N]. The accumulator lies in an
`NVMMADistributedLayout` of version [2, 0], the operands in its `DotOperandLayout`s. Element types:
float16 into float16 or float32, bfloat16 and float32 (cut to tf32) into float32, int8 into int32,
float64 into float64, 8-bit floats into float32 (cuda:89 or newer).

Gives: a block like `acc`.
Errors: other layouts, shapes or element types; a precision other than "tf32" for float32.

    mma: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
    a = gl.full([64, 32], 1.0, gl.float16, gl.DotOperandLayout(0, mma, 2))
    b = gl.full([32, 64], 2.0, gl.float16, gl.DotOperandLayout(1, mma, 2))
    product = ampere.mma_v2(a, b, gl.zeros([64, 64], gl.float32, mma))
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops
