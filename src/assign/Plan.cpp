//===- Plan.cpp - Choosing layouts ---------------------------------------------===//
//
// Forward: what was loaded or multiplied stays where it is. An operation takes the
// layout of one of its operands; of several the one that leaves each thread the
// fewest elements, so that nothing is computed twice.
//
// Backward: what nothing forward decides (addresses, masks, constants) is made where
// it is needed, in the layout of the use in the innermost loop.
//
// Loops are why both begin by collecting candidates until nothing changes: what a
// loop's argument can be is known only behind its body. Of the candidates only those
// of classes and of values without other advice are used.
//
//===----------------------------------------------------------------------===//
#include "assign/Plan.h"

#include "assign/Costs.h"

#include "ir/Encoding.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace gluonc::assign {

/// Reshapes in a loop could name new layouts for ever.
constexpr size_t mostCandidates = 6;

static unsigned depthOf(Operation *op) {
  unsigned depth = 0;
  for (; op; op = op->getParentOp())
    depth += isa<LoopLikeOpInterface>(op);
  return depth;
}

Plan::Plan(tt::FuncOp function) : function(function) {
  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    numbers[op] = order.size();
    order.push_back(op);
  });
  findClasses();
  fixSignatures();
}

void Plan::findClasses() {
  llvm::EquivalenceClasses<const void *> groups;
  llvm::MapVector<OpOperand *, llvm::SmallVector<Value, 2>> arrivals;
  for (Operation *op : order)
    forEachForwarded(op, [&](ValueRange from, ValueRange to) {
      auto *operands = dyn_cast_if_present<OpOperand *>(from.getBase());
      for (unsigned i = 0; operands && i < std::min(from.size(), to.size()); ++i)
        if (isOpen(to[i].getType()))
          arrivals[&operands[i]].push_back(to[i]);
    });
  for (auto &[operand, targets] : arrivals)
    for (Value target : targets)
      groups.unionSets(targets.front().getAsOpaquePointer(), target.getAsOpaquePointer());
  llvm::DenseMap<const void *, unsigned> leaders;
  auto join = [&](Value member) {
    const void *leader = groups.getLeaderValue(member.getAsOpaquePointer());
    auto [entry, isNew] = leaders.try_emplace(leader, classes.size());
    if (isNew)
      classes.emplace_back();
    if (classNumbers.try_emplace(member, entry->second).second)
      classes[entry->second].members.push_back(member);
    return entry->second;
  };
  for (auto &[operand, targets] : arrivals) {
    unsigned number = 0;
    for (Value target : targets)
      number = join(target);
    classes[number].sources.push_back(operand);
    arriving[operand] = number;
  }
}

Plan::Class *Plan::classOf(Value value) {
  auto entry = classNumbers.find(value);
  return entry == classNumbers.end() ? nullptr : &classes[entry->second];
}

/// Functions that stay take and return default layouts; both sides know them from the type.
void Plan::fixSignatures() {
  for (Value argument : function.getArguments())
    if (isOpen(argument.getType()))
      setLayout(argument, defaultEncoding(argument.getType(), function));
  for (Operation *op : order) {
    if (!isa<tt::CallOp, tt::ReturnOp>(op))
      continue;
    for (OpOperand &operand : op->getOpOperands())
      if (isOpen(operand.get().getType()))
        needs[&operand] = defaultEncoding(operand.get().getType(), op);
    for (Value result : op->getResults())
      if (isOpen(result.getType()))
        setLayout(result, defaultEncoding(result.getType(), op));
  }
}

void Plan::setLayout(Value value, Attribute encoding) { layouts.try_emplace(value, encoding); }

void Plan::record(Operation *op, const OpLayouts &chosen) {
  settled.insert(op);
  for (auto [result, encoding] : llvm::zip_equal(op->getResults(), chosen.results))
    if (encoding && isOpen(result.getType()))
      setLayout(result, encoding);
  for (auto [operand, encoding] : llvm::zip_equal(op->getOpOperands(), chosen.operands))
    if (encoding)
      needs[&operand] = encoding;
}

bool Plan::isToSettle(Operation *op) const {
  return !settled.contains(op) && ties(op) &&
         (llvm::any_of(op->getOperandTypes(), isOpen) ||
          llvm::any_of(op->getResultTypes(), isOpen));
}

void Plan::add(Candidates &all, Value value, Candidate candidate) {
  llvm::SmallVector<Candidate, 2> &list = all[value];
  for (Candidate &known : list)
    if (known.encoding == candidate.encoding) {
      known.depth = std::max(known.depth, candidate.depth);
      return;
    }
  if (list.size() == mostCandidates)
    return;
  list.push_back(candidate);
  pending.push_back(value);
}

//===----------------------------------------------------------------------===//
// Forward
//===----------------------------------------------------------------------===//

