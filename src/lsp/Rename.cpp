// A name everywhere it means one thing, as another one.

#include "lsp/Rename.h"

#include "lsp/Definitions.h"
#include "lsp/Features.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace gluonc::lsp {

/// Whether Python takes it for a name.
static bool isName(llvm::StringRef text) {
  static constexpr llvm::StringLiteral keywords[] = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_' || (c & 0x80); };
  return !text.empty() && !llvm::isDigit(text.front()) && llvm::all_of(text, isPart) &&
         !llvm::is_contained(keywords, text);
}

std::optional<Renaming> renamingAt(const View &view, uint32_t offset, std::string &problem) {
  const Mention *mention = view.mentions.at(offset);
  if (!mention) {
    problem = "there is no name here";
    return std::nullopt;
  }
  std::optional<diag::Span> target = definitionOf(view, *mention);
  if (!target || !locationOf(*target)) {
    problem = "`" + mention->name.str() + "` is defined in no file of yours";
    return std::nullopt;
  }
  // A module is its file.
  if (target->begin == target->end) {
    problem = "`" + mention->name.str() + "` is a module: rename its file";
    return std::nullopt;
  }
  return Renaming{mention->name.str(), *target, mention->span};
}

/// Requests right above a function say what its parameters are: `# gluonc: x=*fp32`.
static void addRequests(const View &view, const Renaming &renaming, const Mention &parameter,
                        std::vector<diag::Span> &spans) {
  const auto *function =
      llvm::dyn_cast<ast::FunctionDef>(view.mentions.scope(parameter.scope).node);
  if (!function)
    return;
  const diag::SourceFile &file = view.file();
  uint32_t line = file.position(function->span.begin).line;
  auto isAbove = [&](llvm::StringRef text) {
    text = text.trim();
    return text.starts_with("#") || text.starts_with("@");
  };
  while (line > 1 && isAbove(llvm::StringRef(file.line(line - 1)))) {
    --line;
    const llvm::StringRef text(file.line(line));
    if (!text.trim().starts_with("#"))
      continue;
    const std::string wanted = renaming.name + "=";
    for (size_t at = text.find(wanted); at != llvm::StringRef::npos; at = text.find(wanted, at + 1))
      if (at && (text[at - 1] == ' ' || text[at - 1] == '\t')) {
        const uint32_t begin = file.lineStart(line) + static_cast<uint32_t>(at);
        spans.push_back({&file, begin, begin + static_cast<uint32_t>(renaming.name.size())});
      }
  }
}

/// What `wanted` is already where a name of the same kind is renamed to it; "" where it is free.
static std::string takenBy(const View &view, const Mention &mention, llvm::StringRef wanted) {
  if (mention.kind == Mention::Kind::Attribute || mention.kind == Mention::Kind::Keyword)
    return "";
  const unsigned scope = view.mentions.resolve(wanted, mention.scope);
  const auto &bindings = view.mentions.scope(scope).bindings;
  auto other = bindings.find(wanted);
  if (other == bindings.end())
    return "";
  return "`" + wanted.str() + "` is something else already, in line " +
         std::to_string(view.file().position(other->second.span.begin).line) + " of " +
         std::string(view.file().path());
}

bool addRenamed(const View &view, const Renaming &renaming, llvm::StringRef wanted,
                protocol::WorkspaceEdit &edit, std::string &problem) {
  if (!isName(wanted)) {
    problem = "`" + wanted.str() + "` is no name";
    return false;
  }
  std::vector<diag::Span> spans;
  for (const Mention &mention : view.mentions.all()) {
    if (mention.name != renaming.name)
      continue;
    std::optional<diag::Span> meant = definitionOf(view, mention);
    if (!meant || meant->begin != renaming.target.begin ||
        meant->file->path() != renaming.target.file->path())
      continue;
    problem = takenBy(view, mention, wanted);
    if (!problem.empty())
      return false;
    spans.push_back(mention.span);
    if (mention.kind == Mention::Kind::Parameter)
      addRequests(view, renaming, mention, spans);
  }
  llvm::sort(spans, [](diag::Span a, diag::Span b) { return a.begin < b.begin; });
  for (diag::Span span : spans) {
    std::optional<protocol::Location> location = locationOf(span);
    if (!location)
      continue;
    std::vector<protocol::TextEdit> &edits = edit.changes[location->uri.uri().str()];
    if (edits.empty() || !(edits.back().range == location->range))
      edits.push_back({location->range, wanted.str()});
  }
  return true;
}

} // namespace gluonc::lsp
