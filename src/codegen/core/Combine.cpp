#include "codegen/core/Combine.h"

using namespace llvm;

namespace gluonc::codegen {

std::optional<Tuple> combine(Emitter &emitter, mlir::Region &region, const Tuple &left,
                             const Tuple &right) {
  mlir::Block &block = region.front();
  size_t count = left.size();
  // What the operation itself does next is its own, not the last line's of the region.
  const DebugLoc place = emitter.builder.getCurrentDebugLocation();
  for (size_t i = 0; i < count; ++i) {
    emitter.set(block.getArgument(i), {left[i]});
    emitter.set(block.getArgument(count + i), {right[i]});
  }
  if (failed(emitter.emitRegion(region)))
    return std::nullopt;
  emitter.builder.SetCurrentDebugLocation(place);
  Tuple result;
  for (mlir::Value value : block.getTerminator()->getOperands())
    result.push_back(emitter.scalar(value));
  return result;
}

std::optional<Tuple> combineAll(Emitter &emitter, mlir::Region &region, SmallVector<Tuple> tuples) {
  while (tuples.size() > 1) {
    SmallVector<Tuple> next;
    for (size_t i = 0; i + 1 < tuples.size(); i += 2) {
      std::optional<Tuple> both = combine(emitter, region, tuples[i], tuples[i + 1]);
      if (!both)
        return std::nullopt;
      next.push_back(std::move(*both));
    }
    if (tuples.size() % 2)
      next.push_back(std::move(tuples.back()));
    tuples = std::move(next);
  }
  return std::move(tuples.front());
}

std::optional<Tuple> combineInOrder(Emitter &emitter, mlir::Region &region,
                                    ArrayRef<Tuple> tuples) {
  std::optional<Tuple> total = tuples.front();
  for (const Tuple &tuple : tuples.drop_front()) {
    if (!total)
      return std::nullopt;
    total = combine(emitter, region, *total, tuple);
  }
  return total;
}

} // namespace gluonc::codegen
