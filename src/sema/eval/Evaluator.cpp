#include "sema/eval/Evaluator.h"

#include "sema/names/ProgramState.h"
#include "syntax/Parser.h"

namespace gluonc::sema {

std::optional<Value> evaluate(Program &program, Module &module, llvm::StringRef text,
                              llvm::ArrayRef<NamedValue> names, llvm::StringRef origin,
                              diag::Sink &sink) {
  const diag::SourceFile *file = program.sources().add(origin.str(), text.str());
  std::unique_ptr<ast::Expression> tree = ast::parseExpression(*file, sink);
  if (!tree->body)
    return std::nullopt;
  Interpreter interpreter(program, sink);
  Frame frame;
  frame.module = &module;
  // The usual names of the language, behind what the file itself imports.
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> usual[] = {
      {"gl", "gluonc.language"}, {"ttgl", "gluonc.language"},    {"gluon", "gluonc"},
      {"triton", "triton"},      {"tl", "triton.language"},      {"math", "math"},
      {"copy", "copy"},          {"functools", "functools"},     {"itertools", "itertools"},
      {"typing", "typing"},      {"dataclasses", "dataclasses"}, {"collections", "collections"}};
  for (auto [name, path] : usual)
    if (!module.lookup(name, interpreter))
      frame.scope.set(name, Value::module(findLanguageModule(program, path)), {});
  // A lambda may capture the names and outlive the caller's strings.
  for (const NamedValue &named : names)
    frame.scope.set(program.state().names.insert(named.name).first->first(), named.value, {});
  // A lambda in the text may outlive this call: the Program keeps the tree.
  const ast::Expr *body = tree->body;
  program.state().expressions.push_back(std::move(tree));
  Interpreter::FrameScope active(interpreter, frame);
  std::optional<Value> value = interpreter.eval(body);
  return value && interpreter.step(body->span) ? value : std::nullopt;
}

std::optional<Value> callFunction(Program &program, const Value &function,
                                  llvm::ArrayRef<Value> values, diag::Sink &sink) {
  Interpreter interpreter(program, sink);
  Frame frame;
  Interpreter::FrameScope active(interpreter, frame);
  CallArguments arguments;
  for (const Value &value : values)
    arguments.add(value, {});
  std::optional<Value> result = interpreter.call(function, arguments);
  return result && interpreter.step({}) ? result : std::nullopt;
}

} // namespace gluonc::sema
