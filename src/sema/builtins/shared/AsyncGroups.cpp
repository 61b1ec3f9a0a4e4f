#include "sema/builtins/shared/AsyncGroups.h"

namespace gluonc::sema::ops {

bool checkCopy(Context &context, const BoundArgs &arguments, llvm::StringRef name,
               const Operand &global, DType element) {
  const Value &buffer = arguments[name];
  if (element == buffer.dtype() && global.isBlock() && global.value.shape() == buffer.shape())
    return true;
  context
      .report(diag::Kind::AsyncCopyMismatch, global.span, global.value.typeName(),
              buffer.typeName())
      .end();
  return false;
}

std::optional<uint32_t> pendingArgument(Context &context, const BoundArgs &arguments,
                                        llvm::StringRef name) {
  std::optional<int64_t> pending = intArgument(context, arguments, name);
  if (!pending)
    return std::nullopt;
  if (*pending < 0 || *pending > std::numeric_limits<int32_t>::max()) {
    context.report(diag::Kind::ScalarOutOfRange, arguments.span(name), *pending, name).end();
    return std::nullopt;
  }
  return uint32_t(*pending);
}

Result emitCommitGroup(Context &context, const BoundArgs &) {
  ttg::AsyncCommitGroupOp::create(context.builder, context.loc(), mlir::ValueRange());
  return Value::none();
}

Result emitWaitGroup(Context &context, const BoundArgs &arguments) {
  std::optional<uint32_t> pending = pendingArgument(context, arguments, "num_outstanding");
  if (!pending)
    return std::nullopt;
  ttg::AsyncWaitOp::create(context.builder, context.loc(), mlir::ValueRange(), *pending);
  return Value::none();
}

} // namespace gluonc::sema::ops
