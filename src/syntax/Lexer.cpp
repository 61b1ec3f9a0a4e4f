//===- Lexer.cpp - Lines, indentation, names and operators ------------------===//
//
// One stack holds everything that is open: brackets, f-strings and the fields
// of f-strings. Its top alone decides how the next text is read:
//
//   f"a{x:>{w}}"     FString        -> text up to { or the quote
//                    Field          -> ordinary tokens up to : or }
//                    Field + spec   -> text up to { or }
//                    Bracket, empty -> ordinary tokens
//
// The stack is bounded, which bounds the parser too.
//
//===----------------------------------------------------------------------===//
#include "syntax/LexerImpl.h"

#include "support/File.h"
#include "syntax/Dump.h"
#include "syntax/Unicode.h"

#include "llvm/ADT/StringExtras.h"

#include <array>

using namespace gluonc;
using namespace gluonc::ast;
using diag::Kind;
using llvm::StringRef;

namespace {
// CPython's limits, so that what it accepts is accepted here.
constexpr size_t maxOpen = 200;
constexpr size_t maxIndents = 100;
constexpr unsigned tabSize = 8;

enum CharClass : uint8_t { Other, NameStart, Digit, Operator };

constexpr std::array<uint8_t, 256> makeClasses() {
  std::array<uint8_t, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c)
    table[c] = table[c - 'a' + 'A'] = NameStart;
  table['_'] = NameStart;
  for (int c = 0x80; c < 0x100; ++c)
    table[c] = NameStart;
  for (int c = '0'; c <= '9'; ++c)
    table[c] = Digit;
  return table;
}
constexpr std::array<uint8_t, 256> classes = makeClasses();

uint8_t classOf(char c) { return classes[static_cast<uint8_t>(c)]; }
bool continuesName(char c) { return classOf(c) == NameStart || classOf(c) == Digit; }
} // namespace

//===----------------------------------------------------------------------===//
// Keywords: a perfect hash over a few letters, checked when compiling
//===----------------------------------------------------------------------===//

namespace {
struct ReservedWord {
  std::string_view text;
  TokenKind kind = TokenKind::Name;
};

constexpr unsigned keywordSlot(std::string_view text) {
  return (static_cast<uint8_t>(text[0]) + 58u * static_cast<uint8_t>(text[1]) +
          static_cast<uint8_t>(text.back()) + static_cast<unsigned>(text.size())) %
         128;
}

struct KeywordTable {
  std::array<ReservedWord, 128> slots{};
  bool collision = false;
  constexpr void add(std::string_view text, TokenKind kind) {
    ReservedWord &slot = slots[keywordSlot(text)];
    collision |= !slot.text.empty();
    slot = {text, kind};
  }
};

constexpr KeywordTable makeKeywords() {
  KeywordTable table;
#define GL_KEYWORD(Name, text) table.add(text, TokenKind::Kw##Name);
#include "syntax/Tokens.def"
  return table;
}
constexpr KeywordTable keywords = makeKeywords();
static_assert(!keywords.collision, "two keywords share a slot: change keywordSlot");
} // namespace

