// Functions marked noinline: one tt.func per kind of arguments, and calls of it.
//
// Everything else is walked in place. Here the callee's parameters become block
// arguments of a private function, whose results are those of its walk; a second
// call with the same types and compile-time values finds the function again.
//
//   @gluon.jit(noinline=True)         tt.func private @twice__0(%x: i32) -> i32 {
//   def twice(x, by: constexpr):  ⇒     %y = arith.muli %x, %by
//       return x * by                   tt.return %y
//                                     }

#include "sema/kernel/Outline.h"

#include "sema/kernel/KernelStatements.h"
#include "sema/value/Flatten.h"

#include "ir/Dialects.h"
#include "ir/SourceLocation.h"

#include "llvm/Support/SaveAndRestore.h"

namespace gluonc::sema {

using diag::Kind;
using diag::Span;

/// Two values of one key give the same function.
static void appendKey(const Value &value, llvm::raw_ostream &os) {
  if (value.isIr()) {
    os << value.irType() << ' ' << value.dtype().shortName();
  } else if (value.is(ValueKind::Tuple) || value.is(ValueKind::Instance) ||
             value.is(ValueKind::BoundMethod)) {
    // Classes of one name differ by where they are.
    if (value.is(ValueKind::Instance))
      os << &value.asClass() << value.asClass().name;
    os << kindName(value.kind()) << '(';
    for (const Value &item : value.items()) {
      appendKey(item, os);
      os << ", ";
    }
    os << ')';
    for (const std::string &name : value.fieldNames())
      os << name << ' ';
  } else if (value.is(ValueKind::Function)) {
    os << &value.asFunction();
  } else if (value.is(ValueKind::Class)) {
    os << &value.asClass();
  } else {
    // 1, 1.0 and True print differently.
    os << "= " << value.repr();
  }
  os << ';';
}

/// A block tensor anywhere in the argument: such calls would move whole tiles between frames.
static bool holdsBlock(const Value &value) {
  if (value.isBlock())
    return true;
  bool isComposite = value.is(ValueKind::Tuple) || value.is(ValueKind::Instance);
  return isComposite && llvm::any_of(value.items(), holdsBlock);
}

/// `twice__0`: no symbol of the module.
std::string Outliner::freshSymbol(llvm::StringRef name) {
  auto module = mlir::cast<mlir::ModuleOp>(interpreter.outlined.module);
  llvm::StringRef kernel = mlir::cast<tt::FuncOp>(module.getBody()->front()).getSymName();
  std::string symbol;
  do
    symbol = (name + "__" + llvm::Twine(interpreter.outlined.names[name]++)).str();
  while (symbol == kernel);
  return symbol;
}

MaybeValue Outliner::call(const Function &function, Frame &callee, Span span) {
  std::string key;
  llvm::raw_string_ostream os(key);
  // Layouts in the body fit the warps that come there.
  os << &function << ' ' << context->numWarps() << ' ';
  llvm::SmallVector<mlir::Value> operands;
  for (const Binding &binding : callee.scope.all()) {
    if (holdsBlock(binding.value)) {
      report(Kind::NoinlineBlockArgument, span, function.name, binding.name,
             binding.value.typeName())
          .label(binding.span, "parameter defined here")
          .hint("pass a pointer or a buffer, or drop `noinline`");
      return std::nullopt;
    }
    appendKey(binding.value, os);
    flatten(binding.value, operands);
  }
  std::map<std::string, Outlined> &found = interpreter.outlined.found;
  auto known = found.find(key);
  if (known == found.end()) {
    std::optional<Outlined> made = outline(function, callee, operands);
    if (!made)
      return std::nullopt;
    known = found.try_emplace(key, std::move(*made)).first;
  }
  context->span = span;
  auto call = tt::CallOp::create(context->builder, withCallee(context->loc(), function.name),
                                 mlir::cast<tt::FuncOp>(known->second.function), operands);
  llvm::SmallVector<mlir::Value> results(call->getResults());
  llvm::ArrayRef<mlir::Value> remaining = results;
  return unflatten(known->second.result, remaining);
}

std::optional<Outlined> Outliner::outline(const Function &function, Frame &callee,
                                          llvm::ArrayRef<mlir::Value> operands) {
  mlir::OpBuilder &builder = context->builder;
  mlir::OpBuilder::InsertionGuard guard(builder);
  // The insertion point may be in a region that no operation has yet.
  auto module = mlir::cast<mlir::ModuleOp>(interpreter.outlined.module);
  builder.setInsertionPointToEnd(module.getBody());
  callee.isOutlined = true;
  llvm::SaveAndRestore<const char *> inside(context->noPartitions, "in a noinline function");
  Interpreter::FrameScope active(interpreter, callee);
  mlir::Location loc = interpreter.location(builder.getContext(), function.span);
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value operand : operands)
    types.push_back(operand.getType());
  mlir::NamedAttribute attributes[] = {
      builder.getNamedAttr("sym_visibility", builder.getStringAttr("private")),
      builder.getNamedAttr("noinline", builder.getBoolAttr(true))};
  auto op = tt::FuncOp::create(builder, loc, freshSymbol(function.name),
                               builder.getFunctionType(types, {}), attributes);
  if (context->partitionWarps)
    op->setAttr(ttg::numWarpsAttr, builder.getI32IntegerAttr(int32_t(context->numWarps())));
  builder.setInsertionPointToStart(op.addEntryBlock());
  llvm::SmallVector<mlir::Value> arguments(op.getArguments());
  llvm::ArrayRef<mlir::Value> remaining = arguments;
  for (const Binding &binding : std::vector<Binding>(callee.scope.all()))
    callee.scope.set(binding.name, unflatten(binding.value, remaining), binding.span,
                     binding.isConstexpr);
  Flow flow = KernelStatements(interpreter).runBody(function.def->body);
  if (flow == Flow::Failed || callee.hasFailed)
    return std::nullopt;
  Value result = flow == Flow::Returned ? callee.result : Value::none();
  llvm::SmallVector<mlir::Value> results;
  flatten(result, results);
  types.clear();
  for (mlir::Value value : results)
    types.push_back(value.getType());
  op.setFunctionType(builder.getFunctionType(op.getArgumentTypes(), types));
  tt::ReturnOp::create(builder, loc, results);
  return Outlined{op, result};
}

} // namespace gluonc::sema
