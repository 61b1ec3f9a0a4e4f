//===- EncodingText.cpp - Parsing and printing of encodings -----------------===//
//
// Encodings are written as dictionaries, `#ttg.blocked<{order = [0], …}>`; keys
// may come in any order and are printed in Triton's. A DictReader takes the
// fields out one by one and complains about what is missing, of the wrong kind,
// or left over.
//
//===----------------------------------------------------------------------===//
#include "ir/EncodingReader.h"

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

//===----------------------------------------------------------------------===//
// Distributed
//===----------------------------------------------------------------------===//

Attribute ttg::BlockedEncodingAttr::parse(AsmParser &parser, Type) {
  layout::BlockedLayout value;
  if (parser.parseLess())
    return {};
  bool ok = DictReader(parser)
                .get("sizePerThread", value.sizePerThread)
                .get("threadsPerWarp", value.threadsPerWarp)
                .get("warpsPerCTA", value.warpsPerCta)
                .get("order", value.order)
                .getOptional("CGALayout", value.cga)
                .done();
  if (!ok || parser.parseGreater())
    return {};
  return checked<BlockedEncodingAttr>(parser, std::move(value));
}

void ttg::BlockedEncodingAttr::print(AsmPrinter &printer) const {
  const layout::BlockedLayout &value = getValue();
  printer << "<{sizePerThread = ";
  text::print(printer, value.sizePerThread);
  printer << ", threadsPerWarp = ";
  text::print(printer, value.threadsPerWarp);
  printer << ", warpsPerCTA = ";
  text::print(printer, value.warpsPerCta);
  printer << ", order = ";
  text::print(printer, value.order);
  printCga(printer, value.cga);
  printer << "}>";
}

LogicalResult ttg::BlockedEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                               layout::Layout layout) {
  return verifyLayout(emitError, layout, layout.as<layout::BlockedLayout>());
}

Attribute ttg::SliceEncodingAttr::parse(AsmParser &parser, Type) {
  int64_t dim = 0;
  Attribute parent;
  if (parser.parseLess())
    return {};
  llvm::SMLoc where = parser.getCurrentLocation();
  if (!DictReader(parser).get("dim", dim).get("parent", parent).done() || parser.parseGreater())
    return {};
  std::optional<layout::Layout> parentLayout = layoutOf(parent);
  if (!parentLayout || !parentLayout->isDistributed() || parentLayout->isPlaceholder())
    return parser.emitError(where, "'parent' must be a distributed encoding"), Attribute();
  return checked<SliceEncodingAttr>(parser, layout::SliceLayout{dim, *parentLayout});
}

void ttg::SliceEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<{dim = " << getValue().dim << ", parent = ";
  printer.printAttribute(fromLayout(getContext(), getValue().parent));
  printer << "}>";
}

LogicalResult ttg::SliceEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                             layout::Layout layout) {
  return verifyLayout(emitError, layout, layout.as<layout::SliceLayout>());
}

static std::optional<layout::DistributedLinearLayout> parseLinear(AsmParser &parser) {
  layout::DistributedLinearLayout value;
  if (parser.parseLess())
    return std::nullopt;
  llvm::SMLoc where = parser.getCurrentLocation();
  bool ok = DictReader(parser)
                .get("register", value.regBases)
                .get("lane", value.laneBases)
                .get("warp", value.warpBases)
                .get("block", value.blockBases)
                .done();
  if (!ok || parser.parseGreater())
    return std::nullopt;
  const Ints *first = nullptr;
  for (const BasisList *list :
       {&value.regBases, &value.laneBases, &value.warpBases, &value.blockBases})
    for (const Ints &basis : *list) {
      first = first ? first : &basis;
      // The shape below is only defined for vectors of one length.
      if (basis.size() != first->size())
        return parser.emitError(where, "basis vectors differ in length"), std::nullopt;
    }
  if (!first)
    return parser.emitError(where, "a linear encoding needs at least one basis"), std::nullopt;
  value.shape = shapeOfBases(
      first->size(), {&value.regBases, &value.laneBases, &value.warpBases, &value.blockBases});
  return value;
}

static void printLinear(AsmPrinter &printer, const layout::DistributedLinearLayout &value) {
  printer << "<{register = ";
  print(printer, value.regBases);
  printer << ", lane = ";
  print(printer, value.laneBases);
  printer << ", warp = ";
  print(printer, value.warpBases);
  printer << ", block = ";
  print(printer, value.blockBases);
  printer << "}>";
}

