#include "syntax/Dump.h"

#include "syntax/Unicode.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <charconv>
#include <cmath>

using namespace gluonc;
using namespace gluonc::ast;

//===----------------------------------------------------------------------===//
// repr
//===----------------------------------------------------------------------===//

static char quoteFor(StringRef text) {
  return text.contains('\'') && !text.contains('"') ? '"' : '\'';
}

/// The escapes that str and bytes share; false if `c` is none of them.
static bool printCommonEscape(uint32_t c, char quote, llvm::raw_ostream &out) {
  switch (c) {
  case '\n':
    out << "\\n";
    return true;
  case '\r':
    out << "\\r";
    return true;
  case '\t':
    out << "\\t";
    return true;
  default:
    if (c != '\\' && c != static_cast<uint8_t>(quote))
      return false;
    out << '\\' << static_cast<char>(c);
    return true;
  }
}

static void printStrRepr(StringRef text, llvm::raw_ostream &out) {
  char quote = quoteFor(text);
  out << quote;
  while (!text.empty()) {
    StringRef rest = text;
    uint32_t c = takeCodePoint(rest);
    StringRef bytes = text.drop_back(rest.size());
    text = rest;
    if (printCommonEscape(c, quote, out))
      continue;
    if (isPrintable(c))
      out << bytes;
    else if (c < 0x100)
      out << llvm::format("\\x%02x", c);
    else if (c < 0x10000)
      out << llvm::format("\\u%04x", c);
    else
      out << llvm::format("\\U%08x", c);
  }
  out << quote;
}

static void printBytesRepr(StringRef bytes, llvm::raw_ostream &out) {
  char quote = quoteFor(bytes);
  out << 'b' << quote;
  for (char c : bytes) {
    auto byte = static_cast<uint8_t>(c);
    if (printCommonEscape(byte, quote, out))
      continue;
    if (byte >= 0x20 && byte < 0x7F)
      out << c;
    else
      out << llvm::format("\\x%02x", byte);
  }
  out << quote;
}

/// repr of a float; `whole` is what follows an integral value (".0" or nothing).
static void printFloatRepr(double value, StringRef whole, llvm::raw_ostream &out) {
  if (std::isinf(value)) {
    out << "inf";
    return;
  }
  // The shortest digits that give the value back, as d.ddde±xx.
  char buffer[40];
  char *end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  auto [mantissa, exponentText] = StringRef(buffer, static_cast<size_t>(end - buffer)).split('e');
  int exponent = 0;
  exponentText.consume_front("+");
  exponentText.getAsInteger(10, exponent);
  std::string digits = mantissa.str();
  llvm::erase(digits, '.');
  int count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    out << digits[0] << (count > 1 ? "." : "") << StringRef(digits).drop_front();
    out << 'e' << (exponent < 0 ? '-' : '+') << llvm::format("%02d", std::abs(exponent));
  } else if (exponent < 0) {
    out << "0." << std::string(static_cast<size_t>(-exponent - 1), '0') << digits;
  } else if (exponent >= count - 1) {
    out << digits << std::string(static_cast<size_t>(exponent - count + 1), '0') << whole;
  } else {
    out << StringRef(digits).take_front(static_cast<size_t>(exponent) + 1) << '.'
        << StringRef(digits).drop_front(static_cast<size_t>(exponent) + 1);
  }
}

static void printIntRepr(const Constant &constant, llvm::raw_ostream &out) {
  if (constant.words.size() == 1) {
    out << constant.words[0];
    return;
  }
  llvm::SmallString<64> digits;
  // Decimal conversion takes quadratic time; nobody reads numbers of this size.
  bool huge = constant.words.size() > 256;
  constant.integer().toString(digits, huge ? 16 : 10, /*Signed=*/false, /*formatAsCLiteral=*/huge);
  out << digits;
}

void ast::printRepr(const Constant &constant, llvm::raw_ostream &out) {
  switch (constant.value) {
  case ConstantKind::None:
    out << "None";
    break;
  case ConstantKind::True:
    out << "True";
    break;
  case ConstantKind::False:
    out << "False";
    break;
  case ConstantKind::Ellipsis:
    out << "Ellipsis";
    break;
  case ConstantKind::Int:
    printIntRepr(constant, out);
    break;
  case ConstantKind::Float:
    printFloatRepr(constant.number, ".0", out);
    break;
  case ConstantKind::Complex:
    printFloatRepr(constant.number, "", out);
    out << 'j';
    break;
  case ConstantKind::Str:
    printStrRepr(constant.text, out);
    break;
  case ConstantKind::Bytes:
    printBytesRepr(constant.text, out);
    break;
  }
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

namespace {
struct Dumper {
  llvm::raw_ostream &out;
  PythonVersion version;

  void node(const Node &node) {
    out << name(node.kind) << '(';
    bool first = true;
    visit(node, [&](const auto &self) {
      self.fields([&](StringRef name, const auto &value) {
        if (isOmitted(name, value))
          return;
        out << (first ? "" : ", ") << name << '=';
        first = false;
        field(node, value);
      });
    });
    if (const auto *constant = llvm::dyn_cast<Constant>(&node); constant && constant->unicodePrefix)
      out << ", kind='u'";
    if (llvm::isa<Module>(node))
      out << ", type_ignores=[]";
    out << ')';
  }

private:
  /// Absent optional fields are not shown.
  template <typename T> bool isOmitted(StringRef name, const T &value) const {
    if constexpr (std::is_pointer_v<T>)
      return !value;
    else if constexpr (std::is_same_v<T, StringRef>)
      return !value.data();
    else
      return version == PythonVersion::Python311 && name == "type_params";
  }

  template <typename T> void field(const Node &owner, const T &value) {
    if constexpr (std::is_pointer_v<T>) {
      node(*value);
    } else if constexpr (std::is_same_v<T, StringRef>) {
      printStrRepr(value, out);
    } else if constexpr (std::is_same_v<T, ConstantKind>) {
      constant(owner, value);
    } else if constexpr (std::is_enum_v<T>) {
      out << name(value) << "()";
    } else if constexpr (std::is_arithmetic_v<T>) {
      out << static_cast<int>(value);
    } else {
      list(value);
    }
  }

  void constant(const Node &owner, ConstantKind value) {
    if (const auto *literal = llvm::dyn_cast<Constant>(&owner))
      return printRepr(*literal, out);
    Constant singleton{Span()};
    singleton.value = value;
    printRepr(singleton, out);
  }

  template <typename T> void list(ArrayRef<T> items) {
    out << '[';
    for (size_t i = 0; i < items.size(); ++i) {
      out << (i ? ", " : "");
      if constexpr (std::is_same_v<T, CompareOperator>)
        out << name(items[i]) << "()";
      else if constexpr (std::is_same_v<T, StringRef>)
        printStrRepr(items[i], out);
      else if (items[i])
        node(*items[i]);
      else
        out << "None";
    }
    out << ']';
  }
};
} // namespace

void ast::dump(const Node &node, llvm::raw_ostream &out, PythonVersion version) {
  Dumper{out, version}.node(node);
}
