#include "lsp/Analysis.h"
#include "driver/explain/Facts.h"
#include "ir/Dialects.h"

namespace gluonc::lsp {

using sema::Value;

static AnalyzedKernel analyze(const driver::CheckedKernel &checked,
                              const diag::SourceManager &sources) {
  AnalyzedKernel result{checked.kernel, checked.request.options, std::nullopt, {}};
  if (!checked.module)
    return result;
  mlir::ModuleOp module = checked.module.get();
  auto shared = module->getAttrOfType<mlir::IntegerAttr>(ttg::sharedAttr);
  result.sharedBytes = shared ? static_cast<uint64_t>(shared.getInt()) : 0;
  result.facts = driver::factsOf(module, result.options.target, checked.arguments, sources);
  return result;
}

sema::SourceModule &Analysis::load(const Files &files, std::string path, std::string text) {
  sema::setSearchPath(program, files.searchPath);
  return static_cast<sema::SourceModule &>(*program.load(std::move(path), std::move(text), sink));
}

Analysis::Analysis(const Files &files, std::string path, std::string text)
    : program(sources, files.reader), module(load(files, std::move(path), std::move(text))),
      values(sources) {
  // After a syntax error names would be missing that the user did write.
  diag::Collector ignored;
  diag::Sink &heard = sink.hasErrors() ? static_cast<diag::Sink &>(ignored) : sink;
  auto record = [this](diag::Span place, const Value &value) { values.record(place, value); };
  for (const driver::CheckedKernel &checked :
       driver::checkFile(*compiler, program, module, heard, record)) {
    kernels.push_back(analyze(checked, sources));
    if (checked.module)
      values.addChosenLayouts(checked.module.get());
  }
}

sema::SourceModule *Analysis::find(llvm::StringRef path) {
  for (const auto &each : program.state().files)
    if (each->file.path() == path)
      return each.get();
  return nullptr;
}

const Mentions &Analysis::mentionsOf(const sema::SourceModule &file) {
  return mentions.try_emplace(&file, *file.tree).first->second;
}

std::optional<Value> View::evaluate(llvm::StringRef text) const {
  diag::Collector ignored;
  std::optional<Value> value =
      sema::evaluate(analysis.program, module, text, {}, "<expression>", ignored);
  return value && !value->is(sema::ValueKind::Opaque) ? value : std::nullopt;
}

/// The variable that a chain of attributes begins with; null for other expressions.
static const ast::Name *rootOf(const ast::Expr &expr) {
  if (const auto *attribute = llvm::dyn_cast<ast::Attribute>(&expr))
    return rootOf(*attribute->value);
  return llvm::dyn_cast<ast::Name>(&expr);
}

std::optional<Value> View::valueOf(const ast::Expr &expr, unsigned scope) const {
  if (const KnownValue *known = values.find(expr.span))
    return known->value;
  const ast::Name *root = rootOf(expr);
  if (!root || mentions.resolve(root->id, scope) != 0)
    return std::nullopt;
  return evaluate(expr.span.text());
}

const KnownValue *View::variable(llvm::StringRef name, unsigned scope, uint32_t offset) const {
  const KnownValue *found = nullptr;
  const unsigned owner = mentions.resolve(name, scope);
  for (const Mention &mention : mentions.all())
    if (mention.name == name && mention.span.begin < offset &&
        mentions.resolve(name, mention.scope) == owner)
      if (const KnownValue *known = values.find(mention.node->span))
        found = known;
  return found;
}

} // namespace gluonc::lsp
