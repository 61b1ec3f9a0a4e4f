//===- Arguments.h - What filters, tests and methods are given ------------------===//
#pragma once

#include "Value.h"

#include <string_view>

namespace engine::jinja {

using Arguments = const List &;

[[noreturn]] inline void fail(std::string_view name, const std::string &why) {
  throw Failure(std::string(name) + ": " + why);
}

/// The argument of that number, which has to be a string.
inline const std::string &textOf(std::string_view name, Arguments arguments, size_t number = 0) {
  if (number >= arguments.size() || !arguments[number].string())
    fail(name, "argument " + std::to_string(number) + " is no string");
  return *arguments[number].string();
}

/// Keys and values as lists of two.
inline List entriesOf(const Dict &dict) {
  List made;
  for (const auto &[key, value] : dict)
    made.emplace_back(List{Value(key), value});
  return made;
}

} // namespace engine::jinja
