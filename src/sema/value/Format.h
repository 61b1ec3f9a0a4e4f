//===- Format.h - Python's format specifications --------------------------------===//
#pragma once

#include "sema/value/Value.h"

namespace gluonc::sema {

/// Widths and precisions beyond this have no place in compile-time code.
inline constexpr unsigned maxFormatWidth = 4096;

/// `format(value, spec)`: `[[fill]align][sign][z][#][0][width][grouping][.precision][type]`.
/// Nullopt for a specification that the value does not have.
std::optional<std::string> formatWith(const Value &value, llvm::StringRef spec);
/// `"{} {0:>4} {name!r}".format(…)`; nullopt where a field is missing or its format does not fit.
std::optional<std::string> formatFields(llvm::StringRef pattern, llvm::ArrayRef<Value> positional,
                                        llvm::ArrayRef<std::pair<Value, Value>> named);
/// `"%d-%s" % values`; nullopt where they do not fit.
std::optional<std::string> formatPercent(llvm::StringRef pattern, llvm::ArrayRef<Value> values);

/// What a field's `!r`, `!s` or `!a` makes of a value; nullopt for other letters.
std::optional<std::string> converted(const Value &value, char conversion);

// -- Pieces that both kinds of patterns use --------------------------------------

/// What `text` lacks in code points of `width`.
size_t missingWidth(llvm::StringRef text, size_t width);
/// `value`, not negative, as one of `eEfFgG` writes it. `keepsPoint`: what `#` asks for.
std::string realText(double value, char type, unsigned precision, bool keepsPoint);
/// An integer's digits, without sign and prefix; `type` is one of `dxXob`.
std::string integerDigits(const llvm::APInt &value, char type);

} // namespace gluonc::sema