/// The result of a conversion to an open type is what was converted.
static Attribute statedSource(Operation *op) {
  if (!isa<ttg::ConvertLayoutOp>(op) || isOpen(op->getOperand(0).getType()) ||
      !isOpen(op->getResult(0).getType()))
    return {};
  return cast<RankedTensorType>(op->getOperand(0).getType()).getEncoding();
}

void Plan::spreadForward() {
  auto addAll = [&](Operation *op, const OpLayouts &known) {
    for (auto [result, encoding] : llvm::zip_equal(op->getResults(), known.results))
      if (encoding && isOpen(result.getType()))
        add(forward, result, {encoding, depthOf(op)});
  };
  for (auto &[value, encoding] : layouts)
    pending.push_back(value);
  // In the order of the program, whatever the map's is.
  llvm::sort(pending, [&](Value a, Value b) {
    auto key = [&](Value v) {
      auto argument = dyn_cast<BlockArgument>(v);
      return argument ? std::pair(0u, argument.getArgNumber())
                      : std::pair(numbers.lookup(v.getDefiningOp()) + 1,
                                  cast<OpResult>(v).getResultNumber());
    };
    return key(a) < key(b);
  });
  for (Value value : llvm::to_vector(pending))
    forward[value].push_back({layouts.lookup(value), 0});
  for (Operation *op : order) {
    if (Attribute source = statedSource(op))
      add(forward, op->getResult(0), {source, depthOf(op)});
    else if (isToSettle(op))
      if (std::optional<OpLayouts> stated = settleStated(op))
        addAll(op, *stated);
  }
  for (size_t next = 0; next < pending.size(); ++next) {
    Value value = pending[next];
    llvm::SmallVector<Candidate, 2> candidates = forward.lookup(value);
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      auto arrives = arriving.find(&use);
      for (Candidate candidate : candidates) {
        if (ties(user))
          if (std::optional<OpLayouts> known = settle(user, value, candidate.encoding))
            addAll(user, *known);
        if (arrives != arriving.end())
          for (Value member : classes[arrives->second].members)
            add(forward, member, candidate);
      }
    }
  }
  pending.clear();
}

static bool isMatrixLayout(Attribute encoding) {
  std::optional<layout::Layout> layout = layoutOf(encoding);
  return layout && (layout->as<layout::NVMMADistributedLayout>() ||
                    layout->as<layout::AMDMFMALayout>() || layout->as<layout::AMDWMMALayout>());
}

static int64_t elementsInThread(Type type, Attribute encoding) {
  const layout::LinearLayout *linear = linearOrNull(withEncoding(type, encoding));
  return linear ? linear->removeZeroBases(layout::Dim::Register).inSize(layout::Dim::Register) : 1;
}

/// The first of the candidates that are least: those of matrix products, but for accesses to
/// memory, then those that leave each thread the fewest elements.
template <typename Range, typename EncodingOf>
static auto bestOf(Range &candidates, Type type, bool isAccess, EncodingOf encodingOf) {
  return std::min_element(candidates.begin(), candidates.end(), [&](auto &a, auto &b) {
    auto rank = [&](Attribute encoding) {
      return std::pair(isMatrixLayout(encoding) == isAccess, elementsInThread(type, encoding));
    };
    return rank(encodingOf(a)) < rank(encodingOf(b));
  });
}

static Type tensorTypeOf(Operation *op) {
  for (Type type : llvm::concat<const Type>(llvm::to_vector(op->getResultTypes()),
                                            llvm::to_vector(op->getOperandTypes())))
    if (isa<RankedTensorType>(type))
      return type;
  return {};
}

/// Settles `op` by an operand whose layout is chosen, or by a stated one.
void Plan::chooseForward(Operation *op) {
  if (Attribute source = statedSource(op))
    return setLayout(op->getResult(0), source);
  if (!isToSettle(op))
    return;
  if (std::optional<OpLayouts> stated = settleStated(op))
    return record(op, *stated);
  llvm::SmallVector<OpLayouts> options;
  for (Value operand : op->getOperands())
    if (Attribute encoding = layouts.lookup(operand))
      if (std::optional<OpLayouts> option = settle(op, operand, encoding))
        options.push_back(*option);
  if (!options.empty())
    record(op, *bestOf(options, tensorTypeOf(op), !isMemoryEffectFree(op),
                       [](OpLayouts &option) { return option.first(); }));
}

//===----------------------------------------------------------------------===//
// Backward
//===----------------------------------------------------------------------===//

void Plan::spreadBackward() {
  auto demand = [&](OpOperand &operand, Attribute encoding) {
    if (encoding && isOpen(operand.get().getType()) && !isChosen(operand.get()))
      add(backward, operand.get(), {encoding, depthOf(operand.getOwner())});
  };
  for (Operation *op : order)
    for (OpOperand &operand : op->getOpOperands())
      demand(operand, needs.lookup(&operand));
  for (size_t next = 0; next < pending.size(); ++next) {
    Value value = pending[next];
    llvm::SmallVector<Candidate, 2> candidates = backward.lookup(value);
    Operation *op = value.getDefiningOp();
    for (Candidate candidate : candidates) {
      if (Class *group = classOf(value)) {
        for (Value member : group->members)
          add(backward, member, candidate);
        for (OpOperand *source : group->sources)
          demand(*source, candidate.encoding);
      } else if (op && isToSettle(op)) {
        if (std::optional<OpLayouts> known = settle(op, value, candidate.encoding))
          for (auto [operand, encoding] : llvm::zip_equal(op->getOpOperands(), known->operands))
            demand(operand, encoding);
      }
    }
  }
  pending.clear();
}

