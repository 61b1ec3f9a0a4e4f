// Text of the encodings of tensor memory: fields without braces.

#include "ir/text/EncodingReader.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::text;

#define GET_ATTRDEF_CLASSES
#include "ir/TTNGAttrs.cpp.inc"

void ttng::TTNGDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/TTNGAttrs.cpp.inc"
      >();
}

/// `key = value, …>` as a dictionary.
static ParseResult parseFields(AsmParser &parser, NamedAttrList &fields) {
  if (succeeded(parser.parseOptionalGreater()))
    return success();
  do {
    llvm::StringRef key;
    Attribute value;
    if (parser.parseKeyword(&key) || parser.parseEqual() || parser.parseAttribute(value))
      return failure();
    fields.set(key, value);
  } while (succeeded(parser.parseOptionalComma()));
  return parser.parseGreater();
}

/// Older text says into how many CTAs each dim is split.
static BasisList basesOfSplit(int64_t down, int64_t right) {
  BasisList cga;
  for (int64_t value = 1; value < std::min<int64_t>(down, 16); value *= 2)
    cga.push_back({value, 0});
  for (int64_t value = 1; value < std::min<int64_t>(right, 16); value *= 2)
    cga.push_back({0, value});
  return cga;
}

template <typename Attr> static Attribute parseBare(AsmParser &parser) {
  typename Attr::Named value{};
  NamedAttrList fields;
  if (parser.parseLess())
    return {};
  llvm::SMLoc where = parser.getCurrentLocation();
  if (parseFields(parser, fields))
    return {};
  DictReader reader(parser, where, fields);
  int64_t down = 1, right = 1;
  reader.getFields(value);
  if (!reader.getOptional("CTASplitM", down).getOptional("CTASplitN", right).done())
    return {};
  if (value.cga.empty())
    value.cga = basesOfSplit(down, right);
  return checked<Attr>(parser, std::move(value));
}

template <typename Attr> static void printBare(AsmPrinter &printer, Attr encoding) {
  printer << '<';
  printFields(printer, encoding);
  printer << '>';
}

template <> Attribute text::parseEncoding<ttng::TensorMemoryEncodingAttr>(AsmParser &parser) {
  return parseBare<ttng::TensorMemoryEncodingAttr>(parser);
}
template <> void text::printEncoding(AsmPrinter &printer, ttng::TensorMemoryEncodingAttr encoding) {
  printBare(printer, encoding);
}
template <> Attribute text::parseEncoding<ttng::TensorMemoryScalesEncodingAttr>(AsmParser &parser) {
  return parseBare<ttng::TensorMemoryScalesEncodingAttr>(parser);
}
template <>
void text::printEncoding(AsmPrinter &printer, ttng::TensorMemoryScalesEncodingAttr encoding) {
  printBare(printer, encoding);
}
