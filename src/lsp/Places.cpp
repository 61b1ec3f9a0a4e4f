// Definitions, references and symbols as the protocol has them.

#include "lsp/Definitions.h"
#include "lsp/Features.h"

namespace gluonc::lsp {

std::vector<protocol::Location> definition(const View &view, uint32_t offset) {
  const Mention *mention = view.mentions.at(offset);
  std::optional<diag::Span> span = mention ? definitionOf(view, *mention) : std::nullopt;
  std::optional<protocol::Location> location = span ? locationOf(*span) : std::nullopt;
  return location ? std::vector{*location} : std::vector<protocol::Location>();
}

std::vector<protocol::Location> references(const View &view, llvm::StringRef name,
                                           diag::Span definition) {
  std::vector<protocol::Location> found;
  for (const Mention &mention : view.mentions.all()) {
    if (mention.name != name)
      continue;
    std::optional<diag::Span> meant = definitionOf(view, mention);
    if (meant && meant->begin == definition.begin && meant->file->path() == definition.file->path())
      found.push_back(*locationOf(mention.span));
  }
  return found;
}

template <typename Def>
static protocol::DocumentSymbol makeSymbol(const Def &def, protocol::SymbolKind kind) {
  return {llvm::StringRef(def.name), kind, rangeOf(def.span), rangeOf(def.nameSpan)};
}

static void addSymbols(ast::Stmts body, bool isClass,
                       std::vector<protocol::DocumentSymbol> &symbols) {
  using protocol::SymbolKind;
  for (const ast::Stmt *stmt : body) {
    if (const auto *def = llvm::dyn_cast<ast::FunctionDef>(stmt)) {
      symbols.push_back(makeSymbol(*def, isClass ? SymbolKind::Method : SymbolKind::Function));
    } else if (const auto *cls = llvm::dyn_cast<ast::ClassDef>(stmt)) {
      symbols.push_back(makeSymbol(*cls, SymbolKind::Class));
      addSymbols(cls->body, /*isClass=*/true, symbols.back().children);
    } else if (const auto *assign = llvm::dyn_cast<ast::Assign>(stmt)) {
      for (const ast::Expr *target : assign->targets)
        if (const auto *name = llvm::dyn_cast<ast::Name>(target))
          symbols.push_back(
              {name->id, SymbolKind::Variable, rangeOf(stmt->span), rangeOf(name->span)});
    } else if (const auto *field = llvm::dyn_cast<ast::AnnAssign>(stmt)) {
      if (const auto *name = llvm::dyn_cast<ast::Name>(field->target))
        symbols.push_back({name->id, isClass ? SymbolKind::Field : SymbolKind::Variable,
                           rangeOf(stmt->span), rangeOf(name->span)});
    }
  }
}

std::vector<protocol::DocumentSymbol> symbols(const View &view) {
  std::vector<protocol::DocumentSymbol> result;
  addSymbols(view.tree().body, /*isClass=*/false, result);
  return result;
}

} // namespace gluonc::lsp
