#include "sema/Specialize.h"

#include "sema/builtins/Types.h"
#include "sema/kernel/KernelContext.h"
#include "sema/kernel/KernelStatements.h"
#include "sema/kernel/Unsupported.h"
#include "sema/library/Library.h"
#include "sema/names/Language.h"

#include "ir/OpenLayouts.h"
#include "ir/Report.h"
#include "ir/SourceLocation.h"
#include "target/Limits.h"

#include "mlir/IR/Verifier.h"

#include <set>

namespace gluonc::sema {

using diag::Kind;
using diag::Span;

namespace {

/// Says the same thing about the same place once: a function that is called twice is wrong twice.
class OncePerPlace : public diag::Sink {
public:
  explicit OncePerPlace(diag::Sink &target) : target(target) {}

protected:
  void handle(diag::Diagnostic diagnostic) override {
    if (isOfLibrary(diagnostic.span) && showAtCall(diagnostic) &&
        diagnostic.severity == diag::Severity::Error &&
        !called.insert({diagnostic.span.file, diagnostic.span.begin}).second)
      return;
    if (diagnostic.severity != diag::Severity::Error || !diagnostic.span ||
        seen.insert({diagnostic.span.file, diagnostic.span.begin, diagnostic.message}).second)
      target.submit(std::move(diagnostic));
  }

private:
  /// What goes wrong in the library is shown where the program calls it, and once.
  static bool showAtCall(diag::Diagnostic &diagnostic) {
    auto call = llvm::find_if(diagnostic.labels, [](const diag::Label &label) {
      return label.span && !isOfLibrary(label.span) && label.text == "called from here";
    });
    if (call == diagnostic.labels.end())
      return false;
    diag::Span place = std::exchange(diagnostic.span, call->span);
    diagnostic.labels.erase(diagnostic.labels.begin(), std::next(call));
    diagnostic.labels.insert(diagnostic.labels.begin(), {place, "in the library"});
    return true;
  }

  diag::Sink &target;
  std::set<std::pair<const diag::SourceFile *, uint32_t>> called;
  std::set<std::tuple<const diag::SourceFile *, uint32_t, std::string>> seen;
};

/// One specialization.
struct Specializer {
  Program &program;
  const Function &kernel;
  llvm::ArrayRef<ArgSpec> arguments;
  const Options &options;
  mlir::MLIRContext &mlirContext;
  diag::Sink &givenSink;

  OncePerPlace sink{givenSink};
  Interpreter interpreter{program, sink};
  mlir::OpBuilder builder{&mlirContext};
  std::vector<std::pair<Binding, ArgSpec>> bindings = {};