llvm::SmallVector<Plan::Candidate> Plan::demandsOn(ValueRange values) {
  llvm::SmallVector<std::pair<unsigned, Candidate>> found;
  for (Value value : values)
    for (OpOperand &use : value.getUses())
      if (Attribute encoding = needs.lookup(&use))
        found.push_back({numbers.lookup(use.getOwner()), {encoding, depthOf(use.getOwner())}});
  llvm::sort(found, [](auto &a, auto &b) {
    return std::pair(b.second.depth, a.first) < std::pair(a.second.depth, b.first);
  });
  llvm::SmallVector<Candidate> list;
  for (auto &[number, candidate] : found)
    list.push_back(candidate);
  return list;
}

/// Settles `op` by what uses of its results need, if that is known.
void Plan::chooseBackward(Operation *op) {
  if (!isToSettle(op))
    return;
  llvm::SmallVector<Candidate> demands = demandsOn(op->getResults());
  for (Value result : op->getResults())
    llvm::append_range(demands, backward.lookup(result));
  for (Candidate demand : demands)
    for (Value result : op->getResults())
      if (std::optional<OpLayouts> option =
              isOpen(result.getType()) ? settle(op, result, demand.encoding) : std::nullopt)
        return record(op, *option);
}

/// Results that take any layout are in the one that their first use needs.
void Plan::chooseLeaf(Operation *op) {
  for (Value result : op->getResults()) {
    if (!isOpen(result.getType()) || isChosen(result))
      continue;
    llvm::SmallVector<Candidate> demands = demandsOn(result);
    setLayout(result,
              demands.empty() ? defaultEncoding(result.getType(), op) : demands.front().encoding);
  }
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

llvm::SmallVector<Plan::Candidate> Plan::candidatesOf(const Class &group, const Candidates &all) {
  llvm::SmallVector<Candidate> list;
  for (Value member : group.members)
    for (Candidate candidate : all.lookup(member))
      if (llvm::none_of(list,
                        [&](Candidate &known) { return known.encoding == candidate.encoding; }))
        list.push_back(candidate);
  return list;
}

/// Chooses the first of the best candidates, if there are any, for all members.
void Plan::chooseClass(Class &group, llvm::ArrayRef<Candidate> candidates) {
  if (candidates.empty())
    return;
  auto best = bestOf(candidates, group.members.front().getType(), /*isAccess=*/false,
                     [](const Candidate &candidate) { return candidate.encoding; });
  for (Value member : group.members)
    setLayout(member, best->encoding);
  for (OpOperand *source : group.sources)
    needs[source] = best->encoding;
}

void Plan::chooseDefaults() {
  for (Class &group : classes) {
    Value first = group.members.front();
    chooseClass(group, Candidate{defaultEncoding(first.getType(), placeOf(first)), 0});
  }
  for (Operation *op : order) {
    if (Attribute source = statedSource(op))
      setLayout(op->getResult(0), source);
    else if (isToSettle(op))
      record(op, settleByDefault(op));
    else
      chooseLeaf(op);
  }
}

void Plan::choose() {
  for (Operation *op : order)
    if (isa<ttg::ConvertLayoutOp, gluon::SetAutoLayoutOp>(op) &&
        !isOpen(op->getResult(0).getType()))
      needs[&op->getOpOperand(0)] =
          cast<RankedTensorType>(op->getResult(0).getType()).getEncoding();
  spreadForward();
  for (Class &group : classes)
    chooseClass(group, candidatesOf(group, forward));
  for (Operation *op : order)
    chooseForward(op);
  spreadBackward();
  for (Class &group : classes) {
    if (isChosen(group.members.front()))
      continue;
    llvm::SmallVector<Candidate> demands = candidatesOf(group, backward);
    Value first = group.members.front();
    auto deepest = std::max_element(demands.begin(), demands.end(),
                                    [](auto &a, auto &b) { return a.depth < b.depth; });
    chooseClass(group, deepest == demands.end()
                           ? Candidate{defaultEncoding(first.getType(), placeOf(first)), 0}
                           : *deepest);
  }
  for (Operation *op : llvm::reverse(order))
    chooseBackward(op);
  // What is left depends on nothing that is stated, nor that on it.
  for (Operation *op : order) {
    chooseForward(op);
    if (isToSettle(op))
      record(op, settleByDefault(op));
  }
  for (Operation *op : order)
    chooseLeaf(op);
}

} // namespace gluonc::assign
