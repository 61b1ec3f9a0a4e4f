//===- Utf8.h - Bytes that become text a few at a time --------------------------===//
#pragma once

#include <string>
#include <string_view>

namespace engine {

bool isUtf8(std::string_view text);

/// Normalization form C of valid UTF-8.
std::string composeNfc(std::string_view text);

/// Takes bytes in any pieces, gives whole code points. What is no UTF-8 becomes U+FFFD, one for
/// each longest run of bytes that begins a code point, as the Unicode standard recommends.
class Utf8Stream {
public:
  /// The text that `bytes` complete.
  std::string put(std::string_view bytes);
  /// What the bytes held back are if no more come.
  std::string finish();

private:
  std::string pending;
};

} // namespace engine
