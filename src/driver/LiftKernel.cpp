#include "driver/LiftKernel.h"

#include "ir/Dialects.h"
#include "ir/Report.h"
#include "lift/Lift.h"

namespace gluonc::driver {

using diag::Kind;
using sema::ArgSpec;

namespace {

/// The descriptor that a copy engine takes for a tensor in blocks; other specs themselves.
const ArgSpec &withLayout(const ArgSpec &spec) {
  bool isCopied = spec.kind == ArgSpec::Kind::BlockedTensor &&
                  spec.items.front().kind == ArgSpec::Kind::Descriptor;
  return isCopied ? spec.items.front() : spec;
}

/// The parameters of the lifted kernel, and what they are specialized for.
struct Signature {
  std::vector<std::string> parameters;
  std::vector<lift::Argument> arguments;
  std::vector<ArgSpec> specs;

  void addArguments(const ArgSpec &spec, const std::string &text) {
    switch (spec.kind) {
    case ArgSpec::Kind::Constant:
      return;
    case ArgSpec::Kind::Runtime:
      arguments.push_back({text, isUnsigned(spec.dtype), spec.divisibleBy16});
      return;
    case ArgSpec::Kind::Tuple:
      for (auto [i, item] : llvm::enumerate(spec.items))
        addArguments(item, text + "[" + std::to_string(i) + "]");
      return;
    case ArgSpec::Kind::Descriptor:
      arguments.push_back({text, false, false});
      for (auto [i, item] : llvm::enumerate(spec.items))
        addArguments(item, text + (i < spec.rank() ? ".shape[" : ".strides[") +
                               std::to_string(i % spec.rank()) + "]");
      return;
    case ArgSpec::Kind::BlockedTensor:
      // Its parts are parameters of their own (addParts).
      return;
    }
  }

  /// A descriptor without a layout, which Gluon does not have, where threads access the tensor.
  void addParts(const ArgSpec &spec, const std::string &name) {
    for (auto [i, item] : llvm::enumerate(spec.items)) {
      size_t rank = spec.blockShape.size();
      std::string part = i == 0      ? name + "_ptr"
                         : i <= rank ? name + "_size" + std::to_string(i - 1)
                                     : name + "_stride" + std::to_string(i - 1 - rank);
      parameters.push_back(part);
      addArguments(item, part);
      specs.push_back(item);
    }
  }

  void add(const sema::Parameter &parameter, const ArgSpec &given) {
    std::string name = parameter.name.str();
    const ArgSpec &spec = withLayout(given);
    if (spec.kind == ArgSpec::Kind::BlockedTensor)
      return addParts(spec, name);
    std::string annotation;
    if (parameter.isConstexpr)
      annotation = ": gl.constexpr";
    else if (parameter.annotatedType)
      annotation = ": \"" + ArgSpec::scalar(*parameter.annotatedType).text() + "\"";
    parameters.push_back((parameter.kind == sema::ParameterKind::Variadic ? "*" : "") + name +
                         annotation +
                         (parameter.hasDefault() ? annotation.empty() ? "=None" : " = None" : ""));
    addArguments(spec, name);
    specs.push_back(spec);
  }

