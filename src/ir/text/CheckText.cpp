#include "ir/text/CheckText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <vector>

using llvm::StringRef;

namespace gluonc {
namespace {

constexpr size_t maxNesting = 256;

bool isNamePart(char c) { return llvm::isAlnum(c) || StringRef("$._-").contains(c); }

/// Words of the text: names with their sigil (`%0`, `^bb1`), keywords and numbers, `->`, single
/// characters. Comments and strings are passed over. Empty at the end.
struct Words {
  StringRef rest;

  StringRef next() {
    skipOpaque();
    StringRef word = rest.take_front(length());
    rest = rest.drop_front(word.size());
    return word;
  }
  StringRef peek() const { return Words(*this).next(); }

private:
  void skipOpaque() {
    for (;;) {
      rest = rest.ltrim(" \t\r\n");
      if (rest.starts_with("//"))
        rest = rest.drop_until([](char c) { return c == '\n'; });
      else if (rest.starts_with("\""))
        skipString();
      else
        return;
    }
  }

  void skipString() {
    size_t at = 1;
    while (at < rest.size() && rest[at] != '"')
      at += rest[at] == '\\' ? 2 : 1;
    rest = rest.drop_front(std::min(at + 1, rest.size()));
  }

  size_t length() const {
    if (rest.starts_with("->"))
      return 2;
    StringRef behind = rest.drop_front(std::min<size_t>(rest.size(), 1));
    if (rest.empty() || StringRef("%^#!@").contains(rest[0])) {
      bool isNumber = !behind.empty() && llvm::isDigit(behind[0]);
      return 1 + behind.take_while(isNumber ? llvm::isDigit : isNamePart).size();
    }
    if (!llvm::isAlnum(rest[0]) && rest[0] != '_')
      return 1;
    return 1 + behind.take_while([](char c) { return c != '-' && isNamePart(c); }).size();
  }
};

/// Whether the name before `words` heads a list of results: `%a, %b:2 = …`.
bool headsResults(Words words) {
  for (;;) {
    StringRef word = words.next();
    if (word == ":") {
      words.next();
      word = words.next();
    }
    if (word != "," || !words.next().starts_with("%"))
      return word == "=";
  }
}

/// Whether the parenthesis that `words` starts with belongs to a label: a colon follows it.
bool namesArguments(Words words) {
  size_t depth = 0;
  do {
    StringRef word = words.next();
    if (word.empty())
      return false;
    depth += word == "(";
    depth -= word == ")";
  } while (depth);
  return words.next() == ":";
}

struct TextCheck {
  Words words;
  StringRef last;
  std::optional<TextProblem> problem;

  /// Open brackets: `{` of regions, `d` of dictionaries, `(`, `l` of a label, `s` of what goes to a
  /// successor, `[`, `<`.
  llvm::SmallVector<char> brackets;

  struct Region {
    /// Names that end with the region; those of the last statement, which itself does not see
    /// them; and names that were used before they were defined.
    llvm::SmallVector<StringRef> defined, results, awaited;
  };
  std::vector<Region> regions = std::vector<Region>(1);
  /// Arguments of the region to come.
  llvm::SmallVector<StringRef> arguments;
  struct Name {
    /// Regions around this place that define it.
    unsigned visible = 0;
    /// The outermost region, counted from 1, that used it before it was defined; 0: none.
    size_t awaitedIn = 0;
  };
  llvm::StringMap<Name> names;
  /// Whether the last name was that of a result.
  bool isResult = false;

  std::optional<TextProblem> run(StringRef text) {
    words.rest = text;
    for (StringRef word = words.next(); !word.empty() && !problem; word = words.next()) {
      read(word);
      last = word;
    }
    return problem;
  }

