//===- EncodingReader.h - Fields of encodings in text -----------------------===//
//
// Internal to the room. Encodings are written as dictionaries, whose keys are
// those of the layout's fields (layout::Field). A DictReader takes the fields out
// one by one and complains about what is missing, of the wrong kind, or left over.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/Encoding.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

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
  /// The layout of pieces in shared memory, or a parent, which is one of registers.
  DictReader &get(llvm::StringRef key, layout::Layout &value) {
    const bool wantsShared = key == "partitionLayout";
    return take(
        key, wantsShared ? "a shared encoding" : "a distributed encoding",
        [wantsShared](Attribute attribute, layout::Layout &out) {
          std::optional<layout::Layout> found = layoutOf(attribute);
          bool fits = found && !found->isPlaceholder() &&
                      (wantsShared ? found->isShared() : found->isDistributed());
          if (fits)
            out = *found;
          return fits;
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

  /// Every field that has a key.
  template <typename T> void getFields(T &layout) {
    forEachField(layout, [&](const layout::Field &field, auto &value) {
      llvm::StringRef key = field.key;
      if (key.contains('|'))
        getItems(key, value);
      else if (key.consume_back("?"))
        getOptional(key, value);
      else if (!key.empty())
        get(key, value);
    });
  }

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
  /// "versionMajor|versionMinor": the items of a list.
  void getItems(llvm::StringRef keys, Ints &values) {
    for (llvm::StringRef key : llvm::split(keys, '|'))
      get(key, values.emplace_back());
  }
  template <typename T> void getItems(llvm::StringRef, T &) {
    llvm_unreachable("only lists of integers have a key for each item");
  }

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

/// Fills in what the text left out. False after an error at `where`.
template <typename T> bool complete(AsmParser &parser, llvm::SMLoc where, T &value) {
  if constexpr (requires { value.fillDefaults(); })
    value.fillDefaults();
  if constexpr (requires { value.inferFromText(); })
    if (layout::Problem problem = value.inferFromText())
      return parser.emitError(where, *problem), false;
  return true;
}

/// `<{…}>`. Layouts whose text has a form of its own have a specialization.
template <typename Attr> Attribute parseEncoding(AsmParser &parser) {
  typename Attr::Named value{};
  if (parser.parseLess())
    return {};
  llvm::SMLoc where = parser.getCurrentLocation();
  DictReader reader(parser);
  reader.getFields(value);
  if (!reader.done() || parser.parseGreater() || !complete(parser, where, value))
    return {};
  return checked<Attr>(parser, std::move(value));
}

template <typename Attr>
LogicalResult verifyEncoding(function_ref<InFlightDiagnostic()> emitError,
                             const layout::Layout &layout) {
  if (!layout.as<typename Attr::Named>())
    return emitError() << "the layout is of another kind than its encoding";
  if (layout::Problem problem = layout.validate())
    return emitError() << *problem;
  if constexpr (std::is_same_v<Attr, ttg::LinearEncodingAttr>)
    if (!layout.as<layout::DistributedLinearLayout>()->isPermutation())
      return emitError() << "the nonzero bases of a linear encoding must be distinct unit vectors";
  return success();
}

// -- Writing ----------------------------------------------------------------------

inline void print(AsmPrinter &printer, int64_t value) { printer << value; }
inline void print(AsmPrinter &printer, bool value) { printer << (value ? "true" : "false"); }

inline void print(AsmPrinter &printer, const Ints &values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

inline void print(AsmPrinter &printer, const BasisList &bases) {
  printer << '[';
  llvm::interleaveComma(bases, printer, [&](const Ints &basis) { print(printer, basis); });
  printer << ']';
}

/// Whether a reader of the text would give the field the value it has.
template <typename T, typename M> bool canBeOmitted(const T &layout, M T::*member) {
  T without = layout;
  without.*member = T{}.*member;
  if constexpr (requires { without.fillDefaults(); })
    without.fillDefaults();
  if constexpr (requires { without.inferFromText(); })
    (void)without.inferFromText();
  return without == layout;
}

/// `key = value`, or a key for each item of a list.
template <typename V>
void printField(AsmPrinter &printer, MLIRContext *context, llvm::StringRef key, const V &value) {
  if constexpr (std::is_same_v<V, Ints>)
    if (key.contains('|')) {
      auto [first, rest] = key.split('|');
      printer << first << " = " << value.front() << ", ";
      return printField(printer, context, rest, value.back());
    }
  printer << key << " = ";
  if constexpr (std::is_same_v<V, layout::Layout>)
    printer.printAttribute(fromLayout(context, value));
  else
    print(printer, value);
}

/// Every field that has a key, without those that have their default.
template <typename Attr> void printFields(AsmPrinter &printer, Attr encoding) {
  using T = typename Attr::Named;
  const T &layout = encoding.getValue();
  llvm::ListSeparator comma;
  auto printNth = [&](unsigned wanted) {
    unsigned place = 0;
    T::fields([&](const layout::Field &field, auto member) {
      llvm::StringRef key = field.key;
      bool isOptional = key.consume_back("?");
      if (place++ != wanted || key.empty() || (isOptional && canBeOmitted(layout, member)))
        return;
      printer << llvm::StringRef(comma);
      printField(printer, encoding.getContext(), key, layout.*member);
    });
  };
  if constexpr (requires { T::textOrder; }) {
    for (unsigned place : T::textOrder)
      printNth(place);
  } else {
    unsigned count = 0;
    T::fields([&](auto...) { ++count; });
    for (unsigned place = 0; place < count; ++place)
      printNth(place);
  }
}

template <typename Attr> void printEncoding(AsmPrinter &printer, Attr encoding) {
  printer << "<{";
  printFields(printer, encoding);
  printer << "}>";
}

// Texts that have a form of their own.
template <> Attribute parseEncoding<ttg::PaddedSharedEncodingAttr>(AsmParser &parser);
template <> void printEncoding(AsmPrinter &printer, ttg::PaddedSharedEncodingAttr encoding);
template <> Attribute parseEncoding<ttg::SharedLinearEncodingAttr>(AsmParser &parser);
template <> void printEncoding(AsmPrinter &printer, ttg::SharedLinearEncodingAttr encoding);
template <> Attribute parseEncoding<ttg::AMDWmmaEncodingAttr>(AsmParser &parser);
template <> void printEncoding(AsmPrinter &printer, ttg::AMDWmmaEncodingAttr encoding);
template <> Attribute parseEncoding<ttng::TensorMemoryEncodingAttr>(AsmParser &parser);
template <> void printEncoding(AsmPrinter &printer, ttng::TensorMemoryEncodingAttr encoding);
template <> Attribute parseEncoding<ttng::TensorMemoryScalesEncodingAttr>(AsmParser &parser);
template <> void printEncoding(AsmPrinter &printer, ttng::TensorMemoryScalesEncodingAttr encoding);

} // namespace gluonc::text
