// `gluonc check`: every decorated function is looked through, taken branches or not.
//
// Without types little can be said about values, but names resolve, constructs are in the
// language or not, and calls of known functions have the right arguments or not. What
// depends on no argument is evaluated (CheckConstants.h).

#include "sema/CheckConstants.h"
#include "sema/Specialize.h"

#include "sema/builtins/triton/Extern.h"
#include "sema/eval/Calls.h"
#include "sema/kernel/Unsupported.h"
#include "sema/names/ProgramState.h"

#include "llvm/ADT/StringSet.h"

namespace gluonc::sema {

using diag::Kind;
using diag::Span;

namespace {

/// Looks through one function.
class FunctionChecker {
public:
  FunctionChecker(Interpreter &interpreter, const Function &function)
      : interpreter(interpreter), function(function) {}

  void run() {
    collectLocals(*function.def);
    Frame frame;
    frame.module = function.module;
    frame.mode = function.kind == FunctionKind::Jit ? Mode::Kernel : Mode::Host;
    Interpreter::FrameScope active(interpreter, frame);
    for (const Parameter &parameter : function.parameters)
      if (parameter.kind == ParameterKind::KeywordVariadic && interpreter.inKernel())
        rejectKeywordVariadic(interpreter, parameter);
    visitBody(function.def->body);
  }

private:
  void collectLocals(const ast::Node &node) {
    if (const auto *name = llvm::dyn_cast<ast::Name>(&node)) {
      if (name->ctx != ast::ExprContext::Load)
        locals.insert(name->id);
    } else if (const auto *handler = llvm::dyn_cast<ast::ExceptHandler>(&node))
      locals.insert(handler->name);
    else if (const auto *argument = llvm::dyn_cast<ast::Arg>(&node))
      locals.insert(argument->arg);
    else if (const auto *nested = llvm::dyn_cast<ast::FunctionDef>(&node);
             nested && nested != function.def)
      locals.insert(nested->name);
    else if (const auto *alias = llvm::dyn_cast<ast::Alias>(&node))
      locals.insert(alias->asname.data() ? alias->asname : alias->name.split('.').first);
    ast::forEachChild(node, [&](const ast::Node &child) { collectLocals(child); });
  }

  /// Nothing comes after a `return`.
  void visitBody(ast::Stmts body) {
    for (const ast::Stmt *stmt : body) {
      visit(*stmt);
      if (llvm::isa<ast::Return>(stmt))
        return;
    }
  }

  /// Whether something holds in which nothing of this function has a part.
  std::optional<bool> knownTruth(const ast::Expr &expr) {
    // One operand may decide, whatever the others are.
    if (const auto *both = llvm::dyn_cast<ast::BoolOp>(&expr)) {
      const std::optional<bool> decisive = both->op == ast::BoolOperator::Or;
      if (llvm::any_of(both->values,
                       [&](const ast::Expr *operand) { return knownTruth(*operand) == decisive; }))
        return decisive;
    }
    if (!isGlobal(expr))
      return std::nullopt;
    diag::Collector ignored;
    Interpreter::SinkScope quiet(interpreter, ignored);
    MaybeValue value = interpreter.eval(&expr);
    return value ? interpreter.truth(*value, expr.span) : std::nullopt;
  }
  bool isGlobal(const ast::Node &node) {
    const auto *name = llvm::dyn_cast<ast::Name>(&node);
    if (name ? locals.contains(name->id)
             : !llvm::isa<ast::Constant, ast::Attribute, ast::Compare, ast::UnaryOp, ast::BinOp,
                          ast::BoolOp>(node))
      return false;
    bool all = true;
    ast::forEachChild(node, [&](const ast::Node &child) { all = all && isGlobal(child); });
    return all;
  }

