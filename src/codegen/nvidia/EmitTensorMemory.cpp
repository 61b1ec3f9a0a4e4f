//===- EmitTensorMemory.cpp - Tensor memory and its products: tcgen05 --------------===//
//
// A view of tensor memory is one register: row << 16 | column. A CTA allocates
// once, at its start (NvidiaIsa), and buffers have constant places in that.
//
//     tcgen05.ld …       for each message of the plan (layout/plan/TensorMemoryAccess.h)
//     tcgen05.wait::ld   registers are there
//
// One thread of the first warp starts a product: an instruction for each tile of
// the sum and step along K, and then the commits. Descriptors are that of the
// first element and a constant.
//
//===----------------------------------------------------------------------===//
#include "codegen/core/Words.h"
#include "codegen/nvidia/EmitHopper.h"
#include "codegen/nvidia/InlineAsm.h"
#include "codegen/nvidia/NvidiaIsa.h"
#include "codegen/nvidia/SharedOperand.h"
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
namespace tcgen05 = target::nvidia::tcgen05;

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
        result[access.registerOf(message.base, word, part)] = each;
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

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// A branch around what only one warp of those that come here executes, if `condition` (null:
/// always) holds.
template <typename Body> void inFirstWarp(Emitter &emitter, Value *condition, Body body) {
  Builder &builder = emitter.builder;
  Value *first = builder.CreateICmpEQ(emitter.threads.warpId(), builder.getInt32(0));
  if (condition)
    first = builder.CreateAnd(first, condition);
  BasicBlock *only = emitter.blocks.create("one"), *then = emitter.blocks.create("then");
  builder.CreateCondBr(first, only, then);
  emitter.blocks.start(only);
  body();
  builder.CreateBr(then);
  emitter.blocks.start(then);
}

/// Assembly of one thread of a warp, put together line by line.
class OneThread {
public:
  explicit OneThread(Emitter &emitter) : emitter(emitter), out(text) {
    out << "{\n\t.reg .pred one;\n\telect.sync _|one, 0xffffffff;\n\t";
  }

  /// "$3"
  std::string operand(Value *value) {
    auto [place, isNew] = numbers.try_emplace(value, unsigned(operands.size()));
    if (isNew)
      operands.push_back(value);
    return "$" + std::to_string(place->second);
  }
  raw_ostream &line() { return out; }

  /// One arrival at a barrier when all that was started before is over.
  void commit(Value *barrier, Value *condition) {
    std::string who = "one";
    ConstantInt *known = dyn_cast_or_null<ConstantInt>(condition);
    if (known && known->isZero())
      return;
    if (condition && !known) {
      who = "tells" + std::to_string(++commits);
      out << ".reg .pred " << who << ";\n\tand.pred " << who << ", one, " << operand(condition)
          << ";\n\t";
    }
    out << "@" << who << " tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 ["
        << operand(barrier) << "];\n\t";
  }

  void finish() {
    out << "}";
    emitOrdered(emitter, text, operands);
  }

private:
  Emitter &emitter;
  std::string text;
  raw_string_ostream out;
  SmallVector<Value *> operands;
  DenseMap<Value *, unsigned> numbers;
  unsigned commits = 0;
};

class Product {
public:
  Product(Emitter &emitter, ttng::TCGen5MMAOp op, const ttng::TensorProduct &product)
      : emitter(emitter), op(op), product(product), a(op.getA().getType()), d(op.getD().getType()),
        b(emitter, op.getB(), 0, product.columns, product.depth) {
    if (a.isShared())
      sharedA.emplace(emitter, op.getA(), 1, product.rows, product.depth);
  }

  bool isValid() const { return b.isValid() && (!sharedA || sharedA->isValid()); }

  void emit() {
    // Bit 46 tells descriptors of tcgen05 from those of wgmma.
    constexpr uint64_t version = uint64_t{1} << 46;
    if (sharedA)
      sharedA->start({}, version);
    b.start({}, version);
    Value *useD = emitter.scalar(op.getUseD());
    OneThread one(emitter);
    raw_ostream &out = one.line();
    out << ".reg .pred adds;\n\t.reg .b32 form;\n\t.reg .b64 a, b;\n\t"
        << "mov.b32 form, " << tcgen05::instructionDescriptor(product.form) << ";\n\t"
        << "setp.eq.b32 adds, 0, 0;\n\t";
    ArrayRef<int64_t> sums = d.getShape();
    for (int64_t m = 0; m < sums[0]; m += product.rows)
      for (int64_t n = 0; n < sums[1]; n += product.columns)
        for (int64_t k = 0; k < a.getShape()[1]; k += product.depth)
          multiply(one, m, n, k, k ? nullptr : useD);
    for (auto [barrier, condition] : llvm::zip(op.getBarriers(), op.getBarrierPreds()))
      one.commit(barrierAddress(emitter, barrier), emitter.scalar(condition));
    one.finish();
  }

private:
  uint32_t placeOf(ttg::MemDescType type, int64_t row, int64_t column) const {
    return layout::tensorMemoryOffset(toLinear(type), elementBits(type.getElementType()),
                                      {row, column});
  }

