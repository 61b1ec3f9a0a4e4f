//===- Strings.h - What Python's strings do --------------------------------------===//
#pragma once

#include "Value.h"

#include <optional>

namespace engine::jinja {

/// Without spaces, or any of the characters of `set`, at its ends.
std::string strip(const std::string &text, bool left, bool right,
                  const std::optional<std::string> &set);
/// In upper or lower case; `onlyFirst`: the first character in upper, the others in lower case.
std::string mapped(const std::string &text, bool toUpper, bool onlyFirst = false);
/// `most` times at most; -1: each time.
std::string replaced(const std::string &text, const std::string &from, const std::string &to,
                     int64_t most);
/// By a string, `most` times at most, or, where `by` is none, by spaces.
List split(const std::string &text, const Value &by, int64_t most);
std::string join(const List &items, const std::string &by);
/// Lines behind the first, or all, with spaces before them.
std::string indented(const std::string &text, int64_t width, bool first);

} // namespace engine::jinja
