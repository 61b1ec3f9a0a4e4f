#include "sema/value/Flatten.h"

#include "support/Error.h"

namespace gluonc::sema {

static bool isComposite(const Value &value) {
  return value.is(ValueKind::Tuple) || value.is(ValueKind::Instance) ||
         value.is(ValueKind::Descriptor);
}

void flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &out) {
  if (value.isIr())
    out.push_back(value.ir());
  else if (isComposite(value))
    for (const Value &item : value.items())
      flatten(item, out);
}

bool canFlatten(const Value &value) {
  if (value.isIr() || value.isCompileTime())
    return true;
  return isComposite(value) && llvm::all_of(value.items(), canFlatten);
}

Value unflatten(const Value &model, llvm::ArrayRef<mlir::Value> &values) {
  if (model.isIr()) {
    GL_CHECK(!values.empty());
    mlir::Value value = values.front();
    values = values.drop_front();
    return model.withIr(value);
  }
  if (!isComposite(model) || model.isCompileTime())
    return model;
  std::vector<Value> items;
  for (const Value &item : model.items())
    items.push_back(unflatten(item, values));
  if (model.is(ValueKind::Instance)) {
    Value result = Value::instance(model.sharedClass(), std::move(items));
    result.closeFields();
    return result;
  }
  if (model.is(ValueKind::Descriptor))
    return Value::descriptor(items[0].ir(), items[1], items[2], model.dtype());
  return Value::tuple(std::move(items), model.fieldNames().vec());
}

/// A field may hold a tensor first and what a `warpgroup_mma` will have computed later.
static bool sameField(const Value &a, const Value &b) {
  auto isSum = [](const Value &value) {
    return value.is(ValueKind::Accumulator) || value.isTensor();
  };
  if (isSum(a) && isSum(b))
    return a.irType() == b.irType() && a.dtype() == b.dtype();
  return sameType(a, b);
}

bool sameType(const Value &a, const Value &b) {
  if (a.kind() != b.kind())
    return false;
  if (a.isIr())
    return a.irType() == b.irType() && a.dtype() == b.dtype();
  if (!isComposite(a))
    return a == b;
  if (a.is(ValueKind::Instance) && a.sharedClass() != b.sharedClass())
    return false;
  if (a.dtype() != b.dtype() || a.items().size() != b.items().size() ||
      a.fieldNames() != b.fieldNames())
    return false;
  for (auto [x, y] : llvm::zip(a.items(), b.items()))
    if (a.is(ValueKind::Instance) ? !sameField(x, y) : !sameType(x, y))
      return false;
  return true;
}

std::string describe(const Value &value) {
  if (value.isCompileTime() && !value.isNone() && !isComposite(value))
    return "the constexpr " + value.repr();
  return value.typeName();
}

} // namespace gluonc::sema
