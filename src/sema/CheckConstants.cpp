// Expressions are taken whole: the largest ones that are known are evaluated by the interpreter
// itself, in a function that nobody will see. A variable is known that one statement
// assigns, to something known. Results of builtins are known, too: a program's number has a
// type, whatever its value.

#include "sema/CheckConstants.h"

#include "sema/eval/Interpreter.h"
#include "sema/kernel/KernelContext.h"
#include "sema/kernel/KernelStatements.h"
#include "sema/names/Language.h"

#include "ir/Dialects.h"
#include "ir/Report.h"
#include "ir/SourceLocation.h"

#include "llvm/ADT/StringSet.h"

namespace gluonc::sema {

using diag::Kind;

namespace {

/// Errors that options of compilation have no part in.
constexpr Kind reported[] = {
    Kind::InvalidLayout,        Kind::NeedsConstexpr,  Kind::ShapeNotPowerOfTwo,
    Kind::EmptyShape,           Kind::EmptyRange,      Kind::LayoutRankMismatch,
    Kind::LayoutNotDistributed, Kind::LayoutNotShared, Kind::SharedRank,
};

/// Known to a compilation only, not to us.
bool isOption(const Value &callee) {
  return callee.is(ValueKind::Builtin) &&
         llvm::is_contained({"num_warps", "num_ctas"}, callee.asBuiltin().shortName());
}

/// The place of the layout among the arguments of builtins that can do without one, of which
/// everything else is checked whatever it is.
std::optional<size_t> layoutPlace(const Value &callee) {
  if (!callee.is(ValueKind::Builtin))
    return std::nullopt;
  llvm::StringRef name = callee.asBuiltin().name;
  return name == "arange" || name == "zeros" ? std::optional<size_t>(2)
         : name == "full"                    ? std::optional<size_t>(3)
                                             : std::nullopt;
}

} // namespace

struct ConstantChecker::Impl {
  Impl(Program &program, diag::Sink &sink) : program(program), sink(sink) {
    loadAllDialects(mlirContext);
    options.target = *target::Target::parse("cuda:90a");
  }

  Program &program;
  diag::Sink &sink;
  /// What evaluation says; a part of it is passed on.
  diag::Collector heard;
  mlir::MLIRContext mlirContext{mlir::MLIRContext::Threading::DISABLED};
  Options options;
  mlir::OpBuilder builder{&mlirContext};
  Interpreter interpreter{program, heard};
  /// How often a function's names are bound, and which of them are known by now.
  llvm::StringMap<unsigned> bindings;
  llvm::StringSet<> knownNames;

  void run(const Function &function);
  void countBindings(const ast::Node &node);
  bool pass();

  bool isKnownName(const ast::Name &name);
  bool isKnownCall(const ast::Call &call);
  bool isKnown(const ast::Expr &expr);
  MaybeValue global(const ast::Expr &expr);
  std::optional<bool> knownTruth(const ast::Expr &test);

