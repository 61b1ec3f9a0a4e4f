#include "pack/Variant.h"

#include "driver/KernelCache.h"
#include "driver/LaunchParameters.h"
#include "host/Expression.h"
#include "sema/names/Imports.h"
#include "support/File.h"

#include "llvm/ADT/STLExtras.h"

namespace gluonc::pack {

using bundle::format::ArgumentKind;
using bundle::format::Operator;
using bundle::format::ParameterKind;
using diag::Kind;
using sema::ArgSpec;

namespace {

/// Makes the leaves of a kernel's arguments. Visible parameters are in the same order.
class Flattener {
public:
  explicit Flattener(llvm::ArrayRef<driver::LaunchParameter> visible) : visible(visible) {}

  void add(const std::string &name, const ArgSpec &spec) {
    switch (spec.kind) {
    case ArgSpec::Kind::Tuple:
      for (auto [i, item] : llvm::enumerate(spec.items))
        add(name + "_" + (i < spec.names.size() ? spec.names[i] : std::to_string(i)), item);
      return;
    case ArgSpec::Kind::Constant:
      addConstant(name, spec.constant);
      return;
    case ArgSpec::Kind::Runtime:
      addScalar(name, spec, next());
      return;
    case ArgSpec::Kind::Descriptor:
    case ArgSpec::Kind::BlockedTensor:
      addTensor(name, spec, next());
      return;
    }
  }

  std::vector<Leaf> take() { return std::move(leaves); }

private:
  const driver::LaunchParameter &next() {
    const driver::LaunchParameter &first = visible.front();
    visible = visible.drop_front();
    return first;
  }

  void addConstant(const std::string &name, const sema::Value &value) {
    Leaf &leaf = leaves.emplace_back();
    leaf.name = name;
    leaf.value = value.repr();
    if (value.isNone())
      leaf.number = 0;
    else if (value.is(sema::ValueKind::Bool) || value.is(sema::ValueKind::Int))
      leaf.number = value.asInt64();
  }

  /// That the leaf, or the last extent of its tensor, is a multiple of 16.
  static bundle::format::Condition multipleOf16(const Leaf &leaf) {
    bundle::format::Condition condition = {};
    condition.op = Operator::Multiple;
    condition.operand = 16;
    if (leaf.runtime->kind == ParameterKind::Tensor) {
      condition.field = bundle::format::Field::Extent;
      condition.dim = static_cast<uint8_t>(leaf.runtime->rank - 1);
    }
    return condition;
  }

  void addScalar(const std::string &name, const ArgSpec &spec,
                 const driver::LaunchParameter &parameter) {
    Leaf &leaf = leaves.emplace_back();
    leaf.name = name;
    bundle::Parameter &made = leaf.runtime.emplace();
    made.name = name;
    made.type = parameter.type;
    if (spec.dtype.isPointer()) {
      made.kind = ParameterKind::Pointer;
    } else if (spec.dtype.isInt()) {
      made.kind = spec.dtype.isSignedInt() ? ParameterKind::Signed : ParameterKind::Unsigned;
      made.bits = static_cast<uint8_t>(spec.dtype.bitWidth());
    }
    leaf.argument.emplace();
    if (spec.divisibleBy16)
      leaf.condition = multipleOf16(leaf);
  }

  void addTensor(const std::string &name, const ArgSpec &spec,
                 const driver::LaunchParameter &parameter) {
    Leaf &leaf = leaves.emplace_back();
    leaf.name = name;
    bundle::Parameter &made = leaf.runtime.emplace();
    made.name = name;
    made.type = "tensor " + spec.dtype.shortName() + "[" + std::to_string(parameter.rank()) + "]";
    made.kind = ParameterKind::Tensor;
    made.rank = static_cast<uint8_t>(parameter.rank());
    bundle::format::Argument &argument = leaf.argument.emplace();
    argument.rank = made.rank;
    if (parameter.box) {
      argument.kind = ArgumentKind::Box;
      argument.elementBytes = parameter.box->elementBytes;
      argument.type = static_cast<uint32_t>(parameter.box->type);
      llvm::copy(parameter.box->box, argument.box);
      argument.swizzleBytes = parameter.box->swizzleBytes;
      argument.isIm2Col = parameter.box->isIm2Col;
    } else if (parameter.block) {
      argument.kind = ArgumentKind::Words;
      argument.elementBytes = parameter.block->elementBytes;
    } else {
      argument.kind = ArgumentKind::Expanded;
    }
    if (spec.kind == ArgSpec::Kind::BlockedTensor && spec.divisibleBy16)
      leaf.condition = multipleOf16(leaf);
  }

