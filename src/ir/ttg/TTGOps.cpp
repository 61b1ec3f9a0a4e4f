//===- TTGOps.cpp - Builders, text, effects of ttg ---------------------------===//
#include "ir/Dialects.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::ttg;

//===----------------------------------------------------------------------===//
// Custom text
//===----------------------------------------------------------------------===//

/// `0, 32`, between the brackets that the format supplies.
static ParseResult parseOffsets(OpAsmParser &parser, DenseI32ArrayAttr &offsets) {
  llvm::SmallVector<int32_t> values;
  if (parser.parseCommaSeparatedList([&] { return parser.parseInteger(values.emplace_back()); }))
    return failure();
  offsets = parser.getBuilder().getDenseI32ArrayAttr(values);
  return success();
}

static void printOffsets(OpAsmPrinter &printer, Operation *, DenseI32ArrayAttr offsets) {
  llvm::interleaveComma(offsets.asArrayRef(), printer);
}

/// `local|global_read`.
static ParseResult parseAddrSpace(OpAsmParser &parser, AddrSpaceAttr &space) {
  AddrSpace set = AddrSpace::None;
  do {
    llvm::SMLoc where = parser.getCurrentLocation();
    llvm::StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    std::optional<AddrSpace> part = symbolizeAddrSpace(word);
    if (!part)
      return parser.emitError(where, "unknown memory '") << word << "'";
    set = set | *part;
  } while (succeeded(parser.parseOptionalVerticalBar()));
  space = AddrSpaceAttr::get(parser.getContext(), set);
  return success();
}

static void printAddrSpace(OpAsmPrinter &printer, Operation *, AddrSpaceAttr space) {
  printer << stringifyAddrSpace(space.getValue());
}

#define GET_OP_CLASSES
#include "ir/TTGOps.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/TTGTypes.cpp.inc"

void TTGDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/TTGTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Memory descriptor text
//===----------------------------------------------------------------------===//

bool MemDescType::isShared() const {
  return llvm::isa_and_nonnull<SharedMemorySpaceAttr>(getMemorySpace());
}
bool MemDescType::isTensorMemory() const {
  return llvm::isa_and_nonnull<ttng::TensorMemorySpaceAttr>(getMemorySpace());
}

/// `<4x128x64xf16, #shared, #smem, mutable, 4x128x128>`; the last two are optional.
Type MemDescType::parse(AsmParser &parser) {
  llvm::SmallVector<int64_t> shape, allocShape;
  Type element;
  Attribute encoding, space;
  bool isMutable = false;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseComma() || parser.parseAttribute(encoding) ||
      parser.parseComma() || parser.parseAttribute(space))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("mutable"))) {
      isMutable = true;
    } else {
      allocShape.clear();
      if (parser.parseDimensionList(allocShape, /*allowDynamic=*/false,
                                    /*withTrailingX=*/false))
        return {};
    }
  }
  if (parser.parseGreater())
    return {};
  if (allocShape.empty())
    allocShape = shape;
  return get(parser.getContext(), shape, element, encoding, space, isMutable, allocShape);
}

void MemDescType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t size : getShape())
    printer << size << 'x';
  printer << getElementType() << ", " << getEncoding() << ", " << getMemorySpace();
  if (getMutableMemory())
    printer << ", mutable";
  if (getShape() != getAllocShape()) {
    printer << ", ";
    llvm::interleave(getAllocShape(), printer, "x");
  }
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Effects, builders
//===----------------------------------------------------------------------===//

void LocalAllocOp::getEffects(
    llvm::SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  auto result = cast<OpResult>(getResult());
  effects.emplace_back(MemoryEffects::Allocate::get(), result, SharedMemory::get());
  if (getSrc())
    effects.emplace_back(MemoryEffects::Write::get(), result, SharedMemory::get());
}

Value MemDescIndexOp::getViewSource() { return getSrc(); }
Value MemDescSubsliceOp::getViewSource() { return getSrc(); }
Value MemDescTransOp::getViewSource() { return getSrc(); }
Value MemDescReshapeOp::getViewSource() { return getSrc(); }
Value MemDescReinterpretOp::getViewSource() { return getSrc(); }

void InlineAsmOp::getEffects(
    llvm::SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get(), tt::GlobalMemory::get());
  effects.emplace_back(MemoryEffects::Write::get(), tt::GlobalMemory::get());
}

Speculation::Speculatability InlineAsmOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}
