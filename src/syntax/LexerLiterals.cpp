//===- LexerLiterals.cpp - Numbers, strings and f-strings -------------------===//
//
// Only the extent of literals is found here; Literals.cpp computes values.
//
//===----------------------------------------------------------------------===//
#include "syntax/LexerImpl.h"

#include "llvm/ADT/StringExtras.h"

using namespace gluonc;
using namespace gluonc::ast;
using diag::Kind;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Skips digits of `base` with single underscores between them.
const char *Lexer::digits(const char *q, unsigned base, bool &bad) {
  while (true) {
    if (llvm::hexDigitValue(*q) < base) {
      ++q;
    } else if (*q == '_') {
      bad |= llvm::hexDigitValue(q[1]) >= base;
      ++q;
    } else {
      return q;
    }
  }
}

/// A number may be followed directly by a keyword (`1if x else y`), but not by a name.
void Lexer::endNumber(const char *start, const char *kind) {
  auto continues = [](char c) { return llvm::isAlnum(c) || c == '_' || (c & 0x80); };
  bool bad = false;
  if (continues(*p)) {
    StringRef rest(p, static_cast<size_t>(end - p));
    bad = true;
    for (StringRef keyword : {"and", "else", "for", "if", "in", "is", "or", "not"})
      bad &= !rest.starts_with(keyword);
  }
  if (!bad)
    return push(TokenKind::Number, start, p);
  const char *at = p;
  while (continues(*p))
    ++p;
  error(Kind::InvalidNumber, at, p, std::string("invalid ") + kind + " literal");
  push(TokenKind::Error, start, p);
}

