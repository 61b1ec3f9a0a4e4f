//===- TTNGOps.cpp - Text, types, effects of ttng ----------------------------===//
#include "ir/Dialects.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::ttng;

#define GET_OP_CLASSES
#include "ir/TTNGOps.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/TTNGTypes.cpp.inc"

void TTNGDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/TTNGTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Descriptor text
//===----------------------------------------------------------------------===//

/// `<128x64xf16, #shared>` or, from older compilers, `<tensor<128x64xf16, #shared>>`.
template <typename DescType> static Type parseDescriptor(AsmParser &parser) {
  llvm::SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  llvm::SmallVector<int64_t> shape;
  Type element;
  Attribute layout;
  Type block;
  OptionalParseResult inner = parser.parseOptionalType(block);
  if (inner.has_value()) {
    auto tensor = llvm::dyn_cast_or_null<RankedTensorType>(block);
    if (failed(*inner))
      return {};
    if (!tensor || !tensor.hasStaticShape())
      return parser.emitError(where, "a descriptor's block is a tensor of known sizes"), Type();
    shape.assign(tensor.getShape().begin(), tensor.getShape().end());
    element = tensor.getElementType();
    layout = tensor.getEncoding();
  } else {
    if (parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element))
      return {};
    if (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(layout))
      return {};
  }
  if (parser.parseGreater())
    return {};
  if (shape.empty() || !llvm::all_of(shape, layout::isPowerOf2) || !element.isIntOrFloat())
    return parser.emitError(where, "a descriptor's block has dims, whose sizes are powers of two, "
                                   "and numbers as elements"),
           Type();
  return DescType::get(parser.getContext(), shape, element, layout);
}

template <typename DescType> static void printDescriptor(AsmPrinter &printer, DescType type) {
  printer << '<';
  for (int64_t size : type.getShape())
    printer << size << 'x';
  printer << type.getElementType();
  if (type.getSharedLayout())
    printer << ", " << type.getSharedLayout();
  printer << '>';
}

Type tt::TensorDescType::parse(AsmParser &parser) {
  return parseDescriptor<tt::TensorDescType>(parser);
}
void tt::TensorDescType::print(AsmPrinter &printer) const { printDescriptor(printer, *this); }

Type TensorDescIm2ColType::parse(AsmParser &parser) {
  return parseDescriptor<TensorDescIm2ColType>(parser);
}
void TensorDescIm2ColType::print(AsmPrinter &printer) const { printDescriptor(printer, *this); }

Descriptor ttng::descriptorOf(Type type) {
  if (auto tiled = dyn_cast<tt::TensorDescType>(type))
    return {tiled.getShape(), tiled.getElementType(), tiled.getSharedLayout(), false};
  if (auto im2col = dyn_cast<TensorDescIm2ColType>(type))
    return {im2col.getShape(), im2col.getElementType(), im2col.getSharedLayout(), true};
  return {};
}

Type ttng::signless(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  return integer ? IntegerType::get(element.getContext(), integer.getWidth()) : element;
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

void WarpGroupDotOp::getEffects(
    llvm::SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand *operand : {&getAMutable(), &getBMutable()})
    if (isa<ttg::MemDescType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand, ttg::SharedMemory::get());
}