  /// Of a chain of comparisons, whether the one before the operand `index` is known to fail.
  bool knownToFail(const ast::Compare &chain, size_t index) {
    const ast::Expr *lhs = index ? chain.comparators[index - 1] : chain.left;
    const ast::Expr *rhs = chain.comparators[index];
    if (!isGlobal(*lhs) || !isGlobal(*rhs))
      return false;
    diag::Collector ignored;
    Interpreter::SinkScope quiet(interpreter, ignored);
    MaybeValue left = interpreter.eval(lhs), right = interpreter.eval(rhs);
    if (!left || !right)
      return false;
    MaybeValue holds =
        interpreter.compare(chain.ops[index], *left, *right, chain.span, lhs->span, rhs->span);
    return holds && interpreter.truth(*holds, chain.span) == std::optional(false);
  }

  /// Whether `gl.static_range(…)` gives nothing.
  bool isKnownEmpty(const ast::Expr &iterated) {
    const auto *call = llvm::dyn_cast<ast::Call>(&iterated);
    if (!call || !call->keywords.empty() || !isGlobal(*call->func) ||
        !llvm::all_of(call->args, [&](const ast::Expr *each) { return isGlobal(*each); }))
      return false;
    diag::Collector ignored;
    Interpreter::SinkScope quiet(interpreter, ignored);
    MaybeValue callee = interpreter.eval(call->func);
    if (!callee || !isIntrinsic(*callee, "static_range"))
      return false;
    MaybeValue range = interpreter.eval(&iterated);
    std::optional<std::vector<Value>> items =
        range ? interpreter.iterate(*range, iterated.span) : std::nullopt;
    return items && items->empty();
  }

  /// Statements and expressions of which Python leaves out parts.
  bool visitBranches(const ast::Node &node) {
    if (const auto *branch = llvm::dyn_cast<ast::If>(&node)) {
      visit(*branch->test);
      std::optional<bool> truth = knownTruth(*branch->test);
      if (truth != std::optional(false))
        visitBody(branch->body);
      if (truth != std::optional(true))
        visitBody(branch->orelse);
    } else if (const auto *choice = llvm::dyn_cast<ast::IfExp>(&node)) {
      visit(*choice->test);
      std::optional<bool> truth = knownTruth(*choice->test);
      if (truth != std::optional(false))
        visit(*choice->body);
      if (truth != std::optional(true))
        visit(*choice->orelse);
    } else if (const auto *both = llvm::dyn_cast<ast::BoolOp>(&node)) {
      for (const ast::Expr *operand : both->values) {
        visit(*operand);
        if (knownTruth(*operand) == std::optional(both->op == ast::BoolOperator::Or))
          break;
      }
    } else if (const auto *chain = llvm::dyn_cast<ast::Compare>(&node)) {
      visit(*chain->left);
      for (size_t i = 0; i != chain->comparators.size(); ++i) {
        visit(*chain->comparators[i]);
        if (knownToFail(*chain, i))
          break;
      }
    } else if (const auto *loop = llvm::dyn_cast<ast::For>(&node);
               loop && isKnownEmpty(*loop->iter)) {
      visit(*loop->iter);
      visitBody(loop->orelse);
    } else
      return false;
    return true;
  }

  void visit(const ast::Node &node) {
    // Docstrings and a lone `...` do nothing.
    if (const auto *statement = llvm::dyn_cast<ast::ExprStmt>(&node);
        statement && llvm::isa<ast::Constant>(statement->value))
      return;
    if (!interpreter.checkSupported(node))
      return;
    // Where it is reached it ends the compilation, with the names that it has then.
    if (llvm::isa<ast::Raise>(node))
      return;
    if (visitBranches(node))
      return;
    if (const auto *annotated = llvm::dyn_cast<ast::AnnAssign>(&node)) {
      // Other annotations than constexpr mean nothing in a kernel.
      visit(*annotated->target);
      if (annotated->value)
        visit(*annotated->value);
      return;
    }
    if (llvm::isa<ast::Name>(node) || llvm::isa<ast::Attribute>(node)) {
      resolve(*llvm::cast<ast::Expr>(&node));
      return;
    }
    if (const auto *call = llvm::dyn_cast<ast::Call>(&node)) {
      MaybeValue callee = resolve(*call->func);
      for (const ast::Expr *argument : call->args)
        visitArgument(callee, *argument);
      for (const ast::Keyword *keyword : call->keywords)
        visitArgument(callee, *keyword->value);
      if (callee)
        checkCall(*call, memberOfModule(interpreter, *call, *callee));
      return;
    }
    ast::forEachChild(node, [&](const ast::Node &child) { visit(child); });
  }

