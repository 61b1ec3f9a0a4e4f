#include "lift/Body.h"

#include "ir/Dialects.h"
#include "ir/Report.h"
#include "ir/SourceLocation.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace gluonc::lift {

/// Expressions of several operations do not become longer.
static constexpr size_t maxWidth = 76;

std::string Body::parameter(Value value, llvm::StringRef wanted, Facts given) {
  std::string name = fresh(wanted);
  define(value, name);
  facts[value] = given;
  return name;
}

void Body::bind(Value value, std::string text, Facts given) {
  named[value] = std::move(text);
  facts[value] = given;
}

std::string Body::nameOf(Value value) const {
  auto at = named.find(value);
  return at == named.end() ? "value" : at->second;
}

void Body::line(const llvm::Twine &line) {
  text += std::string(4 * depth, ' ') + line.str() + "\n";
}

bool Body::refuse(Operation *op) {
  report(diag::Kind::NotSupportedYet, op->getLoc(), "lifting " + op->getName().getStringRef());
  return false;
}

//===----------------------------------------------------------------------===//
// Names that the source has
//===----------------------------------------------------------------------===//

static bool isIdentifier(llvm::StringRef name) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return !name.empty() && !llvm::isDigit(name.front()) && llvm::all_of(name, isPart);
}

static llvm::StringRef lineAt(diag::Span span) {
  return span.file ? span.file->line(span.file->position(span.begin).line) : std::string_view();
}

/// The name that a line assigns to result `number`, as `name = …`, `name += …` or `name, other =
/// …`; empty where it does not.
static llvm::StringRef assignedName(llvm::StringRef line, unsigned number) {
  size_t sign = line.find('=');
  if (sign == llvm::StringRef::npos || line.substr(sign + 1).starts_with("="))
    return "";
  llvm::SmallVector<llvm::StringRef> names;
  line.take_front(sign).rtrim("+-*/%&|^<> ").split(names, ',');
  llvm::StringRef name = number < names.size() ? names[number].trim() : "";
  return llvm::all_of(names, [](llvm::StringRef each) { return isIdentifier(each.trim()); }) ? name
                                                                                             : "";
}

/// What it is, in a word.
static llvm::StringRef nameByKind(Value value) {
  Type type = value.getType(), element = getElementTypeOrSelf(type);
  bool isBlock = isa<RankedTensorType>(type);
  if (isa<ttg::MemDescType>(type))
    return isa_and_present<ttg::LocalAllocOp>(value.getDefiningOp()) ? "buffer" : "view";
  if (isBlock && isa<FloatType>(element) &&
      isa_and_present<ttg::NvidiaMmaEncodingAttr, ttg::AMDMfmaEncodingAttr,
                      ttg::AMDWmmaEncodingAttr>(cast<RankedTensorType>(type).getEncoding()))
    return "acc";
  if (isa<tt::PointerType>(element))
    return isBlock ? "ptrs" : "ptr";
  if (element.isInteger(1))
    return isBlock ? "mask" : "cond";
  if (isa<FloatType>(element))
    return isBlock ? "x" : "scalar";
  return isBlock ? "offsets" : "n";
}

std::string Body::wantedName(Value value) const {
  Operation *op = value.getDefiningOp();
  Location place = op ? op->getLoc() : value.getLoc();
  // Fields are named by their objects.
  llvm::StringRef known = gluonc::nameOf(place);
  if (known = known.substr(known.rfind('.') + 1); isIdentifier(known))
    return known.str();
  const diag::SourceManager &sources = file.request.sources;
  llvm::StringRef line = op ? lineAt(spanOf(place, sources)) : "";
  // What the line assigns is what it computes last.
  Operation *next = op ? op->getNextNode() : nullptr;
  bool isLast = !next || lineAt(spanOf(next->getLoc(), sources)).data() != line.data();
  unsigned number = op ? cast<OpResult>(value).getResultNumber() : 0;
  llvm::StringRef name = isLast ? assignedName(line, number) : "";
  return (name.empty() ? nameByKind(value) : name).str();
}

static bool hasNameInSource(const Body &body, Operation *op) {
  return body.wantedName(op->getResult(0)) != nameByKind(op->getResult(0));
}

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

bool Body::mayWait(Operation *op) const {
  if (op->getNumResults() != 1 || !op->getResult(0).hasOneUse() ||
      isa<ttg::AsyncTokenType>(op->getResult(0).getType()) || hasNameInSource(*this, op))
    return false;
  Operation *user = *op->getResult(0).user_begin();
  if (user->getBlock() != op->getBlock() || isa<scf::ForOp, scf::WhileOp, scf::YieldOp>(user))
    return false;
  return true;
}

