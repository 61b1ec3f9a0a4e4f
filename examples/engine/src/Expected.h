//===- Expected.h - A value or why there is none --------------------------------===//
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace engine {

struct Error {
  std::string text;
  /// The GPU does not answer any more: all calls that follow fail, too.
  bool deviceLost = false;
};

template <class T> using Expected = std::expected<T, Error>;

inline std::unexpected<Error> fail(std::string text) {
  return std::unexpected(Error{std::move(text)});
}

} // namespace engine
