#include "syntax/Encoding.h"

#include "syntax/Unicode.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

using namespace gluonc;
using namespace gluonc::ast;
using llvm::StringRef;

uint32_t Source::original(uint32_t offset) const {
  auto next = std::upper_bound(shifts.begin(), shifts.end(), offset,
                               [](uint32_t o, const Shift &s) { return o < s.textOffset; });
  if (next == shifts.begin())
    return offset;
  const Shift &shift = *std::prev(next);
  uint32_t mapped = shift.fileOffset + (offset - shift.textOffset);
  // Within a character that takes more bytes in UTF-8 than in the file.
  return next == shifts.end() ? mapped : std::min(mapped, next->fileOffset);
}

namespace {
enum class Encoding { Utf8, Ascii, Latin1, Latin9, Windows1252, Koi8R };
struct Cookie {
  StringRef name;
  uint32_t offset;
};
/// Code points of bytes 0x80 to 0xFF; 0 where the byte is unassigned.
using Upper = std::array<uint16_t, 128>;
} // namespace

/// The name in a coding cookie in the comment of `line`.
static std::optional<StringRef> cookieIn(StringRef line) {
  StringRef rest = line.ltrim(" \t\f");
  if (!rest.consume_front("#"))
    return std::nullopt;
  for (size_t at = rest.find("coding"); at != StringRef::npos; at = rest.find("coding", at + 1)) {
    StringRef tail = rest.drop_front(at + 6);
    if (!tail.consume_front(":") && !tail.consume_front("="))
      continue;
    StringRef name = tail.ltrim(" \t").take_while(
        [](char c) { return llvm::isAlnum(c) || c == '-' || c == '_' || c == '.'; });
    if (!name.empty())
      return name;
  }
  return std::nullopt;
}

static std::optional<Cookie> findCookie(StringRef text) {
  StringRef rest = text;
  for (int lineNumber = 0; lineNumber < 2; ++lineNumber) {
    StringRef line = rest.take_until([](char c) { return c == '\n' || c == '\r'; });
    if (auto name = cookieIn(line))
      return Cookie{*name, static_cast<uint32_t>(name->data() - text.data())};
    // The second line counts only behind an empty line or a comment.
    StringRef bare = line.ltrim(" \t\f");
    if (!bare.empty() && bare.front() != '#')
      return std::nullopt;
    rest = rest.drop_front(line.size());
    if (!rest.consume_front("\r\n") && !rest.empty())
      rest = rest.drop_front();
  }
  return std::nullopt;
}

static std::optional<Encoding> encodingNamed(StringRef name) {
  std::string key = name.lower();
  std::replace(key.begin(), key.end(), '_', '-');
  StringRef k = key;
  auto oneOf = [&](std::initializer_list<StringRef> names) { return llvm::is_contained(names, k); };
  if (k == "utf-8" || k.starts_with("utf-8-") || oneOf({"utf8", "u8", "cp65001"}))
    return Encoding::Utf8;
  if (oneOf({"ascii", "us-ascii", "646", "ansi-x3.4-1968"}))
    return Encoding::Ascii;
  if (oneOf(
          {"latin-1", "iso-8859-1", "iso-latin-1", "latin1", "iso8859-1", "l1", "8859", "cp819"}) ||
      k.starts_with("latin-1-") || k.starts_with("iso-8859-1-") || k.starts_with("iso-latin-1-"))
    return Encoding::Latin1;
  if (oneOf({"iso-8859-15", "iso8859-15", "latin-9", "latin9", "l9"}))
    return Encoding::Latin9;
  if (oneOf({"cp1252", "windows-1252", "1252"}))
    return Encoding::Windows1252;
  if (oneOf({"koi8-r", "koi8r", "cskoi8r"}))
    return Encoding::Koi8R;
  return std::nullopt;
}

