//===- LowerPayload.cpp - Floating point as algebra of integers -------------------===//
//
// What the sanitizer of floating point makes of operations: each computes on the
// payloads of its operands (numeric/FloatPayload.h). Operations without a row are lowered as
// always; products of matrices know by themselves.
//
//===----------------------------------------------------------------------===//
#include "sim/lower/Elementwise.h"
#include "sim/lower/PayloadTable.h"
#include "sim/machine/Payload.h"

#include "ir/ttng/PackedArith.h"

#include "llvm/ADT/StringSwitch.h"

namespace gluonc::sim {

using numeric::FloatPayload, numeric::PayloadRing, numeric::PayloadTag;

const FloatPayload &payloadOf(ElementKind kind) {
  static const FloatPayload e4m3(8, 0x38), e5m2(8, 0x3c), fnuz(8, 0x40), half(16, 0x3c00),
      bfloat(16, 0x3f80), single(32, 0x3f800000), wide(64, 0x3ff0000000000000);
  switch (kind) {
  case ElementKind::F8E4M3FN:
    return e4m3;
  case ElementKind::F8E5M2:
    return e5m2;
  case ElementKind::F8E4M3FNUZ:
  case ElementKind::F8E5M2FNUZ:
    return fnuz;
  case ElementKind::F16:
    return half;
  case ElementKind::BF16:
    return bfloat;
  case ElementKind::F32:
    return single;
  default:
    GL_CHECK(kind == ElementKind::F64);
    return wide;
  }
}

namespace {

struct PayloadData;
/// Operands and result are payloads.
using Function = uint64_t (*)(const PayloadData &, const uint64_t *operands);

struct PayloadData : OpData {
  Function function = nullptr;
  struct Operand {
    Slot slot;
    ElementKind kind;
  };
  llvm::SmallVector<Operand, 4> operands;
  ElementKind result = ElementKind::F32;
  PayloadTag tag = {};
  uint64_t hash = 0;
  bool truncates = false;

