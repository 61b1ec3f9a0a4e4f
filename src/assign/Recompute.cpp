//===- Recompute.cpp ----------------------------------------------------------===//
#include "assign/Recompute.h"

using namespace mlir;

namespace gluonc::assign {

/// What a loop carries is one value for us: the argument stands for the result, too.
static Value carriedAs(Value value) {
  auto result = dyn_cast<OpResult>(value);
  auto loop = result ? dyn_cast<scf::ForOp>(result.getOwner()) : nullptr;
  return loop ? Value(loop.getRegionIterArg(result.getResultNumber())) : value;
}

/// The loop that carries `value` as an argument, if one does.
static std::pair<scf::ForOp, unsigned> carrierOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : nullptr;
  if (!loop || argument.getArgNumber() < loop.getNumInductionVars())
    return {nullptr, 0};
  return {loop, argument.getArgNumber() - loop.getNumInductionVars()};
}

static Attribute encodingOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getEncoding();
}

//===----------------------------------------------------------------------===//
// Finding a way
//===----------------------------------------------------------------------===//

void Recompute::decide(Value value, Attribute encoding, Decision decision) {
  if (decisions.try_emplace({value, encoding}, std::move(decision)).second)
    log.push_back({value, encoding});
}

void Recompute::forgetFrom(size_t first) {
  while (log.size() > first)
    decisions.erase(log.pop_back_val());
}

/// Whether anything but what is made anew uses the results.
bool Recompute::isStillUsed(Operation *op) {
  for (OpOperand &use : op->getUses()) {
    Operation *user = use.getOwner();
    bool isReplaced = user == conversion || llvm::any_of(log, [&](const Key &key) {
                        return key.first.getDefiningOp() == user &&
                               llvm::is_contained({Decision::Again, Decision::Forward},
                                                  decisions.find(key)->second.kind);
                      });
    if (!isReplaced)
      return true;
  }
  return false;
}

bool Recompute::isCarried(Value value, Attribute encoding) {
  auto entry = decisions.find({value, encoding});
  return entry != decisions.end() && entry->second.kind == Decision::Carry;
}

int64_t Recompute::want(Value given, Attribute encoding) {
  if (encodingOf(given) == encoding)
    return 0;
  Value value = carriedAs(given);
  if (decisions.contains({given, encoding}) || isCarried(value, encoding))
    return 0;
  if (isMadeAnywhere(value.getDefiningOp())) {
    decide(value, encoding, {Decision::Make, {}});
    return 0;
  }
  for (Operation *user : given.getUsers())
    if (auto other = dyn_cast<ttg::ConvertLayoutOp>(user);
        other && other != conversion && other.getType().getEncoding() == encoding) {
      decide(given, encoding, {Decision::Reuse, {}, other});
      return 0;
    }
  int64_t conversionCost =
      costs.ofConversion(cast<RankedTensorType>(given.getType()), encoding, placeOf(given));
  size_t before = log.size();
  std::optional<int64_t> cost = compute(value, encoding, conversionCost);
  if (cost && *cost <= conversionCost)
    return *cost;
  forgetFrom(before);
  decide(given, encoding, {Decision::Convert, {}});
  return conversionCost;
}

std::optional<int64_t> Recompute::compute(Value value, Attribute encoding, int64_t limit) {
  if (--budget < 0)
    return std::nullopt;
  if (auto [loop, number] = carrierOf(value); loop)
    return computeCarried(loop, number, encoding, limit);
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return computeYielded(branch, value, encoding, limit);
  if (auto other = dyn_cast<ttg::ConvertLayoutOp>(op)) {
    decide(value, encoding, {Decision::Forward, {}});
    // What nothing else uses is saved.
    RankedTensorType from = cast<RankedTensorType>(other.getSrc().getType());
    int64_t saved =
        isStillUsed(other) ? 0 : costs.ofConversion(from, other.getType().getEncoding(), other);
    return want(other.getSrc(), encoding) - saved;
  }
  return computeAgain(op, value, encoding, limit);
}

std::optional<int64_t> Recompute::computeCarried(scf::ForOp loop, unsigned number,
                                                 Attribute encoding, int64_t limit) {
  decide(loop.getRegionIterArg(number), encoding, {Decision::Carry, {}});
  int64_t cost = want(loop.getInitArgs()[number], encoding);
  if (cost > limit)
    return std::nullopt;
  return cost + want(loop.getYieldedValues()[number], encoding);
}

