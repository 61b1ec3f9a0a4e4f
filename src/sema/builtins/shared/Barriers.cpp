#include "sema/builtins/shared/Barriers.h"

namespace gluonc::sema::ops {

std::optional<int64_t> countArgument(Context &context, const BoundArgs &arguments,
                                     llvm::StringRef name, int64_t least, int64_t most) {
  std::optional<int64_t> count = intArgument(context, arguments, name);
  if (count && (*count < least || *count > most)) {
    context.report(diag::Kind::ScalarOutOfRange, arguments.span(name), *count, name)
        .hint("{0} to {1}", least, most);
    return std::nullopt;
  }
  return count;
}

bool checkCluster(Context &context, llvm::StringRef what) {
  if (context.numCtas() > 1)
    return true;
  context.report(diag::Kind::NeedsCluster, context.span, what).end();
  return false;
}

} // namespace gluonc::sema::ops