  llvm::ArrayRef<driver::LaunchParameter> visible;
  std::vector<Leaf> leaves;
};

std::vector<Leaf> leavesOf(const sema::Function &kernel, llvm::ArrayRef<ArgSpec> specs,
                           const sema::Options &options) {
  driver::LaunchParameters parameters =
      driver::launchParameters(sema::onTarget(specs, options.target, options.numCtas));
  Flattener flattener(parameters.visible);
  for (auto [parameter, spec] : llvm::zip(kernel.parameters, specs))
    flattener.add(parameter.name.str(), spec);
  return flattener.take();
}

sema::Options optionsOf(const VariantRequest &request) {
  sema::Options options;
  options.target = request.target;
  driver::apply(request.settings.numbers, options);
  options.debug = request.settings.debug.value_or(false);
  return options;
}

std::vector<driver::ArgumentText> textsOf(const Settings &settings) {
  std::vector<driver::ArgumentText> texts;
  for (const Argument &argument : settings.arguments) {
    const Word &value = argument.values.front();
    texts.push_back({argument.name.text, value.text, argument.name.span, value.span});
  }
  return texts;
}

/// The kernel of an entry. Null after a report.
std::shared_ptr<const sema::Function> loadKernel(const KernelEntry &entry, sema::Program &program,
                                                 sema::Module *&module, diag::Sink &sink) {
  llvm::Expected<std::string> text = readFile(entry.path.text, mostSourceBytes);
  if (!text) {
    sink.report(Kind::UnreadableFile, entry.path.span, entry.path.text,
                llvm::toString(text.takeError()))
        .end();
    return nullptr;
  }
  module = program.load(entry.path.text, std::move(*text), sink);
  return sink.hasErrors() ? nullptr : program.kernel(*module, entry.kernel.text, sink);
}

/// PTX that names source files without their folders: the same bytes wherever they lie.
std::string withoutFolders(llvm::StringRef ptx) {
  std::string text;
  while (!ptx.empty()) {
    size_t length = std::min(ptx.find('\n'), ptx.size() - 1) + 1;
    llvm::StringRef line = ptx.take_front(length);
    ptx = ptx.drop_front(length);
    size_t begin = line.find('"'), end = line.rfind('"'), slash = line.rfind('/', end);
    bool hasFolder = line.ltrim().starts_with(".file") && end != begin &&
                     slash != llvm::StringRef::npos && slash > begin;
    if (hasFolder)
      text += (line.take_front(begin + 1) + line.drop_front(slash + 1)).str();
    else
      text += line;
  }
  return text;
}

/// What of machine code a bundle keeps, and how it is launched.
bundle::Variant variantOf(driver::CompiledKernel compiled, const VariantRequest &request) {
  bundle::Variant variant;
  variant.target = request.target.name();
  variant.symbol = compiled.kernel.name;
  variant.threads = compiled.kernel.numWarps * request.target.warpSize();
  variant.ctas = compiled.kernel.numCtas;
  variant.sharedBytes = compiled.kernel.sharedBytes;
  variant.scratchBytes = compiled.kernel.globalScratchBytes;
  if (request.settings.cooperative.value_or(false))
    variant.flags |= bundle::format::cooperative;
  if (request.settings.programmaticDependent.value_or(false))
    variant.flags |= bundle::format::programmaticDependent;
  bundle::format::CodeKind kind = *bundle::parseCodeKind(compiled.artifact.kind);
  variant.code = {kind, kind == bundle::format::CodeKind::Ptx
                            ? withoutFolders(compiled.artifact.bytes)
                            : std::move(compiled.artifact.bytes)};
  return variant;
}

} // namespace

std::optional<CompiledVariant> compileVariant(const VariantRequest &request, const Builder &builder,
                                              Extent extent, driver::Compiler &compiler,
                                              diag::SourceManager &sources, diag::Sink &sink) {
  sema::Program program(sources);
  sema::setSearchPath(program, builder.searchPath);
  sema::Module *module = nullptr;
  std::shared_ptr<const sema::Function> kernel = loadKernel(*request.entry, program, module, sink);
  if (!kernel)
    return std::nullopt;
  host::HostScope scope(program, *module);
  std::optional<driver::KernelArguments> bound =
      driver::bindTypes(scope, *kernel, textsOf(request.settings), request.entry->name.span, sink);
  if (!bound)
    return std::nullopt;
  driver::KernelSource source = {program, kernel.get(), bound->specs, optionsOf(request)};
  CompiledVariant made = {leavesOf(*kernel, bound->specs, source.options), {}, {}};
  made.variant.target = request.target.name();
  if (extent == Extent::Parameters)
    return made;
  mlir::OwningOpRef<mlir::ModuleOp> ir = compiler.makeIr(source, sink);
  if (!ir || sink.hasErrors())
    return std::nullopt;
  // With what was imported on the way.
  for (const diag::SourceFile *file : program.files())
    made.files.push_back(file->path());
  if (extent == Extent::Ir)
    return made;
  driver::CodeOptions code = builder.code;
  code.backend.fpFusion = request.settings.fpFusion.value_or(true);
  // PTX that is kept says where faults of an executor come from.
  code.backend.lineInfo |= request.target.isNvidia() && code.assembler.empty();
  if (request.asPtx)
    code.assembler.clear();
  driver::KernelRequest asked = {*ir, request.target, code, code.launchedStage(request.target)};
  std::optional<driver::CompiledKernel> compiled = compileCached(
      compiler, builder.cache, asked, cacheKey(asked), driver::label(source), sources, sink);
  if (!compiled)
    return std::nullopt;
  made.variant = variantOf(std::move(*compiled), request);
  return made;
}

} // namespace gluonc::pack