std::optional<int64_t> Recompute::computeYielded(scf::IfOp branch, Value value, Attribute encoding,
                                                 int64_t limit) {
  unsigned number = cast<OpResult>(value).getResultNumber();
  decide(value, encoding, {Decision::Yield, {}});
  int64_t cost = want(branch.thenYield().getOperand(number), encoding);
  if (cost > limit)
    return std::nullopt;
  return cost + want(branch.elseYield().getOperand(number), encoding);
}

std::optional<int64_t> Recompute::computeAgain(Operation *op, Value value, Attribute encoding,
                                               int64_t limit) {
  OpLayouts layouts;
  if (ties(op)) {
    std::optional<OpLayouts> settled = settle(op, value, encoding, /*anew=*/true);
    if (!settled)
      return std::nullopt;
    layouts = *settled;
  } else {
    if (op->getNumResults() != 1)
      return std::nullopt;
    layouts.operands.resize(op->getNumOperands());
    layouts.results.push_back(encoding);
  }
  std::optional<int64_t> cost = costs.ofAgain(op, layouts.results.front(), isStillUsed(op));
  if (!cost)
    return std::nullopt;
  for (auto [result, own] : llvm::zip_equal(op->getResults(), layouts.results))
    if (own)
      decide(result, own, {Decision::Again, layouts});
  for (auto [operand, needed] : llvm::zip_equal(op->getOperands(), layouts.operands)) {
    if (*cost > limit)
      return std::nullopt;
    if (needed)
      *cost += want(operand, needed);
  }
  return cost;
}

bool Recompute::plan() {
  Attribute encoding = conversion.getType().getEncoding();
  Value source = conversion.getSrc();
  int64_t limit =
      costs.ofConversion(cast<RankedTensorType>(source.getType()), encoding, conversion);
  if (isMadeAnywhere(source.getDefiningOp())) {
    decide(source, encoding, {Decision::Make, {}});
    return true;
  }
  std::optional<int64_t> cost = compute(carriedAs(source), encoding, limit);
  if (!cost || *cost > limit)
    return false;
  bool converts = llvm::any_of(
      log, [&](const Key &key) { return decisions.find(key)->second.kind == Decision::Convert; });
  return !converts || *cost < limit;
}

//===----------------------------------------------------------------------===//
// Going it
//===----------------------------------------------------------------------===//

void Recompute::rename(Operation *from, Operation *to) {
  for (auto [old, renamed] : llvm::zip(from->getResults(), to->getResults())) {
    for (auto &[key, value] : made)
      if (value == old)
        value = renamed;
    for (Key &key : log) {
      if (key.first != old)
        continue;
      Key other{renamed, key.second};
      Decision decision = std::move(decisions.find(key)->second);
      decisions.erase(key);
      decisions.try_emplace(other, std::move(decision));
      if (Value value = made.lookup(key)) {
        made.erase(key);
        made[other] = value;
      }
      key = other;
    }
  }
}

Value Recompute::makeCarried(Value argument, Attribute encoding) {
  Value init = make(carrierOf(argument).first.getInitArgs()[carrierOf(argument).second], encoding);
  // Making it may have put another loop in the place of the one there was.
  auto [loop, number] = carrierOf(argument);
  OpBuilder builder(loop);
  llvm::SmallVector<Value> inits(loop.getInitArgs());
  inits.push_back(init);
  auto wider = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(),
                                  loop.getUpperBound(), loop.getStep(), inits);
  wider->setAttrs(loop->getAttrs());
  wider.getRegion().takeBody(loop.getRegion());
  Value added = wider.getBody()->addArgument(init.getType(), argument.getLoc());
  // It keeps its value until what is to be yielded has been made.
  wider.getBody()->getTerminator()->insertOperands(inits.size() - 1, added);
  rename(loop, wider);
  loop->replaceAllUsesWith(wider->getResults().drop_back());
  loop->erase();
  made[{argument, encoding}] = added;
  Value yielded = make(wider.getYieldedValues()[number], encoding);
  auto [around, place] = carrierOf(added);
  around.getBody()->getTerminator()->setOperand(place, yielded);
  return added;
}

