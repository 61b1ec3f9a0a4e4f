//===- Arguments.cpp - Readers of compile-time arguments ----------------------===//
#include "sema/builtins/Emit.h"

#include "support/Error.h"

namespace gluonc::sema {

size_t BoundArgs::indexOf(llvm::StringRef name) const {
  unsigned i = signature.find(name);
  if (i == signature.count())
    GL_UNREACHABLE("an emitter asked for a parameter that its row does not have");
  return i;
}

llvm::StringRef Builtin::shortName() const {
  llvm::StringRef rest = name;
  if (rest.consume_front("nvidia.") || rest.consume_front("amd."))
    return rest.split('.').second;
  (void)rest.consume_front("extra.");
  return rest;
}

} // namespace gluonc::sema

namespace gluonc::sema::ops {

bool requireFeature(Context &context, llvm::StringRef what,
                    std::optional<target::Feature> feature) {
  if (!feature || target::has(context.options.target, *feature))
    return true;
  context
      .report(diag::Kind::NeedsTarget, context.span, what, target::targetsWith(*feature),
              context.options.target.name())
      .end();
  return false;
}

/// What the row says for a parameter that is not given.
static llvm::StringRef defaultText(const BoundArgs &arguments, llvm::StringRef name) {
  return arguments.signature[arguments.indexOf(name)].defaultText;
}

/// Says that an argument is not `wanted`: because it exists at run time only, or is something else.
static std::nullopt_t refuse(Context &context, const Value &value, diag::Span span,
                             llvm::StringRef name, llvm::StringRef wanted) {
  if (value.isIr())
    context.report(diag::Kind::ConstexprRequired, span, ("`" + name + "`").str(), value.typeName())
        .hint("declare the parameter or variable as `gl.constexpr`");
  else
    context.report(diag::Kind::ArgumentKind, span, name, wanted, value.typeName()).end();
  return std::nullopt;
}

std::optional<int64_t> intArgument(Context &context, const BoundArgs &arguments,
                                   llvm::StringRef name) {
  const Value &value = arguments[name];
  int64_t otherwise;
  if (!isGiven(value) && !defaultText(arguments, name).getAsInteger(10, otherwise))
    return otherwise;
  if (value.is(ValueKind::Int) || value.is(ValueKind::Bool))
    if (std::optional<int64_t> number = value.asInt64())
      return number;
  return refuse(context, value, arguments.span(name), name, "a compile-time integer");
}

std::optional<bool> boolArgument(Context &context, const BoundArgs &arguments,
                                 llvm::StringRef name) {
  const Value &value = arguments[name];
  if (!isGiven(value))
    return defaultText(arguments, name) == "True";
  if (value.is(ValueKind::Bool))
    return value.asBool();
  if (value.is(ValueKind::Int))
    return !value.asApInt().isZero();
  return refuse(context, value, arguments.span(name), name, "True or False");
}

std::optional<llvm::StringRef> stringArgument(Context &context, const BoundArgs &arguments,
                                              llvm::StringRef name) {
  const Value &value = arguments[name];
  llvm::StringRef otherwise = defaultText(arguments, name);
  if (!isGiven(value) && otherwise.consume_front("'"))
    return otherwise.drop_back();
  if (!isGiven(value))
    return "";
  if (value.is(ValueKind::String))
    return value.asString();
  return refuse(context, value, arguments.span(name), name, "a string");
}

std::optional<DType> dtypeArgument(Context &context, const BoundArgs &arguments,
                                   llvm::StringRef name) {
  const Value &value = arguments[name];
  if (!value.is(ValueKind::DType))
    return refuse(context, value, arguments.span(name), name, "a dtype");
  if (!checkFloat8(context, value.dtype(), arguments.span(name)))
    return std::nullopt;
  return value.dtype();
}

bool checkFloat8(Context &context, DType dtype, diag::Span span) {
  const target::Target &target = context.options.target;
  auto isKnown = [&] {
    switch (dtype.scalarKind()) {
    case ScalarKind::Float8E4NV:
      return !target.isNvidia() || target::has(target, target::Feature::Fp8Conversion);
    case ScalarKind::Float8E4B8:
    case ScalarKind::Float8E5B16:
      return !target.isNvidia();
    default:
      return true;
    }
  };
  if (!context.isTriton() || dtype.isPointer() || !dtype.isFp8() || isKnown())
    return true;
  context.report(diag::Kind::Float8Target, span, dtype, target.name()).end();
  return false;
}

std::optional<llvm::SmallVector<int64_t>> intsArgument(Context &context, const BoundArgs &arguments,
                                                       llvm::StringRef name) {
  auto isSequence = [](const Value &value) {
    return value.is(ValueKind::Tuple) || value.is(ValueKind::List);
  };
  Value value = arguments[name];
  if (isSequence(value) && value.items().size() == 1 && isSequence(value.items()[0]))
    value = Value(value.items()[0]);
  if (!isSequence(value))
    return refuse(context, value, arguments.span(name), name, "a sequence of integers");
  llvm::SmallVector<int64_t> numbers;
  for (const Value &item : value.items()) {
    std::optional<int64_t> number;
    if (item.is(ValueKind::Int) || item.is(ValueKind::Bool))
      number = item.asInt64();
    if (!number)
      return refuse(context, item, arguments.span(name), name, "a sequence of integers");
    numbers.push_back(*number);
  }
  return numbers;
}

bool blockArgument(Context &context, const BoundArgs &arguments, llvm::StringRef name) {
  if (arguments[name].isTensor() && arguments[name].isBlock())
    return true;
  context
      .report(diag::Kind::ArgumentKind, arguments.span(name), name, "a block tensor",
              arguments[name].typeName())
      .end();
  return false;
}

bool tensorArgument(Context &context, const BoundArgs &arguments, llvm::StringRef name) {
  if (arguments[name].isTensor() || arguments[name].isNumber())
    return true;
  context
      .report(diag::Kind::ArgumentKind, arguments.span(name), name, "a tensor or a number",
              arguments[name].typeName())
      .end();
  return false;
}

Result int32Argument(Context &context, const Value &value, diag::Span span, llvm::StringRef name) {
  if (value.is(ValueKind::Int) || value.is(ValueKind::Bool)) {
    std::optional<int64_t> number = value.asInt64();
    if (number && *number == int32_t(*number))
      return tensor(intConstant(context, context.builder.getI32Type(), *number), dtypes::int32);
    context.report(diag::Kind::ScalarOutOfRange, span, value.repr(), dtypes::int32).end();
    return std::nullopt;
  }
  if (value.isTensor() && !value.isBlock() && value.dtype().isInt() &&
      value.dtype().bitWidth() <= 32)
    return castTensor(context, value, dtypes::int32, span);
  diag::Builder builder =
      context.report(diag::Kind::ArgumentKind, span, name, "an int32 scalar", value.typeName());
  if (value.isTensor() && !value.isBlock() && value.dtype().isInt())
    std::move(builder).hint("cast it with `.to(gl.int32)`");
  return std::nullopt;
}

std::optional<mlir::Value> predicateArgument(Context &context, const BoundArgs &arguments,
                                             llvm::StringRef name) {
  const Value &value = arguments[name];
  if (value.isAbsent() || (value.is(ValueKind::Bool) && value.asBool()))
    return mlir::Value();
  Result made = condition(context, value, arguments.span(name));
  if (!made)
    return std::nullopt;
  return made->ir();
}

std::optional<unsigned> axisArgument(Context &context, const BoundArgs &arguments, unsigned rank) {
  std::optional<int64_t> axis = intArgument(context, arguments, "axis");
  if (!axis)
    return std::nullopt;
  if (*axis < -int64_t(rank) || *axis >= int64_t(rank)) {
    context.report(diag::Kind::AxisOutOfRange, arguments.span("axis"), *axis, rank).end();
    return std::nullopt;
  }
  return unsigned(*axis < 0 ? *axis + rank : *axis);
}

} // namespace gluonc::sema::ops