/// What the roots from `start` on compute, in order.
llvm::SmallVector<Operation *> Body::sequenceFrom(size_t start) const {
  llvm::SmallVector<Operation *> sequence;
  for (const Root &root : llvm::drop_begin(roots, start))
    llvm::append_range(sequence, root.sequence);
  return sequence;
}

std::optional<Body::Root> Body::compose(Operation *op, Render render) {
  llvm::SmallVector<size_t> starts;
  for (auto [i, root] : llvm::enumerate(roots))
    if (*root.op->getResult(0).user_begin() == op)
      starts.push_back(i);
  starts.push_back(roots.size());
  for (auto [number, start] : llvm::enumerate(starts)) {
    llvm::SmallVector<Operation *> wanted = sequenceFrom(start);
    llvm::DenseSet<Operation *> inside(wanted.begin(), wanted.end());
    Tree trial(*this, inside);
    std::optional<Expr> expr = render(trial);
    if (!expr || !trial.canSay)
      return std::nullopt;
    bool isLast = start == roots.size();
    auto computed = llvm::ArrayRef(trial.order).take_front(wanted.size());
    if (!isLast && (computed != llvm::ArrayRef(wanted) || expr->text.size() > maxWidth))
      continue;
    // What it takes and could not be part becomes a name.
    size_t before = number ? starts[number - 1] + 1 : 0;
    flush(before);
    Tree tree(*this, inside);
    Root made{op, std::move(wanted), *render(tree)};
    made.sequence.push_back(op);
    for (auto [value, given] : tree.ownFacts())
      facts[value] = given;
    roots.erase(roots.begin() + ptrdiff_t(start - before), roots.end());
    return made;
  }
  return std::nullopt;
}

void Body::flush(size_t count) {
  for (Root &root : llvm::MutableArrayRef(roots).take_front(count))
    assign(root.op, root.expr.text);
  roots.erase(roots.begin(), roots.begin() + ptrdiff_t(count));
}

void Body::assign(Operation *op, const std::string &expr) {
  auto isNeeded = [](Value value) {
    return !value.use_empty() && !isa<ttg::AsyncTokenType>(value.getType());
  };
  if (llvm::none_of(op->getResults(), isNeeded))
    return line(expr);
  std::string targets;
  for (Value result : op->getResults()) {
    std::string name = isNeeded(result) ? variableFor(result) : fresh("unused");
    targets += (targets.empty() ? "" : ", ") + name;
  }
  line(targets + " = " + expr);
}

bool Body::operation(Operation *op) {
  std::optional<Root> made = compose(op, [&](Tree &tree) { return tree.render(op); });
  if (!made)
    return refuse(op);
  if (mayWait(op)) {
    roots.push_back(std::move(*made));
    return true;
  }
  if (!allowsStatements)
    return refuse(op);
  flushAll();
  assign(op, made->expr.text);
  return true;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

bool Body::statement(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() && (op->use_empty() || constantOf(op->getResult(0))))
    return true;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](scf::ForOp loop) { return this->loop(loop); })
      .Case([&](scf::WhileOp loop) { return whileLoop(loop); })
      .Case([&](scf::IfOp branch) { return this->branch(branch); })
      .Case([&](arith::SelectOp select) {
        bool isOfBlocks = isa<RankedTensorType, ttg::MemDescType>(select.getType()) &&
                          !isa<RankedTensorType>(select.getCondition().getType());
        return isOfBlocks ? choice(select) : operation(op);
      })
      .Default([&](Operation *) { return operation(op); });
}

bool Body::statements(Block &block) {
  for (Operation &op : block.without_terminator())
    if (!statement(&op))
      return false;
  return true;
}

bool Body::returns(Operation *op) {
  std::optional<Root> made = compose(op, [&](Tree &tree) -> std::optional<Expr> {
    std::string values;
    for (auto [i, value] : llvm::enumerate(op->getOperands())) {
      bool isUnsigned = i < returned.size() && returned[i].isUnsigned;
      values += (i ? ", " : "") + tree.withSign(value, isUnsigned).text;
    }
    return Expr{values};
  });
  if (!made)
    return refuse(op);
  flushAll();
  if (op->getNumOperands())
    line("return " + made->expr.text);
  else if (text.empty())
    line("pass");
  return true;
}

bool Body::functionBlock(Block &block) {
  return statements(block) && returns(block.getTerminator());
}

} // namespace gluonc::lift
