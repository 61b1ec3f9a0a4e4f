// Text of the encoding of AMD's WMMA; see EncodingText.cpp.

#include "ir/text/EncodingReader.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::text;

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

template <> Attribute text::parseEncoding<ttg::AMDWmmaEncodingAttr>(AsmParser &parser) {
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
  return checked<ttg::AMDWmmaEncodingAttr>(parser, std::move(value));
}

template <> void text::printEncoding(AsmPrinter &printer, ttg::AMDWmmaEncodingAttr encoding) {
  const layout::AMDWMMALayout &value = encoding.getValue();
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
  if (!value.cga.empty()) {
    printer << ", CGALayout = ";
    text::print(printer, value.cga);
  }
  if (value.instrShape != Ints{16, 16, 16}) {
    printer << ", instrShape = ";
    text::print(printer, value.instrShape);
  }
  printer << "}>";
}
