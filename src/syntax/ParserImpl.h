//===- ParserImpl.h - State and productions of the parser -------------------===//
//
// Private to Parser.cpp (tokens, errors, files) and the Parse*.cpp files.
//
// Errors: the first one in a statement reports, sets `panicking` and moves to the
// Newline that ends the logical line. Every production still returns a node, so
// there are no null checks, and at a Newline every loop ends. The statement loop
// clears `panicking` and goes on behind the line.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "syntax/Lexer.h"
#include "syntax/Literals.h"
#include "syntax/Parser.h"

#include "llvm/ADT/SmallVector.h"

namespace gluonc::ast {

class Parser {
public:
  Parser(const TokenList &list, Root &root, diag::Sink &sink, std::vector<uint32_t> lexicalErrors)
      : source(list.source), arena(root.arena), sink(sink), literals(list.source, root.arena, sink),
        token(list.tokens.data()), statementBegin(token->begin), lastEnd(token->begin),
        lexicalErrors(std::move(lexicalErrors)) {}

  Stmts parseFile();
  const Expr *parseSingleExpression();

private:
  template <typename T> using Vec = llvm::SmallVector<T, 8>;

  //===--------------------------------------------------------------------===//
  // Tokens (Parser.cpp)
  //===--------------------------------------------------------------------===//
  TokenKind kind() const { return token->kind; }
  bool at(TokenKind k) const { return token->kind == k; }
  /// The kind behind the current token.
  TokenKind nextKind() const { return at(TokenKind::EndMarker) ? token->kind : token[1].kind; }
  void advance() {
    // After an error everything waits at the end of the line.
    if (panicking && token->kind == TokenKind::Newline)
      return;
    // Nodes end with a token that shows, not with the line break behind it.
    if (token->kind > TokenKind::Dedent)
      lastEnd = token->end;
    if (token->kind != TokenKind::EndMarker)
      ++token;
  }
  bool accept(TokenKind k) {
    if (token->kind != k)
      return false;
    advance();
    return true;
  }
  void expect(TokenKind k);
  StringRef text(const Token &t) const { return source.text.slice(t.begin, t.end); }
  bool atSoftKeyword(StringRef word) const { return at(TokenKind::Name) && text(*token) == word; }
  /// Takes a name, or reports that one is missing.
  StringRef takeName();

  //===--------------------------------------------------------------------===//
  // Errors (Parser.cpp)
  //===--------------------------------------------------------------------===//
  Span span(const Token &t) const { return source.span(t.begin, t.end); }
  Span spanSince(uint32_t begin) const { return source.span(begin, std::max(begin, lastEnd)); }
  /// Reports "expected {what}, found …" at the current token.
  void unexpected(llvm::StringRef what);
  /// Reports at `place`, unless the statement has an error already.
  template <typename... Args> void fail(diag::Kind diagnostic, Span place, const Args &...args) {
    failWithHint("", diagnostic, place, args...);
  }
  template <typename... Args>
  void failWithHint(StringRef hint, diag::Kind diagnostic, Span place, const Args &...args) {
    if (quiet(place))
      return panic();
    diag::Builder builder = sink.report(diagnostic, place, args...);
    if (!hint.empty())
      std::move(builder).hint(hint).end();
    panic();
  }
  bool quiet(Span place) const;
  void panic();

  /// Bounds the recursion of the parser. Converts to false when too deep.
  class Depth {
  public:
    explicit Depth(Parser &parser);
    ~Depth() { --parser.depth; }
    explicit operator bool() const { return ok; }

  private:
    Parser &parser;
    bool ok;
  };

  //===--------------------------------------------------------------------===//
  // Nodes
  //===--------------------------------------------------------------------===//
  /// A node from `begin` to the end of the last token taken.
  template <typename N> N *make(uint32_t begin) {
    return new (arena.Allocate<N>()) N(spanSince(begin));
  }
  template <typename T, typename V> ArrayRef<T> save(const V &items) {
    if (items.empty())
      return {};
    T *memory = arena.Allocate<T>(items.size());
    std::uninitialized_copy(items.begin(), items.end(), memory);
    return {memory, items.size()};
  }
  /// Completes a node whose children are set: computes and bounds its height.
  template <typename N> N *done(N *node) {
    unsigned highest = 0;
    auto take = [&](const Node *child) {
      if (child && child->height > highest)
        highest = child->height;
    };
    node->fields([&](StringRef, const auto &field) {
      using T = std::decay_t<decltype(field)>;
      if constexpr (std::is_convertible_v<T, const Node *>)
        take(field);
      else if constexpr (isNodeArray<T>)
        for (const auto *child : field)
          take(child);
    });
    node->height = static_cast<uint16_t>(highest + 1);
    if (highest >= maxHeight) [[unlikely]]
      tooHigh(node);
    return node;
  }
  template <typename T>
  static constexpr bool isNodeArray =
      !std::is_arithmetic_v<T> && !std::is_enum_v<T> && !std::is_pointer_v<T> &&
      !std::is_same_v<T, StringRef> && !std::is_same_v<T, Names> &&
      !std::is_same_v<T, CompareOperators>;
  void tooHigh(Node *node);
  Expr *errorExpr() { return done(make<Name>(token->begin)); }

