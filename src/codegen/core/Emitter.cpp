#include "codegen/core/Emitter.h"

#include "codegen/Backend.h"
#include "codegen/core/Words.h"
#include "codegen/passes/DebugInfo.h"
#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "ir/tt/AxisInfo.h"
#include "support/Error.h"
#include "support/Recovery.h"

#include "mlir/IR/RegionGraphTraits.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

const EmitTable &emitTable() {
  static const EmitTable table = [] {
    EmitTable all;
    addArith(all);
    addMath(all);
    addCasts(all);
    addProgram(all);
    addReshape(all);
    addLoadStore(all);
    addConvertLayout(all);
    addShared(all);
    addDebug(all);
    addScan(all);
    addAtomics(all);
    addReduce(all);
    addAsyncCopy(all);
    addGather(all);
    addIndexed(all);
    addMap(all);
    addLibdevice(all);
    addControlFlow(all);
    addWarpSpecialize(all);
    addCluster(all);
    return all;
  }();
  return table;
}

EmitFunction emitFunctionOf(mlir::OperationName name, const Isa &isa) {
  EmitFunction emit = isa.operations().find(name);
  return emit ? emit : emitTable().find(name);
}

} // namespace

bool Backend::emits(mlir::OperationName name) const { return emitFunctionOf(name, isa()); }

Emitter::Emitter(ModuleState &state, tt::FuncOp source, Function &function)
    : state(state), function(function), builder(function.getContext()), isa(state.isa),
      source(source), prologue(function.getContext()) {
  entry = newBlock("prologue");
  BasicBlock *body = newBlock("body");
  prologue.SetInsertPoint(BranchInst::Create(body, entry));
  builder.SetInsertPoint(body);
  group.count = ttg::numWarpsOf(source);
  FastMathFlags flags;
  flags.setAllowContract(state.options.fpFusion);
  builder.setFastMathFlags(flags);
}

Emitter::~Emitter() = default;

const AxisInfos &Emitter::axes() {
  if (!axisInfos)
    axisInfos = std::make_unique<AxisInfos>(cast<tt::FuncOp>(source));
  return *axisInfos;
}

uint32_t Emitter::equalRegisterBits(mlir::Value value) {
  const LinearLayout &layout = layoutOf(value.getType());
  AxisInfo info = axes().of(value);
  uint32_t bits = 0;
  for (unsigned bit = 0; bit < layout.inLog2(Dim::Register); ++bit) {
    bool within = true;
    for (unsigned axis = 0; axis < info.rank(); ++axis)
      within &= layout.basis(Dim::Register, bit, Dim::axis(axis)) < info.constancy[axis];
    bits |= uint32_t{within} << bit;
  }
  return bits;
}

LogicalResult Emitter::unsupported(mlir::Operation *op, const Twine &what) {
  if (!state.failure) {
    std::string text = what.str();
    if (text.empty())
      text = "`" + op->getName().getStringRef().str() + "`";
    state.failure.emplace(op->getLoc(), std::move(text));
  }
  return failure();
}

std::optional<int64_t> Emitter::allocationOf(mlir::Operation *op) {
  if (auto offset = op->getAttrOfType<mlir::IntegerAttr>(ttg::allocationOffsetAttr))
    return offset.getInt();
  (void)unsupported(op, "`" + op->getName().getStringRef() + "` without allocated shared memory");
  return std::nullopt;
}

Value *Emitter::sharedOf(mlir::Operation *op) {
  std::optional<int64_t> offset = allocationOf(op);
  return offset ? builder.CreateConstGEP1_32(builder.getInt8Ty(), state.shared, *offset) : nullptr;
}

LogicalResult Emitter::emitBlock(mlir::Block &block) {
  for (mlir::Operation &op : block) {
    EmitFunction emit = emitFunctionOf(op.getName(), isa);
    if (!emit)
      return unsupported(&op);
    if (state.debug)
      builder.SetCurrentDebugLocation(state.debug->locationOf(op.getLoc(), function));
    WorkPlace::current() = {nullptr, 0, 0, op.getLoc().getAsOpaquePointer()};
    if (mlir::failed(emit(*this, &op)))
      return failure();
  }
  return success();
}

LogicalResult Emitter::emitRegion(mlir::Region &region) {
  if (region.hasOneBlock())
    return emitBlock(region.front());
  // Definitions come before their uses in this order, whatever the text's order is.
  ReversePostOrderTraversal<mlir::Region *> order(&region);
  for (mlir::Block *block : order) {
    if (block != &region.front())
      startBlock(blockOf(block));
    if (failed(emitBlock(*block)))
      return failure();
  }
  return success();
}

// -- Values ----------------------------------------------------------------------

const Registers &Emitter::get(mlir::Value value) const {
  auto found = values.find(value);
  GL_CHECK(found != values.end());
  return found->second;
}

void Emitter::set(mlir::Value value, Registers registers) { values[value] = std::move(registers); }

Registers Emitter::flatten(mlir::ValueRange list) const {
  Registers flat;
  for (mlir::Value value : list)
    append_range(flat, get(value));
  return flat;
}

