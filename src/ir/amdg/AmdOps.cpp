//===- AmdOps.cpp - Text, types, effects of amdg ------------------------------===//
#include "ir/amdg/AmdOps.h"

#include "ir/Encoding.h"
#include "ir/InlineAnything.h"
#include "layout/named/Inference.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::amdg;

/// `, %pred` (i1) or `, pred = %pred` (i32), `, barrier = %barrier`, or neither.
static ParseResult parsePredAndBarrier(OpAsmParser &parser,
                                       std::optional<OpAsmParser::UnresolvedOperand> &pred,
                                       Type &predType,
                                       std::optional<OpAsmParser::UnresolvedOperand> &barrier) {
  while (succeeded(parser.parseOptionalComma())) {
    bool isBarrier = succeeded(parser.parseOptionalKeyword("barrier"));
    bool isWord = !isBarrier && succeeded(parser.parseOptionalKeyword("pred"));
    if ((isBarrier || isWord) && parser.parseEqual())
      return failure();
    std::optional<OpAsmParser::UnresolvedOperand> &operand = isBarrier ? barrier : pred;
    if (operand)
      return parser.emitError(parser.getCurrentLocation(), "is named twice");
    if (parser.parseOperand(operand.emplace()))
      return failure();
    if (!isBarrier)
      predType = parser.getBuilder().getIntegerType(isWord ? 32 : 1);
  }
  return success();
}

static void printPredAndBarrier(OpAsmPrinter &printer, Operation *, Value pred, Type predType,
                                Value barrier) {
  if (pred)
    printer << ", " << (predType.isInteger(32) ? "pred = " : "") << pred;
  if (barrier)
    printer << ", barrier = " << barrier;
}

#include "ir/AMDGDialect.cpp.inc"
#define GET_OP_CLASSES
#include "ir/AMDGOps.cpp.inc"

#include "ir/ROCDLDialect.cpp.inc"
#include "ir/ROCDLEnums.cpp.inc"
#define GET_OP_CLASSES
#include "ir/ROCDLOps.cpp.inc"

void rocdl::ROCDLDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ir/ROCDLOps.cpp.inc"
      >();
  addInterfaces<InlineAnything>();
}

void AMDGDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ir/AMDGOps.cpp.inc"
      >();
  addInterfaces<InlineAnything>();
}

bool amdg::isForAmd(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto target = module ? module->getAttrOfType<StringAttr>(ttg::targetAttr) : StringAttr();
  return target && target.getValue().starts_with("hip");
}

Type amdg::bufferPointer(Type values) { return tt::PointerType::get(getElementTypeOrSelf(values)); }

Type amdg::bufferOffsets(Type values) {
  return tt::withScalar(values, IntegerType::get(values.getContext(), 32));
}

//===----------------------------------------------------------------------===//
// Layouts and elements
//===----------------------------------------------------------------------===//

void ScaledUpcastFp4Op::implyLayouts(Value from, ImpliedLayouts &implied) {
  auto source = cast<RankedTensorType>(from.getType());
  if (from == getInput())
    implied.derived(getOutput(),
                    layout::unpackLayout(implied.layout(), source.getShape(), getAxis()),
                    /*isOneOfMany=*/true);
}

// Two elements become one byte: which of the layouts that unpack to theirs is not known.
void ScaledDowncastFp4Op::implyLayouts(Value, ImpliedLayouts &) {}

void ScaledDowncastFp8Op::implyLayouts(Value from, ImpliedLayouts &implied) {
  if (from == getScale())
    return;
  implied.same(getInput());
  implied.same(getOutput());
}

void ExtractSliceOp::implyLayouts(Value, ImpliedLayouts &implied) {
  implied.same(getSource());
  implied.same(getResult());
}
