//===- Signature.h - Parameter lists of builtins ------------------------------===//
//
// A row of a builtin spells its parameters the way Python would:
//
//   "pointer: pointer, mask: tensor = None, *, volatile: bool = False"
//
// The text is read while gluonc is compiled, so a mistake in it does not build,
// and reading it costs nothing at run time. `name=` is short for a parameter of
// any kind that may be left out, `*rest` takes what is left, names after a lone
// `*` (or after `*rest`) are keyword-only, and "..." takes anything and binds
// nothing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace gluonc::sema {

/// A word that says what a parameter takes.
struct TypeWord {
  llvm::StringLiteral word;
  /// The annotation in stubs for Python's tools.
  llvm::StringLiteral python;
  llvm::StringLiteral meaning;
};

inline constexpr TypeWord typeWords[] = {
    {"value", "Any", "any value"},
    {"tensor", "tensor | Number", "a tensor (a block, or a scalar of the run time) or a number"},
    {"block", "tensor", "a tensor that has a shape"},
    {"scalar", "tensor | Number", "a number, or a tensor without a shape"},
    {"pointer", "tensor", "a pointer, or a block of pointers"},
    {"buffer", "shared_memory_descriptor", "a shared memory descriptor"},
    {"barrier", "shared_memory_descriptor",
     "a shared memory descriptor of int64 with one dimension: an mbarrier"},
    {"descriptor", "Any", "a tensor descriptor"},
    {"accumulator", "Any", "a tensor in an accumulator layout, or what a product gave"},
    {"int", "int", "an integer known at compile time"},
    {"bool", "bool", "True or False, known at compile time"},
    {"str", "str", "a string known at compile time"},
    {"dtype", "dtype", "an element type"},
    {"layout", "Layout", "a layout"},
    {"ints", "Sequence[int]", "a sequence of integers known at compile time"},
    {"scalars", "Sequence[tensor | Number]", "a sequence of scalars"},
    {"sequence", "Sequence[Any]", "a sequence of values"},
    {"function", "Callable[..., Any]", "a function marked with `@gluon.jit`"},
};

class Signature {
public:
  static constexpr unsigned most = 16;

  struct Parameter {
    llvm::StringRef name;
    /// As it is written; empty where the parameter must be given, or where nothing is said.
    llvm::StringRef defaultText;
    const TypeWord *type;
    bool isOptional, isVariadic, isKeywordOnly;
  };

  consteval Signature(llvm::StringRef text) : text(text.data()), size(uint16_t(text.size())) {
    read();
  }
  consteval Signature(const char *text) : Signature(llvm::StringRef(text)) {}

  unsigned count() const { return entryCount; }
  /// "...": binds nothing.
  bool takesAnything() const { return anything; }
  Parameter operator[](size_t i) const {
    const Entry &entry = entries[i];
    return {llvm::StringRef(text + entry.name, entry.nameSize),
            llvm::StringRef(text + entry.value, entry.valueSize),
            &typeWords[entry.type],
            entry.isOptional,
            entry.isVariadic,
            entry.isKeywordOnly};
  }
  /// The position of the parameter; count() where there is none.
  unsigned find(llvm::StringRef name) const {
    unsigned i = 0;
    while (i < entryCount && llvm::StringRef(text + entries[i].name, entries[i].nameSize) != name)
      ++i;
    return i;
  }

private:
  struct Entry {
    uint16_t name = 0, value = 0;
    uint8_t nameSize = 0, valueSize = 0;
    uint8_t type = 0;
    bool isOptional = false, isVariadic = false, isKeywordOnly = false;
  };

  /// Called for a text that is no parameter list; being no constant, it does not compile.
  static void malformed(const char *why);

  static constexpr bool isWordCharacter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  constexpr void skipSpaces(uint16_t &at) const {
    while (at < size && text[at] == ' ')
      ++at;
  }
  constexpr uint8_t readWord(uint16_t &at) const {
    uint16_t begin = at;
    while (at < size && isWordCharacter(text[at]))
      ++at;
    return uint8_t(at - begin);
  }
  constexpr uint8_t typeOf(uint16_t begin, uint8_t length) const {
    for (uint8_t i = 0; i < std::size(typeWords); ++i) {
      const char *word = typeWords[i].word.data();
      uint8_t same = 0;
      while (same < length && word[same] == text[begin + same])
        ++same;
      if (same == length && word[same] == '\0')
        return i;
    }
    malformed("unknown type word");
    return 0;
  }

  constexpr void read() {
    anything = size == 3 && text[0] == '.' && text[1] == '.' && text[2] == '.';
    if (anything)
      return;
    bool keywordOnly = false;
    for (uint16_t at = 0; at < size;) {
      skipSpaces(at);
      Entry entry;
      entry.isKeywordOnly = keywordOnly;
      if (text[at] == '*') {
        ++at;
        keywordOnly = true;
        entry.isVariadic = true;
      }
      entry.name = at;
      entry.nameSize = readWord(at);
      if (at < size && text[at] == ':') {
        ++at;
        skipSpaces(at);
        uint16_t begin = at;
        entry.type = typeOf(begin, readWord(at));
      }
      skipSpaces(at);
      if (at < size && text[at] == '=') {
        entry.isOptional = true;
        ++at;
        skipSpaces(at);
        entry.value = at;
        while (at < size && text[at] != ',')
          ++at;
        entry.valueSize = uint8_t(at - entry.value);
      }
      if (at < size && text[at] != ',')
        malformed("expected a comma");
      if (at < size)
        ++at;
      // A lone `*` names nothing.
      if (entry.isVariadic && entry.nameSize == 0)
        continue;
      if (entry.nameSize == 0 || entryCount == most)
        malformed("a parameter without a name, or too many of them");
      entries[entryCount++] = entry;
    }
  }

  const char *text;
  uint16_t size;
  uint8_t entryCount = 0;
  bool anything = false;
  Entry entries[most];
};

} // namespace gluonc::sema