static TokenKind keywordOrName(StringRef text) {
  // No keyword is shorter than 2 or longer than 8 letters.
  if (text.size() < 2 || text.size() > 8)
    return TokenKind::Name;
  const ReservedWord &slot = keywords.slots[keywordSlot(text)];
  return slot.text == std::string_view(text) ? slot.kind : TokenKind::Name;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

void Lexer::error(Kind kind, const char *begin, const char *end, const std::string &text) {
  sink.report(kind, spanOf(begin, end), text).end();
}

/// Ends the file here: what follows cannot be read sensibly.
void Lexer::abandon(const char *begin, const std::string &text) {
  error(Kind::NestingTooDeep, begin, begin + 1, text);
  push(TokenKind::Error, begin, begin + 1);
  open.clear();
  p = end;
}

//===----------------------------------------------------------------------===//
// Lines and indentation
//===----------------------------------------------------------------------===//

bool Lexer::consumeNewline() {
  if (*p == '\r') {
    p += p[1] == '\n' ? 2 : 1;
    return true;
  }
  if (*p == '\n') {
    ++p;
    return true;
  }
  return false;
}

/// A backslash at the end of a line joins it with the next. False if `p` is not at one.
bool Lexer::consumeContinuation() {
  if (*p != '\\' || (p[1] != '\n' && p[1] != '\r'))
    return false;
  const char *begin = p++;
  consumeNewline();
  if (p == end)
    error(Kind::SyntaxError, begin, begin + 1, "unexpected end of file after line continuation");
  return true;
}

void Lexer::skipComment() {
  while (*p != '\n' && *p != '\r' && p != end)
    ++p;
}

/// Measures the white space at the start of a line; skips blank lines.
void Lexer::startLine() {
  while (true) {
    // `alternate` counts a tab as one column: if the two measures order lines
    // differently, the indentation depends on the tab size.
    unsigned column = 0, alternate = 0;
    std::optional<std::pair<unsigned, unsigned>> continued;
    while (true) {
      if (*p == ' ') {
        ++column, ++alternate, ++p;
      } else if (*p == '\t') {
        column = (column / tabSize + 1) * tabSize;
        ++alternate, ++p;
      } else if (*p == '\f') {
        column = alternate = 0;
        ++p;
      } else if (*p == '\\' && (p[1] == '\n' || p[1] == '\r')) {
        // The first physical line decides, if it has any indentation.
        if (!continued && column)
          continued = {column, alternate};
        consumeContinuation();
      } else {
        break;
      }
    }
    if (*p == '#')
      skipComment();
    if (p == end)
      return;
    if (!consumeNewline()) {
      if (continued)
        std::tie(column, alternate) = *continued;
      indentTo(column, alternate);
      return;
    }
  }
}

void Lexer::indentTo(unsigned column, unsigned alternate) {
  const char *inconsistent = "inconsistent use of tabs and spaces in indentation";
  auto complain = [&](const char *text) {
    const char *lineStart = p;
    while (lineStart != begin && lineStart[-1] != '\n' && lineStart[-1] != '\r')
      --lineStart;
    error(Kind::BadIndentation, lineStart, p, text);
  };
  if (column == indents.back().column) {
    if (alternate != indents.back().alternate)
      complain(inconsistent);
    return;
  }
  if (column > indents.back().column) {
    if (indents.size() >= maxIndents)
      return abandon(p, "more than 100 levels of indentation");
    if (alternate <= indents.back().alternate)
      complain(inconsistent);
    indents.push_back({column, alternate});
    push(TokenKind::Indent, p, p);
    return;
  }
  while (column < indents.back().column) {
    indents.pop_back();
    push(TokenKind::Dedent, p, p);
  }
  if (column != indents.back().column) {
    complain("unindent does not match any outer indentation level");
    // Take the line as part of the block that it nearly belongs to.
    tokens.pop_back();
    indents.push_back({column, alternate});
  } else if (alternate != indents.back().alternate) {
    complain(inconsistent);
  }
}

/// True for keywords that begin statements and occur in no expression. Inside
/// brackets, one at the start of a line means that a bracket was never closed.
static bool beginsOnlyStatements(TokenKind kind) {
  switch (kind) {
  case TokenKind::KwAssert:
  case TokenKind::KwBreak:
  case TokenKind::KwClass:
  case TokenKind::KwContinue:
  case TokenKind::KwDef:
  case TokenKind::KwDel:
  case TokenKind::KwElif:
  case TokenKind::KwExcept:
  case TokenKind::KwFinally:
  case TokenKind::KwGlobal:
  case TokenKind::KwImport:
  case TokenKind::KwNonlocal:
  case TokenKind::KwPass:
  case TokenKind::KwRaise:
  case TokenKind::KwReturn:
  case TokenKind::KwTry:
  case TokenKind::KwWhile:
  case TokenKind::KwWith:
    return true;
  default:
    return false;
  }
}

/// Reports what is open though it cannot be (at `p`, an end of lines). A line in
/// between that is indented no further than the statement with the bracket is taken
/// for the next statement, and read again as such; then the result is true.
bool Lexer::recoverUnclosed() {
  const char *resume = nullptr;
  bool onlyBrackets = llvm::all_of(open, [](const Open &o) { return o.kind == Open::Bracket; });
  if (onlyBrackets && retries > 0) {
    auto before = [&](const Token &t, const char *at) { return begin + t.begin < at; };
    auto t = std::lower_bound(tokens.begin(), tokens.end(), open.front().at + 1, before);
    for (const char *lineEnd = open.front().at; t != tokens.end() && !resume; ++t) {
      const char *at = begin + t->begin;
      StringRef gap(lineEnd, static_cast<size_t>(at - lineEnd));
      size_t lastBreak = gap.find_last_of("\r\n");
      lineEnd = begin + t->end;
      bool closes = t->kind == TokenKind::RightParen || t->kind == TokenKind::RightSquare ||
                    t->kind == TokenKind::RightBrace;
      if (lastBreak == StringRef::npos || closes)
        continue;
      unsigned column = 0;
      for (char c : gap.drop_front(lastBreak + 1))
        column = c == '\t' ? (column / tabSize + 1) * tabSize : column + 1;
      if (column <= indents.back().column)
        resume = gap.data() + lastBreak + 1;
    }
  }
  for (const Open &entry : open)
    if (resume && entry.at > resume)
      break;
    else if (entry.kind == Open::Bracket)
      error(Kind::UnmatchedBracket, entry.at, entry.at + 1,
            "'" + std::string(1, *entry.at) + "' was never closed");
    else if (entry.kind == Open::Field)
      error(Kind::InvalidFString, entry.at, entry.at + 1, "'{' was never closed");
    else
      error(Kind::UnterminatedString, entry.at, entry.text, "f-string literal");
  open.clear();
  if (!resume)
    return false;
  --retries;
  p = resume;
  while (begin + tokens.back().begin >= p)
    tokens.pop_back();
  push(TokenKind::Newline, p, p);
  startLine();
  return true;
}

void Lexer::lineInBrackets() {
  bool nestedInString = llvm::any_of(open, [](const Open &o) { return o.kind != Open::Bracket; });
  const char *lineStart = p;
  while (*p == ' ' || *p == '\t' || *p == '\f')
    ++p;
  if (nestedInString || classOf(*p) != NameStart)
    return;
  const char *q = p;
  while (continuesName(*q))
    ++q;
  if (!beginsOnlyStatements(keywordOrName(StringRef(p, static_cast<size_t>(q - p)))))
    return;
  if (recoverUnclosed())
    return;
  push(TokenKind::Newline, lineStart - 1, lineStart);
  p = lineStart;
  startLine();
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

void Lexer::lexName() {
  const char *start = p;
  bool ascii = true;
  while (continuesName(*p))
    ascii &= static_cast<signed char>(*p++) >= 0;
  // A name directly before a quote may be a string prefix.
  if ((*p == '"' || *p == '\'') && lexPrefixedString(start))
    return;
  StringRef text(start, static_cast<size_t>(p - start));
  if (ascii)
    return push(keywordOrName(text), start, p);
  StringRef rest = text;
  while (!rest.empty()) {
    const char *at = rest.data();
    uint32_t point = takeCodePoint(rest);
    if (at == start ? isIdentifierStart(point) : isIdentifierContinue(point))
      continue;
    std::string hex = llvm::utohexstr(point);
    hex.insert(0, hex.size() < 4 ? 4 - hex.size() : 0, '0');
    std::string shown = isPrintable(point) ? "'" + std::string(at, rest.data()) + "' " : "";
    error(Kind::InvalidCharacter, at, rest.data(),
          (isPrintable(point) ? "character " : "non-printable character ") + shown + "(U+" + hex +
              ")");
    return push(TokenKind::Error, start, p);
  }
  push(TokenKind::Name, start, p);
}

/// Any character that begins no token.
void Lexer::lexStray() {
  const char *start = p++;
  push(TokenKind::Error, start, p);
  if (*start == '\0')
    return error(Kind::InvalidCharacter, start, p, "character: source cannot contain null bytes");
  if (*start == '\\')
    return error(Kind::InvalidCharacter, p, p == end ? p : p + 1,
                 "character after line continuation");
  if (llvm::isPrint(*start))
    return error(Kind::InvalidCharacter, start, p, "character '" + std::string(1, *start) + "'");
  error(Kind::InvalidCharacter, start, p,
        "non-printable character (U+00" + llvm::utohexstr(static_cast<uint8_t>(*start), false, 2) +
            ")");
}

void Lexer::openBracket(TokenKind kind) {
  if (open.size() >= maxOpen)
    return abandon(p, "more than 200 nested brackets");
  open.push_back({Open::Bracket, p});
  push(kind, p, p + 1);
  ++p;
}

void Lexer::closeBracket(TokenKind kind, char opening) {
  const char *at = p++;
  if (open.empty() || (open.back().kind == Open::Field && opening != '{')) {
    error(Kind::UnmatchedBracket, at, p, std::string("unmatched '") + *at + "'");
    return push(TokenKind::Error, at, p);
  }
  if (*open.back().at != opening) {
    sink.report(Kind::UnmatchedBracket, spanOf(at, p),
                std::string("closing '") + *at + "' does not match opening '" + *open.back().at +
                    "'")
        .label(spanOf(open.back().at, open.back().at + 1), "opened here")
        .end();
    // A field of an f-string ends at its brace whatever is open inside it.
    if (open.back().kind == Open::Bracket)
      open.pop_back();
    return push(TokenKind::Error, at, p);
  }
  open.pop_back();
  push(kind, at, p);
}

/// Ordinary text: outside f-strings or within one of their fields.
void Lexer::lexToken() {
  while (*p == ' ' || *p == '\t' || *p == '\f')
    ++p;
  if (p == end)
    return;
  switch (classOf(*p)) {
  case NameStart:
    return lexName();
  case Digit:
    return lexNumber();
  default:
    break;
  }
  switch (*p) {
  case '\n':
  case '\r': {
    const char *start = p;
    consumeNewline();
    if (!open.empty())
      return lineInBrackets();
    push(TokenKind::Newline, start, p);
    return startLine();
  }
  case '#':
    return skipComment();
  case '\\':
    if (consumeContinuation())
      return;
    return lexStray();
  case '"':
  case '\'':
    return lexString(p, /*raw=*/false, /*formatted=*/false);
  case '.':
    if (classOf(p[1]) == Digit)
      return lexNumber();
    break;
  default:
    break;
  }
  lexOperator();
}

void Lexer::lexOperator() {
  auto take = [&](TokenKind kind, int length) {
    push(kind, p, p + length);
    p += length;
  };
  // X, X= and for some XX and XX=.
  auto augmented = [&](TokenKind plain, TokenKind assign) {
    p[1] == '=' ? take(assign, 2) : take(plain, 1);
  };
  auto doubled = [&](TokenKind plain, TokenKind assign, TokenKind twice, TokenKind twiceAssign) {
    if (p[1] != *p)
      return augmented(plain, assign);
    p[2] == '=' ? take(twiceAssign, 3) : take(twice, 2);
  };
  using K = TokenKind;
  switch (*p) {
  case '(':
    return openBracket(K::LeftParen);
  case '[':
    return openBracket(K::LeftSquare);
  case '{':
    return openBracket(K::LeftBrace);
  case ')':
    return closeBracket(K::RightParen, '(');
  case ']':
    return closeBracket(K::RightSquare, '[');
  case '}':
    return closeBracket(K::RightBrace, '{');
  case ',':
    return take(K::Comma, 1);
  case ';':
    return take(K::Semicolon, 1);
  case ':':
    // Directly within a field of an f-string, a colon begins the format.
    if (!open.empty() && open.back().kind == Open::Field) {
      open.back().inFormat = true;
      open.back().text = p + 1;
      return take(K::Colon, 1);
    }
    return augmented(K::Colon, K::ColonEqual);
  case '.':
    return p[1] == '.' && p[2] == '.' ? take(K::Ellipsis, 3) : take(K::Dot, 1);
  case '=':
    return augmented(K::Equal, K::EqualEqual);
  case '!':
    if (p[1] == '=')
      return take(K::NotEqual, 2);
    if (!open.empty() && open.back().kind == Open::Field)
      return take(K::Exclamation, 1);
    return lexStray();
  case '<':
    return p[1] == '<' ? doubled(K::Less, K::LessEqual, K::LeftShift, K::LeftShiftEqual)
                       : augmented(K::Less, K::LessEqual);
  case '>':
    return p[1] == '>' ? doubled(K::Greater, K::GreaterEqual, K::RightShift, K::RightShiftEqual)
                       : augmented(K::Greater, K::GreaterEqual);
  case '~':
    return take(K::Tilde, 1);
  case '+':
    return augmented(K::Plus, K::PlusEqual);
  case '-':
    return p[1] == '>' ? take(K::Arrow, 2) : augmented(K::Minus, K::MinusEqual);
  case '*':
    return doubled(K::Star, K::StarEqual, K::DoubleStar, K::DoubleStarEqual);
  case '/':
    return doubled(K::Slash, K::SlashEqual, K::DoubleSlash, K::DoubleSlashEqual);
  case '%':
    return augmented(K::Percent, K::PercentEqual);
  case '@':
    return augmented(K::At, K::AtEqual);
  case '|':
    return augmented(K::VBar, K::VBarEqual);
  case '^':
    return augmented(K::Circumflex, K::CircumflexEqual);
  case '&':
    return augmented(K::Ampersand, K::AmpersandEqual);
  default:
    return lexStray();
  }
}

void Lexer::run() {
  startLine();
  do {
    while (p != end) {
      if (!open.empty() && open.back().inText())
        lexFStringText();
      else
        lexToken();
    }
  } while (!open.empty() && recoverUnclosed());
  if (!tokens.empty() && tokens.back().kind != TokenKind::Newline &&
      tokens.back().kind != TokenKind::Dedent)
    push(TokenKind::Newline, end, end);
  for (size_t depth = indents.size(); depth > 1; --depth)
    push(TokenKind::Dedent, end, end);
  push(TokenKind::EndMarker, end, end);
}

TokenList ast::lex(const diag::SourceFile &file, diag::Sink &sink) {
  TokenList list;
  const bool tooLarge = file.text().size() > mostSourceBytes;
  if (tooLarge)
    sink.report(diag::Kind::SyntaxError, {&file, 0, 0},
                "the text is larger than " + std::to_string(mostSourceBytes >> 20) + " MiB")
        .end();
  if (tooLarge || !decodeSource(file, list.source, sink)) {
    list.tokens.push_back({TokenKind::EndMarker, 0, 0});
    return list;
  }
  // Python averages about one token in four bytes.
  list.tokens.reserve(list.source.text.size() / 4 + 8);
  Lexer(list.source, list.tokens, sink).run();
  return list;
}

//===----------------------------------------------------------------------===//
// Names of tokens
//===----------------------------------------------------------------------===//

StringRef ast::name(TokenKind kind) {
  static constexpr llvm::StringLiteral names[] = {
#define GL_TOKEN(Name, text) #Name,
#define GL_KEYWORD(Name, text) "Kw" #Name,
#define GL_OPERATOR(Name, text) #Name,
#include "syntax/Tokens.def"
  };
  return names[static_cast<unsigned>(kind)];
}

std::string ast::describe(TokenKind kind) {
  static constexpr llvm::StringLiteral texts[] = {
#define GL_TOKEN(Name, text) text,
#define GL_KEYWORD(Name, text) "'" text "'",
#define GL_OPERATOR(Name, text) "'" text "'",
#include "syntax/Tokens.def"
  };
  return texts[static_cast<unsigned>(kind)].str();
}

void ast::dumpTokens(const TokenList &list, llvm::raw_ostream &out) {
  for (const Token &token : list.tokens) {
    diag::Span span = list.source.span(token.begin, token.end);
    diag::LineColumn from = span.file->position(span.begin), to = span.file->position(span.end);
    out << from.line << ':' << from.column << '-' << to.line << ':' << to.column << '\t'
        << name(token.kind) << '\t';
    Constant text(span);
    text.value = ConstantKind::Str;
    text.text = list.source.text.slice(token.begin, token.end);
    printRepr(text, out);
    out << '\n';
  }
}