  /// `useD`: whether to add to the sum; null: always.
  void multiply(OneThread &one, int64_t m, int64_t n, int64_t k, Value *useD) {
    raw_ostream &out = one.line();
    std::string left = "a";
    if (sharedA)
      out << "add.s64 a, " << one.operand(sharedA->begin()) << ", " << sharedA->step(m, k)
          << ";\n\t";
    else
      left = "[" + one.operand(emitter.get(op.getA())[0]) + " + " +
             std::to_string(placeOf(a, m, k)) + "]";
    out << "add.s64 b, " << one.operand(b.begin()) << ", " << b.step(n, k) << ";\n\t";
    std::string adds = "adds";
    ConstantInt *known = dyn_cast_or_null<ConstantInt>(useD);
    if (known && known->isZero())
      adds = "!adds";
    else if (useD && !known)
      adds = one.operand(useD);
    out << "@one tcgen05.mma.cta_group::1.kind::" << tcgen05::name(product.form.kind) << " ["
        << one.operand(emitter.get(op.getD())[0]) << " + " << placeOf(d, m, n) << "], " << left
        << ", b, form, " << adds << ";\n\t";
  }

  Emitter &emitter;
  ttng::TCGen5MMAOp op;
  const ttng::TensorProduct &product;
  ttg::MemDescType a, d;
  std::optional<SharedOperand> sharedA;
  SharedOperand b;
};

LogicalResult emitMma(Emitter &emitter, ttng::TCGen5MMAOp op) {
  std::string why;
  auto product =
      ttng::tensorProduct(op.getA().getType(), op.getB().getType(), op.getD().getType(), why);
  if (!product || !tcgen05::has(emitter.state.target, product->form.kind))
    return emitter.unsupported(op, "this product of tensor cores");
  product->form.unsignedA = op.getUnsignedA();
  product->form.unsignedB = op.getUnsignedB();
  Product code(emitter, op, *product);
  if (!code.isValid())
    return emitter.unsupported(op, "an operand of tcgen05.mma in this shared layout");
  Value *predicate = emitter.scalar(op.getPred());
  ConstantInt *known = dyn_cast<ConstantInt>(predicate);
  if (!op.getBarriers().empty())
    emitter.threads.barrier();
  if (known && known->isZero())
    return success();
  inFirstWarp(emitter, known ? nullptr : predicate, [&] { code.emit(); });
  return success();
}

LogicalResult emitCommit(Emitter &emitter, ttng::TCGen5CommitOp op) {
  emitter.threads.barrier();
  Value *predicate = op.getPred() ? emitter.scalar(op.getPred()) : nullptr;
  ConstantInt *known = dyn_cast_or_null<ConstantInt>(predicate);
  if (known && known->isZero())
    return success();
  inFirstWarp(emitter, known ? nullptr : predicate, [&] {
    OneThread one(emitter);
    one.commit(barrierAddress(emitter, op.getBarrier()), nullptr);
    one.finish();
  });
  return success();
}

} // namespace

void addTensorMemory(EmitTable &table) {
  table.add<emitAlloc>();
  table.add<emitLoad>();
  table.add<emitStore>();
  table.add<emitSubslice>();
  table.add<emitMma>();
  table.add<emitCommit>();
}

//===----------------------------------------------------------------------===//
// The kernel's own
//===----------------------------------------------------------------------===//

Value *NvidiaIsa::allocateTensorMemory(Builder &builder, Value *isFirstWarp, Value *place,
                                       unsigned columns) const {
  emitAsm(builder,
          "@$1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [$0], " +
              std::to_string(columns) +
              ";\n\t@$1 tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;",
          builder.getVoidTy(), {place, isFirstWarp}, AsmEffect::ReadsAndWrites, Threads::Together);
  ctaBarrier(builder);
  return builder.CreateAlignedLoad(builder.getInt32Ty(), place, Align(4), /*isVolatile=*/true);
}

void NvidiaIsa::freeTensorMemory(Builder &builder, Value *isFirstWarp, Value *address,
                                 unsigned columns) const {
  emitAsm(builder,
          "@$1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 $0, " + std::to_string(columns) + ";",
          builder.getVoidTy(), {address, isFirstWarp}, AsmEffect::ReadsAndWrites,
          Threads::Together);
}

} // namespace gluonc::codegen::nvidia
