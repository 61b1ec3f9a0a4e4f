#include "syntax/Lexer.h"

#include "support/File.h"

#include <gtest/gtest.h>

using namespace gluonc;
using namespace gluonc::ast;
using diag::Kind;

namespace {

/// A lexed text with what was reported.
struct Lexed {
  diag::SourceFile file;
  diag::Collector sink{};
  TokenList list;

  explicit Lexed(std::string text) : file("t.py", std::move(text)), list(lex(file, sink)) {}

  /// Kinds joined by blanks, without the EndMarker.
  std::string kinds() const {
    std::string result;
    for (const Token &token : list.tokens)
      if (token.kind != TokenKind::EndMarker)
        result += (result.empty() ? "" : " ") + name(token.kind).str();
    return result;
  }
  std::string text(size_t index) const {
    const Token &token = list.tokens[index];
    return list.source.text.slice(token.begin, token.end).str();
  }
  /// "line:column" and kind of each report.
  std::vector<std::pair<std::string, Kind>> reports() const {
    std::vector<std::pair<std::string, Kind>> result;
    for (const diag::Diagnostic &d : sink.diagnostics) {
      diag::LineColumn place = file.position(d.span.begin);
      result.emplace_back(std::to_string(place.line) + ":" + std::to_string(place.column), d.kind);
    }
    return result;
  }
};

using Reports = std::vector<std::pair<std::string, Kind>>;

TEST(Lexer, TextsAreBounded) {
  Lexed large(std::string(mostSourceBytes + 1, '\n'));
  ASSERT_EQ(large.reports().size(), 1u);
  EXPECT_EQ(large.sink.diagnostics[0].message, "the text is larger than 32 MiB");
  EXPECT_EQ(large.kinds(), "");
}

TEST(Lexer, AnEmptyFileIsOneEndMarker) {
  EXPECT_EQ(Lexed("").list.tokens.size(), 1u);
  EXPECT_EQ(Lexed("\n  # only a comment\n\\\n").kinds(), "");
}

TEST(Lexer, TheLastLineNeedsNoLineBreak) {
  EXPECT_EQ(Lexed("x").kinds(), "Name Newline");
  EXPECT_EQ(Lexed("if x:\n  y").kinds(), "KwIf Name Colon Newline Indent Name Newline Dedent");
}

TEST(Lexer, BlanksAtTheEndOfTheFileAreNoToken) {
  EXPECT_EQ(Lexed("x \t").kinds(), "Name Newline");
  EXPECT_EQ(Lexed("(x) \f").reports().size(), 0u);
}

TEST(Lexer, AllLineBreaksEndLines) {
  EXPECT_EQ(Lexed("a\rb\r\nc\n").kinds(), "Name Newline Name Newline Name Newline");
}

TEST(Lexer, BracketsAndBackslashesJoinLines) {
  EXPECT_EQ(Lexed("(a\n  ,\n b)\n").kinds(), "LeftParen Name Comma Name RightParen Newline");
  EXPECT_EQ(Lexed("a \\\n   + b\n").kinds(), "Name Plus Name Newline");
}

TEST(Lexer, ATabReachesTheNextMultipleOfEight) {
  EXPECT_TRUE(Lexed("if a:\n\tb\n\tc\n").reports().empty());
  // Eight blanks equal a tab only under this tab size.
  EXPECT_EQ(Lexed("if a:\n\tb\n        c\n").reports(), (Reports{{"3:1", Kind::BadIndentation}}));
}

TEST(Lexer, AnUnindentMustMatchAnOuterLevel) {
  Lexed lexed("if a:\n    b\n  c\n  d\n");
  EXPECT_EQ(lexed.reports(), (Reports{{"3:1", Kind::BadIndentation}}));
}

TEST(Lexer, OperatorsAreTheLongestMatch) {
  EXPECT_EQ(Lexed("a**=b//c<<=d!=e->f:=g...\n").kinds(),
            "Name DoubleStarEqual Name DoubleSlash Name LeftShiftEqual Name NotEqual Name Arrow "
            "Name ColonEqual Name Ellipsis Newline");
}

TEST(Lexer, EveryStringPrefixIsRecognized) {
  for (std::string prefix : {"", "r", "R", "u", "U", "b", "Br", "rB", "bR"})
    EXPECT_EQ(Lexed(prefix + "'x'").kinds(), "String Newline") << prefix;
  for (std::string prefix : {"f", "F", "fr", "Rf"})
    EXPECT_EQ(Lexed(prefix + "'x'").kinds(), "FStringStart FStringMiddle FStringEnd Newline")
        << prefix;
  EXPECT_EQ(Lexed("ur'x'").kinds(), "Name String Newline");
}

TEST(Lexer, FStringsNestWithTheSameQuotes) {
  EXPECT_EQ(Lexed("f'{f'{x}'}'").kinds(),
            "FStringStart LeftBrace FStringStart LeftBrace Name RightBrace FStringEnd RightBrace "
            "FStringEnd Newline");
}

TEST(Lexer, AColonInAFieldBeginsTheFormat) {
  Lexed lexed("f'{a[b:c]:>{w}}'");
  EXPECT_EQ(lexed.kinds(),
            "FStringStart LeftBrace Name LeftSquare Name Colon Name RightSquare Colon "
            "FStringMiddle LeftBrace Name RightBrace RightBrace FStringEnd Newline");
  EXPECT_EQ(lexed.text(9), ">");
}

TEST(Lexer, DoubledBracesAreText) {
  Lexed lexed("f'a{{b}}c'");
  EXPECT_EQ(lexed.kinds(), "FStringStart FStringMiddle FStringEnd Newline");
  EXPECT_EQ(lexed.text(1), "a{{b}}c");
}

TEST(Lexer, AStringMustEndOnItsLine) {
  Lexed lexed("a = 'b\nc = 1\n");
  EXPECT_EQ(lexed.reports(), (Reports{{"1:5", Kind::UnterminatedString}}));
  EXPECT_EQ(lexed.kinds(), "Name Equal Error Newline Name Equal Number Newline");
}

TEST(Lexer, AnUnterminatedTripleQuoteIsReportedAtItsStart) {
  EXPECT_EQ(Lexed("x\n'''a\nb").reports(), (Reports{{"2:1", Kind::UnterminatedString}}));
}

TEST(Lexer, NumbersTakeSingleUnderscoresOnly) {
  EXPECT_TRUE(Lexed("1_0 0x_f 1_0.0_1e1_0j 00 0_0 1if 0xfor").reports().empty());
  for (std::string text : {"1__0", "1_", "0x", "0b2", "0o8", "1abc", "0777", "1e5_", "0_7"}) {
    Lexed lexed(text);
    ASSERT_EQ(lexed.sink.diagnostics.size(), 1u) << text;
    EXPECT_EQ(lexed.sink.diagnostics[0].kind, Kind::InvalidNumber) << text;
  }
}

TEST(Lexer, IdentifiersAreUnicode) {
  EXPECT_EQ(Lexed("größe_名前 = ª").kinds(), "Name Equal Name Newline");
  Lexed lexed("a = b€c");
  EXPECT_EQ(lexed.reports(), (Reports{{"1:6", Kind::InvalidCharacter}}));
  EXPECT_EQ(lexed.sink.diagnostics[0].message, "invalid character '€' (U+20AC)");
}

TEST(Lexer, InvalidUtf8IsReportedAtItsByte) {
  Lexed lexed("x = 1\ny = '\xFF'\n");
  EXPECT_EQ(lexed.reports(), (Reports{{"2:6", Kind::InvalidUtf8}}));
  // A surrogate and an overlong form are not UTF-8 either.
  EXPECT_EQ(Lexed("'\xED\xA0\x80'").reports()[0].second, Kind::InvalidUtf8);
  EXPECT_EQ(Lexed("'\xC0\xAF'").reports()[0].second, Kind::InvalidUtf8);
}

TEST(Lexer, AByteOrderMarkIsSkipped) {
  Lexed lexed("\xEF\xBB\xBFx\n");
  EXPECT_EQ(lexed.kinds(), "Name Newline");
  EXPECT_EQ(lexed.text(0), "x");
}

TEST(Lexer, ACookieNamesTheEncoding) {
  Lexed lexed("#!/bin/x\n# -*- coding: latin-1 -*-\na = '\xE9'; b\n");
  EXPECT_TRUE(lexed.reports().empty());
  EXPECT_EQ(lexed.text(2), "'é'");
  // Places are those of the bytes in the file.
  diag::Span span = lexed.list.source.span(lexed.list.tokens[4].begin, lexed.list.tokens[4].end);
  EXPECT_EQ(span.text(), "b");
}

TEST(Lexer, AnUnknownEncodingIsReportedAtItsName) {
  EXPECT_EQ(Lexed("# coding: klingon\n").reports(), (Reports{{"1:11", Kind::UnknownEncoding}}));
  EXPECT_EQ(Lexed("\xEF\xBB\xBF# coding: latin-1\n").reports()[0].second, Kind::UnknownEncoding);
}

TEST(Lexer, AMismatchedBracketIsReportedWithItsPartner) {
  Lexed lexed("a = (b]\n");
  EXPECT_EQ(lexed.reports(), (Reports{{"1:7", Kind::UnmatchedBracket}}));
  ASSERT_EQ(lexed.sink.diagnostics[0].labels.size(), 1u);
  EXPECT_EQ(lexed.sink.diagnostics[0].labels[0].span.text(), "(");
}

TEST(Lexer, AStatementKeywordEndsAnUnclosedBracket) {
  Lexed lexed("a = (b,\ndef f(): pass\n");
  EXPECT_EQ(lexed.reports(), (Reports{{"1:5", Kind::UnmatchedBracket}}));
  EXPECT_EQ(lexed.kinds(), "Name Equal LeftParen Name Comma Newline KwDef Name LeftParen "
                           "RightParen Colon KwPass Newline");
}

TEST(Lexer, MoreThanTwoHundredBracketsAreTooMany) {
  EXPECT_TRUE(Lexed(std::string(200, '(') + std::string(200, ')')).reports().empty());
  EXPECT_EQ(Lexed(std::string(201, '(')).reports()[0].second, Kind::NestingTooDeep);
}

TEST(Lexer, StrayCharactersAreReported) {
  EXPECT_EQ(Lexed("a ? b\n").reports(), (Reports{{"1:3", Kind::InvalidCharacter}}));
  EXPECT_EQ(Lexed("a \\ b\n").reports(), (Reports{{"1:4", Kind::InvalidCharacter}}));
  EXPECT_EQ(Lexed(std::string("a\0b\n", 4)).reports(), (Reports{{"1:2", Kind::InvalidCharacter}}));
}

TEST(Lexer, DumpShowsPlacesKindsAndText) {
  Lexed lexed("é = 'a\\n'\n");
  std::string text;
  llvm::raw_string_ostream out(text);
  dumpTokens(lexed.list, out);
  EXPECT_EQ(text, R"(1:1-1:2	Name	'é'
1:3-1:4	Equal	'='
1:5-1:10	String	"'a\\n'"
1:10-2:1	Newline	'\n'
2:1-2:1	EndMarker	''
)");
}

} // namespace