  /// In kernels only `extern_elementwise` takes dicts.
  void visitArgument(const MaybeValue &callee, const ast::Expr &argument) {
    bool takesTable = callee && callee->is(ValueKind::Builtin) &&
                      callee->asBuiltin().name == ops::externElementwise;
    if (takesTable && llvm::isa<ast::Dict>(argument))
      ast::forEachChild(argument, [&](const ast::Node &child) { visit(child); });
    else
      visit(argument);
  }

  /// The value of a global name or of a chain of attributes on modules and classes; anything else
  /// is looked through and has no value here.
  MaybeValue resolve(const ast::Expr &expr) {
    if (const auto *name = llvm::dyn_cast<ast::Name>(&expr)) {
      if (name->ctx != ast::ExprContext::Load || locals.contains(name->id))
        return std::nullopt;
      if (auto known = globals.find(name->id); known != globals.end())
        return known->second;
      if (isUndecided(name->id))
        return globals[name->id] = std::nullopt;
      // Remembered also where it failed, so that a name is reported once per function.
      return globals[name->id] = interpreter.lookup(name->id, name->span);
    }
    if (const auto *attribute = llvm::dyn_cast<ast::Attribute>(&expr)) {
      MaybeValue object = resolve(*attribute->value);
      if (!object || !(object->is(ValueKind::Module) || object->is(ValueKind::Class)))
        return std::nullopt;
      return interpreter.attribute(*object, attribute->attr, attribute->attrSpan);
    }
    visit(expr);
    return std::nullopt;
  }

  /// Whether only the host can tell what a global name is: nothing is said of it.
  bool isUndecided(llvm::StringRef name) {
    if (function.module->isBuiltin())
      return false;
    auto &module = static_cast<SourceModule &>(*function.module);
    MaybeValue value = module.lookup(name, interpreter);
    return value && value->is(ValueKind::Opaque) && module.isUndecided(name);
  }

  void checkCall(const ast::Call &call, const Value &callee) {
    bool isOpen =
        llvm::any_of(call.args, [](const ast::Expr *e) { return llvm::isa<ast::Starred>(e); }) ||
        llvm::any_of(call.keywords, [](const ast::Keyword *k) { return !k->arg.data(); });
    if (isOpen)
      return;
    CallArguments arguments;
    arguments.span = call.span;
    for (const ast::Expr *argument : call.args)
      arguments.add(Value::none(), argument->span);
    for (const ast::Keyword *keyword : call.keywords)
      arguments.keywords.push_back({keyword->arg, Value::none(), keyword->span});
    if (callee.is(ValueKind::Builtin)) {
      BoundStorage ignored;
      (void)bindBuiltin(interpreter, callee.asBuiltin(), arguments, ignored);
    } else if (callee.is(ValueKind::Function))
      interpreter.checkFunctionCall(callee.asFunction(), arguments);
  }

  Interpreter &interpreter;
  const Function &function;
  llvm::StringSet<> locals;
  llvm::StringMap<MaybeValue> globals;
};

/// Looks through one module.
struct ModuleChecker {
  Program &program;
  SourceModule &module;
  diag::Sink &sink;
  Interpreter interpreter{program, sink};
  /// Made for the first kernel.
  std::unique_ptr<ConstantChecker> constants = nullptr;

  void run(ast::Stmts body) {
    for (const ast::Stmt *stmt : body) {
      if (const auto *def = llvm::dyn_cast<ast::FunctionDef>(stmt))
        checkFunction(*def);
      else if (const auto *cls = llvm::dyn_cast<ast::ClassDef>(stmt))
        run(cls->body);
      else if (const auto *def = llvm::dyn_cast<ast::AsyncFunctionDef>(stmt))
        checkAsync(*def);
      else if (const auto *import = llvm::dyn_cast<ast::ImportFrom>(stmt))
        checkImport(*import);
    }
  }

