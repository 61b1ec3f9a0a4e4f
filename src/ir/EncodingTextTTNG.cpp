// Text of the encodings of tensor memory: fields without braces.

#include "ir/EncodingReader.h"

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

/// `<blockM = 128, …`: nullopt after an error.
static std::optional<DictReader> readFields(AsmParser &parser) {
  NamedAttrList fields;
  if (parser.parseLess())
    return std::nullopt;
  llvm::SMLoc where = parser.getCurrentLocation();
  if (parseFields(parser, fields))
    return std::nullopt;
  return DictReader(parser, where, fields);
}

/// The fields that all have: the CTAs, as bases or as a split.
static bool readCtas(DictReader &reader, BasisList &cga) {
  int64_t down = 1, right = 1;
  if (!reader.getOptional("CGALayout", cga)
           .getOptional("CTASplitM", down)
           .getOptional("CTASplitN", right)
           .done())
    return false;
  if (cga.empty())
    cga = basesOfSplit(down, right);
  return true;
}

Attribute ttng::TensorMemoryEncodingAttr::parse(AsmParser &parser, Type) {
  layout::TensorMemoryLayout value{{0, 0}, 1, {}, false, false};
  std::optional<DictReader> reader = readFields(parser);
  if (!reader)
    return {};
  reader->get("blockM", value.block[0])
      .get("blockN", value.block[1])
      .get("colStride", value.colStride)
      .getOptional("twoCTAs", value.twoCtas)
      .getOptional("fp4Padded", value.fp4Padded);
  if (!readCtas(*reader, value.cga))
    return {};
  return checked<TensorMemoryEncodingAttr>(parser, std::move(value));
}

void ttng::TensorMemoryEncodingAttr::print(AsmPrinter &printer) const {
  const layout::TensorMemoryLayout &value = getValue();
  printer << "<blockM = " << value.block[0] << ", blockN = " << value.block[1]
          << ", colStride = " << value.colStride;
  printCga(printer, value.cga);
  if (value.twoCtas)
    printer << ", twoCTAs = true";
  if (value.fp4Padded)
    printer << ", fp4Padded = true";
  printer << '>';
}

LogicalResult ttng::TensorMemoryEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                                     layout::Layout layout) {
  return verifyLayout(emitError, layout, layout.as<layout::TensorMemoryLayout>());
}

Attribute ttng::TensorMemoryScalesEncodingAttr::parse(AsmParser &parser, Type) {
  layout::TensorMemoryScalesLayout value;
  std::optional<DictReader> reader = readFields(parser);
  if (!reader || !readCtas(*reader, value.cga))
    return {};
  return checked<TensorMemoryScalesEncodingAttr>(parser, std::move(value));
}

void ttng::TensorMemoryScalesEncodingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  const BasisList &cga = getValue().cga;
  if (!cga.empty()) {
    printer << "CGALayout = ";
    text::print(printer, cga);
  }
  printer << '>';
}

LogicalResult
ttng::TensorMemoryScalesEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                             layout::Layout layout) {
  return verifyLayout(emitError, layout, layout.as<layout::TensorMemoryScalesLayout>());
}
