//===- EncodingReader.h - Fields of encodings in text -----------------------===//
//
// Internal to the room. Encodings are written as dictionaries; a DictReader takes
// the fields out one by one and complains about what is missing, of the wrong
// kind, or left over.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/Encoding.h"

#include "mlir/IR/DialectImplementation.h"

namespace gluonc::text {

using namespace mlir;
using layout::BasisList;
using layout::Ints;

inline bool toInt(Attribute attribute, int64_t &value) {
  auto integer = dyn_cast_or_null<IntegerAttr>(attribute);
  if (!integer || !integer.getType().isSignlessInteger() || integer.getValue().getBitWidth() > 64)
    return false;
  value = integer.getInt();
  return true;
}

inline bool toInts(Attribute attribute, Ints &values) {
  auto array = dyn_cast_or_null<ArrayAttr>(attribute);
  if (!array)
    return false;
  for (Attribute element : array) {
    int64_t value;
    if (!toInt(element, value))
      return false;
    values.push_back(value);
  }
  return true;
}

inline bool toBases(Attribute attribute, BasisList &bases) {
  auto array = dyn_cast_or_null<ArrayAttr>(attribute);
  if (!array)
    return false;
  for (Attribute element : array)
    if (!toInts(element, bases.emplace_back()))
      return false;
  return true;
}

class DictReader {
public:
  /// Reads `{…}`.
  explicit DictReader(AsmParser &parser) : parser(parser), where(parser.getCurrentLocation()) {
    NamedAttrList list;
    failed = parser.parseOptionalAttrDict(list).failed();
    dict = DictionaryAttr::get(parser.getContext(), list);
  }
  /// Fields that were read in another form.
  DictReader(AsmParser &parser, llvm::SMLoc where, const NamedAttrList &fields)
      : parser(parser), where(where), dict(fields.getDictionary(parser.getContext())) {}

  DictReader &get(llvm::StringRef key, int64_t &value) {
    return take(key, "an integer", toInt, value);
  }
  DictReader &get(llvm::StringRef key, Ints &value) {
    return take(key, "a list of integers", toInts, value);
  }
  DictReader &get(llvm::StringRef key, BasisList &value) {
    return take(key, "a list of basis vectors", toBases, value);
  }
  DictReader &get(llvm::StringRef key, bool &value) {
    return take(
        key, "true or false",
        [](Attribute attribute, bool &out) {
          auto flag = dyn_cast_or_null<BoolAttr>(attribute);
          if (flag)
            out = flag.getValue();
          return bool(flag);
        },
        value);
  }
  DictReader &get(llvm::StringRef key, Attribute &value) {
    return take(
        key, "an attribute",
        [](Attribute attribute, Attribute &out) {
          out = attribute;
          return true;
        },
        value);
  }
  /// For keys that may be left out.
  template <typename T> DictReader &getOptional(llvm::StringRef key, T &value) {
    return dict.contains(key) ? get(key, value) : *this;
  }
  bool has(llvm::StringRef key) const { return dict.contains(key); }

  /// True if all went well and nothing is left over.
  bool done() {
    if (!failed && taken != dict.size()) {
      for (NamedAttribute entry : dict)
        if (!llvm::is_contained(keys, entry.getName().strref()))
          complain("unknown key '" + entry.getName().strref() + "'");
    }
    return !failed;
  }

private:
  template <typename Convert, typename T>
  DictReader &take(llvm::StringRef key, llvm::StringRef what, Convert convert, T &value) {
    if (failed)
      return *this;
    ++taken;
    keys.push_back(key);
    if (!dict.contains(key))
      complain("missing key '" + key + "'");
    else if (!convert(dict.get(key), value))
      complain("'" + key + "' must be " + what);
    return *this;
  }

  void complain(const llvm::Twine &text) {
    if (!failed)
      parser.emitError(where, text);
    failed = true;
  }

  AsmParser &parser;
  llvm::SMLoc where;
  DictionaryAttr dict;
  llvm::SmallVector<llvm::StringRef, 8> keys;
  size_t taken = 0;
  bool failed = false;
};

/// The attribute if the layout validates; else an error at the parser's place.
template <typename Attr> Attribute checked(AsmParser &parser, layout::Layout layout) {
  return parser.getChecked<Attr>(parser.getContext(), std::move(layout));
}

inline LogicalResult verifyLayout(function_ref<InFlightDiagnostic()> emitError,
                                  const layout::Layout &layout, bool kindMatches) {
  if (!kindMatches)
    return emitError() << "the layout is of another kind than its encoding";
  if (layout::Problem problem = layout.validate())
    return emitError() << *problem;
  return success();
}

// -- Writing ----------------------------------------------------------------------

inline void print(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

inline void print(AsmPrinter &printer, const BasisList &bases) {
  printer << '[';
  llvm::interleaveComma(bases, printer, [&](const Ints &basis) { print(printer, basis); });
  printer << ']';
}

/// `, CGALayout = [[1, 0]]`, or nothing for a single CTA.
inline void printCga(AsmPrinter &printer, const BasisList &cga) {
  if (cga.empty())
    return;
  printer << ", CGALayout = ";
  print(printer, cga);
}

} // namespace gluonc::text