namespace {
/// Values that stay the same ones while their operations are replaced.
class Held {
public:
  Held(Operation *place) {
    OpBuilder builder(place);
    holder = UnrealizedConversionCastOp::create(builder, place->getLoc(), TypeRange(), {});
  }
  ~Held() { holder->erase(); }
  void add(Value value) { holder->insertOperands(holder->getNumOperands(), value); }
  Value operator[](unsigned i) { return holder->getOperand(i); }

private:
  Operation *holder;
};
} // namespace

Value Recompute::makeYielded(Value given, Attribute encoding) {
  unsigned number = cast<OpResult>(given).getResultNumber();
  auto branchOf = [](Value value) { return cast<scf::IfOp>(value.getDefiningOp()); };
  // Behind the branch, whose results it holds.
  Held held(given.getDefiningOp()->getNextNode());
  held.add(given);
  held.add(make(branchOf(held[0]).thenYield().getOperand(number), encoding));
  held.add(make(branchOf(held[0]).elseYield().getOperand(number), encoding));
  scf::IfOp branch = branchOf(held[0]);
  OpBuilder builder(branch);
  llvm::SmallVector<Type> types(branch.getResultTypes());
  unsigned last = types.size();
  types.push_back(held[1].getType());
  auto wider = scf::IfOp::create(builder, branch.getLoc(), types, branch.getCondition(),
                                 /*addThenBlock=*/false, /*addElseBlock=*/false);
  wider->setAttrs(branch->getAttrs());
  wider.getThenRegion().takeBody(branch.getThenRegion());
  wider.getElseRegion().takeBody(branch.getElseRegion());
  wider.thenYield()->insertOperands(last, held[1]);
  wider.elseYield()->insertOperands(last, held[2]);
  rename(branch, wider);
  branch->replaceAllUsesWith(wider->getResults().drop_back());
  branch->erase();
  made[{wider->getResult(number), encoding}] = wider->getResult(last);
  return wider->getResult(last);
}

void Recompute::makeAgain(Operation *op, const OpLayouts &layouts) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Operation *copy = builder.clone(*op);
  for (auto [i, needed] : llvm::enumerate(layouts.operands))
    if (needed)
      copy->setOperand(i, make(op->getOperand(i), needed));
  for (auto [i, own] : llvm::enumerate(layouts.results)) {
    if (!own)
      continue;
    copy->getResult(i).setType(withEncoding(copy->getResult(i).getType(), own));
    made[{op->getResult(i), own}] = copy->getResult(i);
  }
}

/// Builds `given` in a layout as it was decided.
Value Recompute::make(Value given, Attribute encoding) {
  if (encodingOf(given) == encoding)
    return given;
  Value value = given;
  if (!decisions.contains({given, encoding}) && isCarried(carriedAs(given), encoding))
    value = carriedAs(given);
  Value result = made.lookup({value, encoding});
  if (!result)
    result = build(value, encoding);
  if (value == given)
    return result;
  // What the loop carries is asked for behind it.
  auto [loop, number] = carrierOf(result);
  return loop.getResult(number);
}

Value Recompute::build(Value value, Attribute encoding) {
  Key key{value, encoding};
  Decision decision = decisions.lookup(key);
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  switch (decision.kind) {
  case Decision::Convert:
    return made[key] = ttg::ConvertLayoutOp::create(builder, value.getLoc(),
                                                    withEncoding(value.getType(), encoding), value,
                                                    /*force_warp_shuffle=*/false);
  case Decision::Make:
    return made[key] = makeIn(builder, value.getDefiningOp(), encoding)->getResult(0);
  case Decision::Reuse:
    decision.existing->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
    return made[key] = decision.existing->getResult(0);
  case Decision::Forward: {
    Value source = make(cast<ttg::ConvertLayoutOp>(value.getDefiningOp()).getSrc(), encoding);
    return made[key] = source;
  }
  case Decision::Again:
    makeAgain(value.getDefiningOp(), decision.layouts);
    return made.lookup(key);
  case Decision::Carry:
    return makeCarried(value, encoding);
  case Decision::Yield:
    return makeYielded(value, encoding);
  }
  return {};
}

void Recompute::apply() {
  Value result = make(conversion.getSrc(), conversion.getType().getEncoding());
  conversion.getResult().replaceAllUsesWith(result);
}

} // namespace gluonc::assign
