//===- EmitMap.cpp - Scalar code and assembly per element --------------------------===//
//
// Both take `pack` registers of a thread at a time, counted as the layout counts
// them: with those that hold copies. So operands are spread out first. The assembly
// of `ttg.inline_asm` takes all registers of a thread at once.
//
//===----------------------------------------------------------------------===//
#include "codegen/core/Emitter.h"

#include "codegen/core/SharedTransfer.h"
#include "ir/AsmConstraints.h"
#include "ir/Dialects.h"
#include "ir/Encoding.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

/// For each register of the whole layout its number without zero bases; {0} for a scalar.
SmallVector<unsigned> distinctRegisters(mlir::Type type) {
  auto tensor = dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor)
    return {0};
  const LinearLayout &layout = toLinear(tensor);
  SmallVector<unsigned> distinct;
  for (uint32_t reg = 0; reg < layout.inSize(Dim::Register); ++reg) {
    unsigned number = 0, next = 0;
    for (unsigned bit = 0; bit < layout.inLog2(Dim::Register); ++bit)
      if (layout.packedBasis(Dim::Register, bit))
        number |= (reg >> bit & 1) << next++;
    distinct.push_back(number);
  }
  return distinct;
}

/// Runs `group(first)` for each group of `pack` registers; it fills results[result][register].
template <typename Group>
LogicalResult emitGroups(Emitter &emitter, mlir::Operation *op, unsigned pack, Group group) {
  mlir::Type type = op->getNumOperands() ? op->getOperand(0).getType() : op->getResult(0).getType();
  SmallVector<unsigned> distinct = distinctRegisters(type);
  unsigned count = op->getNumResults();
  std::vector<Registers> results(count);
  for (unsigned i = 0; i < count; ++i)
    results[i].resize(emitter.types.registerCount(op->getResult(i).getType()));
  // A scalar is one element, and `pack` times the same one.
  if (distinct.size() < pack)
    distinct.resize(pack, 0);
  for (unsigned first = 0; first < distinct.size(); first += pack)
    if (failed(group(ArrayRef(distinct).slice(first, pack), results)))
      return failure();
  for (unsigned i = 0; i < count; ++i)
    emitter.set(op->getResult(i), std::move(results[i]));
  return success();
}

LogicalResult emitMapElementwise(Emitter &emitter, tt::MapElementwiseOp op) {
  if (!op.getScalarOp().hasOneBlock())
    return emitter.unsupported(op, "`tt.map_elementwise` of several blocks");
  mlir::Block &body = op.getScalarOp().front();
  unsigned pack = op.getPack();
  return emitGroups(
      emitter, op, pack, [&](ArrayRef<unsigned> group, std::vector<Registers> &results) {
        for (auto [i, argument] : enumerate(body.getArguments()))
          emitter.set(argument, {emitter.get(op.getSrcs()[i / pack])[group[i % pack]]});
        if (failed(emitter.emitRegion(op.getScalarOp())))
          return failure();
        for (auto [i, value] : enumerate(body.getTerminator()->getOperands()))
          results[i / pack][group[i % pack]] = emitter.scalar(value);
        return success();
      });
}

/// What the region returns is read by whoever emitted it.
LogicalResult emitMapReturn(Emitter &, tt::MapElementwiseReturnOp) { return success(); }

// -- Assembly --------------------------------------------------------------------

Type *asmType(Builder &builder, AsmRegister each) {
  if (each.kind == 'f')
    return builder.getFloatTy();
  if (each.kind == 'd')
    return builder.getDoubleTy();
  return builder.getIntNTy(each.bits);
}

/// Elements side by side in a register of the class; the first one in the lowest bits.
Value *packAsm(Builder &builder, ArrayRef<Value *> elements, AsmRegister each) {
  Type *wide = builder.getIntNTy(each.bits);
  Value *word = nullptr;
  unsigned shift = 0;
  for (Value *element : elements) {
    unsigned bits = element->getType()->isPointerTy()
                        ? 64
                        : element->getType()->getPrimitiveSizeInBits().getFixedValue();
    Value *part = builder.CreateBitOrPointerCast(element, builder.getIntNTy(bits));
    part = builder.CreateShl(builder.CreateZExt(part, wide), shift);
    word = word ? disjointOr(builder, word, part) : part;
    shift += bits;
  }
  return builder.CreateBitCast(word, asmType(builder, each));
}

/// The elements as the class of an operand wants them; null for a number that is not known.
Value *asmOperand(Builder &builder, ArrayRef<Value *> elements, AsmRegister each) {
  if (each.kind != 'n')
    return packAsm(builder, elements, each);
  return isa<ConstantInt>(elements[0]) && all_equal(elements) ? elements[0] : nullptr;
}
constexpr const char *alienRegisters = "assembly with registers of AMD's chips";
constexpr const char *noConstant = "a constraint `n` on what is no constant";

void unpackAsm(Builder &builder, Value *word, Type *element, unsigned count,
               SmallVectorImpl<Value *> &elements) {
  unsigned bits = element->isPointerTy() ? 64 : element->getPrimitiveSizeInBits().getFixedValue();
  word = builder.CreateBitCast(word, builder.getIntNTy(word->getType()->getPrimitiveSizeInBits()));
  for (unsigned i = 0; i < count; ++i) {
    Value *part = builder.CreateTrunc(builder.CreateLShr(word, i * bits), builder.getIntNTy(bits));
    elements.push_back(builder.CreateBitOrPointerCast(part, element));
  }
}