void Lexer::lexNumber() {
  const char *start = p;
  bool bad = false;
  char marker = llvm::toLower(p[1]);
  unsigned base = *p != '0' ? 0 : marker == 'x' ? 16 : marker == 'o' ? 8 : marker == 'b' ? 2 : 0;
  if (base) {
    const char *name = base == 16 ? "hexadecimal" : base == 8 ? "octal" : "binary";
    p = digits(p + 2, base, bad);
    if (bad || p == start + 2) {
      while (llvm::isAlnum(*p) || *p == '_')
        ++p;
      error(Kind::InvalidNumber, start, p, std::string("invalid ") + name + " literal");
      return push(TokenKind::Error, start, p);
    }
    return endNumber(start, name);
  }
  if (*p != '.')
    p = digits(p, 10, bad);
  const char *whole = p;
  bool real = false;
  if (*p == '.') {
    real = true;
    ++p;
    if (llvm::isDigit(*p))
      p = digits(p, 10, bad);
  }
  // Without digits, an e begins what follows: `1else`, or an error.
  if ((*p | 32) == 'e' && llvm::isDigit(p[p[1] == '+' || p[1] == '-' ? 2 : 1])) {
    real = true;
    p = digits(p + 2, 10, bad);
  }
  bool imaginary = (*p | 32) == 'j';
  if (imaginary)
    ++p;
  if (bad) {
    error(Kind::InvalidNumber, start, p, "invalid decimal literal");
    return push(TokenKind::Error, start, p);
  }
  StringRef text(start, static_cast<size_t>(whole - start));
  bool octalLike =
      !real && !imaginary && text[0] == '0' && text.find_first_not_of("0_") != StringRef::npos;
  if (octalLike) {
    error(Kind::InvalidNumber, start, p,
          "leading zeros in decimal integer literals are not permitted; use an 0o prefix for "
          "octal integers");
    return push(TokenKind::Error, start, p);
  }
  endNumber(start, imaginary ? "imaginary" : "decimal");
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

/// `p` is at a quote; true if start..p is a string prefix and the string was lexed.
bool Lexer::lexPrefixedString(const char *start) {
  if (p - start > 2)
    return false;
  bool raw = false, bytes = false, formatted = false, unicode = false;
  for (const char *q = start; q != p; ++q) {
    bool &flag = (*q | 32) == 'r'   ? raw
                 : (*q | 32) == 'b' ? bytes
                 : (*q | 32) == 'f' ? formatted
                                    : unicode;
    if (flag || (&flag == &unicode && (*q | 32) != 'u'))
      return false;
    flag = true;
  }
  if (bytes + formatted + unicode > 1 || (unicode && raw))
    return false;
  lexString(start, raw, formatted);
  return true;
}

/// `p` is at the opening quote of a string that begins, with its prefix, at `start`.
void Lexer::lexString(const char *start, bool raw, bool formatted) {
  char quote = *p;
  bool triple = p[1] == quote && p[2] == quote;
  p += triple ? 3 : 1;
  if (formatted) {
    if (open.size() >= 200)
      return abandon(start, "more than 200 nested f-strings");
    Open entry{Open::FString, start};
    entry.raw = raw;
    entry.triple = triple;
    entry.quote = quote;
    entry.text = p;
    open.push_back(entry);
    return push(TokenKind::FStringStart, start, p);
  }
  while (true) {
    char c = *p;
    if (c == quote && (!triple || (p[1] == quote && p[2] == quote))) {
      p += triple ? 3 : 1;
      return push(TokenKind::String, start, p);
    }
    if (c == '\\' && p + 1 < end) {
      // A backslash keeps the next character from ending the string; \r\n is one.
      p += p[1] == '\r' && p[2] == '\n' ? 3 : 2;
      continue;
    }
    bool lineEnds = c == '\n' || c == '\r';
    if (p == end || (lineEnds && !triple))
      break;
    ++p;
  }
  error(Kind::UnterminatedString, start, triple ? start + (p - start > 4 ? 4 : 1) : p,
        triple ? "triple-quoted string literal" : "string literal");
  push(TokenKind::Error, start, p);
  abandonFString(p);
}

//===----------------------------------------------------------------------===//
// F-strings
//===----------------------------------------------------------------------===//

/// After an error that leaves no hope of finding the end of the f-strings around it.
void Lexer::abandonFString(const char *at) {
  while (llvm::any_of(open, [](const Open &o) { return o.kind == Open::FString; }))
    open.pop_back();
}

void Lexer::openField() {
  unsigned fields = 0;
  for (size_t i = open.size(); i > 0 && open[i - 1].kind == Open::Field; --i)
    ++fields;
  // CPython allows two levels of fields in the format of a field, but not more.
  if (fields >= 3)
    error(Kind::NestingTooDeep, p, p + 1, "f-string: more than 2 fields inside each other");
  if (open.size() >= 200)
    return abandon(p, "more than 200 nested f-string fields");
  open.push_back({Open::Field, p});
  push(TokenKind::LeftBrace, p, p + 1);
  ++p;
}

void Lexer::endFStringText(const char *from) {
  if (p != from)
    push(TokenKind::FStringMiddle, from, p);
}

/// Literal text of an f-string or of a format, up to a field or its end.
void Lexer::lexFStringText() {
  size_t owner = open.size();
  while (open[owner - 1].kind != Open::FString)
    --owner;
  const Open fstring = open[owner - 1];
  bool inFormat = open.back().inFormat;
  const char *from = p;
  while (true) {
    char c = *p;
    if (c == fstring.quote && (!fstring.triple || (p[1] == c && p[2] == c))) {
      endFStringText(from);
      const char *quote = p;
      p += fstring.triple ? 3 : 1;
      if (!inFormat) {
        open.pop_back();
        return push(TokenKind::FStringEnd, quote, p);
      }
      error(Kind::InvalidFString, quote, p, "expecting '}'");
      push(TokenKind::Error, quote, p);
      open.truncate(owner - 1);
      return;
    }
    if (p == end || ((c == '\n' || c == '\r') && !fstring.triple)) {
      error(Kind::UnterminatedString, fstring.at, fstring.triple ? fstring.text : p,
            fstring.triple ? "triple-quoted f-string literal" : "f-string literal");
      push(TokenKind::Error, from, p);
      return abandonFString(p);
    }
    if (c == '\\' && p + 1 < end) {
      if (!fstring.raw && p[1] == 'N' && p[2] == '{') {
        const char *q = p + 3;
        while (q != end && (llvm::isAlnum(*q) || *q == ' ' || *q == '-'))
          ++q;
        p = *q == '}' ? q + 1 : p + 2;
      } else if (p[1] == '{' || p[1] == '}') {
        ++p; // the brace still counts
      } else {
        p += p[1] == '\r' && p[2] == '\n' ? 3 : 2;
      }
      continue;
    }
    if (c == '{') {
      if (p[1] == '{' && !inFormat) {
        p += 2;
        continue;
      }
      endFStringText(from);
      return openField();
    }
    if (c == '}') {
      if (inFormat) {
        endFStringText(from);
        open.pop_back();
        push(TokenKind::RightBrace, p, p + 1);
        ++p;
        return;
      }
      if (p[1] != '}') {
        error(Kind::InvalidFString, p, p + 1, "single '}' is not allowed");
        ++p;
        continue;
      }
      ++p;
    }
    ++p;
  }
}
