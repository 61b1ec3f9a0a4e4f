//===- Unicode.h - The facts about characters that Python's syntax needs -----===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace gluonc::ast {

/// What identifiers may start with and go on with: XID_Start, XID_Continue and _.
bool isIdentifierStart(uint32_t codePoint);
bool isIdentifierContinue(uint32_t codePoint);

/// What Python's repr leaves unescaped.
bool isPrintable(uint32_t codePoint);

/// Normalization form KC of a valid identifier, under which Python compares names.
std::string normalizeIdentifier(llvm::StringRef identifier);

/// Appends UTF-8; a surrogate becomes its three-byte form.
void appendUtf8(std::string &out, uint32_t codePoint);

/// Takes one code point off the front of UTF-8 text (surrogates as above). An
/// invalid byte is taken alone and gives invalidCodePoint. `text` is not empty.
uint32_t takeCodePoint(llvm::StringRef &text);
inline constexpr uint32_t invalidCodePoint = 0xFFFFFFFF;

} // namespace gluonc::ast