  void read(StringRef word) {
    // Only names, commas and counts are in a list of results.
    isResult &= StringRef("%,:").contains(word.front()) || llvm::isDigit(word.front());
    switch (word.front()) {
    case '%':
      return name(word);
    case '{':
      return isRegion() ? openRegion(word) : open('d', word);
    case '(':
      return open(parenthesis(word), word);
    case '<':
      // MLIR's parser asks an index for its width.
      if (last == "array" && words.peek() == "index")
        problem = {words.peek().data(), "an array attribute cannot hold 'index'"};
      [[fallthrough]];
    case '[':
      return open(word.front(), word);
    case '}':
      return close("{d");
    case ')':
      return close("(ls");
    case ']':
      return close("[");
    case '>':
      return close("<");
    }
    static constexpr StringRef known[] = {"scf.for", "scf.if", "scf.while", "scf.yield",
                                          "scf.condition"};
    if (word.starts_with("scf.") && !llvm::is_contained(known, word))
      problem = {word.data(), "unknown operation '" + word.str() + "'"};
  }

  // -- Brackets ------------------------------------------------------------------

  char parenthesis(StringRef word) const {
    if (!last.starts_with("^"))
      return '(';
    StringRef fromHere(word.data(), words.rest.end() - word.data());
    return namesArguments(Words{fromHere}) ? 'l' : 's';
  }

  bool isRegion() const {
    if (last == "attributes" || last == "<")
      return false;
    if (brackets.empty() || brackets.back() == '{')
      return true;
    // The generic form has its regions in parentheses.
    return brackets.back() == '(' && (last == "(" || last == ",");
  }

  void open(char bracket, StringRef word) {
    brackets.push_back(bracket);
    if (brackets.size() > maxNesting)
      problem = {word.data(), "brackets nest deeper than " + std::to_string(maxNesting)};
  }

  /// Closes the innermost bracket of these kinds, but none of `{` with it. Angles may also be signs
  /// of comparisons.
  void close(StringRef kinds) {
    size_t at = brackets.size();
    while (at > 0 && !kinds.contains(brackets[at - 1]) &&
           !StringRef("{d").contains(brackets[at - 1]))
      --at;
    if (at == 0 || !kinds.contains(brackets[at - 1]) || (kinds == "<" && at != brackets.size()))
      return;
    bool isRegion = brackets[at - 1] == '{';
    brackets.truncate(at - 1);
    if (isRegion)
      closeRegion();
  }

  void openRegion(StringRef word) {
    open('{', word);
    regions.emplace_back();
    for (StringRef argument : arguments)
      define(argument);
    arguments.clear();
  }

  void closeRegion() {
    defineResults();
    Region closed = std::move(regions.back());
    regions.pop_back();
    for (StringRef name : closed.defined)
      --names[name].visible;
    for (StringRef name : closed.awaited)
      if (names[name].awaitedIn > regions.size())
        await(name);
  }

  // -- Names ---------------------------------------------------------------------

  void name(StringRef word) {
    char bracket = brackets.empty() ? '{' : brackets.back();
    bool isTyped = (last == "(" || last == ",") && words.peek() == ":";
    if (last == ",")
      isResult |= words.peek() == "=";
    else
      isResult = last != "=" && headsResults(words);
    if (isTyped && bracket == 'l')
      define(word);
    else if ((isTyped && bracket == '(') || (isResult && (bracket == '(' || last == "scf.for")))
      arguments.push_back(word);
    else if (isResult)
      result(word);
    else if (!names[word].visible)
      await(word);
  }

  void result(StringRef word) {
    if (last != ",")
      defineResults();
    checkDefinition(word);
    regions.back().results.push_back(word);
  }

  void defineResults() {
    for (StringRef result : std::exchange(regions.back().results, {}))
      define(result);
  }

  void await(StringRef word) {
    Name &name = names[word];
    name.awaitedIn = name.awaitedIn ? std::min(name.awaitedIn, regions.size()) : regions.size();
    regions.back().awaited.push_back(word);
  }

  void checkDefinition(StringRef word) {
    size_t awaitedIn = names[word].awaitedIn;
    if (!problem && awaitedIn && awaitedIn < regions.size())
      problem = {word.data(),
                 "'" + word.str() + "' is used outside of this region before it is defined in it"};
  }

  void define(StringRef word) {
    checkDefinition(word);
    Name &name = names[word];
    name.awaitedIn = 0;
    ++name.visible;
    regions.back().defined.push_back(word);
  }
};

} // namespace

std::optional<TextProblem> checkText(StringRef text) {
  if (text.starts_with("ML\xefR"))
    return TextProblem{text.data(), "bytecode of MLIR is not read, only text"};
  return TextCheck().run(text);
}

} // namespace gluonc
