#include "sema/ArgSpec.h"

namespace gluonc::sema {

ArgSpec ArgSpec::pointer(DType element, bool divisibleBy16, bool isConst) {
  return scalar(DType::pointer(element, isConst), divisibleBy16);
}

ArgSpec ArgSpec::scalar(DType dtype, bool divisibleBy16) {
  ArgSpec spec;
  spec.dtype = dtype;
  spec.divisibleBy16 = divisibleBy16;
  return spec;
}

ArgSpec ArgSpec::compileTime(Value value) {
  ArgSpec spec;
  spec.kind = Kind::Constant;
  spec.constant = std::move(value);
  return spec;
}

ArgSpec ArgSpec::tuple(std::vector<ArgSpec> items, std::vector<std::string> names) {
  ArgSpec spec;
  spec.kind = Kind::Tuple;
  spec.items = std::move(items);
  spec.names = std::move(names);
  return spec;
}

std::optional<ArgSpec> ArgSpec::parse(llvm::StringRef text) {
  text = text.trim();
  bool divisible = text.consume_back(":16");
  std::optional<DType> dtype = DType::parse(text);
  if (!dtype || dtype->isVoid() || (divisible && !dtype->isPointer() && !dtype->isInt()))
    return std::nullopt;
  return scalar(*dtype, divisible);
}

/// What is the same for every integer that reaches a parameter as a run-time value.
static ArgSpec runtimeInt(DType natural, bool divisible, const Parameter &parameter) {
  DType dtype = parameter.annotatedType.value_or(natural);
  bool keepsKey =
      dtype.isInt() && !dtype.isBool() && !parameter.noSpecialize && !parameter.noAlignment;
  return ArgSpec::scalar(dtype, divisible && keepsKey);
}

ArgSpec ArgSpec::specializeInt(int64_t value, const Parameter &parameter) {
  if (parameter.isConstexpr)
    return compileTime(Value::integer(value));
  // A type annotation fixes the type, so the value 1 stays a run-time argument.
  if (value == 1 && !parameter.noSpecialize && !parameter.annotatedType)
    return compileTime(Value::integer(1));
  DType natural = value == int32_t(value) ? dtypes::int32 : dtypes::int64;
  return runtimeInt(natural, value % 16 == 0, parameter);
}

ArgSpec ArgSpec::specializeUInt64(uint64_t value, const Parameter &parameter) {
  if (value <= uint64_t(INT64_MAX))
    return specializeInt(int64_t(value), parameter);
  if (parameter.isConstexpr)
    return compileTime(Value::integer(llvm::APInt(65, value)));
  return runtimeInt(dtypes::uint64, value % 16 == 0, parameter);
}

ArgSpec ArgSpec::specializeFloat(const Parameter &parameter) {
  return scalar(parameter.annotatedType.value_or(dtypes::float32));
}

ArgSpec ArgSpec::specializeBool() { return scalar(dtypes::int1); }

ArgSpec ArgSpec::specializePointer(DType element, uint64_t address, const Parameter &parameter) {
  bool isConst = parameter.annotatedType && parameter.annotatedType->isConstPointer();
  bool keepsKey = !parameter.noSpecialize && !parameter.noAlignment;
  return pointer(element, keepsKey && address % 16 == 0, isConst);
}

void ArgSpec::flatten(std::vector<const ArgSpec *> &out) const {
  if (kind == Kind::Runtime)
    out.push_back(this);
  for (const ArgSpec &item : items)
    item.flatten(out);
}

std::string ArgSpec::text() const {
  switch (kind) {
  case Kind::Runtime:
    return dtype.shortName() + (divisibleBy16 ? ":16" : "");
  case Kind::Constant:
    return "constexpr(" + constant.repr() + ")";
  case Kind::Tuple:
    break;
  }
  std::string result = "(";
  for (const ArgSpec &item : items)
    result += (result.size() > 1 ? ", " : "") + item.text();
  return result + ")";
}

} // namespace gluonc::sema