  static bool isUnsigned(sema::DType dtype) {
    return dtype.isPointer() ? !dtype.isVoid() && dtype.pointee().isUnsignedInt()
                             : dtype.isUnsignedInt();
  }
};

} // namespace

static Signature signatureOf(const KernelSource &source) {
  Signature made;
  std::vector<ArgSpec> arguments =
      sema::onTarget(source.arguments, source.options.target, source.options.numCtas);
  size_t given = arguments.size();
  for (auto [i, parameter] : llvm::enumerate(source.kernel->parameters))
    made.add(parameter, i < given                                         ? arguments[i]
                        : parameter.kind == sema::ParameterKind::Variadic ? ArgSpec::tuple({})
                                                                          : ArgSpec::none());
  return made;
}

/// The decorator of the lifted kernel: launches specialize it as they do the source.
static std::string decoratorOf(const sema::Function &kernel) {
  std::string options;
  auto list = [&](const char *option, bool sema::Parameter::*isMeant) {
    std::string names;
    for (const sema::Parameter &parameter : kernel.parameters)
      if (parameter.*isMeant)
        names += (names.empty() ? "\"" : ", \"") + parameter.name.str() + "\"";
    if (!names.empty())
      options += (options.empty() ? "" : ", ") + std::string(option) + "=[" + names + "]";
  };
  list("do_not_specialize", &sema::Parameter::noSpecialize);
  list("do_not_specialize_on_alignment", &sema::Parameter::noAlignment);
  return options.empty() ? "@gluon.jit" : "@gluon.jit(" + options + ")";
}

/// `3 warps`.
static std::string counted(unsigned count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

static std::vector<std::string> headOf(const KernelSource &source, const LiftOptions &options) {
  const sema::Options &chosen = source.options;
  std::string launch = counted(chosen.numWarps, "warp");
  if (chosen.numCtas > 1)
    launch += ", " + counted(chosen.numCtas, "CTA");
  std::vector<std::string> head = {"What gluonc chose for `" + source.kernel->name + "` on " +
                                       chosen.target.name() + ", " + launch +
                                       ". It holds for arguments such as",
                                   ""};
  for (auto [parameter, spec] : llvm::zip(source.kernel->parameters, source.arguments))
    head.push_back("    " + parameter.name.str() + ": " +
                   withLayout(spec.on(chosen.target, chosen.numCtas)).text());
  if (!options.command.empty())
    head.insert(head.end(), {"", "Made by", "", "    " + options.command});
  return head;
}

/// Numbers functions that are not inlined in their order.
static void renameFunctions(mlir::ModuleOp module) {
  unsigned number = 0;
  for (tt::FuncOp function : llvm::to_vector(module.getOps<tt::FuncOp>()))
    if (function.isPrivate()) {
      auto name = mlir::StringAttr::get(module.getContext(), "f" + llvm::Twine(number++));
      (void)mlir::SymbolTable::replaceAllSymbolUses(function, name, module);
      function.setSymName(name);
    }
}

/// Without comments, which number calls across kernels.
static std::string withoutComments(llvm::StringRef assembly) {
  std::string text;
  while (!assembly.empty()) {
    auto [line, rest] = assembly.split('\n');
    text += line.substr(0, line.find("//")).rtrim().str() + "\n";
    assembly = rest;
  }
  return text;
}

/// Source to assembly without what is only said in it. Nullopt after a report.
static std::optional<std::string> codeOf(Compiler &compiler, const KernelSource &source,
                                         const CodeOptions &code, diag::Sink &sink) {
  const diag::SourceManager &sources = source.program.sources();
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler.makeIr(source, sink);
  if (!module || !compiler.transform(*module, source.options.target, sources, sink))
    return std::nullopt;
  renameFunctions(*module);
  std::optional<CompiledKernel> made =
      compiler.generate(*module, source.options.target, Stage::Assembly, code, sources, sink);
  return made ? std::optional(withoutComments(made->artifact.bytes)) : std::nullopt;
}

/// The code of the kernel that the lifted text has.
static std::optional<std::string> codeOf(Compiler &compiler, const KernelSource &source,
                                         const Signature &signature, const std::string &text,
                                         const CodeOptions &code, diag::Sink &sink) {
  sema::Program program(source.program.sources());
  sema::Module *module = program.load("<lifted>", text, sink);
  std::shared_ptr<const sema::Function> kernel =
      sink.hasErrors() ? nullptr : program.kernel(*module, source.kernel->name, sink);
  if (!kernel)
    return std::nullopt;
  return codeOf(compiler, {program, kernel.get(), signature.specs, source.options}, code, sink);
}

/// Whether the lifted text compiles to the kernel's own code; says so where it does not.
static bool isSameCode(Compiler &compiler, const KernelSource &source, const Signature &signature,
                       const std::string &text, const LiftOptions &options, diag::Sink &sink) {
  // Warnings have been given when the kernel was lifted.
  diag::Collector ofKernel, ofLifted;
  std::optional<std::string> wanted = codeOf(compiler, source, options.code, ofKernel);
  if (!wanted) {
    for (diag::Diagnostic &said : ofKernel.diagnostics)
      sink.submit(std::move(said));
    return false;
  }
  std::optional<std::string> made =
      codeOf(compiler, source, signature, text, options.code, ofLifted);
  if (made == wanted)
    return true;
  std::string why = made || ofLifted.diagnostics.empty() ? "that compiles to other code"
                                                         : ofLifted.diagnostics.front().message;
  sink.report(Kind::KernelRejected, source.kernel->span,
              "what the compiler chose cannot be said in Gluon: " + why)
      .hint("--unchecked prints it");
  return false;
}

std::optional<std::string> liftKernel(Compiler &compiler, const KernelSource &source,
                                      const LiftOptions &options, diag::Sink &sink) {
  const diag::SourceManager &sources = source.program.sources();
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler.makeIr(source, sink);
  if (!module || !compiler.assignLayouts(*module, source.options.target, sources, sink))
    return std::nullopt;
  Signature signature = signatureOf(source);
  lift::Request request = {source.options.target,       headOf(source, options),
                           decoratorOf(*source.kernel), signature.parameters,
                           signature.arguments,         sources};
  std::optional<std::string> text;
  {
    DiagnosticBridge bridge(&compiler.context(), sources, sink, Kind::KernelRejected,
                            source.kernel->span);
    text = lift::liftModule(*module, request);
  }
  if (text && !options.isUnchecked &&
      !isSameCode(compiler, source, signature, *text, options, sink))
    return std::nullopt;
  return text;
}

} // namespace gluonc::driver
