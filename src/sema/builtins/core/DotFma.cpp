//===- DotFma.cpp - Matrix product without tensor cores ------------------------===//
#include "sema/builtins/Emit.h"

#include "ir/Dialects.h"

namespace gluonc::sema::ops {

/// Operand `index` of a product whose accumulator lies in `parent`.
static bool checkDotOperand(Context &context, const BoundArgs &arguments, unsigned index,
                            const layout::Layout &parent) {
  layout::Layout wanted = layout::DotOperandLayout{int64_t(index), parent, 0};
  llvm::StringRef name = index == 0 ? "a" : "b";
  layout::Layout given = layoutOf(arguments[name]);
  if (given == wanted)
    return true;
  context
      .report(diag::Kind::LayoutMismatch, arguments.span(name), given.toString(), wanted.toString())
      .hint("operands lie in DotOperandLayout({0}, layout of acc, 0)", index);
  return false;
}

/// [.., M, K], [.., K, N], [.., M, N], in two or three dimensions.
static bool checkDotShapes(Context &context, const BoundArgs &arguments) {
  llvm::ArrayRef<int64_t> a = arguments["a"].shape(), b = arguments["b"].shape(),
                          c = arguments["acc"].shape();
  size_t rank = c.size();
  bool fits = (rank == 2 || rank == 3) && a.size() == rank && b.size() == rank &&
              a.drop_back(2) == c.drop_back(2) && b.drop_back(2) == c.drop_back(2) &&
              a[rank - 2] == c[rank - 2] && b[rank - 1] == c[rank - 1] &&
              a[rank - 1] == b[rank - 2];
  if (!fits)
    context.report(diag::Kind::DotShape, context.span, shapeText(a), shapeText(b), shapeText(c))
        .end();
  return fits;
}

/// dot_fma(a, b, acc)
static Result emitDotFma(Context &context, const BoundArgs &arguments) {
  for (llvm::StringRef name : {"a", "b", "acc"})
    if (!blockArgument(context, arguments, name))
      return std::nullopt;
  const Value &a = arguments["a"], &b = arguments["b"], &acc = arguments["acc"];
  layout::Layout parent = layoutOf(acc);
  if (parent.kind() != layout::LayoutKind::Blocked) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span("acc"), "acc", "in a BlockedLayout",
                acc.typeName())
        .end();
    return std::nullopt;
  }
  if (!checkDotOperand(context, arguments, 0, parent) ||
      !checkDotOperand(context, arguments, 1, parent) || !checkDotShapes(context, arguments))
    return std::nullopt;
  DType element = a.dtype(), sum = acc.dtype();
  bool isKnown = element == b.dtype() &&
                 ((element.isStandardFloat() && sum.isStandardFloat() &&
                   sum.bitWidth() >= element.bitWidth() && sum != dtypes::bfloat16) ||
                  (element.isSignedInt() && element.bitWidth() == 8 && sum == dtypes::int32) ||
                  (element == sum && element.isStandardFloat()));
  // Products of payloads have no types that a chip lacks.
  isKnown |= context.options.sanitizesFloats() && element.isFloat() && b.dtype().isFloat() &&
             (sum == dtypes::float32 || sum == dtypes::float16);
  if (!isKnown) {
    context.report(diag::Kind::BadOperands, context.span, "dot_fma", a.typeName(), b.typeName())
        .note("the accumulator is {0}", acc.typeName());
    return std::nullopt;
  }
  return tensor(tt::DotOp::create(context.builder, context.loc(), acc.irType(), a.ir(), b.ir(),
                                  acc.ir(), tt::InputPrecision::IEEE, 0),
                sum);
}

llvm::ArrayRef<Builtin> dotFmaBuiltins() {
  static const Builtin table[] = {
      {"dot_fma", "a: block, b: block, acc: block", emitDotFma, asFunction, R"(
a @ b + acc without tensor cores.

Shapes are [.., M, K], [.., K, N] and [.., M, N], in two or three dimensions. The operands lie in
`DotOperandLayout(0 or 1, layout of acc, 0)`, the accumulator in a `BlockedLayout`. Floats
accumulate in their own type or a wider one, int8 in int32.

Gives: a block like `acc`.
Errors: other layouts, shapes or element types.

    a = gl.full([64, 16], 1.0, gl.float32, gl.DotOperandLayout(0, tiled, 0))
    b = gl.full([16, 32], 2.0, gl.float32, gl.DotOperandLayout(1, tiled, 0))
    product = gl.dot_fma(a, b, tile)
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops
