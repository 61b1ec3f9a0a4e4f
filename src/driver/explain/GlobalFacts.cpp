#include "driver/explain/Facts.h"

#include "ir/Encoding.h"
#include "ir/tt/Coalescing.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace gluonc::driver {

using explain::GlobalFact;

namespace {

/// The mask of an access, and the pointer that a scalar one has.
Value maskOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<tt::LoadOp, tt::StoreOp, ttg::AsyncCopyGlobalToLocalOp>(
          [](auto access) -> Value { return access.getMask(); })
      .Default(Value());
}
Value scalarPointerOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<tt::LoadOp, tt::StoreOp>([](auto access) -> Value {
        Value pointer = access.getPtr();
        return isa<tt::PointerType>(pointer.getType()) ? pointer : Value();
      })
      .Default(Value());
}

/// Neighbours along a dim that the lanes of a warp hold, `run` of them each.
int64_t warpRunOf(const layout::LinearLayout &layout, unsigned axis, int64_t run) {
  auto holds = [&](int64_t place) {
    for (unsigned bit = 0; bit != layout.inLog2(layout::Dim::Lane); ++bit)
      if (layout.applyPacked(layout.packIn({{layout::Dim::Lane, 1u << bit}})) ==
          uint64_t(place) << layout.outShift(layout::Dim::axis(axis)))
        return true;
    return false;
  };
  while (holds(run))
    run *= 2;
  return run;
}

class Accesses {
public:
  Accesses(tt::FuncOp kernel, const KernelArguments &arguments, const diag::SourceManager &sources)
      : kernel(kernel), arguments(arguments), sources(sources), axes(kernel), coalescing(kernel) {}

  std::vector<GlobalFact> all() {
    std::vector<GlobalFact> facts;
    kernel.walk([&](Operation *op) {
      Value pointers = pointersOf(op), scalar = scalarPointerOf(op);
      if (!pointers && !scalar)
        return;
      GlobalFact &fact = facts.emplace_back();
      place(fact, op, sources);
      Value pointer = pointers ? pointers : scalar;
      fact.elementBytes = elementBytes(tt::pointeeTypeOf(getElementTypeOrSelf(pointer.getType())));
      fact.isScalar = !pointers;
      if (pointers && cast<RankedTensorType>(pointers.getType()).getRank())
        describe(op, pointers, fact);
    });
    return facts;
  }

private:
  void describe(Operation *op, Value pointers, GlobalFact &fact) {
    auto type = cast<RankedTensorType>(pointers.getType());
    const layout::LinearLayout &linear = toLinear(type);
    layout::Layout layout = toLayout(type.getEncoding());
    layout::BlockedLayout best = coalescing.layoutFor(op);
    auto axis = static_cast<unsigned>(best.order.front());
    Value mask = maskOf(op);
    fact.layout = layout.toString();
    fact.layoutRun = int64_t(1) << layout::contiguousLog2(linear, axis);
    fact.warpRun = warpRunOf(linear, axis, fact.layoutRun);
    fact.addressRun = axes.pointerRun(pointers, axis);
    fact.maskRun = mask ? axes.maskRun(mask, axis) : type.getNumElements();

    int64_t contiguity = axes.of(pointers).contiguity[axis];
    ThreadCounts threads = ThreadCounts::at(op);
    int64_t ofThread = std::max<int64_t>(
        type.getNumElements() / (threads.lanes * threads.warps * threads.ctas), 1);
    // Other accesses, such as atomic updates, take elements one by one.
    bool isWide = isa<tt::LoadOp, tt::StoreOp, ttg::AsyncCopyGlobalToLocalOp>(op);
    int64_t widest = isWide ? std::max<int64_t>(16 / fact.elementBytes, 1) : 1;
    fact.possibleRun = std::min({contiguity, widest, ofThread});
    if (contiguity > 1) {
      layout::Layout suggestion =
          spreadBlocked(type.getShape(), best.order, fact.possibleRun, threads);
      if (!(suggestion == layout))
        fact.suggestion = suggestion.toString();
    }
    // Other layouts than blocked ones are there for what comes after the access.
    if (!layout.as<layout::BlockedLayout>())
      fact.possibleRun = std::min(fact.possibleRun, fact.layoutRun);
    fact.unaligned = unalignedParameters(fact.addressRun < fact.possibleRun ? pointers : mask);
  }

  /// The parameters that `value` is computed from and that need not be multiples of 16.
  std::vector<std::string> unalignedParameters(Value value) {
    llvm::SetVector<Value> seen;
    if (value)
      seen.insert(value);
    for (size_t i = 0; i != seen.size(); ++i)
      if (Operation *op = seen[i].getDefiningOp())
        seen.insert(op->operand_begin(), op->operand_end());
    std::vector<std::string> names;
    for (BlockArgument argument : kernel.getArguments()) {
      auto known = kernel.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), "tt.divisibility");
      bool isAligned = known && known.getInt() % 16 == 0;
      if (std::string name = nameOf(argument.getArgNumber());
          seen.contains(argument) && !isAligned && !name.empty())
        names.push_back(std::move(name));
    }
    return names;
  }

  /// Of the argument that a parameter is of, or is a part of.
  std::string nameOf(unsigned parameter) const {
    for (const RuntimeArgument &argument : arguments.runtime) {
      if (parameter < argument.width())
        return argument.name;
      parameter -= argument.width();
    }
    return "";
  }

  tt::FuncOp kernel;
  const KernelArguments &arguments;
  const diag::SourceManager &sources;
  AxisInfos axes;
  Coalescing coalescing;
};

} // namespace

std::vector<GlobalFact> globalFacts(tt::FuncOp kernel, const KernelArguments &arguments,
                                    const diag::SourceManager &sources) {
  return Accesses(kernel, arguments, sources).all();
}

} // namespace gluonc::driver
