//===- Text.h - Strings as Python counts them -----------------------------------===//
//
// Strings are UTF-8 here. Lengths, positions and widths are in code points.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace gluonc::sema {

bool isAscii(llvm::StringRef text);
size_t lengthOf(llvm::StringRef text);
/// One piece per code point.
llvm::SmallVector<llvm::StringRef> charactersOf(llvm::StringRef text);
/// The code point that `character` encodes.
uint32_t codePointOf(llvm::StringRef character);
/// Nullopt for numbers that are no character: surrogates, and beyond Unicode.
std::optional<std::string> characterOf(int64_t codePoint);
/// The first `count` code points.
llvm::StringRef prefixOf(llvm::StringRef text, size_t count);
/// What `str.isspace` takes for blank.
bool isBlank(uint32_t codePoint);
/// Without blanks at its ends.
llvm::StringRef trimmed(llvm::StringRef text);
/// Without the code points at its ends that `drops`.
llvm::StringRef trimmedLeft(llvm::StringRef text, llvm::function_ref<bool(llvm::StringRef)> drops);
llvm::StringRef trimmedRight(llvm::StringRef text, llvm::function_ref<bool(llvm::StringRef)> drops);
/// What stands between blanks.
llvm::SmallVector<llvm::StringRef> wordsOf(llvm::StringRef text);

} // namespace gluonc::sema