  bool visit(ast::Stmts body);
  bool visit(const ast::Stmt &stmt);
  bool visitIf(const ast::If &branch);
  void visitAssignment(const ast::Stmt &stmt, const ast::Expr &target, const ast::Expr &value);
  void visit(const ast::Expr *expr);
  void visitCall(const ast::Call &call);
};

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

void ConstantChecker::Impl::countBindings(const ast::Node &node) {
  if (const auto *name = llvm::dyn_cast<ast::Name>(&node)) {
    if (name->ctx != ast::ExprContext::Load)
      ++bindings[name->id];
  } else if (const auto *argument = llvm::dyn_cast<ast::Arg>(&node))
    bindings[argument->arg] += 2;
  else if (const auto *nested = llvm::dyn_cast<ast::FunctionDef>(&node))
    bindings[nested->name] += 2;
  else if (const auto *augmented = llvm::dyn_cast<ast::AugAssign>(&node))
    countBindings(*augmented->target);
  ast::forEachChild(node, [&](const ast::Node &child) { countBindings(child); });
}

/// Passes on what was heard; whether there was an error.
bool ConstantChecker::Impl::pass() {
  bool isBad = false;
  for (diag::Diagnostic &diagnostic : heard.diagnostics) {
    if (diagnostic.severity != diag::Severity::Error)
      continue;
    isBad = true;
    if (llvm::is_contained(reported, diagnostic.kind))
      sink.submit(std::move(diagnostic));
  }
  heard.diagnostics.clear();
  return isBad;
}

/// The value of a global name or of attributes of modules and classes; what is said of it is for
/// others to say.
MaybeValue ConstantChecker::Impl::global(const ast::Expr &expr) {
  const ast::Expr *root = &expr;
  while (const auto *attribute = llvm::dyn_cast<ast::Attribute>(root))
    root = attribute->value;
  const auto *name = llvm::dyn_cast<ast::Name>(root);
  if (!name || bindings.contains(name->id))
    return std::nullopt;
  MaybeValue value = interpreter.eval(&expr);
  heard.diagnostics.clear();
  return value;
}

bool ConstantChecker::Impl::isKnownName(const ast::Name &name) {
  if (bindings.contains(name.id))
    return knownNames.contains(name.id);
  MaybeValue value = global(name);
  return value && !value->is(ValueKind::Function) && !value->is(ValueKind::Class) &&
         !value->is(ValueKind::Opaque);
}

bool ConstantChecker::Impl::isKnownCall(const ast::Call &call) {
  if (MaybeValue callee = global(*call.func)) {
    bool isConstexpr =
        callee->is(ValueKind::Function) && callee->asFunction().kind == FunctionKind::Constexpr;
    if (isOption(*callee) || !(callee->is(ValueKind::Builtin) || isConstexpr))
      return false;
  } else {
    const auto *method = llvm::dyn_cast<ast::Attribute>(call.func);
    if (!method || !isKnown(*method->value))
      return false;
  }
  return llvm::all_of(call.args, [&](const ast::Expr *each) { return isKnown(*each); }) &&
         llvm::all_of(call.keywords,
                      [&](const ast::Keyword *each) { return isKnown(*each->value); });
}

bool ConstantChecker::Impl::isKnown(const ast::Expr &expr) {
  if (llvm::isa<ast::Constant>(expr))
    return true;
  if (const auto *name = llvm::dyn_cast<ast::Name>(&expr))
    return isKnownName(*name);
  if (const auto *call = llvm::dyn_cast<ast::Call>(&expr))
    return isKnownCall(*call);
  if (llvm::isa<ast::Attribute>(expr) && global(expr))
    return !global(expr)->is(ValueKind::Function);
  if (!llvm::isa<ast::Attribute, ast::Subscript, ast::BinOp, ast::UnaryOp, ast::Compare, ast::List,
                 ast::Tuple, ast::Slice>(expr))
    return false;
  bool all = true;
  ast::forEachChild(expr, [&](const ast::Node &child) {
    const auto *part = llvm::dyn_cast<ast::Expr>(&child);
    all = all && part && isKnown(*part);
  });
  return all;
}

std::optional<bool> ConstantChecker::Impl::knownTruth(const ast::Expr &test) {
  if (!isKnown(test))
    return std::nullopt;
  MaybeValue value = interpreter.eval(&test);
  bool isBad = pass();
  if (!value || isBad || value->isTensor())
    return std::nullopt;
  std::optional<bool> truth = interpreter.truth(*value, test.span);
  heard.diagnostics.clear();
  return truth;
}

//===----------------------------------------------------------------------===//
// Statements, in the order in which they run; false where none comes after
//===----------------------------------------------------------------------===//

bool ConstantChecker::Impl::visit(ast::Stmts body) {
  return llvm::all_of(body, [&](const ast::Stmt *stmt) { return visit(*stmt); });
}

bool ConstantChecker::Impl::visitIf(const ast::If &branch) {
  if (std::optional<bool> truth = knownTruth(*branch.test))
    return visit(*truth ? branch.body : branch.orelse);
  visit(branch.test);
  bool first = visit(branch.body), second = visit(branch.orelse);
  return first || second;
}

void ConstantChecker::Impl::visitAssignment(const ast::Stmt &stmt, const ast::Expr &target,
                                            const ast::Expr &value) {
  const auto *name = llvm::dyn_cast<ast::Name>(&target);
  if (!name || bindings.lookup(name->id) != 1 || !isKnown(value)) {
    visit(&target);
    visit(&value);
    return;
  }
  const ast::Stmt *alone = &stmt;
  Flow flow = KernelStatements(interpreter).runBody(alone);
  bool isBad = pass();
  if (flow != Flow::Failed && !isBad && interpreter.frame().scope.find(name->id))
    knownNames.insert(name->id);
}

bool ConstantChecker::Impl::visit(const ast::Stmt &stmt) {
  if (interpreter.isExhausted)
    return false;
  if (const auto *branch = llvm::dyn_cast<ast::If>(&stmt))
    return visitIf(*branch);
  if (const auto *loop = llvm::dyn_cast<ast::For>(&stmt)) {
    visit(loop->iter);
    visit(loop->body);
    return visit(loop->orelse);
  }
  if (const auto *loop = llvm::dyn_cast<ast::While>(&stmt)) {
    if (knownTruth(*loop->test) != std::optional(false))
      visit(loop->body);
    return true;
  }
  if (const auto *assigned = llvm::dyn_cast<ast::Assign>(&stmt);
      assigned && assigned->targets.size() == 1)
    visitAssignment(stmt, *assigned->targets.front(), *assigned->value);
  else if (const auto *annotated = llvm::dyn_cast<ast::AnnAssign>(&stmt)) {
    if (annotated->value)
      visitAssignment(stmt, *annotated->target, *annotated->value);
  } else if (llvm::isa<ast::Return, ast::ExprStmt, ast::AugAssign, ast::Assign>(stmt))
    ast::forEachChild(stmt,
                      [&](const ast::Node &child) { visit(llvm::dyn_cast<ast::Expr>(&child)); });
  return !llvm::isa<ast::Return, ast::Raise, ast::Break, ast::Continue>(stmt);
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

void ConstantChecker::Impl::visit(const ast::Expr *expr) {
  if (!expr || interpreter.isExhausted)
    return;
  if (const auto *both = llvm::dyn_cast<ast::BoolOp>(expr))
    return visit(both->values.front());
  if (const auto *choice = llvm::dyn_cast<ast::IfExp>(expr))
    return visit(choice->test);
  if (llvm::isa<ast::Lambda, ast::ListComp, ast::SetComp, ast::DictComp, ast::GeneratorExp,
                ast::NamedExpr, ast::Name, ast::Constant>(expr))
    return;
  if (isKnown(*expr)) {
    (void)interpreter.eval(expr);
    pass();
    return;
  }
  if (const auto *call = llvm::dyn_cast<ast::Call>(expr))
    return visitCall(*call);
  ast::forEachChild(*expr,
                    [&](const ast::Node &child) { visit(llvm::dyn_cast<ast::Expr>(&child)); });
}

/// A call with an argument that is not known: its other arguments, and the call without it where
/// that is a layout that can be left out.
void ConstantChecker::Impl::visitCall(const ast::Call &call) {
  visit(call.func);
  for (const ast::Expr *argument : call.args)
    visit(argument);
  for (const ast::Keyword *keyword : call.keywords)
    visit(keyword->value);
  MaybeValue callee = global(*call.func);
  std::optional<size_t> layout = callee ? layoutPlace(*callee) : std::nullopt;
  if (!layout)
    return;
  CallArguments arguments;
  arguments.span = call.span;
  auto value = [&](const ast::Expr &argument, bool isLayout) {
    if (!isLayout && !isKnown(argument))
      return MaybeValue();
    MaybeValue found = isLayout ? MaybeValue(Value::none()) : interpreter.eval(&argument);
    // Said when the argument was visited.
    heard.diagnostics.clear();
    return found;
  };
  for (auto [i, argument] : llvm::enumerate(call.args)) {
    MaybeValue known = value(*argument, i == *layout);
    if (!known)
      return;
    arguments.add(std::move(*known), argument->span);
  }
  for (const ast::Keyword *keyword : call.keywords) {
    MaybeValue known = value(*keyword->value, keyword->arg == "layout");
    if (!known)
      return;
    arguments.keywords.push_back({keyword->arg, std::move(*known), keyword->value->span});
  }
  (void)interpreter.call(*callee, arguments);
  pass();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void ConstantChecker::Impl::run(const Function &function) {
  if (interpreter.isExhausted)
    return;
  bindings.clear();
  knownNames.clear();
  countBindings(*function.def);
  DiagnosticBridge bridge(&mlirContext, program.sources(), heard, Kind::InvalidIr, function.span);
  mlir::Location loc = locationOf(&mlirContext, function.span);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
  setModuleOptions(*module, options);
  builder.setInsertionPointToEnd(module->getBody());
  auto scratch = tt::FuncOp::create(builder, loc, function.name, builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(scratch.addEntryBlock());
  KernelContext context(builder, interpreter, options);
  interpreter.setContext(&context, *module);
  Frame frame;
  frame.function = &function;
  frame.module = function.module;
  frame.mode = Mode::Kernel;
  Interpreter::FrameScope active(interpreter, frame);
  visit(function.def->body);
  interpreter.setContext(nullptr, nullptr);
}

ConstantChecker::ConstantChecker(Program &program, diag::Sink &sink)
    : impl(std::make_unique<Impl>(program, sink)) {}
ConstantChecker::~ConstantChecker() = default;
void ConstantChecker::run(const Function &function) { impl->run(function); }

} // namespace gluonc::sema
