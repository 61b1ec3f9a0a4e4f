//===- Format.h - Python's format specifications --------------------------------===//
#pragma once

#include "sema/Value.h"

namespace gluonc::sema {

/// `format(value, spec)`: `[[fill]align][sign][#][0][width][,][.precision][type]`. Nullopt for a
/// specification that the value does not have.
std::optional<std::string> formatWith(const Value &value, llvm::StringRef spec);
/// `"{} {0:>4} {name}".format(…)`; nullopt where a field is missing or its format does not fit.
std::optional<std::string> formatFields(llvm::StringRef pattern, llvm::ArrayRef<Value> positional,
                                        llvm::ArrayRef<std::pair<Value, Value>> named);
/// `"%d-%s" % values`; nullopt where they do not fit.
std::optional<std::string> formatPercent(llvm::StringRef pattern, llvm::ArrayRef<Value> values);

} // namespace gluonc::sema
