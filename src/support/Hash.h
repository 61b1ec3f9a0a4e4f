//===- Hash.h - Stable content hashes --------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gluonc {

/// Accumulates a SHA-256 over length-prefixed parts, so that ("ab","c") and
/// ("a","bc") differ. Stable across processes, machines and releases.
class ContentHash {
public:
  ContentHash();
  ContentHash(const ContentHash &) = delete;
  ~ContentHash();
  ContentHash &add(std::string_view part);
  ContentHash &add(uint64_t value);
  /// 64 lower-case hexadecimal digits. The object is spent afterwards.
  std::string hex();

private:
  struct State;
  State *state;
};

} // namespace gluonc