void Emitter::setFlat(mlir::ValueRange list, ArrayRef<Value *> flat) {
  for (mlir::Value value : list) {
    unsigned count = registerCount(value.getType());
    set(value, Registers(flat.take_front(count)));
    flat = flat.drop_front(count);
  }
}

// -- Types -----------------------------------------------------------------------

Type *Emitter::elementType(mlir::Type type) const {
  LLVMContext &context = function.getContext();
  if (tt::PointerType pointer = dyn_cast<tt::PointerType>(type))
    return PointerType::get(context, pointer.getAddressSpace());
  // Descriptors are found by generic address.
  if (ttng::descriptorOf(type))
    return PointerType::get(context, 0);
  if (type.isIndex())
    return Type::getInt64Ty(context);
  if (type.isF32())
    return Type::getFloatTy(context);
  if (type.isF16())
    return Type::getHalfTy(context);
  if (type.isBF16())
    return Type::getBFloatTy(context);
  if (type.isF64())
    return Type::getDoubleTy(context);
  // Integers, and 8-bit floats, which only conversions look into.
  GL_CHECK(type.isIntOrFloat());
  return Type::getIntNTy(context, type.getIntOrFloatBitWidth());
}

SmallVector<Type *> Emitter::registerTypes(mlir::Type type) {
  if (llvm::isa<ttg::AsyncTokenType>(type))
    return {};
  if (ttg::MemDescType buffer = dyn_cast<ttg::MemDescType>(type)) {
    SmallVector<Type *> types(1 + buffer.getRank(), builder.getInt32Ty());
    types[0] = PointerType::get(function.getContext(), SharedSpace);
    return types;
  }
  if (mlir::RankedTensorType tensor = dyn_cast<mlir::RankedTensorType>(type))
    return SmallVector<Type *>(registerCount(tensor), elementType(tensor.getElementType()));
  return {elementType(type)};
}

const LinearLayout &Emitter::layoutOf(mlir::Type type) {
  std::unique_ptr<LinearLayout> &layout = layouts[type];
  if (!layout)
    layout = std::make_unique<LinearLayout>(
        toLinear(cast<mlir::RankedTensorType>(type)).removeZeroBases(Dim::Register));
  return *layout;
}

unsigned Emitter::registerCount(mlir::Type type) {
  if (llvm::isa<mlir::RankedTensorType>(type))
    return layoutOf(type).inSize(Dim::Register);
  return registerTypes(type).size();
}

// -- Threads ---------------------------------------------------------------------

Value *Emitter::threadId() {
  if (!thread)
    thread = threadOfGroup(state.kernel.numWarps * state.target.warpSize());
  return thread;
}

Value *Emitter::threadOfGroup(unsigned limit) {
  Value *id = isa.threadId(prologue, limit);
  if (!group.first)
    return id;
  return prologue.CreateSub(id, prologue.getInt32(group.first * state.target.warpSize()));
}

Value *Emitter::warpId() {
  if (!warp) {
    Value *mine = prologue.CreateLShr(threadId(), Log2_32(state.target.warpSize()));
    warp = isa.shuffle(prologue, mine, prologue.getInt32(0));
  }
  return warp;
}

void Emitter::barrier() {
  if (group.count == state.kernel.numWarps)
    isa.ctaBarrier(builder);
  else if (group.count == 1)
    isa.warpBarrier(builder);
  else
    isa.groupBarrier(builder, group.barrier, threads());
}

Emitter::GroupScope::GroupScope(Emitter &emitter, WarpGroup group)
    : emitter(emitter), savedGroup(emitter.group), savedPrologue(emitter.prologue.saveIP()),
      savedThread(emitter.thread), savedUnbounded(emitter.unboundedThread), savedWarp(emitter.warp),
      savedRank(emitter.rank), savedParts(std::move(emitter.threadParts)) {
  emitter.group = group;
  emitter.thread = emitter.unboundedThread = emitter.warp = emitter.rank = nullptr;
  emitter.threadParts.clear();
  BasicBlock *body = emitter.newBlock("partition.body");
  emitter.prologue.SetInsertPoint(emitter.builder.CreateBr(body));
  emitter.startBlock(body);
}

Emitter::GroupScope::~GroupScope() {
  emitter.group = savedGroup;
  emitter.prologue.restoreIP(savedPrologue);
  emitter.thread = savedThread;
  emitter.unboundedThread = savedUnbounded;
  emitter.warp = savedWarp;
  emitter.rank = savedRank;
  emitter.threadParts = std::move(savedParts);
}

Value *Emitter::threadPart(ArrayRef<uint32_t> images) {
  Value *&part = threadParts[std::vector<uint32_t>(images.begin(), images.end())];
  if (part)
    return part;
  ArrayRef<uint32_t> inCta = images.take_front(Log2_32(threads()));
  part = applyLinear(prologue, threadId(), inCta);
  ArrayRef<uint32_t> ofCta = images.drop_front(inCta.size());
  if (!imageMask(ofCta))
    return part;
  Value *ctaPart = applyLinear(prologue, clusterRank(), ofCta);
  part = imageMask(inCta) & imageMask(ofCta) ? prologue.CreateXor(part, ctaPart)
                                             : disjointOr(prologue, part, ctaPart);
  return part;
}

