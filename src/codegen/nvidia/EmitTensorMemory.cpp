//===- EmitTensorMemory.cpp - Tensor memory: tcgen05.alloc, ld and st --------------===//
//
// A view of tensor memory is one register: row << 16 | column. A CTA allocates
// once, at its start (NvidiaIsa), and buffers have constant places in that.
//
//     tcgen05.ld …       for each message of the plan (layout/plan/TensorMemoryAccess.h)
//     tcgen05.wait::ld   registers are there
//
//===----------------------------------------------------------------------===//
#include "codegen/core/Words.h"
#include "codegen/nvidia/EmitHopper.h"
#include "codegen/nvidia/InlineAsm.h"
#include "codegen/nvidia/NvidiaIsa.h"
#include "codegen/nvidia/TensorTransfer.h"
#include "ir/Encoding.h"
#include "ir/ttng/TensorMemoryRules.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::nvidia {

namespace tmem = target::nvidia::tmem;

namespace {

Value *addConstant(Builder &builder, Value *address, uint32_t offset) {
  return offset ? builder.CreateAdd(address, builder.getInt32(offset)) : address;
}

uint32_t intAttr(mlir::Operation *op, StringRef name) {
  auto value = op->getAttrOfType<mlir::IntegerAttr>(name);
  return value ? uint32_t(value.getInt()) : 0;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// The elements of a 32-bit word, and back.
Registers splitWord(Builder &builder, Value *word, Type *element, unsigned perWord) {
  const unsigned bits = element->getPrimitiveSizeInBits().getFixedValue();
  if (perWord * bits < tmem::columnBits) {
    Value *low = builder.CreateTrunc(word, builder.getIntNTy(perWord * bits));
    return {builder.CreateBitCast(low, element)};
  }
  return unpackWords(builder, word, element, perWord);
}

Value *joinWord(Builder &builder, ArrayRef<Value *> elements) {
  Type *word = builder.getInt32Ty(), *element = elements[0]->getType();
  const unsigned bits = element->getPrimitiveSizeInBits().getFixedValue();
  if (elements.size() * bits < tmem::columnBits)
    return builder.CreateZExt(builder.CreateBitCast(elements[0], builder.getIntNTy(bits)), word);
  return packWords(builder, elements, word)[0];
}

LogicalResult emitLoad(Emitter &emitter, ttng::TMEMLoadOp op) {
  if (op.getRed())
    return emitReducingLoad(emitter, op);
  auto type = cast<mlir::RankedTensorType>(op.getResult().getType());
  std::optional<Transfer> transfer = planTransfer(emitter, op, type, op.getSrc());
  if (!transfer)
    return emitter.unsupported(op, "a load of tensor memory into this layout");
  const layout::TensorMemoryAccess &access = transfer->access;
  Builder &builder = emitter.builder;
  const unsigned words = access.words(), count = words * access.messages.size();
  std::string text;
  raw_string_ostream out(text);
  for (auto [i, message] : enumerate(access.messages))
    out << "tcgen05.ld.sync.aligned." << shapeText(access, ".pack::16b") << ".b32 "
        << registerList(i * words, words) << ", [$" << count << " + " << message.offset << "]"
        << halfText(access) << ";\n\t";
  // Registers may not be touched before this.
  out << "tcgen05.wait::ld.sync.aligned;";
  SmallVector<Type *> types(count, builder.getInt32Ty());
  Value *loaded =
      emitTiedAsm(builder, text, types, {}, {transfer->address}, AsmEffect::ReadsAndWrites);
  Registers result(emitter.types.registerCount(type));
  Type *element = emitter.types.ofElement(type.getElementType());
  for (auto [i, message] : enumerate(access.messages))
    for (unsigned word = 0; word < words; ++word) {
      Value *value = count == 1 ? loaded : builder.CreateExtractValue(loaded, i * words + word);
      for (auto [part, each] :
           enumerate(splitWord(builder, value, element, access.elementsPerWord())))
        if (Value *&slot = result[access.registerOf(message.base, word, part)]; !slot)
          slot = each;
    }
  emitter.set(op.getResult(), std::move(result));
  return success();
}

LogicalResult storeTensor(Emitter &emitter, mlir::Operation *op, mlir::Value tensor,
                          mlir::Value view, Value *predicate) {
  std::optional<Transfer> transfer =
      planTransfer(emitter, op, cast<mlir::RankedTensorType>(tensor.getType()), view);
  if (!transfer)
    return emitter.unsupported(op, "a store of this layout to tensor memory");
  const layout::TensorMemoryAccess &access = transfer->access;
  Builder &builder = emitter.builder;
  const Registers &registers = emitter.get(tensor);
  SmallVector<Value *> operands = {transfer->address};
  std::string text, condition;
  if (predicate && !isa<Constant>(predicate)) {
    operands.push_back(predicate);
    condition = "@$1 ";
  }
  raw_string_ostream out(text);
  for (const auto &message : access.messages) {
    out << condition << "tcgen05.st.sync.aligned." << shapeText(access, ".unpack::16b")
        << ".b32 [$0 + " << message.offset << "]" << halfText(access) << ", "
        << registerList(operands.size(), access.words()) << ";\n\t";
    for (unsigned word = 0; word < access.words(); ++word) {
      Registers elements;
      for (unsigned part = 0; part < access.elementsPerWord(); ++part)
        elements.push_back(registers[access.registerOf(message.base, word, part)]);
      operands.push_back(joinWord(builder, elements));
    }
  }
  out << "tcgen05.wait::st.sync.aligned;";
  emitAsm(builder, text, builder.getVoidTy(), operands, AsmEffect::ReadsAndWrites,
          Threads::Together);
  return success();
}

LogicalResult emitStore(Emitter &emitter, ttng::TMEMStoreOp op) {
  Value *predicate = emitter.scalar(op.getPred());
  if (ConstantInt *known = dyn_cast<ConstantInt>(predicate); known && known->isZero())
    return success();
  return storeTensor(emitter, op, op.getSrc(), op.getDst(), predicate);
}

LogicalResult emitAlloc(Emitter &emitter, ttng::TMEMAllocOp op) {
  if (!emitter.tensorMemory || !op->hasAttr(ttg::tensorMemoryColumnAttr))
    return emitter.unsupported(op, "`ttng.tmem_alloc` without allocated columns");
  const uint32_t offset = intAttr(op, ttg::tensorMemoryRowAttr) << tmem::rowShift |
                          intAttr(op, ttg::tensorMemoryColumnAttr);
  emitter.set(op.getResult(), {addConstant(emitter.builder, emitter.tensorMemory, offset)});
  return op.getSrc() ? storeTensor(emitter, op, op.getSrc(), op.getResult(), nullptr) : success();
}

LogicalResult emitSubslice(Emitter &emitter, ttng::TMEMSubSliceOp op) {
  ttg::MemDescType type = op.getSrc().getType();
  layout::Ints begin(type.getRank(), 0);
  begin[op.getDim()] = op.getOffset();
  Value *address = emitter.get(op.getSrc())[0];
  const size_t ring = type.getRank() - toLinear(type).outDims().size();
  if (size_t(op.getDim()) < ring)
    address = addConstant(emitter.builder, address,
                          uint32_t(op.getOffset() * ttng::columnsOfBuffer(type)));
  else
    address =
        addConstant(emitter.builder, address,
                    layout::tensorMemoryOffset(toLinear(type), elementBits(type.getElementType()),
                                               ArrayRef(begin).drop_front(ring)));
  emitter.set(op.getResult(), {address});
  return success();
}

} // namespace

void addTensorMemory(EmitTable &table) {
  table.add<emitAlloc>();
  table.add<emitLoad>();
  table.add<emitStore>();
  table.add<emitSubslice>();
  addTensorProducts(table);
}

//===----------------------------------------------------------------------===//
// The kernel's own
//===----------------------------------------------------------------------===//

Value *NvidiaIsa::allocateTensorMemory(Builder &builder, Value *isFirstWarp, Value *place,
                                       unsigned columns, unsigned ctas) const {
  const std::string group = ".cta_group::" + std::to_string(ctas) + ".sync.aligned";
  emitAsm(builder,
          "@$1 tcgen05.alloc" + group + ".shared::cta.b32 [$0], " + std::to_string(columns) +
              ";\n\t@$1 tcgen05.relinquish_alloc_permit" + group + ";",
          builder.getVoidTy(), {place, isFirstWarp}, AsmEffect::ReadsAndWrites, Threads::Together);
  ctaBarrier(builder, /*global=*/false);
  return builder.CreateAlignedLoad(builder.getInt32Ty(), place, Align(4), /*isVolatile=*/true);
}

void NvidiaIsa::freeTensorMemory(Builder &builder, Value *isFirstWarp, Value *address,
                                 unsigned columns, unsigned ctas) const {
  emitAsm(builder,
          "@$1 tcgen05.dealloc.cta_group::" + std::to_string(ctas) + ".sync.aligned.b32 $0, " +
              std::to_string(columns) + ";",
          builder.getVoidTy(), {address, isFirstWarp}, AsmEffect::ReadsAndWrites,
          Threads::Together);
}

} // namespace gluonc::codegen::nvidia
