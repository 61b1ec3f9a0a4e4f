#include "syntax/ParserImpl.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace gluonc;
using namespace gluonc::ast;
using diag::Kind;

namespace {
/// Reports beyond this number help nobody and could fill the disk.
constexpr size_t maxReports = 100;
/// Nested productions at once; see Parser::Depth.
constexpr unsigned maxDepth = 1000;
static_assert(maxDepth == maxHeight);
constexpr const char *tooDeep = "nested more than 1000 deep";
} // namespace

//===----------------------------------------------------------------------===//
// Tokens and errors
//===----------------------------------------------------------------------===//

void Parser::expect(TokenKind k) {
  if (!accept(k))
    unexpected(ast::describe(k));
}

StringRef Parser::takeName() {
  if (!at(TokenKind::Name)) {
    unexpected("a name");
    return "";
  }
  StringRef name = literals.identifier(text(*token));
  advance();
  return name;
}

void Parser::unexpected(StringRef what) {
  std::string found = ast::describe(kind());
  if (at(TokenKind::Name))
    found = "name '" + text(*token).str() + "'";
  // An empty token stands for the place just behind the last one.
  fail(Kind::UnexpectedToken, span(*token), what, found);
}

/// True if an error at `place` only follows from one that is reported already.
bool Parser::quiet(Span place) const {
  if (panicking || at(TokenKind::Error))
    return true;
  uint32_t begin = source.span(statementBegin, statementBegin).begin;
  auto first = llvm::lower_bound(lexicalErrors, begin);
  return first != lexicalErrors.end() && *first <= std::max(place.end, span(*token).end);
}

void Parser::panic() {
  panicking = true;
  while (!at(TokenKind::Newline) && !at(TokenKind::EndMarker))
    advance();
}

Parser::Depth::Depth(Parser &parser) : parser(parser), ok(++parser.depth <= maxDepth) {
  if (!ok)
    parser.fail(Kind::NestingTooDeep, parser.span(*parser.token), tooDeep);
}

void Parser::tooHigh(Node *node) {
  fail(Kind::NestingTooDeep, node->span, tooDeep);
  // Keeps the bound for the walkers: heights above stay within it.
  node->height = maxHeight - 1;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

Stmts Parser::parseFile() {
  StmtList body;
  while (!at(TokenKind::EndMarker)) {
    panicking = false;
    // A Dedent here belongs to an Indent that an error has swallowed.
    if (accept(TokenKind::Dedent) || accept(TokenKind::Newline))
      continue;
    parseStatement(body);
  }
  return save<const Stmt *>(body);
}

const Expr *Parser::parseSingleExpression() {
  const Expr *expr = parseStarExpressions();
  while (!panicking && accept(TokenKind::Newline)) {
  }
  if (!at(TokenKind::EndMarker))
    unexpected("end of expression");
  return expr;
}

namespace {
/// Lexes and parses `file` into `root`, and hands the reports on in the order of
/// the text: the lexer has seen the whole file before the parser sees any.
struct Job {
  const diag::SourceFile &file;
  diag::Sink &sink;
  diag::Collector collected{};

  template <typename Fn> void run(Root &root, Fn &&parseWith) {
    TokenList list = lex(file, collected);
    root.converted = list.source.converted;
    std::vector<uint32_t> lexicalErrors;
    for (const diag::Diagnostic &d : collected.diagnostics)
      if (d.severity == diag::Severity::Error)
        lexicalErrors.push_back(d.span.begin);
    llvm::sort(lexicalErrors);
    // Without text there is nothing more to say.
    if (list.tokens.size() > 1 || lexicalErrors.empty()) {
      Parser parser(list, root, collected, std::move(lexicalErrors));
      parseWith(parser);
    }
    submit();
  }

  void submit() {
    std::vector<diag::Diagnostic> &all = collected.diagnostics;
    std::vector<std::pair<uint32_t, size_t>> order;
    for (size_t i = 0; i < all.size(); ++i)
      order.emplace_back(all[i].span.begin, i);
    llvm::sort(order);
    size_t shown = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      diag::Diagnostic &next = all[order[i].second];
      // The lexer reads some text twice to recover from an unclosed bracket.
      if (i > 0 && order[i - 1].first == order[i].first &&
          all[order[i - 1].second].kind == next.kind)
        continue;
      if (shown++ == maxReports)
        return sink.report(Kind::TooManyErrors, next.span).end();
      sink.submit(next);
    }
  }
};
} // namespace

std::unique_ptr<Module> ast::parse(const diag::SourceFile &file, diag::Sink &sink) {
  auto module = std::make_unique<Module>(Span{&file, 0, static_cast<uint32_t>(file.text().size())});
  Job{file, sink}.run(*module, [&](Parser &parser) { module->body = parser.parseFile(); });
  return module;
}

std::unique_ptr<Expression> ast::parseExpression(const diag::SourceFile &file, diag::Sink &sink) {
  auto root =
      std::make_unique<Expression>(Span{&file, 0, static_cast<uint32_t>(file.text().size())});
  Job job{file, sink};
  job.run(*root, [&](Parser &parser) { root->body = parser.parseSingleExpression(); });
  if (job.collected.hasErrors())
    root->body = nullptr;
  return root;
}