Attribute ttg::LinearEncodingAttr::parse(AsmParser &parser, Type) {
  std::optional<layout::DistributedLinearLayout> value = parseLinear(parser);
  return value ? checked<LinearEncodingAttr>(parser, std::move(*value)) : Attribute();
}

void ttg::LinearEncodingAttr::print(AsmPrinter &printer) const { printLinear(printer, getValue()); }

LogicalResult ttg::LinearEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                              layout::Layout layout) {
  const auto *value = layout.as<layout::DistributedLinearLayout>();
  if (failed(verifyLayout(emitError, layout, value)))
    return failure();
  if (!value->isPermutation())
    return emitError() << "the nonzero bases of a linear encoding must be distinct unit vectors";
  return success();
}

Attribute ttg::GenericLinearEncodingAttr::parse(AsmParser &parser, Type) {
  std::optional<layout::DistributedLinearLayout> value = parseLinear(parser);
  return value ? checked<GenericLinearEncodingAttr>(parser, std::move(*value)) : Attribute();
}

void ttg::GenericLinearEncodingAttr::print(AsmPrinter &printer) const {
  printLinear(printer, getValue());
}

LogicalResult ttg::GenericLinearEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                                     layout::Layout layout) {
  return verifyLayout(emitError, layout, layout.as<layout::DistributedLinearLayout>());
}

Attribute ttg::NvidiaMmaEncodingAttr::parse(AsmParser &parser, Type) {
  layout::NVMMADistributedLayout value;
  int64_t major = 0, minor = 0;
  if (parser.parseLess())
    return {};
  bool ok = DictReader(parser)
                .get("versionMajor", major)
                .get("versionMinor", minor)
                .get("warpsPerCTA", value.warpsPerCta)
                .getOptional("CGALayout", value.cga)
                .get("instrShape", value.instrShape)
                .done();
  if (!ok || parser.parseGreater())
    return {};
  value.version = {major, minor};
  return checked<NvidiaMmaEncodingAttr>(parser, std::move(value));
}

void ttg::NvidiaMmaEncodingAttr::print(AsmPrinter &printer) const {
  const layout::NVMMADistributedLayout &value = getValue();
  printer << "<{versionMajor = " << value.version[0] << ", versionMinor = " << value.version[1]
          << ", warpsPerCTA = ";
  text::print(printer, value.warpsPerCta);
  printCga(printer, value.cga);
  printer << ", instrShape = ";
  text::print(printer, value.instrShape);
  printer << "}>";
}

LogicalResult ttg::NvidiaMmaEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                                 layout::Layout layout) {
  return verifyLayout(emitError, layout, layout.as<layout::NVMMADistributedLayout>());
}

Attribute ttg::DotOperandEncodingAttr::parse(AsmParser &parser, Type) {
  int64_t index = 0, width = 0;
  Attribute parent;
  if (parser.parseLess())
    return {};
  llvm::SMLoc where = parser.getCurrentLocation();
  if (!DictReader(parser)
           .get("opIdx", index)
           .get("parent", parent)
           .getOptional("kWidth", width)
           .done() ||
      parser.parseGreater())
    return {};
  std::optional<layout::Layout> parentLayout = layoutOf(parent);
  if (!parentLayout)
    return parser.emitError(where, "'parent' must be a distributed encoding"), Attribute();
  return checked<DotOperandEncodingAttr>(parser,
                                         layout::DotOperandLayout{index, *parentLayout, width});
}

void ttg::DotOperandEncodingAttr::print(AsmPrinter &printer) const {
  const layout::DotOperandLayout &value = getValue();
  printer << "<{opIdx = " << value.operandIndex << ", parent = ";
  printer.printAttribute(fromLayout(getContext(), value.parent));
  if (value.kWidth)
    printer << ", kWidth = " << value.kWidth;
  printer << "}>";
}

