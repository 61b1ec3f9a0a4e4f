//===- LowerTensorMemory.cpp - Tensor memory and its products ----------------===//
//
// Tensor memory is kept behind shared memory, row by row (kTensorMemoryBase), so
// that its bytes have states, readers and an order like any others.
//
// A product computes at once, and its sum is written at once, but counts as being
// written until a barrier that a commit names has completed. Meanwhile only
// products of the same partition into the very same tile may touch it: they follow
// each other in the tensor cores.
//
//===----------------------------------------------------------------------===//
#include "ir/Encoding.h"
#include "ir/SourceLocation.h"
#include "layout/plan/TensorMemoryAccess.h"
#include "sim/async/Dot.h"
#include "sim/lower/ReducedRows.h"
#include "sim/machine/BarrierView.h"
#include "sim/machine/SharedAccess.h"

namespace gluonc::sim {
namespace {

//===----------------------------------------------------------------------===//
// Allocation, loads, stores, views
//===----------------------------------------------------------------------===//

struct TensorAllocation : OpData {
  uint32_t base = 0, rowBytes = 0, bytes = 0;
  /// Of Program::allocations.
  size_t id = 0;
  /// Every second group of 16 rows alone.
  bool isHalf = false;
};

void runAllocate(const Instruction &instruction, Cta &cta) {
  constexpr uint32_t kRows = 128, kHalf = 16;
  const auto &allocation = static_cast<const TensorAllocation &>(*instruction.data);
  descriptorAt(cta, instruction.result) = {allocation.base, {}};
  cta.noteAllocation(allocation.id);
  // Whatever an earlier buffer left there is nobody's value now.
  for (uint32_t row = 0; row < kRows; ++row)
    if (!allocation.isHalf || !(row & kHalf))
      cta.shared.forget(allocation.base + row * allocation.rowBytes, allocation.bytes);
}

uint32_t intAttr(mlir::Operation *operation, llvm::StringRef name) {
  auto value = operation->getAttrOfType<mlir::IntegerAttr>(name);
  return value ? uint32_t(value.getInt()) : 0;
}

MoveData *addMove(Lowering &lowering, mlir::Operation *operation, mlir::Type tile,
                  mlir::Value view) {
  const AddressTable *table = addressTable(lowering, operation, view);
  if (!table)
    return nullptr;
  if (lowering.inCluster()) {
    lowering.unsupported(operation, "tensor memory in a cluster");
    return nullptr;
  }
  MoveData *move = lowering.addData<MoveData>();
  move->table = table;
  lowering.setShape(tile);
  return move;
}

/// Operands: view.
void runLoad(const Instruction &instruction, Cta &cta) {
  const MoveData &move = static_cast<const MoveData &>(*instruction.data);
  const Region view = regionOf(cta, move.table, instruction.operands[0], nullptr);
  cta.noteStep(instruction, Doing::Reads, view.start());
  readShared(instruction, cta, view, cta.at<uint8_t>(instruction.result));
}

/// Operands: values, view, perhaps a predicate.
void runStore(const Instruction &instruction, Cta &cta) {
  const MoveData &move = static_cast<const MoveData &>(*instruction.data);
  if (instruction.operandCount > 2 && !*cta.at<uint8_t>(instruction.operands[2]))
    return;
  const Region view = regionOf(cta, move.table, instruction.operands[1], nullptr);
  cta.noteStep(instruction, Doing::Writes, view.start());
  writeShared(instruction, cta, view, cta.at<uint8_t>(instruction.operands[0]));
}

bool emitStore(Lowering &lowering, mlir::Operation *operation, mlir::Value value, mlir::Value view,
               Slot viewSlot, mlir::Value predicate) {
  MoveData *move = addMove(lowering, operation, value.getType(), view);
  if (!move)
    return false;
  llvm::SmallVector<Slot, 3> operands = {
      lowering.materialize(lowering.slotOf(value), lowering.elementCountOf(value.getType()),
                           lowering.kindOf(value)),
      viewSlot};
  if (predicate)
    operands.push_back(lowering.slotOf(predicate));
  lowering.emit(runStore, predicate ? taintPredicated<2> : taintObserve, Slot(), operands).data =
      move;
  return true;
}

bool lowerAlloc(Lowering &lowering, mlir::Operation *operation) {
  auto alloc = mlir::cast<ttng::TMEMAllocOp>(operation);
  ttg::MemDescType type = alloc.getResult().getType();
  const AddressTable *table = addressTable(lowering, operation, type);
  if (!table)
    return false;
  if (lowering.inCluster())
    return lowering.unsupported(operation, "tensor memory in a cluster");
  if (!operation->hasAttr(ttg::tensorMemoryColumnAttr))
    return lowering.unsupported(operation, "tensor memory without allocated columns");
  TensorAllocation *data = lowering.addData<TensorAllocation>();
  data->rowBytes = tensorMemoryRowBytes(operation);
  data->base = kTensorMemoryBase + 4 * intAttr(operation, ttg::tensorMemoryColumnAttr) +
               data->rowBytes * intAttr(operation, ttg::tensorMemoryRowAttr);
  data->bytes = table->bufferBytes;
  for (uint32_t dim = 0; dim < table->ringDims; ++dim)
    data->bytes *= table->shape[dim];
  data->isHalf = layout::leavesHalfOfTensorMemory(*linearOrNull(type));
  data->id = lowering.program.allocations.size();
  lowering.program.allocations.push_back(
      {nameOf(operation->getLoc()).str(), data->base, data->bytes, table});
  lowering.program.tensorRowBytes = data->rowBytes;
  lowering.program.sharedBytes =
      std::max(lowering.program.sharedBytes, kTensorMemoryBase + 128 * data->rowBytes);
  Slot result = lowering.define(alloc.getResult(), 1);
  lowering.emit(runAllocate, taintNothing, result, {}).data = data;
  if (mlir::Value source = alloc.getSrc())
    return emitStore(lowering, operation, source, alloc.getResult(), result, {});
  return true;
}

bool lowerLoad(Lowering &lowering, mlir::Operation *operation) {
  auto load = mlir::cast<ttng::TMEMLoadOp>(operation);
  mlir::Type type = load.getResult().getType();
  MoveData *move = addMove(lowering, operation, type, load.getSrc());
  if (!move)
    return false;
  Slot result = lowering.define(load.getResult(), lowering.elementCountOf(type));
  lowering.emit(runLoad, taintObserve, result, {lowering.slotOf(load.getSrc())}).data = move;
  return lowerReducedRows(lowering, load, result);
}

bool lowerStore(Lowering &lowering, mlir::Operation *operation) {
  auto store = mlir::cast<ttng::TMEMStoreOp>(operation);
  return emitStore(lowering, operation, store.getSrc(), store.getDst(),
                   lowering.slotOf(store.getDst()), store.getPred());
}

struct SliceData : OpData {
  uint32_t dim = 0, offset = 0;
};

void runSlice(const Instruction &instruction, Cta &cta) {
  const SliceData &slice = static_cast<const SliceData &>(*instruction.data);
  Descriptor result = descriptorAt(cta, instruction.operands[0]);
  result.origin[slice.dim] += slice.offset;
  descriptorAt(cta, instruction.result) = result;
}

bool lowerSlice(Lowering &lowering, mlir::Operation *operation) {
  auto slice = mlir::cast<ttng::TMEMSubSliceOp>(operation);
  SliceData *data = lowering.addData<SliceData>();
  data->dim = slice.getDim();
  data->offset = slice.getOffset();
  Slot source = lowering.slotOf(slice.getSrc());
  Slot result = lowering.define(slice.getResult(), 1);
  lowering.emit(runSlice, taintElementwise, result, {source}).data = data;
  return true;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

struct ProductData : OpData {
  DotData dot;
  const AddressTable *a = nullptr, *b = nullptr, *sum = nullptr;
  /// Room for the operands, and for the sum before and after.
  Slot left, right, before, after;
  /// Whether to add to the sum.
  Slot usesSum;
};

void runNothing(const Instruction &, Cta &) {}

/// The sum as it is; false after a fault. `isFollowed`: the product before it is unfinished, which
/// does not matter to this one.
bool readSum(const Instruction &instruction, Cta &cta, const Region &sum, bool isFollowed,
             uint8_t *to) {
  if (!isFollowed)
    return readShared(instruction, cta, sum, to);
  forEachSharedRun(sum, [&](uint32_t element, uint64_t offset, uint32_t count) {
    std::memcpy(to + uint64_t(element) * sum.table->elementBytes, cta.shared.data() + offset,
                uint64_t(count) * sum.table->elementBytes);
  });
  return true;
}

/// Operands: a, b and sum, whether to do anything.
void runProduct(const Instruction &instruction, Cta &cta) {
  const auto &data = static_cast<const ProductData &>(*instruction.data);
  if (!*cta.at<uint8_t>(instruction.operands[3]))
    return;
  const bool usesSum = *cta.at<uint8_t>(data.usesSum);
  const Region a = regionOf(cta, data.a, instruction.operands[0], nullptr);
  const Region b = regionOf(cta, data.b, instruction.operands[1], nullptr);
  const Region sum = regionOf(cta, data.sum, instruction.operands[2], nullptr);
  AsyncOperation *before = cta.pendingSum(sum);
  const bool isFollowed =
      before && llvm::any_of(cta.fiber->products, [&](const std::shared_ptr<AsyncOperation> &each) {
        return each.get() == before;
      });
  const Proxy proxyOfA = data.a->inTensorMemory ? Proxy::Generic : Proxy::Async;
  if (!readShared(instruction, cta, a, cta.at<uint8_t>(data.left), proxyOfA) ||
      !readShared(instruction, cta, b, cta.at<uint8_t>(data.right), Proxy::Async))
    return;
  if (usesSum && !readSum(instruction, cta, sum, isFollowed, cta.at<uint8_t>(data.before)))
    return;
  if (!isFollowed && !checkWritable(instruction, cta, sum))
    return;
  computeDot(data.dot, cta.at<uint8_t>(data.left), cta.at<uint8_t>(data.right),
             usesSum ? cta.at<uint8_t>(data.before) : nullptr, cta.at<uint8_t>(data.after));
  const uint8_t *result = cta.at<uint8_t>(data.after);
  forEachSharedRun(sum, [&](uint32_t element, uint64_t offset, uint32_t count) {
    std::memcpy(cta.shared.data() + offset, result + uint64_t(element) * sum.table->elementBytes,
                uint64_t(count) * sum.table->elementBytes);
  });
  cta.noteStep(instruction, Doing::Multiplies, sum.start());
  AsyncOperation started;
  started.name = "product";
  started.proxy = Proxy::Async;
  started.reads = {a, b};
  started.movement =
      AsyncOperation::Sum{sum, cta.ordering ? cta.ordering->now(cta.fiber->index) : 0};
  started.place = instruction.place;
  llvm::erase_if(cta.fiber->products,
                 [](const std::shared_ptr<AsyncOperation> &each) { return each->isComplete; });
  cta.fiber->products.push_back(cta.start(std::move(started)));
}

/// Operands: barrier, then predicates. One arrival when all products so far are over.
void runCommit(const Instruction &instruction, Cta &cta) {
  const MoveData &data = static_cast<const MoveData &>(*instruction.data);
  for (unsigned i = 1; i < instruction.operandCount; ++i)
    if (!*cta.at<uint8_t>(instruction.operands[i]))
      return;
  Region view = barriersAt(cta, data.table, instruction.operands[0], data.share);
  if (!checkBarrier(instruction, cta, view, "arrival on"))
    return;
  BarrierEvent event;
  event.arrivals = 1;
  event.cta = cta.rank();
  event.place = instruction.place;
  for (const std::shared_ptr<AsyncOperation> &product : cta.fiber->products)
    if (!product->isComplete)
      event.operations.push_back(product);
  forEachBarrier(view, [&](uint32_t offset) {
    event.barriers.push_back(offset);
    if (cta.ordering)
      cta.ordering->arrive(cta.fiber->index, offset);
  });
  cta.noteStep(instruction, Doing::Arrives, event.barriers.front(),
               cta.barrierAt(event.barriers.front()).phase);
  cta.barrierEvents.push_back(std::move(event));
  cta.noteEvent();
}

bool emitCommit(Lowering &lowering, mlir::Operation *operation, mlir::Value barrier,
                llvm::ArrayRef<mlir::Value> predicates) {
  const AddressTable *table = addressTable(lowering, operation, barrier);
  if (!table)
    return false;
  MoveData *data = lowering.addData<MoveData>();
  data->table = table;
  llvm::SmallVector<Slot, 3> operands = {lowering.slotOf(barrier)};
  for (mlir::Value predicate : predicates)
    if (predicate)
      operands.push_back(lowering.slotOf(predicate));
  lowering.emit(runCommit, taintObserve, Slot(), operands).data = data;
  return true;
}

bool lowerProduct(Lowering &lowering, mlir::Operation *operation) {
  auto dot = mlir::cast<ttng::TCGen5MMAOp>(operation);
  if (lowering.inCluster())
    return lowering.unsupported(operation, "products in tensor memory in a cluster");
  lowering.program.ordersShared = true;
  ttg::MemDescType a = dot.getA().getType(), b = dot.getB().getType(), d = dot.getD().getType();
  ProductData *data = lowering.addData<ProductData>();
  data->a = addressTable(lowering, operation, a);
  data->b = addressTable(lowering, operation, b);
  data->sum = addressTable(lowering, operation, d);
  auto kindA = elementKindOf(a.getElementType()), kindB = elementKindOf(b.getElementType()),
       kindD = elementKindOf(d.getElementType());
  if (!data->a || !data->b || !data->sum || !kindA || !kindB || !kindD ||
      !isDot(*kindA, *kindB, *kindD))
    return false;
  DotData &product = data->dot;
  product.a = *kindA;
  product.b = *kindB;
  product.result = *kindD;
  product.unsignedA = dot.getUnsignedA();
  product.unsignedB = dot.getUnsignedB();
  product.shape.rows = uint32_t(d.getShape()[0]);
  product.shape.columns = uint32_t(d.getShape()[1]);
  product.shape.depth = uint32_t(b.getShape()[0]);
  // The instruction has no other way to treat f32.
  product.shape.truncatesToTf32 = *kindA == ElementKind::F32;
  const uint32_t sums = product.shape.rows * product.shape.columns;
  data->left = lowering.temporary(*kindA, product.shape.rows * product.shape.depth);
  data->right = lowering.temporary(*kindB, product.shape.depth * product.shape.columns);
  data->before = lowering.temporary(*kindD, sums);
  data->after = lowering.temporary(*kindD, sums);
  data->usesSum = lowering.slotOf(dot.getUseD());
  lowering.emit(runNothing, taintPredicated<1>, Slot(),
                {data->usesSum, lowering.slotOf(dot.getPred())});
  lowering
      .emit(runProduct, taintPredicated<3>, Slot(),
            {lowering.slotOf(dot.getA()), lowering.slotOf(dot.getB()), lowering.slotOf(dot.getD()),
             lowering.slotOf(dot.getPred())})
      .data = data;
  for (auto [barrier, predicate] : llvm::zip_equal(dot.getBarriers(), dot.getBarrierPreds()))
    if (!emitCommit(lowering, operation, barrier, {predicate, dot.getPred()}))
      return false;
  return true;
}

bool lowerCommit(Lowering &lowering, mlir::Operation *operation) {
  auto commit = mlir::cast<ttng::TCGen5CommitOp>(operation);
  return emitCommit(lowering, operation, commit.getBarrier(), {commit.getPred()});
}

} // namespace

void addTensorMemory(OperationTable &table) {
  table["ttng.tmem_alloc"] = lowerAlloc;
  table["ttng.tmem_load"] = lowerLoad;
  table["ttng.tmem_store"] = lowerStore;
  table["ttng.tmem_subslice"] = lowerSlice;
  table["ttng.tc_gen5_mma"] = lowerProduct;
  table["ttng.tc_gen5_commit"] = lowerCommit;
}

} // namespace gluonc::sim
