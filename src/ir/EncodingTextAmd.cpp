// Text of the encodings of AMD's matrix instructions; see EncodingText.cpp.

#include "ir/EncodingReader.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::text;

Attribute ttg::AMDMfmaEncodingAttr::parse(AsmParser &parser, Type) {
  layout::AMDMFMALayout value{};
  value.elementBitWidth = 32;
  if (parser.parseLess())
    return {};
  bool ok = DictReader(parser)
                .get("version", value.version)
                .get("warpsPerCTA", value.warpsPerCta)
                .get("instrShape", value.instrShape)
                .get("isTransposed", value.transposed)
                .getOptional("CGALayout", value.cga)
                .getOptional("tilesPerWarp", value.tilesPerWarp)
                .getOptional("elementBitWidth", value.elementBitWidth)
                .done();
  if (!ok || parser.parseGreater())
    return {};
  if (value.tilesPerWarp.empty())
    value.tilesPerWarp.assign(value.warpsPerCta.size(), 1);
  return checked<AMDMfmaEncodingAttr>(parser, std::move(value));
}

void ttg::AMDMfmaEncodingAttr::print(AsmPrinter &printer) const {
  const layout::AMDMFMALayout &value = getValue();
  printer << "<{version = " << value.version << ", warpsPerCTA = ";
  text::print(printer, value.warpsPerCta);
  printer << ", instrShape = ";
  text::print(printer, value.instrShape);
  printer << ", isTransposed = " << (value.transposed ? "true" : "false");
  printCga(printer, value.cga);
  if (llvm::any_of(value.tilesPerWarp, [](int64_t tiles) { return tiles != 1; })) {
    printer << ", tilesPerWarp = ";
    text::print(printer, value.tilesPerWarp);
  }
  if (value.elementBitWidth != 32)
    printer << ", elementBitWidth = " << value.elementBitWidth;
  printer << "}>";
}

LogicalResult ttg::AMDMfmaEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                               layout::Layout layout) {
  return verifyLayout(emitError, layout, layout.as<layout::AMDMFMALayout>());
}

/// `{register = [[0, 1]], warp = [[0, 2], [1, 0]]}`, either of which may be missing.
static bool toGrid(Attribute attribute, layout::AMDWMMALayout &value) {
  auto dict = dyn_cast_or_null<DictionaryAttr>(attribute);
  if (!dict)
    return false;
  for (NamedAttribute entry : dict) {
    bool isWarp = entry.getName() == "warp";
    if ((!isWarp && entry.getName() != "register") ||
        !toBases(entry.getValue(), isWarp ? value.warpBases : value.regBases))
      return false;
  }
  return true;
}

Attribute ttg::AMDWmmaEncodingAttr::parse(AsmParser &parser, Type) {
  layout::AMDWMMALayout value{};
  Ints warps, tiles;
  Attribute grid;
  value.numDims = 2;
  if (parser.parseLess())
    return {};
  llvm::SMLoc where = parser.getCurrentLocation();
  bool ok = DictReader(parser)
                .get("version", value.version)
                .get("isTranspose", value.transposed)
                .getOptional("ctaLayout", grid)
                .getOptional("warpsPerCTA", warps)
                .getOptional("tilesPerWarp", tiles)
                .getOptional("CGALayout", value.cga)
                .getOptional("instrShape", value.instrShape)
                .done();
  if (!ok || parser.parseGreater())
    return {};
  if (grid && !toGrid(grid, value))
    return parser.emitError(where, "'ctaLayout' must have bases of 'register' and 'warp'"),
           Attribute();
  if (value.instrShape.empty())
    value.instrShape = {16, 16, 16};
  if (!grid)
    value = layout::AMDWMMALayout::forWarps(value.version, value.transposed, warps,
                                            value.instrShape, tiles, value.cga);
  for (const BasisList *bases : {&value.regBases, &value.warpBases, &value.cga})
    if (!bases->empty())
      value.numDims = bases->front().size();
  return checked<AMDWmmaEncodingAttr>(parser, std::move(value));
}

void ttg::AMDWmmaEncodingAttr::print(AsmPrinter &printer) const {
  const layout::AMDWMMALayout &value = getValue();
  printer << "<{version = " << value.version
          << ", isTranspose = " << (value.transposed ? "true" : "false") << ", ctaLayout = {";
  if (!value.regBases.empty()) {
    printer << "register = ";
    text::print(printer, value.regBases);
    printer << (value.warpBases.empty() ? "" : ", ");
  }
  if (!value.warpBases.empty()) {
    printer << "warp = ";
    text::print(printer, value.warpBases);
  }
  printer << '}';
  printCga(printer, value.cga);
  if (value.instrShape != Ints{16, 16, 16}) {
    printer << ", instrShape = ";
    text::print(printer, value.instrShape);
  }
  printer << "}>";
}

LogicalResult ttg::AMDWmmaEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                               layout::Layout layout) {
  return verifyLayout(emitError, layout, layout.as<layout::AMDWMMALayout>());
}