  mlir::OwningOpRef<mlir::ModuleOp> run();
  bool checkWarps();
  bool bindArguments();
  std::optional<ArgSpec> defaultSpec(const Parameter &parameter);
  bool checkSpec(const Parameter &parameter, const ArgSpec &spec);
  mlir::OwningOpRef<mlir::ModuleOp> createModule(mlir::Location loc);
  tt::FuncOp createFunction(mlir::Location loc);
  void markAsOpen(mlir::ModuleOp module);
  bool walk(tt::FuncOp function);
};

bool Specializer::checkSpec(const Parameter &parameter, const ArgSpec &spec) {
  if (!parameter.isConstexpr || spec.kind == ArgSpec::Kind::Constant)
    return true;
  std::vector<const ArgSpec *> runtime;
  spec.flatten(runtime);
  if (runtime.empty())
    return true;
  sink.report(Kind::ConstexprRequired, parameter.span, ("argument `" + parameter.name + "`").str(),
              "given as " + spec.text())
      .hint("give its value, not a type");
  return false;
}

std::optional<ArgSpec> Specializer::defaultSpec(const Parameter &parameter) {
  if (!parameter.hasDefault()) {
    sink.report(Kind::MissingArgument, parameter.span, kernel.name, parameter.name).end();
    return std::nullopt;
  }
  MaybeValue value = interpreter.defaultValue(kernel, parameter);
  if (!value)
    return std::nullopt;
  // A run-time default is known as well; it becomes a constant of the kernel.
  return ArgSpec::compileTime(*value);
}

bool Specializer::bindArguments() {
  size_t next = 0;
  bool isComplete = true;
  for (const Parameter &parameter : kernel.parameters) {
    if (parameter.kind == ParameterKind::KeywordVariadic) {
      rejectKeywordVariadic(interpreter, parameter);
      return false;
    }
    std::optional<ArgSpec> spec;
    if (next < arguments.size())
      spec = arguments[next++].on(options.target, options.numCtas);
    else if (parameter.kind == ParameterKind::Variadic)
      spec = ArgSpec::tuple({});
    else
      spec = defaultSpec(parameter);
    if (!spec || !checkSpec(parameter, *spec)) {
      isComplete = false;
      continue;
    }
    if (parameter.isConst && spec->kind == ArgSpec::Kind::Runtime && spec->dtype.isPointer())
      spec->dtype =
          DType::pointer(spec->dtype.pointee(), /*isConst=*/true, spec->dtype.addressSpace());
    Binding binding{parameter.name, {}, parameter.span, parameter.isConstexpr};
    bindings.emplace_back(binding, std::move(*spec));
  }
  if (next < arguments.size()) {
    sink.report(Kind::KernelArgumentCount, kernel.span, kernel.name, kernel.parameters.size(),
                arguments.size())
        .end();
    return false;
  }
  return isComplete;
}

mlir::OwningOpRef<mlir::ModuleOp> Specializer::createModule(mlir::Location loc) {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
  // Before anything else: layouts are verified against these while building.
  setModuleOptions(*module, options);
  return module;
}

tt::FuncOp Specializer::createFunction(mlir::Location loc) {
  std::vector<const ArgSpec *> runtime;
  std::vector<Span> spans;
  for (const auto &[binding, spec] : bindings) {
    spec.flatten(runtime);
    spans.resize(runtime.size(), binding.span);
  }
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::DictionaryAttr> attributes;
  for (auto [spec, span] : llvm::zip_equal(runtime, spans)) {
    mlir::NamedAttrList list;
    // Its items follow.
    if (spec->kind == ArgSpec::Kind::BlockedTensor)
      continue;
    if (spec->kind == ArgSpec::Kind::Descriptor) {
      mlir::Type type = ops::descriptorType(&mlirContext, spec->dtype, spec->blockShape,
                                            spec->constant, spec->isIm2Col);
      if (std::string problem = ops::whyNoDescriptor(type, options.target); !problem.empty()) {
        sink.report(Kind::BadDescriptor, span, problem).note("parameter: {0}", spec->text());
        return {};
      }
      types.push_back(type);
      attributes.push_back(list.getDictionary(&mlirContext));
      continue;
    }
    types.push_back(spec->dtype.toMlir(&mlirContext));
    if (spec->divisibleBy16)
      list.set("tt.divisibility", builder.getI32IntegerAttr(16));
    attributes.push_back(list.getDictionary(&mlirContext));
  }
  mlir::NamedAttribute functionAttributes[] = {
      builder.getNamedAttr("sym_visibility", builder.getStringAttr("public")),
      builder.getNamedAttr("noinline", builder.getBoolAttr(false))};
  return tt::FuncOp::create(builder, loc, kernel.name, builder.getFunctionType(types, {}),
                            functionAttributes, attributes);
}

Value argumentValue(Interpreter &interpreter, const ArgSpec &spec,
                    llvm::ArrayRef<mlir::BlockArgument> &remaining);

/// A `tensor_descriptor` of the library.
Value blockedTensor(Interpreter &interpreter, const ArgSpec &spec,
                    llvm::ArrayRef<mlir::BlockArgument> &remaining) {
  std::vector<Value> block;
  for (int64_t length : spec.blockShape)
    block.push_back(Value::integer(length));
  Value base = Value::none(), box = Value::none(), shape, strides;
  if (spec.items.front().kind == ArgSpec::Kind::Descriptor) {
    box = argumentValue(interpreter, spec.items.front(), remaining);
    shape = box.items()[1];
    strides = box.items()[2];
  } else {
    std::vector<Value> parts;
    for (const ArgSpec &item : spec.items)
      parts.push_back(argumentValue(interpreter, item, remaining));
    auto firstStride = parts.begin() + 1 + ptrdiff_t(block.size());
    base = parts.front();
    shape = Value::tuple({parts.begin() + 1, firstStride});
    parts.push_back(Value::integer(1));
    strides = Value::tuple({parts.begin() + 1 + ptrdiff_t(block.size()), parts.end()});
  }
  Value descriptor = Value::instance(
      findLibraryMember(interpreter, "tensor_descriptor")->sharedClass(),
      {std::move(base), std::move(shape), std::move(strides), Value::tuple(std::move(block)),
       spec.constant, Value::boolean(spec.roundsToTf32), std::move(box)});
  descriptor.closeFields();
  return descriptor;
}

/// The value of a parameter: block arguments for its run-time parts, in order.
Value argumentValue(Interpreter &interpreter, const ArgSpec &spec,
                    llvm::ArrayRef<mlir::BlockArgument> &remaining) {
  switch (spec.kind) {
  case ArgSpec::Kind::Runtime: {
    mlir::BlockArgument argument = remaining.front();
    remaining = remaining.drop_front();
    return Value::tensor(argument, spec.dtype);
  }
  case ArgSpec::Kind::Constant:
    return asKernelArgument(spec.constant);
  case ArgSpec::Kind::Descriptor: {
    mlir::BlockArgument handle = remaining.front();
    remaining = remaining.drop_front();
    std::vector<Value> shape, strides;
    for (auto [i, item] : llvm::enumerate(spec.items))
      (i < spec.rank() ? shape : strides).push_back(argumentValue(interpreter, item, remaining));
    return Value::descriptor(handle, Value::tuple(std::move(shape)),
                             Value::tuple(std::move(strides)), spec.dtype);
  }
  case ArgSpec::Kind::BlockedTensor:
    return blockedTensor(interpreter, spec, remaining);
  case ArgSpec::Kind::Tuple:
    break;
  }
  std::vector<Value> items;
  for (const ArgSpec &item : spec.items)
    items.push_back(argumentValue(interpreter, item, remaining));
  return Value::tuple(std::move(items), spec.names);
}

/// Functions of Triton left something to the compiler.
void Specializer::markAsOpen(mlir::ModuleOp module) {
  module->setAttr(choosesLayoutsAttr, builder.getUnitAttr());
  module->setAttr(numStagesAttr, builder.getI32IntegerAttr(int32_t(options.numStages)));
}

bool Specializer::walk(tt::FuncOp function) {
  KernelContext context(builder, interpreter, options);
  interpreter.setContext(&context, function->getParentOp());
  mlir::Block *entry =
      function.getBody().empty() ? function.addEntryBlock() : &function.getBody().front();
  builder.setInsertionPointToStart(entry);
  Frame frame;
  frame.function = &kernel;
  frame.module = kernel.module;
  frame.mode = Mode::Kernel;
  llvm::SmallVector<mlir::BlockArgument> blockArguments(entry->getArguments());
  llvm::ArrayRef<mlir::BlockArgument> remaining = blockArguments;
  for (const auto &[binding, spec] : bindings) {
    llvm::ArrayRef<mlir::BlockArgument> own = remaining;
    std::optional<Value> value =
        ops::withTypes(context, argumentValue(interpreter, spec, remaining), binding.span);
    if (!value)
      return false;
    for (mlir::BlockArgument argument : own.drop_back(remaining.size()))
      argument.setLoc(withName(locationOf(&mlirContext, binding.span), binding.name));
    interpreter.observe(binding.span, *value);
    frame.scope.set(binding.name, std::move(*value), binding.span, binding.isConstexpr);
  }
  Interpreter::FrameScope active(interpreter, frame);
  context.choosesLayouts = kernel.dialect == Dialect::Triton;
  Flow flow = KernelStatements(interpreter).runBody(kernel.def->body);
  interpreter.setContext(nullptr, nullptr);
  if (context.choosesLayouts)
    markAsOpen(function->getParentOfType<mlir::ModuleOp>());
  if (flow == Flow::Failed || frame.hasFailed || !interpreter.step(kernel.span))
    return false;
  if (flow == Flow::Returned && !frame.result.isNone()) {
    sink.report(Kind::KernelReturnsValue, frame.returnSpan, kernel.name).end();
    return false;
  }
  tt::ReturnOp::create(builder, locationOf(&mlirContext, kernel.span));
  return true;
}

/// Whoever names the number may not know the chip; here it is known.
bool Specializer::checkWarps() {
  const unsigned lanes = options.target.warpSize();
  if (target::isNumWarps(options.numWarps, lanes))
    return true;
  sink.report(Kind::NumWarps, kernel.span, options.numWarps, options.target.name(), lanes,
              target::powersOfTwoUpTo(target::maxWarpsPerCta(lanes)))
      .end();
  return false;
}

mlir::OwningOpRef<mlir::ModuleOp> Specializer::run() {
  unsigned errorsBefore = sink.errorCount();
  if (!checkWarps() || !bindArguments())
    return nullptr;
  DiagnosticBridge bridge(&mlirContext, program.sources(), sink, Kind::InvalidIr, kernel.span);
  mlir::Location loc = locationOf(&mlirContext, kernel.span);
  mlir::OwningOpRef<mlir::ModuleOp> module = createModule(loc);
  builder.setInsertionPointToEnd(module->getBody());
  tt::FuncOp function = createFunction(loc);
  if (!function || !walk(function) || sink.errorCount() != errorsBefore)
    return nullptr;
  if (mlir::succeeded(mlir::verify(*module)))
    return module;
  if (sink.errorCount() == errorsBefore)
    sink.report(Kind::InvalidIr, kernel.span, "verification failed").end();
  return nullptr;
}

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> specialize(Program &program, const Function &kernel,
                                             llvm::ArrayRef<ArgSpec> arguments,
                                             const Options &options, mlir::MLIRContext &context,
                                             diag::Sink &sink, ValueObserver observer) {
  Specializer specializer{program, kernel, arguments, options, context, sink};
  specializer.interpreter.observer = std::move(observer);
  return specializer.run();
}

} // namespace gluonc::sema