  //===--------------------------------------------------------------------===//
  // Statements (ParseStatements.cpp, ParseSimple.cpp)
  //===--------------------------------------------------------------------===//
  using StmtList = Vec<const Stmt *>;
  using ExprList = Vec<const Expr *>;
  void parseStatement(StmtList &out);
  void parseSimpleLine(StmtList &out);
  void finishLine();
  Stmts parseBlock(StringRef what, const Token &header);
  void parseIndented(StmtList &out);
  void parseStrayIndent(StmtList &out);
  Stmt *parseSimpleStatement();
  Stmt *parseExpressionStatement();
  Stmt *parseAssignment(uint32_t begin, const Expr *first);
  Stmt *parseAnnotated(uint32_t begin, const Expr *target, bool parenthesized);
  Stmt *parseReturn();
  Stmt *parseDelete();
  Stmt *parseRaise();
  Stmt *parseAssert();
  Stmt *parseImport();
  Stmt *parseFrom();
  const Alias *parseImportedModule();
  const Alias *parseImportedName();
  StringRef parseDottedName();
  Names parseNameList();
  Stmt *parseTypeAlias();
  Stmt *parseIf();
  Stmts parseElse();
  Stmt *parseWhile();
  template <typename N> Stmt *parseFor(uint32_t begin);
  template <typename N> Stmt *parseWith(uint32_t begin);
  bool withItemsAreParenthesized() const;
  const WithItem *parseWithItem();
  Stmt *parseTry();
  const ExceptHandler *parseExceptHandler(bool &star);
  template <typename N>
  Stmt *finishTry(uint32_t begin, Stmts body, ArrayRef<const ExceptHandler *> handlers,
                  Stmts orelse, Stmts finalbody);
  Stmt *parseAsync(Exprs decorators);
  Stmt *parseDecorated();
  template <typename N> Stmt *parseFunction(uint32_t begin, Exprs decorators);
  Stmt *parseClass(Exprs decorators);
  TypeParams parseTypeParams();
  const TypeParam *parseTypeParam();
  bool atMatchStatement() const;
  Stmt *parseMatch();
  const MatchCase *parseCase();

  //===--------------------------------------------------------------------===//
  // Expressions (ParseExpressions.cpp, ParsePrimaries.cpp, ParseCalls.cpp)
  //===--------------------------------------------------------------------===//
  const Expr *parseExpression();
  const Expr *parseNamedExpression();
  const Expr *parseStarExpression();
  const Expr *parseStarNamedExpression();
  /// One or more expressions; a comma makes a tuple.
  const Expr *parseStarExpressions();
  const Expr *parseYieldOrStarExpressions();
  const Expr *parseYield();
  const Expr *parseLambda();
  const Expr *parseDisjunction();
  const Expr *parseConjunction();
  const Expr *parseInversion();
  const Expr *parseComparison();
  const Expr *parseBinary(unsigned minimum);
  const Expr *parseUnary();
  const Expr *parsePower();
  const Expr *parsePrimary();
  const Expr *parseTrailers(uint32_t begin, const Expr *value);
  const Expr *parseAtom();
  const Expr *parseParenthesized();
  const Expr *parseListDisplay();
  const Expr *parseBraces();
  const Expr *parseDictDisplay(uint32_t begin, const Expr *key, const Expr *value);
  const Expr *parseNumber();
  const Expr *parseKeywordConstant(ConstantKind value);
  const Expr *parseSlices();
  const Expr *parseSlice();
  const Expr *parseCall(uint32_t begin, const Expr *func);
  void parseArguments(ExprList &args, Vec<const Keyword *> &keywords);
  void parseArgument(ExprList &args, Vec<const Keyword *> &keywords);
  bool atComprehension() const;
  Comprehensions parseComprehensions();
  template <typename N>
  const Expr *finishComprehension(uint32_t begin, const Expr *element, TokenKind close);
  bool startsExpression() const;
  const Arguments *parseParameters(TokenKind close, bool annotated);
  const Arg *parseParameter(bool annotated, bool starAnnotation);

  //===--------------------------------------------------------------------===//
  // Strings (ParseStrings.cpp)
  //===--------------------------------------------------------------------===//
  struct Pieces;
  const Expr *parseStrings();
  const Expr *parseBytes();
  void parseStringPiece(Pieces &pieces);
  void parseFStringPiece(Pieces &pieces);
  void parseField(Pieces &pieces, bool raw);
  const Expr *parseFormat(bool raw);
  std::string debugText(const Token *first, const Token *last) const;

  //===--------------------------------------------------------------------===//
  // Patterns (ParsePatterns.cpp)
  //===--------------------------------------------------------------------===//
  const Pattern *parsePatterns();
  const Pattern *parseMaybeStarPattern();
  const Pattern *parseAsPattern();
  const Pattern *parseOrPattern();
  const Pattern *parseClosedPattern();
  const Pattern *parseNamePattern();
  const Pattern *parseSequencePattern(TokenKind close);
  const Pattern *parseMappingPattern();
  const Expr *parseMappingKey();
  const Pattern *parseClassPattern(uint32_t begin, const Expr *cls);
  const Expr *parsePatternNumber();
  const Expr *parsePatternName();

  //===--------------------------------------------------------------------===//
  // Targets (ParseTargets.cpp)
  //===--------------------------------------------------------------------===//
  /// Turns an expression that was read as a value into a target, or reports.
  void toTarget(const Expr *expr, ExprContext context);
  /// What messages call an expression ("function call", "literal").
  static StringRef describe(const Expr *expr);
  /// The targets of for loops and comprehensions: up to the `in`.
  const Expr *parseForTargets();

  const Source &source;
  llvm::BumpPtrAllocator &arena;
  diag::Sink &sink;
  Literals literals;
  const Token *token;
  /// Where the statement being parsed begins, in the text.
  uint32_t statementBegin;
  /// End of the last token taken, line structure aside.
  uint32_t lastEnd;
  bool panicking = false;
  unsigned depth = 0;
  /// Offsets in the file of what the lexer reported, ascending.
  std::vector<uint32_t> lexicalErrors;
};

} // namespace gluonc::ast