LogicalResult emitInlineAsm(Emitter &emitter, tt::ElementwiseInlineAsmOp op) {
  Builder &builder = emitter.builder;
  unsigned pack = op.getPackedElement();
  std::string why;
  std::optional<AsmConstraints> constraints = readAsmConstraints(
      op.getAsmString(), op.getConstraints(), op.getResultTypes(), op.getOperandTypes(), pack, why);
  if (!constraints)
    return emitter.unsupported(op, why);
  if (constraints->isAmd() && !emitter.isa.hasVectorRegisters())
    return emitter.unsupported(op, alienRegisters);
  SmallVector<Type *> resultTypes;
  for (AsmRegister each : constraints->results)
    resultTypes.push_back(asmType(builder, each));
  return emitGroups(
      emitter, op, pack, [&](ArrayRef<unsigned> group, std::vector<Registers> &results) {
        SmallVector<Value *> operands;
        for (mlir::Value operand : op.getArgs()) {
          unsigned together = elementsPerAsmOperand(operand.getType(), pack);
          for (unsigned first = 0; first < pack; first += together) {
            SmallVector<Value *> elements;
            for (unsigned reg : group.slice(first, together))
              elements.push_back(emitter.get(operand)[reg]);
            operands.push_back(
                asmOperand(builder, elements, constraints->operands[operands.size()]));
            if (!operands.back())
              return emitter.unsupported(op, noConstant);
          }
        }
        Registers words = emitter.isa.inlineAsm(builder, op.getAsmString(), op.getConstraints(),
                                                resultTypes, operands, op.getPure());
        size_t next = 0;
        for (auto [i, type] : enumerate(op.getResultTypes())) {
          SmallVector<Value *> elements;
          unsigned together = elementsPerAsmOperand(type, pack);
          Type *element = emitter.types.ofElement(mlir::getElementTypeOrSelf(type));
          while (elements.size() < pack)
            unpackAsm(builder, words[next++], element, together, elements);
          for (auto [reg, value] : zip_equal(group, elements))
            results[i][reg] = value;
        }
        return success();
      });
}

/// Where the first element of a view lies.
Value *originOf(Emitter &emitter, mlir::Value buffer) {
  auto type = cast<ttg::MemDescType>(buffer.getType());
  Transfer whole;
  whole.layout = layoutOf(type.getEncoding());
  whole.padded = whole.layout ? layout::paddedPart(*whole.layout) : nullptr;
  Builder &builder = emitter.builder;
  ThreadAddress address = addressOf(emitter, whole, buffer, elementBytes(type.getElementType()),
                                    builder.getInt32(0), /*mask=*/0);
  return builder.CreatePtrToInt(address.at(0), builder.getInt32Ty());
}

LogicalResult emitThreadAsm(Emitter &emitter, ttg::InlineAsmOp op) {
  Builder &builder = emitter.builder;
  auto resultElements = threadAsmTypes(op.getResultTypes());
  auto operandElements = threadAsmTypes(op.getArgs().getTypes());
  std::string why;
  std::optional<AsmConstraints> constraints =
      readAsmConstraints(op.getAsmString(), op.getConstraints(), *resultElements, *operandElements,
                         /*pack=*/1, why);
  if (!constraints)
    return emitter.unsupported(op, why);
  if (constraints->isAmd() && !emitter.isa.hasVectorRegisters())
    return emitter.unsupported(op, alienRegisters);
  SmallVector<Value *> operands;
  for (mlir::Value operand : op.getArgs()) {
    bool isBuffer = isa<ttg::MemDescType>(operand.getType());
    for (unsigned reg :
         isBuffer ? SmallVector<unsigned>{0} : distinctRegisters(operand.getType())) {
      operands.push_back(
          asmOperand(builder, {isBuffer ? originOf(emitter, operand) : emitter.get(operand)[reg]},
                     constraints->operands[operands.size()]));
      if (!operands.back())
        return emitter.unsupported(op, noConstant);
    }
  }
  SmallVector<Type *> types;
  for (AsmRegister each : constraints->results)
    types.push_back(asmType(builder, each));
  Registers words = emitter.isa.inlineAsm(builder, op.getAsmString(), op.getConstraints(), types,
                                          operands, op.getPure());
  size_t next = 0;
  for (mlir::Value result : op.getResult()) {
    Type *element = emitter.types.ofElement(mlir::getElementTypeOrSelf(result.getType()));
    Registers registers(emitter.types.registerCount(result.getType()));
    // Of registers with copies the last one counts; they are to agree.
    for (unsigned reg : distinctRegisters(result.getType())) {
      SmallVector<Value *> elements;
      unpackAsm(builder, words[next++], element, 1, elements);
      registers[reg] = elements[0];
    }
    emitter.set(result, std::move(registers));
  }
  return success();
}

} // namespace

void addMap(EmitTable &table) {
  table.add<emitMapElementwise>();
  table.add<emitMapReturn>();
  table.add<emitInlineAsm>();
  table.add<emitThreadAsm>();
}

} // namespace gluonc::codegen