LogicalResult ttg::DotOperandEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                                  layout::Layout layout) {
  return verifyLayout(emitError, layout, layout.as<layout::DotOperandLayout>());
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

Attribute ttg::SwizzledSharedEncodingAttr::parse(AsmParser &parser, Type) {
  layout::SwizzledSharedLayout value{};
  if (parser.parseLess())
    return {};
  bool ok = DictReader(parser)
                .get("vec", value.vec)
                .get("perPhase", value.perPhase)
                .get("maxPhase", value.maxPhase)
                .get("order", value.order)
                .getOptional("CGALayout", value.cga)
                .done();
  if (!ok || parser.parseGreater())
    return {};
  return checked<SwizzledSharedEncodingAttr>(parser, std::move(value));
}

void ttg::SwizzledSharedEncodingAttr::print(AsmPrinter &printer) const {
  const layout::SwizzledSharedLayout &value = getValue();
  printer << "<{vec = " << value.vec << ", perPhase = " << value.perPhase
          << ", maxPhase = " << value.maxPhase << ", order = ";
  text::print(printer, value.order);
  printCga(printer, value.cga);
  printer << "}>";
}

LogicalResult ttg::SwizzledSharedEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                                      layout::Layout layout) {
  return verifyLayout(emitError, layout, layout.as<layout::SwizzledSharedLayout>());
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

/// The shape that explicit bases of shared memory cover; nullopt (and an error) if they are ragged.
static std::optional<Ints> sharedShape(AsmParser &parser, llvm::SMLoc where,
                                       const BasisList &offsets, const BasisList &blocks) {
  const Ints *first = !offsets.empty()  ? &offsets.front()
                      : !blocks.empty() ? &blocks.front()
                                        : nullptr;
  for (const BasisList *list : {&offsets, &blocks})
    for (const Ints &basis : *list)
      if (basis.size() != first->size())
        return parser.emitError(where, "basis vectors differ in length"), std::nullopt;
  if (!first)
    return parser.emitError(where, "the encoding needs at least one basis"), std::nullopt;
  return shapeOfBases(first->size(), {&offsets, &blocks});
}

Attribute ttg::PaddedSharedEncodingAttr::parse(AsmParser &parser, Type) {
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
    std::optional<Ints> shape = sharedShape(parser, where, value.offsetBases, value.cga);
    if (!shape)
      return {};
    value.shape = std::move(*shape);
  }
  return checked<PaddedSharedEncodingAttr>(parser, std::move(value));
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

void ttg::PaddedSharedEncodingAttr::print(AsmPrinter &printer) const {
  const layout::PaddedSharedLayout &value = getValue();
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

LogicalResult ttg::PaddedSharedEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                                    layout::Layout layout) {
  return verifyLayout(emitError, layout, layout.as<layout::PaddedSharedLayout>());
}

Attribute ttg::SharedLinearEncodingAttr::parse(AsmParser &parser, Type) {
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
  if (parser.parseGreater() || !sharedShape(parser, where, value.offsetBases, value.blockBases))
    return {};
  return checked<SharedLinearEncodingAttr>(parser, std::move(value));
}

void ttg::SharedLinearEncodingAttr::print(AsmPrinter &printer) const {
  const layout::SharedLinearLayout &value = getValue();
  printer << "<{offset = ";
  text::print(printer, value.offsetBases);
  if (!value.blockBases.empty()) {
    printer << ", block = ";
    text::print(printer, value.blockBases);
  }
  printer << "}, alignment = " << value.alignment << '>';
}

LogicalResult ttg::SharedLinearEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                                    layout::Layout layout) {
  return verifyLayout(emitError, layout, layout.as<layout::SharedLinearLayout>());
}

Attribute ttg::NVMMASharedEncodingAttr::parse(AsmParser &parser, Type) {
  layout::NVMMASharedLayout value{};
  value.numDims = 2;
  if (parser.parseLess())
    return {};
  bool ok = DictReader(parser)
                .get("swizzlingByteWidth", value.swizzleByteWidth)
                .get("transposed", value.transposed)
                .get("elementBitWidth", value.elementBitWidth)
                .getOptional("fp4Padded", value.fp4Padded)
                .getOptional("rank", value.numDims)
                .getOptional("CGALayout", value.cga)
                .done();
  if (!ok || parser.parseGreater())
    return {};
  if (!value.cga.empty())
    value.numDims = value.cga.front().size();
  return checked<NVMMASharedEncodingAttr>(parser, std::move(value));
}

void ttg::NVMMASharedEncodingAttr::print(AsmPrinter &printer) const {
  const layout::NVMMASharedLayout &value = getValue();
  printer << "<{swizzlingByteWidth = " << value.swizzleByteWidth
          << ", transposed = " << (value.transposed ? "true" : "false")
          << ", elementBitWidth = " << value.elementBitWidth;
  if (value.fp4Padded)
    printer << ", fp4Padded = true";
  if (value.cga.empty() && value.numDims != 2)
    printer << ", rank = " << value.numDims;
  printCga(printer, value.cga);
  printer << "}>";
}

LogicalResult ttg::NVMMASharedEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                                   layout::Layout layout) {
  return verifyLayout(emitError, layout, layout.as<layout::NVMMASharedLayout>());
}