  void checkImport(const ast::ImportFrom &import) {
    Frame frame;
    frame.module = &module;
    frame.isModuleScope = true;
    Interpreter::FrameScope active(interpreter, frame);
    module.checkImport(import, interpreter);
  }

  MaybeValue decoratorValue(const ast::Expr *decorator) {
    const auto *call = llvm::dyn_cast<ast::Call>(decorator);
    diag::Collector ignored;
    Interpreter::SinkScope quiet(interpreter, ignored);
    Frame frame;
    frame.module = &module;
    frame.isModuleScope = true;
    Interpreter::FrameScope active(interpreter, frame);
    return interpreter.eval(call ? call->func : decorator);
  }

  void checkDecorator(const ast::Expr *decorator) {
    MaybeValue value = decoratorValue(decorator);
    if (!value)
      return;
    // A host decorator is none of our business, unless it looks like a misspelt one of ours.
    if (value->is(ValueKind::Opaque)) {
      auto [prefix, last] = value->asString().rsplit('.');
      if (prefix != "gluon" && prefix != "triton")
        return;
      for (llvm::StringRef known :
           {"jit", "constexpr_function", "aggregate", "autotune", "heuristics", "must_use_result"})
        if (last.edit_distance(known, true, 3) <= 2) {
          sink.report(Kind::BadDecorator, decorator->span,
                      ("`" + value->asString() + "` is not a decorator").str())
              .hint("did you mean `{0}.{1}`?", prefix, known);
          return;
        }
      return;
    }
    const auto *call = llvm::dyn_cast<ast::Call>(decorator);
    if (call && isJit(*value))
      checkJitOptions(*call, *value);
  }

  void checkJitOptions(const ast::Call &call, const Value &jit) {
    CallArguments arguments;
    arguments.span = call.span;
    for (const ast::Expr *argument : call.args)
      arguments.add(Value::none(), argument->span);
    for (const ast::Keyword *keyword : call.keywords)
      if (keyword->arg.data())
        arguments.keywords.push_back({keyword->arg, Value::none(), keyword->span});
    BoundStorage ignored;
    (void)bindBuiltin(interpreter, jit.asBuiltin(), arguments, ignored);
  }

  void checkAsync(const ast::AsyncFunctionDef &def) {
    for (const ast::Expr *decorator : def.decorator_list)
      if (MaybeValue value = decoratorValue(decorator); value && isJit(*value))
        sink.report(Kind::BadDecorator, def.nameSpan, "a kernel cannot be an async function").end();
  }

  void checkFunction(const ast::FunctionDef &def) {
    if (def.decorator_list.empty())
      return;
    for (const ast::Expr *decorator : def.decorator_list)
      checkDecorator(decorator);
    Frame frame;
    frame.module = &module;
    frame.isModuleScope = true;
    std::shared_ptr<const Function> function;
    {
      Interpreter::FrameScope active(interpreter, frame);
      function = makeFunction(interpreter, module, def, nullptr);
    }
    if (function->kind == FunctionKind::Host)
      return;
    for (const Parameter &parameter : function->parameters)
      if (parameter.isConstexpr && (parameter.noSpecialize || parameter.noAlignment))
        sink.report(Kind::BadDecorator, parameter.span,
                    ("`" + parameter.name +
                     "` is constexpr, so it cannot be in "
                     "do_not_specialize")
                        .str())
            .end();
    unsigned before = sink.errorCount();
    FunctionChecker(interpreter, *function).run();
    if (function->kind != FunctionKind::Jit || sink.errorCount() != before)
      return;
    if (!constants)
      constants = std::make_unique<ConstantChecker>(program, sink);
    constants->run(*function);
  }
};

} // namespace

void check(Program &program, Module &module, diag::Sink &sink) {
  if (module.isBuiltin())
    return;
  auto &source = static_cast<SourceModule &>(module);
  ModuleChecker{program, source, sink}.run(source.tree->body);
}

} // namespace gluonc::sema
