#include "lsp/Diagnostics.h"
#include "lsp/Features.h"

#include "llvm/Support/FormatVariadic.h"

namespace gluonc::lsp {

/// Its own place, else the first of its labels that is in the file, else the start of the file.
static diag::Span placeIn(const diag::SourceFile &file, const diag::Diagnostic &diagnostic) {
  if (diagnostic.span.file == &file)
    return diagnostic.span;
  for (const diag::Label &label : diagnostic.labels)
    if (label.span.file == &file)
      return label.span;
  return {&file, 0, 0};
}

static std::string messageOf(const diag::Diagnostic &diagnostic) {
  std::string text = diagnostic.message;
  for (const diag::Label &label : diagnostic.labels)
    if (!label.span)
      text += "\nnote: " + label.text;
  for (const std::string &hint : diagnostic.hints)
    text += "\nhint: " + hint;
  return text;
}

static PublishedDiagnostic convert(const diag::SourceFile &file,
                                   const diag::Diagnostic &diagnostic) {
  PublishedDiagnostic result;
  const diag::KindInfo &kind = diag::info(diagnostic.kind);
  result.code = llvm::formatv("GL{0} {1}", kind.number, kind.name);
  const diag::Span place = placeIn(file, diagnostic);
  result.range = rangeOf(place);
  result.severity = diagnostic.severity == diag::Severity::Error
                        ? protocol::DiagnosticSeverity::Error
                        : protocol::DiagnosticSeverity::Warning;
  result.source = "gluonc";
  result.message = messageOf(diagnostic);
  std::vector<protocol::DiagnosticRelatedInformation> related;
  auto relate = [&](diag::Span span, const std::string &text) {
    if (std::optional<protocol::Location> location = locationOf(span))
      related.emplace_back(std::move(*location), text);
  };
  if (diagnostic.span.file != &file)
    relate(diagnostic.span, diagnostic.message);
  for (const diag::Label &label : diagnostic.labels)
    relate(label.span, label.text);
  if (!related.empty())
    result.relatedInformation = std::move(related);
  return result;
}

std::vector<PublishedDiagnostic> diagnosticsOf(const Analysis &analysis) {
  std::vector<PublishedDiagnostic> result;
  for (const diag::Diagnostic &diagnostic : analysis.diagnostics())
    result.push_back(convert(analysis.module.file, diagnostic));
  return result;
}

llvm::json::Value toJSON(const PublishedDiagnostics &published) {
  llvm::json::Array list;
  for (const PublishedDiagnostic &diagnostic : published.diagnostics) {
    llvm::json::Value object = protocol::toJSON(diagnostic);
    if (!diagnostic.code.empty())
      (*object.getAsObject())["code"] = diagnostic.code;
    list.push_back(std::move(object));
  }
  llvm::json::Object object{{"uri", published.uri}, {"diagnostics", std::move(list)}};
  if (published.version)
    object["version"] = *published.version;
  return object;
}

// -- Code actions ---------------------------------------------------------------------

/// What "did you mean `x`?" puts in place of `text`; nullopt for other hints.
static std::optional<std::string> replacement(llvm::StringRef hint, llvm::StringRef text) {
  if (!hint.consume_front("did you mean `") || !hint.consume_back("`?"))
    return std::nullopt;
  // The hint may name the whole path of what is reported by its last part.
  const size_t dot = text.contains('.') ? llvm::StringRef::npos : hint.rfind('.');
  return (dot == llvm::StringRef::npos ? hint : hint.substr(dot + 1)).str();
}

std::vector<protocol::CodeAction> actions(const Analysis &analysis, const protocol::URIForFile &uri,
                                          protocol::Range range) {
  std::vector<protocol::CodeAction> result;
  for (const diag::Diagnostic &diagnostic : analysis.diagnostics()) {
    const protocol::Range at = rangeOf(diagnostic.span);
    if (diagnostic.span.file != &analysis.module.file || at.end < range.start ||
        range.end < at.start)
      continue;
    for (const std::string &hint : diagnostic.hints)
      if (auto text = replacement(hint, diagnostic.span.text())) {
        protocol::CodeAction &action = result.emplace_back();
        action.title = "Replace by `" + *text + "`";
        action.kind = protocol::CodeAction::kQuickFix.str();
        action.diagnostics = {convert(analysis.module.file, diagnostic)};
        action.edit.emplace().changes[uri.uri().str()] = {{at, *text}};
      }
  }
  return result;
}

} // namespace gluonc::lsp
