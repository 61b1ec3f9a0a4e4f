//===- EncodingText.cpp - Parsing and printing of encodings -----------------===//
//
// Encodings are written as dictionaries, `#ttg.blocked<{order = [0], …}>`; keys
// may come in any order and are printed in Triton's. What is here are the texts
// that have a form of their own; the schemas of the layouts make the rest
// (EncodingReader.h).
//
//===----------------------------------------------------------------------===//
#include "ir/text/EncodingReader.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::text;

#define GET_ATTRDEF_CLASSES
#include "ir/TTGAttrs.cpp.inc"

void ttg::TTGDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/TTGAttrs.cpp.inc"
      >();
}

/// `[128:+8, 256:+4]`.
static ParseResult parsePaddings(AsmParser &parser,
                                 llvm::SmallVectorImpl<layout::IntervalPadding> &paddings) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    layout::IntervalPadding &pair = paddings.emplace_back();
    return failure(parser.parseInteger(pair.interval) || parser.parseColon() ||
                   parser.parsePlus() || parser.parseInteger(pair.padding));
  });
}

static void printPaddings(AsmPrinter &printer, ArrayRef<layout::IntervalPadding> paddings) {
  printer << '[';
  llvm::interleaveComma(paddings, printer, [&](const layout::IntervalPadding &pair) {
    printer << pair.interval << ":+" << pair.padding;
  });
  printer << ']';
}

template <> Attribute text::parseEncoding<ttg::PaddedSharedEncodingAttr>(AsmParser &parser) {
  layout::PaddedSharedLayout value;
  if (parser.parseLess() || parsePaddings(parser, value.paddings))
    return {};
  llvm::SMLoc where = parser.getCurrentLocation();
  DictReader fields(parser);
  Ints order;
  bool shortForm = fields.has("order");
  if (shortForm)
    fields.get("order", order).get("shape", value.shape);
  else
    fields.get("offset", value.offsetBases).getOptional("block", value.cga);
  if (!fields.done() || parser.parseGreater())
    return {};
  if (shortForm) {
    bool permutation = order.size() == value.shape.size() && !order.empty();
    for (size_t d = 0; d < order.size(); ++d)
      permutation &= llvm::is_contained(order, int64_t(d));
    if (!permutation || !llvm::all_of(value.shape, layout::isPowerOf2))
      return parser.emitError(where, "'order' must be a permutation of the dims of 'shape', whose "
                                     "sizes are powers of two"),
             Attribute();
    value = layout::PaddedSharedLayout::identityFor(value.paddings, value.shape, order);
  } else {
    if (layout::Problem problem = layout::inferShape({&value.offsetBases, &value.cga}, value.shape))
      return parser.emitError(where, *problem), Attribute();
  }
  return checked<ttg::PaddedSharedEncodingAttr>(parser, std::move(value));
}

/// The order under which the offset bases are the plain identity of the shape; nullopt if none is.
static std::optional<Ints> identityOrder(const layout::PaddedSharedLayout &value) {
  if (!value.cga.empty())
    return std::nullopt;
  Ints order;
  for (const Ints &basis : value.offsetBases)
    for (size_t d = 0; d < basis.size(); ++d)
      if (basis[d] == 1)
        order.push_back(d);
  // Dims of size 1 have no basis; they come last.
  for (size_t d = 0; d < value.shape.size(); ++d)
    if (!llvm::is_contained(order, int64_t(d)))
      order.push_back(d);
  if (order.size() != value.shape.size())
    return std::nullopt;
  auto identity = layout::PaddedSharedLayout::identityFor(value.paddings, value.shape, order);
  return identity == value ? std::optional(order) : std::nullopt;
}

template <> void text::printEncoding(AsmPrinter &printer, ttg::PaddedSharedEncodingAttr encoding) {
  const layout::PaddedSharedLayout &value = encoding.getValue();
  printer << '<';
  printPaddings(printer, value.paddings);
  if (std::optional<Ints> order = identityOrder(value)) {
    printer << " {order = ";
    text::print(printer, *order);
    printer << ", shape = ";
    text::print(printer, value.shape);
  } else {
    printer << " {offset = ";
    text::print(printer, value.offsetBases);
    printer << ", block = ";
    text::print(printer, value.cga);
  }
  printer << "}>";
}

template <> Attribute text::parseEncoding<ttg::SharedLinearEncodingAttr>(AsmParser &parser) {
  layout::SharedLinearLayout value;
  if (parser.parseLess())
    return {};
  llvm::SMLoc where = parser.getCurrentLocation();
  bool ok = DictReader(parser)
                .get("offset", value.offsetBases)
                .getOptional("block", value.blockBases)
                .done();
  if (!ok)
    return {};
  if (succeeded(parser.parseOptionalComma()))
    if (parser.parseKeyword("alignment") || parser.parseEqual() ||
        parser.parseInteger(value.alignment))
      return {};
  if (parser.parseGreater())
    return {};
  Ints shape;
  if (layout::Problem problem = layout::inferShape({&value.offsetBases, &value.blockBases}, shape))
    return parser.emitError(where, *problem), Attribute();
  return checked<ttg::SharedLinearEncodingAttr>(parser, std::move(value));
}

template <> void text::printEncoding(AsmPrinter &printer, ttg::SharedLinearEncodingAttr encoding) {
  const layout::SharedLinearLayout &value = encoding.getValue();
  printer << "<{offset = ";
  text::print(printer, value.offsetBases);
  if (!value.blockBases.empty()) {
    printer << ", block = ";
    text::print(printer, value.blockBases);
  }
  printer << "}, alignment = " << value.alignment << '>';
}
