#include "syntax/Unicode.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <tuple>

using namespace gluonc;
using namespace gluonc::ast;

namespace {
struct Range {
  uint32_t first, last;
};
struct ClassRange {
  uint32_t first, last;
  uint8_t combiningClass;
};
/// length 0: each point becomes target + step * (point - first), one point.
/// Otherwise: first == last, which becomes decompositionPool[target, +length).
struct Decomposition {
  uint32_t first, last, target;
  uint8_t length, step;
};
struct Composition {
  uint32_t first, second, composed;
};
} // namespace

#include "syntax/UnicodeTables.inc"

template <typename Row> static const Row *find(llvm::ArrayRef<Row> rows, uint32_t point) {
  const Row *row = std::lower_bound(rows.begin(), rows.end(), point,
                                    [](const Row &r, uint32_t p) { return r.last < p; });
  return row != rows.end() && row->first <= point ? row : nullptr;
}

static bool isAsciiLetter(uint32_t c) { return (c | 32) - 'a' < 26; }

bool ast::isIdentifierStart(uint32_t c) {
  if (c < 0x80)
    return isAsciiLetter(c) || c == '_';
  return find(llvm::ArrayRef(identifierStart), c);
}

bool ast::isIdentifierContinue(uint32_t c) {
  if (c < 0x80)
    return isAsciiLetter(c) || c - '0' < 10 || c == '_';
  return find(llvm::ArrayRef(identifierContinue), c);
}

bool ast::isPrintable(uint32_t c) {
  if (c < 0x80)
    return c >= 0x20 && c < 0x7F;
  return find(llvm::ArrayRef(printable), c);
}

void ast::appendUtf8(std::string &out, uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
  }
  out += static_cast<char>(0x80 | (c & 0x3F));
}

uint32_t ast::takeCodePoint(llvm::StringRef &text) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  uint8_t lead = byte(0);
  unsigned length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length == 0 || lead > 0xF4 || length > text.size()) {
    text = text.drop_front();
    return invalidCodePoint;
  }
  uint32_t c = length == 1 ? lead : lead & (0x7F >> length);
  for (unsigned i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) {
      text = text.drop_front();
      return invalidCodePoint;
    }
    c = c << 6 | (byte(i) & 0x3F);
  }
  // Reject overlong forms and what lies behind the last plane.
  if ((length == 3 && c < 0x800) || (length == 4 && (c < 0x10000 || c > 0x10FFFF))) {
    text = text.drop_front();
    return invalidCodePoint;
  }
  text = text.drop_front(length);
  return c;
}

//===----------------------------------------------------------------------===//
// Normalization: decompose, sort marks by combining class, compose (UAX #15).
//===----------------------------------------------------------------------===//

namespace {
using Points = llvm::SmallVector<uint32_t, 32>;

// Hangul syllables decompose and compose by arithmetic (UAX #15, section 3.12 of Unicode).
constexpr uint32_t hangulBase = 0xAC00, leadBase = 0x1100, vowelBase = 0x1161, tailBase = 0x11A7;
constexpr uint32_t leads = 19, vowels = 21, tails = 28;
} // namespace

static uint8_t combiningClass(uint32_t point) {
  const ClassRange *row = find(llvm::ArrayRef(combiningClasses), point);
  return row ? row->combiningClass : 0;
}

static void decompose(uint32_t point, Points &out) {
  if (point - hangulBase < leads * vowels * tails) {
    uint32_t index = point - hangulBase;
    out.push_back(leadBase + index / (vowels * tails));
    out.push_back(vowelBase + index / tails % vowels);
    if (uint32_t tail = index % tails)
      out.push_back(tailBase + tail);
    return;
  }
  const Decomposition *row = point < 0x80 ? nullptr : find(llvm::ArrayRef(decompositions), point);
  if (!row)
    out.push_back(point);
  else if (row->length == 0)
    out.push_back(row->target + row->step * (point - row->first));
  else
    out.append(decompositionPool + row->target, decompositionPool + row->target + row->length);
}

/// The composition of two points, or 0.
static uint32_t compose(uint32_t a, uint32_t b) {
  if (a - leadBase < leads && b - vowelBase < vowels)
    return hangulBase + ((a - leadBase) * vowels + (b - vowelBase)) * tails;
  if (a - hangulBase < leads * vowels * tails && (a - hangulBase) % tails == 0 &&
      b - tailBase - 1 < tails - 1)
    return a + (b - tailBase);
  const Composition *end = std::end(compositions);
  const Composition *row = std::lower_bound(
      std::begin(compositions), end, std::pair(a, b),
      [](const Composition &r, auto key) { return std::pair(r.first, r.second) < key; });
  return row != end && row->first == a && row->second == b ? row->composed : 0;
}

static void sortMarks(Points &points) {
  auto isMark = [](uint32_t p) { return combiningClass(p) != 0; };
  auto begin = points.begin();
  while (begin != points.end()) {
    begin = std::find_if(begin, points.end(), isMark);
    auto end = std::find_if_not(begin, points.end(), isMark);
    // The position breaks ties, which keeps marks of one class in order.
    llvm::SmallVector<std::tuple<uint8_t, size_t, uint32_t>> keyed;
    for (auto it = begin; it != end; ++it)
      keyed.emplace_back(combiningClass(*it), it - begin, *it);
    std::sort(keyed.begin(), keyed.end());
    std::transform(keyed.begin(), keyed.end(), begin,
                   [](const auto &key) { return std::get<2>(key); });
    begin = end;
  }
}

static void composeAll(Points &points) {
  size_t starter = 0, out = 0;
  bool haveStarter = false;
  // The class of the last mark kept since the starter; it may block composition.
  int lastClass = -1;
  for (uint32_t point : points) {
    int current = combiningClass(point);
    if (haveStarter && lastClass < current) {
      if (uint32_t composed = compose(points[starter], point)) {
        points[starter] = composed;
        continue;
      }
    }
    if (current == 0) {
      starter = out;
      haveStarter = true;
      lastClass = -1;
    } else {
      lastClass = current;
    }
    points[out++] = point;
  }
  points.truncate(out);
}

std::string ast::normalizeIdentifier(llvm::StringRef identifier) {
  Points points;
  while (!identifier.empty())
    decompose(takeCodePoint(identifier), points);
  sortMarks(points);
  composeAll(points);
  std::string result;
  for (uint32_t point : points)
    appendUtf8(result, point);
  return result;
}
