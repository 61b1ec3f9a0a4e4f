//===- Descriptor.cpp - TensorDescriptor.from_tensor(…) as an argument --------===//
#include "host/Evaluation.h"

namespace gluonc::host {

using sema::Value;
using sema::ValueKind;

bool Evaluation::isDescriber(const ast::Expr &function) {
  const auto *method = llvm::dyn_cast<ast::Attribute>(&function);
  if (!method || method->attr != "from_tensor")
    return false;
  // Under whatever name its module was imported.
  if (const auto *member = llvm::dyn_cast<ast::Attribute>(method->value))
    return member->attr == "TensorDescriptor";
  const auto *name = llvm::dyn_cast<ast::Name>(method->value);
  return name && name->id == "TensorDescriptor";
}

std::optional<DescribedTensor> Evaluation::describe(const ast::Call &node) {
  BoundExprs given;
  if (!bindCall(node, "TensorDescriptor.from_tensor",
                "tensor block_shape layout= padding= round_f32_to_tf32=", given))
    return std::nullopt;
  Result value = eval(*given[0]);
  const Array *array = value ? std::get_if<Array>(&*value) : nullptr;
  if (value && (!array || array->tensor.dtype() != array->dtype))
    return fail(*given[0], "a descriptor is of a tensor, not of a number or a computed array");
  std::optional<Shape> block = shape(*given[1]);
  std::optional<Value> layout =
      given[2] ? scalar(*given[2], "a layout") : std::optional<Value>(Value::none());
  if (!array || !block || !layout)
    return std::nullopt;
  DescribedTensor made = {array->tensor, std::move(*block), std::move(*layout)};
  if (given[3]) {
    std::optional<Value> padding = scalar(*given[3], "\"zero\" or \"nan\"");
    if (!padding)
      return std::nullopt;
    made.padsWithNan = padding->is(ValueKind::String) && padding->asString() == "nan";
    if (!made.padsWithNan && !(padding->is(ValueKind::String) && padding->asString() == "zero"))
      return fail(*given[3], "padding is \"zero\" or \"nan\"");
  }
  if (given[4]) {
    std::optional<Value> rounds = scalar(*given[4], "True or False");
    if (!rounds)
      return std::nullopt;
    if (!rounds->is(ValueKind::Bool))
      return fail(*given[4], "this is True or False");
    made.roundsToTf32 = rounds->asBool();
  }
  return made;
}

} // namespace gluonc::host