Value *Emitter::clusterRank() {
  if (!rank)
    rank = isa.clusterRank(prologue, clusterSize());
  return rank;
}

SmallVector<uint32_t> Emitter::threadImages(const LinearLayout &map, Dim out) const {
  SmallVector<uint32_t> images;
  for (Dim in : {Dim::Lane, Dim::Warp, Dim::Block})
    for (unsigned bit = 0; map.hasIn(in) && bit < map.inLog2(in); ++bit)
      images.push_back(map.basis(in, bit, out));
  return images;
}

Value *Emitter::ownerMask(const LinearLayout &layout, Among among) {
  uint32_t copies = layout.freeVariableMask(Dim::Lane) | layout.freeVariableMask(Dim::Warp)
                                                             << layout.inLog2(Dim::Lane);
  uint32_t ctas = among == Among::Cluster ? layout.freeVariableMask(Dim::Block) : 0;
  Value *first =
      ctas ? builder.CreateICmpEQ(builder.CreateAnd(clusterRank(), builder.getInt32(ctas)),
                                  builder.getInt32(0))
           : nullptr;
  if (!copies)
    return first;
  // Not threadId(): knowing its limit, LLVM would turn `(tid & 64) == 0` into `tid < 64`, for which
  // ptxas branches around every access instead of predicating it.
  if (!unboundedThread)
    unboundedThread = threadOfGroup(/*limit=*/4096);
  Value *copy = builder.CreateAnd(unboundedThread, builder.getInt32(copies));
  Value *owner = builder.CreateICmpEQ(copy, builder.getInt32(0));
  return first ? builder.CreateAnd(owner, first) : owner;
}

Value *Emitter::isFirstThread(Among among) {
  Value *first = builder.CreateICmpEQ(threadId(), builder.getInt32(0));
  if (among == Among::Cta || clusterSize() == 1)
    return first;
  return builder.CreateAnd(first, builder.CreateICmpEQ(clusterRank(), builder.getInt32(0)));
}

// -- Blocks ----------------------------------------------------------------------

BasicBlock *Emitter::newBlock(const Twine &name) {
  return BasicBlock::Create(function.getContext(), name, &function);
}

SmallVector<PHINode *> Emitter::newPhis(mlir::TypeRange types) {
  SmallVector<PHINode *> phis;
  for (mlir::Type type : types) {
    SmallVector<Type *> carried = registerTypes(type);
    if (unsigned perPhi = elementsPerPhi(type); perPhi != 1)
      carried.assign(carried.size() / perPhi, builder.getInt32Ty());
    for (Type *phiType : carried)
      phis.push_back(builder.CreatePHI(phiType, 2));
  }
  return phis;
}

unsigned Emitter::elementsPerPhi(mlir::Type type) {
  mlir::RankedTensorType tensor = dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || !isa_and_nonnull<ttg::DotOperandEncodingAttr>(tensor.getEncoding()))
    return 1;
  unsigned bits = elementType(tensor.getElementType())->getScalarSizeInBits();
  unsigned perWord = bits == 8 || bits == 16 ? 32 / bits : 1;
  return registerCount(type) % perWord == 0 ? perWord : 1;
}

Registers Emitter::carry(mlir::ValueRange list) {
  Registers all;
  for (mlir::Value value : list) {
    if (elementsPerPhi(value.getType()) == 1)
      append_range(all, get(value));
    else
      append_range(all, packWords(builder, get(value), builder.getInt32Ty()));
  }
  return all;
}

void Emitter::setCarried(mlir::ValueRange list, ArrayRef<PHINode *> phis) {
  for (mlir::Value value : list) {
    unsigned count = registerCount(value.getType()), perPhi = elementsPerPhi(value.getType());
    SmallVector<Value *> mine(phis.take_front(count / perPhi));
    phis = phis.drop_front(mine.size());
    if (perPhi == 1)
      set(value, Registers(mine.begin(), mine.end()));
    else
      set(value, unpackWords(builder, mine, registerTypes(value.getType())[0], count));
  }
}

BasicBlock *Emitter::blockOf(mlir::Block *block) {
  BasicBlock *&target = blocks[block];
  if (target)
    return target;
  target = newBlock("bb");
  Builder::InsertPointGuard guard(builder);
  builder.SetInsertPoint(target);
  SmallVector<PHINode *> phis = newPhis(mlir::TypeRange(block->getArgumentTypes()));
  setCarried(block->getArguments(), phis);
  blockPhis[block] = std::move(phis);
  return target;
}

void Emitter::addIncoming(mlir::Block *target, ArrayRef<Value *> carried, BasicBlock *from) {
  for (auto [phi, value] : zip_equal(blockPhis[target], carried))
    phi->addIncoming(value, from);
}

void Emitter::branchTo(mlir::Block *target, mlir::ValueRange operands) {
  BasicBlock *block = blockOf(target);
  addIncoming(target, carry(operands), builder.GetInsertBlock());
  builder.CreateBr(block);
}

} // namespace gluonc::codegen