static Upper upperHalf(Encoding encoding) {
  Upper table;
  for (unsigned i = 0; i < 128; ++i)
    table[i] = static_cast<uint16_t>(0x80 + i);
  switch (encoding) {
  case Encoding::Utf8:
  case Encoding::Ascii:
    table.fill(0);
    break;
  case Encoding::Latin1:
    break;
  case Encoding::Latin9:
    for (auto [byte, point] : std::initializer_list<std::pair<unsigned, uint16_t>>{{0xA4, 0x20AC},
                                                                                   {0xA6, 0x160},
                                                                                   {0xA8, 0x161},
                                                                                   {0xB4, 0x17D},
                                                                                   {0xB8, 0x17E},
                                                                                   {0xBC, 0x152},
                                                                                   {0xBD, 0x153},
                                                                                   {0xBE, 0x178}})
      table[byte - 0x80] = point;
    break;
  case Encoding::Windows1252: {
    static constexpr uint16_t first[32] = {
        0x20AC, 0,      0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021, 0x2C6,  0x2030, 0x160,
        0x2039, 0x152,  0,      0x17D,  0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
        0x2013, 0x2014, 0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0,      0x17E,  0x178};
    std::copy(std::begin(first), std::end(first), table.begin());
    break;
  }
  case Encoding::Koi8R: {
    static constexpr uint16_t all[128] = {
        0x2500, 0x2502, 0x250C, 0x2510, 0x2514, 0x2518, 0x251C, 0x2524, 0x252C, 0x2534, 0x253C,
        0x2580, 0x2584, 0x2588, 0x258C, 0x2590, 0x2591, 0x2592, 0x2593, 0x2320, 0x25A0, 0x2219,
        0x221A, 0x2248, 0x2264, 0x2265, 0xA0,   0x2321, 0xB0,   0xB2,   0xB7,   0xF7,   0x2550,
        0x2551, 0x2552, 0x451,  0x2553, 0x2554, 0x2555, 0x2556, 0x2557, 0x2558, 0x2559, 0x255A,
        0x255B, 0x255C, 0x255D, 0x255E, 0x255F, 0x2560, 0x2561, 0x401,  0x2562, 0x2563, 0x2564,
        0x2565, 0x2566, 0x2567, 0x2568, 0x2569, 0x256A, 0x256B, 0x256C, 0xA9,   0x44E,  0x430,
        0x431,  0x446,  0x434,  0x435,  0x444,  0x433,  0x445,  0x438,  0x439,  0x43A,  0x43B,
        0x43C,  0x43D,  0x43E,  0x43F,  0x44F,  0x440,  0x441,  0x442,  0x443,  0x436,  0x432,
        0x44C,  0x44B,  0x437,  0x448,  0x44D,  0x449,  0x447,  0x44A,  0x42E,  0x410,  0x411,
        0x426,  0x414,  0x415,  0x424,  0x413,  0x425,  0x418,  0x419,  0x41A,  0x41B,  0x41C,
        0x41D,  0x41E,  0x41F,  0x42F,  0x420,  0x421,  0x422,  0x423,  0x416,  0x412,  0x42C,
        0x42B,  0x417,  0x428,  0x42D,  0x429,  0x427,  0x42A};
    std::copy(std::begin(all), std::end(all), table.begin());
    break;
  }
  }
  return table;
}

/// Offset of the first byte that is not UTF-8 (or is a surrogate), or npos.
static size_t findInvalidUtf8(StringRef text) {
  const char *p = text.begin(), *end = text.end();
  while (p != end) {
    uint64_t word;
    while (end - p >= 8 && (std::memcpy(&word, p, 8), (word & 0x8080808080808080ull) == 0))
      p += 8;
    if (p == end)
      break;
    if (static_cast<signed char>(*p) >= 0) {
      ++p;
      continue;
    }
    StringRef rest(p, static_cast<size_t>(end - p));
    uint32_t c = takeCodePoint(rest);
    if (c == invalidCodePoint || (c >= 0xD800 && c < 0xE000))
      return static_cast<size_t>(p - text.begin());
    p = rest.data();
  }
  return StringRef::npos;
}

static bool convert(StringRef text, const Upper &upper, StringRef encodingName, Source &source,
                    diag::Sink &sink) {
  auto out = std::make_shared<std::string>();
  out->reserve(text.size() + text.size() / 8);
  for (uint32_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<uint8_t>(text[i]);
    if (byte < 0x80) {
      *out += text[i];
      continue;
    }
    if (upper[byte - 0x80] == 0) {
      sink.report(diag::Kind::InvalidCharacter, {source.file, i, i + 1},
                  "byte 0x" + llvm::utohexstr(byte) + " in encoding " + encodingName.str())
          .end();
      return false;
    }
    appendUtf8(*out, upper[byte - 0x80]);
    source.shifts.push_back({static_cast<uint32_t>(out->size()), i + 1});
  }
  source.text = *out;
  source.converted = std::move(out);
  return true;
}

bool ast::decodeSource(const diag::SourceFile &file, Source &source, diag::Sink &sink) {
  source.file = &file;
  source.text = file.text();
  if (source.text.size() > INT32_MAX / 2) {
    sink.report(diag::Kind::SyntaxError, {&file, 0, 0}, "the file is larger than 1 GiB").end();
    return false;
  }
  bool marked = source.text.starts_with("\xEF\xBB\xBF");
  source.start = marked ? 3 : 0;
  Encoding encoding = Encoding::Utf8;
  std::optional<Cookie> cookie = findCookie(source.text.drop_front(source.start));
  if (cookie) {
    uint32_t begin = cookie->offset + source.start;
    diag::Span span{&file, begin, begin + static_cast<uint32_t>(cookie->name.size())};
    std::optional<Encoding> named = encodingNamed(cookie->name);
    if (!named || (marked && *named != Encoding::Utf8)) {
      sink.report(diag::Kind::UnknownEncoding, span,
                  marked && named ? cookie->name.str() + " with a byte-order mark"
                                  : cookie->name.str())
          .hint("save the file as UTF-8")
          .end();
      return false;
    }
    encoding = *named;
  }
  if (encoding != Encoding::Utf8)
    return convert(source.text, upperHalf(encoding), cookie->name, source, sink);
  size_t bad = findInvalidUtf8(source.text);
  if (bad == StringRef::npos)
    return true;
  auto at = static_cast<uint32_t>(bad);
  sink.report(diag::Kind::InvalidUtf8, {&file, at, at + 1},
              "byte 0x" + llvm::utohexstr(static_cast<uint8_t>(source.text[bad])) +
                  " begins no character")
      .end();
  return false;
}
