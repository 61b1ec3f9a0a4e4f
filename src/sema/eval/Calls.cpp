// Calls: evaluating arguments, binding them to parameters, walking callees in place.

#include "sema/eval/Calls.h"

#include "sema/builtins/Emit.h"
#include "sema/builtins/triton/Extern.h"
#include "sema/eval/Classes.h"
#include "sema/eval/Expressions.h"
#include "sema/host/HostStatements.h"
#include "sema/kernel/KernelStatements.h"
#include "sema/kernel/Outline.h"
#include "sema/kernel/Unsupported.h"
#include "sema/library/Library.h"
#include "sema/names/Language.h"
#include "sema/value/Flatten.h"
#include "sema/value/Format.h"

namespace gluonc::sema {

using diag::Kind;
using diag::Span;

// Recursion halves a tile or counts down: real programs stay below ten.
static constexpr unsigned maxRecursion = 64;

/// An argument of `callee`. In kernels only `extern_elementwise` takes dicts.
MaybeValue Calls::evalArgument(const Value &callee, const ast::Expr *argument) {
  const auto *dict = llvm::dyn_cast<ast::Dict>(argument);
  bool isTable =
      dict && callee.is(ValueKind::Builtin) && callee.asBuiltin().name == ops::externElementwise;
  return isTable ? Expressions(interpreter).evalDict(*dict) : eval(argument);
}

bool Calls::evalArguments(const Value &callee, const ast::Call &node, CallArguments &arguments) {
  arguments.span = node.span;
  // One that fails does not keep the others from being looked at.
  bool isComplete = true;
  for (const ast::Keyword *keyword : node.keywords) {
    MaybeValue value = evalArgument(callee, keyword->value);
    if (!value) {
      isComplete = false;
      continue;
    }
    if (keyword->arg.data()) {
      arguments.keywords.push_back({keyword->arg, *value, keyword->value->span});
      continue;
    }
    if (!value->is(ValueKind::Dict)) {
      report(Kind::BadArgument, keyword->span, "`**` needs a dict, not a " + value->typeName())
          .end();
      return false;
    }
    for (const auto &[key, item] : value->dictItems())
      if (key.is(ValueKind::String))
        arguments.keywords.push_back({key.asString(), item, keyword->value->span});
  }
  for (const ast::Expr *argument : node.args) {
    const auto *starred = llvm::dyn_cast<ast::Starred>(argument);
    MaybeValue value = starred ? eval(starred->value) : evalArgument(callee, argument);
    if (!value) {
      isComplete = false;
      continue;
    }
    if (!starred) {
      arguments.add(std::move(*value), argument->span);
      continue;
    }
    std::optional<std::vector<Value>> items = iterate(*value, argument->span);
    if (!items)
      return false;
    for (Value &item : *items)
      arguments.add(std::move(item), argument->span);
  }
  return isComplete;
}

Value memberOfModule(Interpreter &interpreter, const ast::Call &node, const Value &callee) {
  const auto *attribute = llvm::dyn_cast<ast::Attribute>(node.func);
  if (!attribute || !interpreter.inKernel() || !callee.is(ValueKind::Function) ||
      callee.asFunction().kind != FunctionKind::Host || !callee.asFunction().owner.expired())
    return callee;
  MaybeValue object = interpreter.eval(attribute->value);
  if (!object || !object->is(ValueKind::Module))
    return callee;
  auto helper = std::make_shared<Function>(callee.asFunction());
  helper->kind = FunctionKind::Constexpr;
  return Value::function(std::move(helper));
}

MaybeValue Calls::evalCall(const ast::Call &node) {
  MaybeValue callee = eval(node.func);
  if (!callee)
    return std::nullopt;
  // Arguments of a host call are not looked at: they are host code too.
  if (callee->is(ValueKind::Opaque) && frame().isModuleScope)
    return Value::opaque(std::string(node.span.text()));
  if (&node == interpreter.unusedCall) {
    const Value &called = callee->is(ValueKind::BoundMethod) ? callee->boundCallee() : *callee;
    if (called.is(ValueKind::Function) && !called.asFunction().mustUse.empty()) {
      report(Kind::UnusedResult, node.span, node.func->span.text(), called.asFunction().mustUse)
          .label(called.asFunction().span, "marked `must_use_result` here");
      return std::nullopt;
    }
  }
  CallArguments arguments;
  if (!evalArguments(*callee, node, arguments))
    return std::nullopt;
  return call(memberOfModule(interpreter, node, *callee), arguments);
}

MaybeValue Interpreter::call(const Value &callee, CallArguments &arguments) {
  switch (callee.kind()) {
  case ValueKind::Builtin:
    return Calls(*this).callBuiltin(callee, arguments);
  case ValueKind::Function:
    return callFunction(callee, arguments);
  case ValueKind::BoundMethod: {
    arguments.positional.insert(arguments.positional.begin(), callee.boundSelf());
    arguments.positionalSpans.insert(arguments.positionalSpans.begin(), arguments.span);
    return call(callee.boundCallee(), arguments);
  }
  case ValueKind::Class:
    return Classes(*this).construct(callee, arguments);
  case ValueKind::Instance:
    if (const Class::Member *member = callee.asClass().findMember("__call__"))
      return call(Value::boundMethod(member->value, callee), arguments);
    report(Kind::NotCallable, arguments.span, callee.typeName()).end();
    return std::nullopt;
  case ValueKind::Opaque:
    reportHostValue(*this, arguments.span, callee.asString().str(), callee.asString());
    return std::nullopt;
  default:
    report(Kind::NotCallable, arguments.span, callee.typeName()).end();
    return std::nullopt;
  }
}

/// `partial(f, …)` keeps its arguments; calling the result puts new ones behind them.
MaybeValue Calls::callPartial(bool isMaking, CallArguments &arguments) {
  if (arguments.positional.empty()) {
    report(Kind::MissingArgument, arguments.span, "functools.partial", "func").end();
    return std::nullopt;
  }
  if (isMaking) {
    std::vector<std::pair<Value, Value>> named;
    for (const CallArguments::Keyword &keyword : arguments.keywords)
      named.emplace_back(Value::string(keyword.name.str()), keyword.value);
    Value known =
        Value::tuple({Value::tuple({arguments.positional.begin(), arguments.positional.end()}),
                      Value::dict(std::move(named))});
    return Value::boundMethod(Value::builtin(findHostFunction("functools.partial()")), known);
  }
  Value known = arguments.positional[0];
  CallArguments all;
  all.span = arguments.span;
  for (const Value &argument : known.items()[0].items().drop_front())
    all.add(argument, arguments.span);
  for (size_t i = 1; i < arguments.positional.size(); ++i)
    all.add(arguments.positional[i], arguments.positionalSpans[i]);
  all.keywords = arguments.keywords;
  for (const auto &[name, value] : known.items()[1].dictItems())
    if (llvm::none_of(arguments.keywords, [&name = name](const CallArguments::Keyword &keyword) {
          return keyword.name == name.asString();
        }))
      all.keywords.push_back({name.asString(), value, arguments.span});
  return call(known.items()[0].items()[0], all);
}

MaybeValue Calls::callBuiltin(const Value &callee, CallArguments &arguments) {
  const Builtin &builtin = callee.asBuiltin();
  if (isIntrinsic(callee, "functools.partial") || isIntrinsic(callee, "functools.partial()"))
    return callPartial(isIntrinsic(callee, "functools.partial"), arguments);
  if (isIntrinsic(callee, "str.format"))
    return callFormat(arguments);
  if (isIntrinsic(callee, "aggregate_replace") || isIntrinsic(callee, "dataclasses.replace") ||
      isIntrinsic(callee, "_replace"))
    return Classes(interpreter).replaceFields(arguments);
  if (!arguments.positional.empty())
    if (MaybeValue method =
            findLibraryOverload(interpreter, arguments.positional[0], builtin.name)) {
      arguments.positional.erase(arguments.positional.begin());
      arguments.positionalSpans.erase(arguments.positionalSpans.begin());
      return call(*method, arguments);
    }
  BoundStorage bound;
  if (!bindBuiltin(interpreter, builtin, arguments, bound))
    return std::nullopt;
  if (const Intrinsic *intrinsic = asIntrinsic(callee))
    return intrinsic->evaluate(
        interpreter, {*intrinsic, {builtin.signature, bound.values, bound.spans}, arguments.span});
  if (!context || !inKernel()) {
    report(Kind::NeedsKernel, arguments.span, builtin.name).end();
    return std::nullopt;
  }
  context->span = arguments.span;
  return ops::emitCall(*context, builtin, bound.values, bound.spans);
}

MaybeValue Calls::callFormat(CallArguments &arguments) {
  std::vector<std::pair<Value, Value>> named;
  for (const CallArguments::Keyword &keyword : arguments.keywords)
    named.emplace_back(Value::string(keyword.name.str()), keyword.value);
  llvm::ArrayRef<Value> positional(arguments.positional);
  if (!positional.empty() && positional[0].is(ValueKind::String))
    if (std::optional<std::string> text =
            formatFields(positional[0].asString(), positional.drop_front(), named))
      return Value::string(std::move(*text));
  report(Kind::BadArgument, arguments.span, "the format and its arguments do not fit").end();
  return std::nullopt;
}

MaybeValue Interpreter::callFunction(const Value &callee, CallArguments &arguments) {
  const std::shared_ptr<const Function> function = callee.sharedFunction();
  bool fromKernel = inKernel();
  // Undecorated methods of aggregates are compile-time code.
  if (fromKernel && function->kind == FunctionKind::Host && function->owner.expired()) {
    checkFunctionCall(*function, arguments);
    return std::nullopt;
  }
  if (!fromKernel && function->kind == FunctionKind::Jit) {
    report(Kind::NeedsKernel, arguments.span, function->name).end();
    return std::nullopt;
  }
  if (function->kind == FunctionKind::Jit &&
      !Calls(*this).checkRecursion(*function, arguments.span))
    return std::nullopt;
  return Calls(*this).runFunction(function, arguments);
}

/// A function may call itself with other compile-time values, until one of them ends it.
bool Calls::checkRecursion(const Function &function, Span span) {
  unsigned active = 0;
  for (const Frame *at = &frame(); at; at = at->caller)
    active += at->function == &function;
  if (active < maxRecursion)
    return true;
  report(Kind::EndlessRecursion, span, function.name, maxRecursion)
      .label(function.span, "defined here")
      .hint("let a compile-time condition end it, or write a loop");
  // Each of the active calls may go on to the next one otherwise.
  interpreter.isExhausted = true;
  return false;
}

MaybeValue Calls::runFunction(const std::shared_ptr<const Function> &function,
                              CallArguments &arguments) {
  Interpreter::DepthScope nested(interpreter);
  if (!step(arguments.span))
    return std::nullopt;
  Frame callee;
  callee.function = function.get();
  callee.module = function->module;
  callee.mode = function->kind == FunctionKind::Jit ? Mode::Kernel : Mode::Host;
  callee.closure = function->closure.get();
  callee.callSpan = arguments.span;
  // Parameters are bound in the caller's frame, so that a bad argument is shown at the call.
  if (!bindFunction(*function, arguments, callee))
    return std::nullopt;
  if (function->isNoinline && callee.mode == Mode::Kernel)
    return Outliner(interpreter).call(*function, callee, arguments.span);
  Interpreter::FrameScope active(interpreter, callee);
  if (function->lambda)
    return eval(function->lambda->body);
  Flow flow = callee.mode == Mode::Kernel
                  ? KernelStatements(interpreter).runBody(function->def->body)
                  : HostStatements(interpreter).run(function->def->body);
  if (flow == Flow::Failed || callee.hasFailed)
    return std::nullopt;
  if (flow != Flow::Returned)
    return Value::none();
  if (function->dialect == Dialect::Gluon && callee.mode == Mode::Kernel && callee.caller &&
      callee.caller->function && callee.caller->function->dialect == Dialect::Triton)
    return openLayouts(callee.result);
  // The result of compile-time code is one constexpr.
  return function->kind == FunctionKind::Constexpr && callee.caller &&
                 callee.caller->mode == Mode::Kernel
             ? callee.result.asWrapped()
             : callee.result;
}

/// What a Gluon function gives to one of Triton, where layouts are not stated.
Value Calls::openLayouts(const Value &result) {
  llvm::SmallVector<mlir::Value> handles;
  flatten(result, handles);
  for (mlir::Value &handle : handles)
    if (mlir::isa<mlir::RankedTensorType>(handle.getType()))
      handle = ops::openLayout(*interpreter.emitContext(), handle);
  llvm::ArrayRef<mlir::Value> opened = handles;
  return unflatten(result, opened);
}

MaybeValue Interpreter::defaultValue(const Function &function, const Parameter &parameter) {
  if (parameter.constant)
    return parameter.constant;
  // Defaults belong to the scope of the definition, and may read any global.
  Frame definition;
  definition.module = function.module;
  definition.closure = function.closure.get();
  FrameScope active(*this, definition);
  return eval(parameter.defaultValue);
}

void Interpreter::checkFunctionCall(const Function &function, CallArguments &arguments) {
  if (inKernel() && function.kind == FunctionKind::Host && function.owner.expired()) {
    report(Kind::HostFunctionCall, arguments.span, function.name)
        .label(function.span, "defined here")
        .hint("decorate it with `@gluon.jit` (device code) or `@gluon.constexpr_function`");
    return;
  }
  Frame ignored;
  (void)Calls(*this).bindFunction(function, arguments, ignored);
}

Value asKernelArgument(const Value &value) {
  Descent descent;
  if (descent.mustEnd() || (!value.is(ValueKind::Tuple) && !value.is(ValueKind::List)))
    return value;
  std::vector<Value> items;
  for (const Value &item : value.items())
    items.push_back(asKernelArgument(item));
  std::vector<std::string> names;
  if (value.is(ValueKind::Tuple))
    names.assign(value.fieldNames().begin(), value.fieldNames().end());
  return Value::tuple(std::move(items), std::move(names));
}

bool Calls::bindFunction(const Function &function, CallArguments &arguments, Frame &callee) {
  size_t next = 0;
  llvm::SmallVector<bool, 4> used(arguments.keywords.size(), false);
  for (const Parameter &parameter : function.parameters) {
    if (parameter.kind == ParameterKind::Variadic) {
      llvm::ArrayRef<Value> given(arguments.positional);
      std::vector<Value> rest(given.drop_front(std::min(next, given.size())));
      next = arguments.positional.size();
      callee.scope.set(parameter.name, Value::tuple(std::move(rest)), parameter.span);
      continue;
    }
    if (parameter.kind == ParameterKind::KeywordVariadic) {
      if (function.kind == FunctionKind::Jit) {
        rejectKeywordVariadic(interpreter, parameter);
        return false;
      }
      Value rest = Value::dict({});
      for (size_t i = 0; i < arguments.keywords.size(); ++i)
        if (!used[i]) {
          used[i] = true;
          rest.dictItems().emplace_back(Value::string(arguments.keywords[i].name.str()),
                                        arguments.keywords[i].value);
        }
      callee.scope.set(parameter.name, rest, parameter.span);
      continue;
    }
    MaybeValue value;
    if (parameter.kind == ParameterKind::Positional && next < arguments.positional.size())
      value = arguments.positional[next++];
    for (size_t i = 0; i < arguments.keywords.size(); ++i) {
      if (arguments.keywords[i].name != parameter.name)
        continue;
      if (value) {
        report(Kind::DuplicateArgument, arguments.keywords[i].span, function.name, parameter.name)
            .label(parameter.span, "parameter defined here");
        return false;
      }
      used[i] = true;
      value = arguments.keywords[i].value;
    }
    if (!value && parameter.hasDefault() &&
        !(value = interpreter.defaultValue(function, parameter)))
      return false;
    if (!value) {
      report(Kind::MissingArgument, arguments.span, function.name, parameter.name)
          .label(parameter.span, "parameter defined here");
      return false;
    }
    if (callee.mode == Mode::Kernel)
      value = asKernelArgument(*value);
    interpreter.observe(parameter.span, *value);
    callee.scope.set(parameter.name, *value, parameter.span,
                     parameter.isConstexpr && value->isCompileTime());
  }
  if (next < arguments.positional.size()) {
    report(Kind::TooManyArguments, arguments.positionalSpans[next], function.name, next,
           arguments.positional.size())
        .label(function.span, "defined here");
    return false;
  }
  for (size_t i = 0; i < used.size(); ++i)
    if (!used[i]) {
      report(Kind::UnexpectedArgument, arguments.keywords[i].span, function.name,
             arguments.keywords[i].name)
          .label(function.span, "defined here");
      return false;
    }
  return true;
}

// -- Builtins ----------------------------------------------------------------------

bool bindBuiltin(Interpreter &interpreter, const Builtin &builtin, const CallArguments &arguments,
                 BoundStorage &bound) {
  const Signature &parameters = builtin.signature;
  if (parameters.takesAnything())
    return true;
  bound.values.resize(parameters.count());
  bound.spans.assign(parameters.count(), arguments.span);
  size_t next = 0, positionalCount = 0;
  for (size_t i = 0; i < parameters.count() && !parameters[i].isKeywordOnly; ++i) {
    if (parameters[i].isVariadic) {
      bound.values[i] = Value::tuple(
          std::vector<Value>(arguments.positional.begin() + next, arguments.positional.end()));
      next = arguments.positional.size();
      break;
    }
    ++positionalCount;
    if (next < arguments.positional.size()) {
      bound.values[i] = arguments.positional[next];
      bound.spans[i] = arguments.positionalSpans[next++];
    }
  }
  if (next < arguments.positional.size()) {
    interpreter
        .report(Kind::TooManyArguments, arguments.positionalSpans[next], builtin.name,
                positionalCount, arguments.positional.size())
        .end();
    return false;
  }
  for (const CallArguments::Keyword &keyword : arguments.keywords) {
    size_t i = parameters.find(keyword.name);
    if (i == parameters.count() || parameters[i].isVariadic) {
      // The front end's own keywords (`_semantic`, …) never reach user code.
      interpreter.report(Kind::UnexpectedArgument, keyword.span, builtin.name, keyword.name).end();
      return false;
    }
    if (!bound.values[i].isAbsent()) {
      interpreter.report(Kind::DuplicateArgument, keyword.span, builtin.name, keyword.name).end();
      return false;
    }
    bound.values[i] = keyword.value;
    bound.spans[i] = keyword.span;
  }
  for (size_t i = 0; i < parameters.count(); ++i)
    if (bound.values[i].isAbsent() && !parameters[i].isOptional && !parameters[i].isVariadic) {
      interpreter.report(Kind::MissingArgument, arguments.span, builtin.name, parameters[i].name)
          .end();
      return false;
    }
  return true;
}

} // namespace gluonc::sema
