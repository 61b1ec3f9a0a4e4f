#include "model/Replayer.h"

namespace gluonc::model {

llvm::StringRef nameOf(Spent spent) {
  constexpr llvm::StringLiteral names[spentCount] = {"working", "operands", "copies", "products",
                                                     "barriers"};
  return names[unsigned(spent)];
}

llvm::StringRef nameOf(Span::Kind kind) {
  constexpr llvm::StringLiteral names[] = {"CTA",  "product", "load",  "store",
                                           "copy", "wait",    "region"};
  return names[unsigned(kind)];
}

Replayed replay(const Trace &trace, const Speeds &chip, const Conditions &conditions,
                const Schedule &schedule) {
  return Replayer(trace, chip, conditions, schedule).run();
}

} // namespace gluonc::model
