// Functions from `def`: decorators, parameters, annotations.

#include "sema/names/Language.h"

namespace gluonc::sema {

using diag::Kind;

const Parameter *Function::findParameter(llvm::StringRef parameterName) const {
  for (const Parameter &parameter : parameters)
    if (parameter.name == parameterName)
      return &parameter;
  return nullptr;
}

namespace {

/// Builds one Function. Runs in the frame of the definition's scope.
struct SignatureBuilder {
  Interpreter &interpreter;
  Function &function;

  /// A value that may well not be evaluable; problems are not the user's here.
  MaybeValue quietly(const ast::Expr *expr) {
    diag::Collector ignored;
    Interpreter::SinkScope quiet(interpreter, ignored);
    return interpreter.eval(expr);
  }

  void addParameters(const ast::Arguments &arguments) {
    size_t positional = arguments.posonlyargs.size() + arguments.args.size();
    size_t firstDefault = positional - std::min(positional, arguments.defaults.size());
    size_t index = 0;
    auto addPositional = [&](const ast::Arg *argument) {
      const ast::Expr *missing =
          index >= firstDefault ? arguments.defaults[index - firstDefault] : nullptr;
      add(*argument, ParameterKind::Positional, missing);
      ++index;
    };
    llvm::for_each(arguments.posonlyargs, addPositional);
    llvm::for_each(arguments.args, addPositional);
    if (arguments.vararg)
      add(*arguments.vararg, ParameterKind::Variadic, nullptr);
    for (auto [argument, missing] : llvm::zip(arguments.kwonlyargs, arguments.kw_defaults))
      add(*argument, ParameterKind::KeywordOnly, missing);
    if (arguments.kwarg)
      add(*arguments.kwarg, ParameterKind::KeywordVariadic, nullptr);
  }

  void add(const ast::Arg &argument, ParameterKind kind, const ast::Expr *missing) {
    Parameter parameter;
    parameter.name = argument.arg;
    parameter.span = argument.span;
    parameter.kind = kind;
    parameter.defaultValue = missing;
    parameter.annotation = argument.annotation;
    if (argument.annotation && function.kind == FunctionKind::Jit)
      annotate(parameter);
    function.parameters.push_back(parameter);
  }

  void annotate(Parameter &parameter) {
    std::string_view text = parameter.annotation->span.text();
    parameter.isConstexpr = text.find("constexpr") != std::string_view::npos;
    if (parameter.isConstexpr)
      return;
    if (const auto *literal = llvm::dyn_cast<ast::Constant>(parameter.annotation)) {
      if (literal->isStr())
        parameter.annotatedType = DType::parse(literal->text);
    } else if (MaybeValue value = quietly(parameter.annotation);
               value && value->is(ValueKind::DType)) {
      parameter.annotatedType = value->dtype();
    } else {
      parameter.isConst = value && isIntrinsic(*value, "const");
    }
  }

  std::string messageOf(const ast::Expr *expr) {
    MaybeValue text = quietly(expr);
    return text && text->is(ValueKind::String) ? ": " + text->asString().str() : " ";
  }

  void decorate(const ast::Expr *decorator) {
    const auto *call = llvm::dyn_cast<ast::Call>(decorator);
    MaybeValue callee = quietly(call ? call->func : decorator);
    if (!callee)
      return;
    if (isIntrinsic(*callee, "must_use_result"))
      function.mustUse = call && call->args.size() == 1 ? messageOf(call->args[0]) : " ";
    if (isJit(*callee)) {
      function.kind = FunctionKind::Jit;
      function.dialect = dialectOf(*callee);
      jitCall = call;
    } else if (isIntrinsic(*callee, "constexpr_function") || isIntrinsic(*callee, "constexpr")) {
      function.kind = FunctionKind::Constexpr;
    }
  }

  /// `do_not_specialize=[…]` names parameters by index or name.
  template <typename Fn> void forEachNamed(const ast::Expr *list, Fn &&mark) {
    MaybeValue value = quietly(list);
    if (!value || (!value->is(ValueKind::Tuple) && !value->is(ValueKind::List)))
      return;
    for (const Value &item : value->items()) {
      if (std::optional<int64_t> index = item.asInt64()) {
        if (*index >= 0 && *index < int64_t(function.parameters.size()))
          mark(function.parameters[size_t(*index)]);
      } else if (item.is(ValueKind::String)) {
        for (Parameter &parameter : function.parameters)
          if (parameter.name == item.asString())
            mark(parameter);
      }
    }
  }

  void applyJitOptions() {
    if (!jitCall)
      return;
    for (const ast::Keyword *keyword : jitCall->keywords) {
      if (keyword->arg == "do_not_specialize")
        forEachNamed(keyword->value, [](Parameter &p) { p.noSpecialize = true; });
      else if (keyword->arg == "do_not_specialize_on_alignment")
        forEachNamed(keyword->value, [](Parameter &p) { p.noAlignment = true; });
      else if (keyword->arg == "noinline") {
        MaybeValue value = quietly(keyword->value);
        function.isNoinline = value && value->is(ValueKind::Bool) && value->asBool();
      }
    }
  }

  const ast::Call *jitCall = nullptr;
};

} // namespace

std::shared_ptr<Function> makeFunction(Interpreter &interpreter, Module &module,
                                       const ast::FunctionDef &def,
                                       std::shared_ptr<Closure> closure,
                                       std::optional<FunctionKind> kind) {
  auto function = std::make_shared<Function>();
  function->name = def.name.str();
  function->module = &module;
  function->def = &def;
  function->span = def.nameSpan;
  function->closure = std::move(closure);
  SignatureBuilder builder{interpreter, *function};
  for (const ast::Expr *decorator : def.decorator_list)
    builder.decorate(decorator);
  function->kind = kind.value_or(function->kind);
  builder.addParameters(*def.args);
  builder.applyJitOptions();
  return function;
}

std::shared_ptr<Function> makeLambda(Interpreter &interpreter, Module &module,
                                     const ast::Lambda &lambda, std::shared_ptr<Closure> closure) {
  auto function = std::make_shared<Function>();
  function->name = "<lambda>";
  function->module = &module;
  function->lambda = &lambda;
  function->span = lambda.span;
  function->closure = std::move(closure);
  SignatureBuilder{interpreter, *function}.addParameters(*lambda.args);
  return function;
}

} // namespace gluonc::sema
