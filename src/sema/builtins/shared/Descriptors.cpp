#include "sema/builtins/shared/Descriptors.h"

#include "ir/Encoding.h"
#include "ir/amdg/TensorMover.h"
#include "ir/ttng/AsyncUnitRules.h"

namespace gluonc::sema::ops {

mlir::Type descriptorType(mlir::MLIRContext *context, DType element, llvm::ArrayRef<int64_t> block,
                          const Value &layout, bool isIm2Col) {
  if (!layout.is(ValueKind::Layout) || element.isVoid() || element.isPointer())
    return {};
  mlir::Attribute encoding = fromLayout(context, layout.asLayout());
  if (!encoding || !layout.asLayout().isShared())
    return {};
  mlir::Type type = element.toMlir(context);
  // Reductions ask for the sign.
  if (element.isInt() && !element.isBool())
    type = mlir::IntegerType::get(context, element.bitWidth(),
                                  element.isSignedInt() ? mlir::IntegerType::Signed
                                                        : mlir::IntegerType::Unsigned);
  if (isIm2Col)
    return ttng::TensorDescIm2ColType::get(context, block, type, encoding);
  return tt::TensorDescType::get(context, block, type, encoding);
}

static std::string whyNoAmdDescriptor(const ttng::Descriptor &descriptor,
                                      const target::Target &target) {
  if (target::has(target, target::Feature::TensorMover))
    return amdg::whyNoDescriptor(descriptor);
  return ("needs " + llvm::Twine(target::targetsWith(target::Feature::TensorMover)) +
          ", but the target is " + target.name())
      .str();
}

std::string whyNoDescriptor(mlir::Type type, const target::Target &target) {
  if (!type)
    return "needs a layout of shared memory and numbers as elements";
  ttng::Descriptor descriptor = ttng::descriptorOf(type);
  if (!target.isNvidia())
    return whyNoAmdDescriptor(descriptor, target);
  std::string problem = ttng::whyNoDescriptor(descriptor);
  if (!problem.empty())
    return problem;
  bool padded = mlir::cast<ttg::NVMMASharedEncodingAttr>(descriptor.layout).getValue().fp4Padded;
  if (padded && !target::has(target, target::Feature::PaddedFp4))
    return ("with an fp4_padded layout needs " +
            llvm::Twine(target::targetsWith(target::Feature::PaddedFp4)) + ", but the target is " +
            target.name())
        .str();
  return "";
}

std::optional<llvm::SmallVector<mlir::Value>>
coordinates(Context &context, const BoundArgs &arguments, llvm::StringRef name, size_t count) {
  const Value &list = arguments[name];
  if (!list.is(ValueKind::Tuple) && !list.is(ValueKind::List)) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span(name), name, "a list of int32 scalars",
                list.typeName())
        .end();
    return std::nullopt;
  }
  if (count && list.items().size() != count) {
    context
        .report(diag::Kind::CoordinateCount, arguments.span(name), count, name, list.items().size())
        .end();
    return std::nullopt;
  }
  llvm::SmallVector<mlir::Value> values;
  for (const Value &item : list.items()) {
    Result value = int32Argument(context, item, arguments.span(name), name);
    if (!value)
      return std::nullopt;
    values.push_back(value->ir());
  }
  return values;
}

std::optional<std::vector<Value>> scalars(Context &context, const BoundArgs &arguments,
                                          llvm::StringRef name, size_t count, DType dtype) {
  const Value &list = arguments[name];
  if ((!list.is(ValueKind::Tuple) && !list.is(ValueKind::List)) || list.items().size() != count) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span(name), name,
                ("a list of " + llvm::Twine(count) + " integers").str(), list.typeName())
        .end();
    return std::nullopt;
  }
  std::vector<Value> values;
  for (const Value &item : list.items()) {
    Operand integer{item, arguments.span(name)};
    bool isInteger = (item.isNumber() && !item.is(ValueKind::Float)) ||
                     (item.isTensor() && !item.isBlock() && item.dtype().isInt());
    if (!isInteger) {
      context
          .report(diag::Kind::ArgumentKind, arguments.span(name), name, "a list of integers",
                  list.typeName())
          .end();
      return std::nullopt;
    }
    Result value = cast(context, item, dtype, arguments.span(name));
    if (value)
      value = materialize(context, *value, arguments.span(name));
    if (value && value->dtype() != dtype)
      value = castTensor(context, *value, dtype, arguments.span(name));
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

} // namespace gluonc::sema::ops