  const PayloadRing &ring() const { return payloadOf(result).ring; }
};

/// Of a float its payload, of an integer its value, with its sign.
uint64_t readPayload(const PayloadData::Operand &operand, uint32_t element, Cta &cta) {
  const uint32_t bytes = byteSize(operand.kind);
  uint64_t bits =
      readBits(cta.at<uint8_t>(operand.slot), operand.slot.elements == 1 ? 0 : element, bytes);
  if (isFloat(operand.kind))
    return payloadOf(operand.kind).embed(bits);
  const unsigned width = operand.kind == ElementKind::I1 ? 1 : 8 * bytes;
  return static_cast<uint64_t>(PayloadRing(width).toSigned(bits));
}

void runPayload(const Instruction &instruction, Cta &cta) {
  const PayloadData &data = static_cast<const PayloadData &>(*instruction.data);
  const FloatPayload &format = payloadOf(data.result);
  const uint32_t bytes = byteSize(data.result);
  uint8_t *result = cta.at<uint8_t>(instruction.result);
  llvm::SmallVector<uint64_t, 4> operands(data.operands.size());
  for (uint32_t element = 0; element < instruction.result.elements; ++element) {
    for (auto [operand, payload] : llvm::zip_equal(data.operands, operands))
      payload = readPayload(operand, element, cta);
    writeBits(result, element, bytes,
              format.unembed(format.ring.wrap(data.function(data, operands.data()))));
  }
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

uint64_t add(const PayloadData &, const uint64_t *in) { return in[0] + in[1]; }
uint64_t subtract(const PayloadData &, const uint64_t *in) { return in[0] - in[1]; }
uint64_t multiply(const PayloadData &, const uint64_t *in) { return in[0] * in[1]; }
uint64_t negate(const PayloadData &, const uint64_t *in) { return 0 - in[0]; }
uint64_t fuse(const PayloadData &, const uint64_t *in) { return in[0] * in[1] + in[2]; }
uint64_t divide(const PayloadData &data, const uint64_t *in) {
  return data.ring().divide(in[0], in[1]);
}
uint64_t remainder(const PayloadData &data, const uint64_t *in) {
  return data.ring().remainder(in[0], in[1]);
}
uint64_t minimum(const PayloadData &data, const uint64_t *in) {
  return data.ring().minimum(in[0], in[1]);
}
uint64_t maximum(const PayloadData &data, const uint64_t *in) {
  return data.ring().maximum(in[0], in[1]);
}
uint64_t clamp(const PayloadData &data, const uint64_t *in) {
  return data.ring().minimum(data.ring().maximum(in[0], in[1]), in[2]);
}
uint64_t exp(const PayloadData &data, const uint64_t *in) { return data.ring().exp(in[0]); }
uint64_t exp2(const PayloadData &data, const uint64_t *in) { return data.ring().exp2(in[0]); }
uint64_t sine(const PayloadData &data, const uint64_t *in) { return data.ring().cosSin(in[0]).sin; }
uint64_t cosine(const PayloadData &data, const uint64_t *in) {
  return data.ring().cosSin(in[0]).cos;
}
uint64_t tagged(const PayloadData &data, const uint64_t *in) {
  return data.ring().tag(data.tag, in[0]);
}
uint64_t convert(const PayloadData &data, const uint64_t *in) {
  return payloadOf(data.operands[0].kind).ring.convert(in[0], data.ring(), data.truncates);
}
/// What stands for code that nobody looks into.
uint64_t hashed(const PayloadData &data, const uint64_t *in) {
  uint64_t sum = 0;
  for (auto [i, operand] : llvm::enumerate(data.operands)) {
    uint64_t value = in[i];
    if (isFloat(operand.kind))
      value = static_cast<uint64_t>(payloadOf(operand.kind).ring.toSigned(value));
    sum += data.ring().rotateLeft(data.ring().wrap(value), static_cast<unsigned>(i));
  }
  return sum ^ data.hash;
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

bool isFloatValue(mlir::Value value) {
  return mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(value.getType()));
}
bool isNumber(mlir::Value value) {
  return mlir::isa<mlir::FloatType, mlir::IntegerType>(mlir::getElementTypeOrSelf(value.getType()));
}

PayloadData *addPayload(Lowering &lowering, mlir::ValueRange operands, mlir::Value result,
                        Function function) {
  PayloadData *data = lowering.addData<PayloadData>();
  data->function = function;
  data->result = lowering.kindOf(result);
  for (mlir::Value operand : operands)
    data->operands.push_back({lowering.slotOf(operand), lowering.kindOf(operand)});
  lowering.setShape(result.getType());
  llvm::SmallVector<Slot, 4> slots;
  for (const PayloadData::Operand &operand : data->operands)
    slots.push_back(operand.slot);
  Slot slot = lowering.define(result, elementsOf(lowering, operands));
  lowering.emit(runPayload, taintElementwise, slot, slots).data = data;
  return data;
}

template <Function function> bool lowerPayload(Lowering &lowering, mlir::Operation *operation) {
  addPayload(lowering, operation->getOperands(), operation->getResult(0), function);
  return true;
}

template <PayloadTag tag> bool lowerTagged(Lowering &lowering, mlir::Operation *operation) {
  addPayload(lowering, operation->getOperands(), operation->getResult(0), tagged)->tag = tag;
  return true;
}

bool lowerConversion(Lowering &lowering, mlir::Operation *operation) {
  addPayload(lowering, operation->getOperand(0), operation->getResult(0), convert)->truncates =
      lowering.truncatesPayloads;
  return true;
}

/// Of a function of the device library that an operation is, its row; null for others.
LowerFunction knownFunction(tt::ExternElementwiseOp call) {
  auto isSingle = [](mlir::Value value) {
    return mlir::getElementTypeOrSelf(value.getType()).isF32();
  };
  if (!isSingle(call.getResult()) || !llvm::all_of(call.getOperands(), isSingle))
    return nullptr;
  llvm::StringRef operation = llvm::StringSwitch<llvm::StringRef>(call.getSymbol())
                                  .Cases({"__nv_fast_expf", "__nv_expf"}, "math.exp")
                                  .Case("__nv_exp2f", "math.exp2")
                                  .Case("__nv_logf", "math.log")
                                  .Case("__nv_log2f", "math.log2")
                                  .Case("__nv_cosf", "math.cos")
                                  .Case("__nv_sinf", "math.sin")
                                  .Case("__nv_rsqrtf", "math.rsqrt")
                                  .Case("__nv_erff", "math.erf")
                                  .Case("__nv_floorf", "math.floor")
                                  .Case("__nv_ceilf", "math.ceil")
                                  .Case("__nv_fsqrt_rn", "tt.precise_sqrt")
                                  .Case("__nv_fdiv_rn", "tt.precise_divf")
                                  .Case("__nv_fmaf", "math.fma")
                                  .Default("");
  return payloadTable().lookup(operation);
}

/// Each result is a hash of the text and of all operands.
bool lowerHashed(Lowering &lowering, mlir::Operation *operation, llvm::StringRef text) {
  constexpr unsigned mostOperands = 4;
  if (operation->getNumOperands() > mostOperands)
    return lowering.unsupported(operation, "more than four operands under fpsan");
  for (mlir::OpResult result : operation->getResults())
    addPayload(lowering, operation->getOperands(), result, hashed)->hash =
        numeric::payloadHash(text) ^ result.getResultNumber();
  return true;
}

bool isHashed(mlir::Operation *operation, bool isPure) {
  return isPure && operation->getNumOperands() &&
         llvm::all_of(operation->getResults(), isFloatValue) &&
         llvm::all_of(operation->getOperands(), isNumber);
}

bool lowerLibrary(Lowering &lowering, mlir::Operation *operation) {
  auto call = mlir::cast<tt::ExternElementwiseOp>(operation);
  if (!isHashed(call, call.getPure()))
    return operationTable().lookup(operation->getName().getStringRef())(lowering, operation);
  if (LowerFunction known = knownFunction(call))
    return known(lowering, operation);
  return lowerHashed(lowering, operation, call.getSymbol());
}

bool lowerAssembly(Lowering &lowering, mlir::Operation *operation) {
  auto code = mlir::cast<tt::ElementwiseInlineAsmOp>(operation);
  if (!isHashed(code, code.getPure()))
    return operationTable().lookup(operation->getName().getStringRef())(lowering, operation);
  return lowerHashed(lowering, operation, code.getAsmString());
}

bool lowerPacked(Lowering &lowering, mlir::Operation *operation) {
  auto packed = mlir::cast<ttng::PackedArithOp>(operation);
  if (ttng::packedForm(packed) != ttng::PackedForm::Pairs)
    return lowering.unsupported(operation, "packed arithmetic of these types");
  switch (packed.getOpKind()) {
  case ttng::PackedArithOpKind::ADD:
    return lowerPayload<add>(lowering, operation);
  case ttng::PackedArithOpKind::SUB:
    return lowerPayload<subtract>(lowering, operation);
  case ttng::PackedArithOpKind::MUL:
    return lowerPayload<multiply>(lowering, operation);
  case ttng::PackedArithOpKind::FMA:
    return lowerPayload<fuse>(lowering, operation);
  case ttng::PackedArithOpKind::MIN:
    return lowerPayload<minimum>(lowering, operation);
  case ttng::PackedArithOpKind::MAX:
    return lowerPayload<maximum>(lowering, operation);
  }
  GL_UNREACHABLE("kind of packed arithmetic");
}

OperationTable makeTable() {
  OperationTable table;
  table["arith.addf"] = lowerPayload<add>;
  table["arith.subf"] = lowerPayload<subtract>;
  table["arith.mulf"] = lowerPayload<multiply>;
  table["arith.negf"] = lowerPayload<negate>;
  table["arith.divf"] = lowerPayload<divide>;
  table["tt.precise_divf"] = lowerPayload<divide>;
  table["arith.remf"] = lowerPayload<remainder>;
  table["arith.minimumf"] = lowerPayload<minimum>;
  table["arith.minnumf"] = lowerPayload<minimum>;
  table["arith.maximumf"] = lowerPayload<maximum>;
  table["arith.maxnumf"] = lowerPayload<maximum>;
  table["tt.clampf"] = lowerPayload<clamp>;
  table["math.fma"] = lowerPayload<fuse>;
  table["math.exp"] = lowerPayload<exp>;
  table["math.exp2"] = lowerPayload<exp2>;
  table["math.sin"] = lowerPayload<sine>;
  table["math.cos"] = lowerPayload<cosine>;
  table["math.log"] = lowerTagged<PayloadTag::Log>;
  table["math.log2"] = lowerTagged<PayloadTag::Log2>;
  table["math.sqrt"] = lowerTagged<PayloadTag::Sqrt>;
  table["math.rsqrt"] = lowerTagged<PayloadTag::Rsqrt>;
  table["math.erf"] = lowerTagged<PayloadTag::Erf>;
  table["math.floor"] = lowerTagged<PayloadTag::Floor>;
  table["math.ceil"] = lowerTagged<PayloadTag::Ceil>;
  table["tt.precise_sqrt"] = lowerTagged<PayloadTag::PreciseSqrt>;
  table["arith.extf"] = lowerConversion;
  table["arith.truncf"] = lowerConversion;
  table["tt.fp_to_fp"] = lowerConversion;
  table["tt.extern_elementwise"] = lowerLibrary;
  table["tt.elementwise_inline_asm"] = lowerAssembly;
  table["ttng.packed_arith"] = lowerPacked;
  return table;
}

} // namespace

const OperationTable &payloadTable() {
  static const OperationTable table = makeTable();
  return table;
}

} // namespace gluonc::sim
