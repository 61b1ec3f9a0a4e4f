//===- LowerTensorProducts.cpp - Products of tensor memory, copies to it -----===//
//
// A product computes at once, and its sum is written at once, but counts as being
// written until a barrier that a commit names has completed. Meanwhile only
// products of the same partition and kind into the very same tile may touch it: they
// follow each other in the tensor cores. A copy from shared memory is the same; the
// products of its partition that come behind it may read what it writes.
//
// Where two CTAs multiply together, the first does it for both, and tells barriers of
// both.
//
//===----------------------------------------------------------------------===//
#include "ir/Encoding.h"
#include "ir/ttng/TensorMemoryRules.h"
#include "layout/named/Blocks.h"
#include "sim/async/Dot.h"
#include "sim/machine/BarrierView.h"
#include "sim/machine/SharedAccess.h"

namespace gluonc::sim {
namespace {

/// A buffer that takes part, and what one CTA (or pair) has of it.
struct Part {
  const AddressTable *table = nullptr;
  const Share *share = nullptr;

  Region at(Cta &cta, Slot view) const { return regionOf(cta, table, view, share); }
  uint32_t elements() const { return Region{table, {}, share}.elements(); }
};

/// Null table after a report.
Part partOf(Lowering &lowering, mlir::Operation *operation, mlir::Value view, bool twoCtas) {
  auto type = mlir::cast<ttg::MemDescType>(view.getType());
  Part part;
  if (lowering.inCluster()) {
    part.share =
        twoCtas ? lowering.pairShareOf(operation, type) : lowering.shareOf(operation, type);
    if (!part.share)
      return {};
  }
  part.table = addressTable(lowering, operation, type);
  return part;
}

bool isSecondOfPair(Cta &cta, bool twoCtas) { return twoCtas && cta.rank() & 1; }

/// What this partition started and is not over writes the very region: a copy, or a product of
/// `kind`.
bool isFollowed(Cta &cta, const Region &region, uint32_t kind) {
  AsyncOperation *before = cta.pendingSum(region);
  if (!before)
    return false;
  const uint32_t last = std::get<AsyncOperation::Sum>(before->movement).kind;
  return (!last || last == kind) &&
         llvm::any_of(cta.fiber->products, [&](const std::shared_ptr<AsyncOperation> &each) {
           return each.get() == before;
         });
}

/// Reads a region as an instruction does that follows what this partition started before; false
/// after a fault. The read is one from now on: several barriers may tell that it is over.
bool readOperand(const Instruction &instruction, Cta &cta, const Region &region, uint8_t *to,
                 uint32_t kind = 0) {
  if (region.table->inTensorMemory && isFollowed(cta, region, kind)) {
    forEachSharedRun(region, [&](uint32_t element, uint64_t offset, uint32_t count) {
      std::memcpy(to + uint64_t(element) * region.table->elementBytes, cta.shared.data() + offset,
                  uint64_t(count) * region.table->elementBytes);
    });
    return true;
  }
  const Proxy proxy = region.table->inTensorMemory ? Proxy::Generic : Proxy::Async;
  if (!readShared(instruction, cta, region, to, proxy))
    return false;
  if (proxy == Proxy::Async)
    noteRead(cta, region, instruction.place);
  return true;
}

void write(Cta &cta, const Region &region, const uint8_t *from) {
  const uint64_t size = region.table->elementBytes;
  forEachSharedRun(region, [&](uint32_t element, uint64_t offset, uint32_t count) {
    std::memcpy(cta.shared.data() + offset, from + element * size, count * size);
  });
}

/// From now on `reads` and `target` are in use, until a barrier tells.
void start(const Instruction &instruction, Cta &cta, uint32_t kind, llvm::ArrayRef<Region> reads,
           const Region &target) {
  AsyncOperation started;
  started.name = kind ? "product" : "copy";
  started.proxy = Proxy::Async;
  started.reads.append(reads.begin(), reads.end());
  started.movement =
      AsyncOperation::Sum{target, cta.ordering ? cta.ordering->now(cta.fiber->index) : 0, kind};
  started.place = instruction.place;
  llvm::erase_if(cta.fiber->products,
                 [](const std::shared_ptr<AsyncOperation> &each) { return each->isComplete; });
  cta.fiber->products.push_back(cta.start(std::move(started)));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

struct ProductData : OpData {
  std::variant<DotData, ScaledDot> dot;
  bool twoCtas = false;
  /// As AsyncOperation::Sum has it.
  uint32_t kind = 0;
  /// a, b and perhaps their scales, the views and room for what they hold.
  struct Operand {
    Part part;
    Slot view, room;
  };
  llvm::SmallVector<Operand, 4> operands;
  Part sum;
  /// Room for the sum before and after.
  Slot before, after;
  /// Whether to add to the sum.
  Slot usesSum;
};

void runNothing(const Instruction &, Cta &) {}

void compute(const ProductData &data, Cta &cta, bool usesSum) {
  auto room = [&](size_t operand) { return cta.at<uint8_t>(data.operands[operand].room); };
  const uint8_t *before = usesSum ? cta.at<uint8_t>(data.before) : nullptr;
  uint8_t *after = cta.at<uint8_t>(data.after);
  if (auto *dot = std::get_if<DotData>(&data.dot))
    computeDot(*dot, room(0), room(1), before, after);
  else
    computeDot(std::get<ScaledDot>(data.dot), room(0), room(1), room(2), room(3),
               reinterpret_cast<const float *>(before), reinterpret_cast<float *>(after));
}

/// Operands: sum, whether to do anything.
void runProduct(const Instruction &instruction, Cta &cta) {
  const auto &data = static_cast<const ProductData &>(*instruction.data);
  if (!*cta.at<uint8_t>(instruction.operands[1]) || isSecondOfPair(cta, data.twoCtas))
    return;
  const bool usesSum = *cta.at<uint8_t>(data.usesSum);
  const Region sum = data.sum.at(cta, instruction.operands[0]);
  llvm::SmallVector<Region, 4> reads;
  for (const ProductData::Operand &operand : data.operands) {
    reads.push_back(operand.part.at(cta, operand.view));
    if (!readOperand(instruction, cta, reads.back(), cta.at<uint8_t>(operand.room)))
      return;
  }
  if (usesSum && !readOperand(instruction, cta, sum, cta.at<uint8_t>(data.before), data.kind))
    return;
  if (!isFollowed(cta, sum, data.kind) && !checkWritable(instruction, cta, sum))
    return;
  compute(data, cta, usesSum);
  write(cta, sum, cta.at<uint8_t>(data.after));
  cta.noteStep(instruction, Doing::Multiplies, sum.start());
  start(instruction, cta, data.kind, reads, sum);
}

//===----------------------------------------------------------------------===//
// Commits
//===----------------------------------------------------------------------===//

struct CommitData : MoveData {
  bool twoCtas = false;
  /// Bits of CTA numbers in which those differ whose barriers are told (ttng::commitTargets).
  llvm::SmallVector<uint32_t, 4> targets;
};

/// The CTAs whose barriers a commit tells, as distances in memory.
llvm::SmallVector<int64_t> receiversOf(const CommitData &data, uint32_t rank) {
  uint32_t set = data.targets.empty() ? 1u << rank : 0;
  for (uint32_t bits : data.targets)
    for (uint32_t subset : layout::combinations(bits))
      set |= 1u << ((rank & ~bits) | subset);
  llvm::SmallVector<int64_t> distances;
  for (; set; set &= set - 1)
    distances.push_back((int64_t(llvm::countr_zero(set)) - rank) * kCtaSharedStride);
  return distances;
}

/// Operands: barrier, then predicates. One arrival when all that was started so far is over.
void runCommit(const Instruction &instruction, Cta &cta) {
  const auto &data = static_cast<const CommitData &>(*instruction.data);
  for (unsigned i = 1; i < instruction.operandCount; ++i)
    if (!*cta.at<uint8_t>(instruction.operands[i]))
      return;
  if (isSecondOfPair(cta, data.twoCtas))
    return;
  const Region view = barriersAt(cta, data.table, instruction.operands[0], data.share);
  for (int64_t distance : receiversOf(data, cta.rank())) {
    if (!checkBarrier(instruction, cta, view, "arrival on", uint32_t(distance)))
      return;
    BarrierEvent event;
    event.arrivals = 1;
    event.cta = cta.rank();
    event.place = instruction.place;
    for (const std::shared_ptr<AsyncOperation> &product : cta.fiber->products)
      if (!product->isComplete)
        event.operations.push_back(product);
    forEachBarrier(view, [&](uint32_t offset) {
      offset += uint32_t(distance);
      event.barriers.push_back(offset);
      if (cta.ordering)
        cta.ordering->arrive(cta.fiber->index, offset);
    });
    cta.noteStep(instruction, Doing::Arrives, event.barriers.front(),
                 cta.barrierAt(event.barriers.front()).phase);
    cta.barrierEvents.push_back(std::move(event));
  }
  cta.noteEvent();
}

bool emitCommit(Lowering &lowering, mlir::Operation *operation, mlir::Value barrier,
                llvm::ArrayRef<mlir::Value> predicates, mlir::TypeRange buffers, bool twoCtas) {
  const AddressTable *table = addressTable(lowering, operation, barrier);
  if (!table)
    return false;
  if (lowering.inCluster() && table->copyBits)
    return lowering.unsupported(operation, "a commit to a barrier of several CTAs");
  CommitData *data = lowering.addData<CommitData>();
  data->table = table;
  data->share = lowering.shareOf(barrier.getType());
  data->twoCtas = twoCtas;
  data->targets = ttng::commitTargets(buffers, twoCtas);
  llvm::SmallVector<Slot, 3> operands = {lowering.slotOf(barrier)};
  for (mlir::Value predicate : predicates)
    if (predicate)
      operands.push_back(lowering.slotOf(predicate));
  lowering.emit(runCommit, taintObserve, Slot(), operands).data = data;
  return true;
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

std::optional<ProductData::Operand> operandOf(Lowering &lowering, mlir::Operation *operation,
                                              mlir::Value view, bool twoCtas) {
  auto kind = elementKindOf(mlir::cast<ttg::MemDescType>(view.getType()).getElementType());
  Part part = partOf(lowering, operation, view, twoCtas);
  if (!part.table || !kind)
    return std::nullopt;
  return ProductData::Operand{part, lowering.slotOf(view),
                              lowering.temporary(*kind, part.elements())};
}

/// What all products have. `operands` are a, b and perhaps their scales.
template <typename Op>
bool emitProduct(Lowering &lowering, Op dot, llvm::ArrayRef<mlir::Value> operands,
                 const ttng::TensorProduct &product, ProductData *data) {
  mlir::Operation *operation = dot;
  data->kind = 1 + uint32_t(product.form.kind);
  lowering.program.ordersShared = true;
  data->twoCtas = dot.getTwoCtas();
  llvm::SmallVector<mlir::Type, 4> types;
  for (mlir::Value operand : operands) {
    auto part = operandOf(lowering, operation, operand, data->twoCtas);
    if (!part)
      return false;
    data->operands.push_back(*part);
    types.push_back(operand.getType());
  }
  auto sum = operandOf(lowering, operation, dot.getD(), data->twoCtas);
  if (!sum)
    return false;
  data->sum = sum->part;
  data->before = sum->room;
  data->after = lowering.temporary(*elementKindOf(dot.getD().getType().getElementType()),
                                   data->sum.elements());
  data->usesSum = lowering.slotOf(dot.getUseD());
  lowering.emit(runNothing, taintPredicated<1>, Slot(),
                {data->usesSum, lowering.slotOf(dot.getPred())});
  lowering
      .emit(runProduct, taintPredicated<1>, Slot(),
            {lowering.slotOf(dot.getD()), lowering.slotOf(dot.getPred())})
      .data = data;
  if (!dot.getMulticast())
    types.clear();
  for (auto [barrier, predicate] : llvm::zip_equal(dot.getBarriers(), dot.getBarrierPreds()))
    if (!emitCommit(lowering, operation, barrier, {predicate, dot.getPred()}, types, data->twoCtas))
      return false;
  return true;
}

/// Of what a CTA, or a pair, multiplies.
struct Shape {
  uint32_t rows, columns, depth;
};
Shape shapeOf(const ttng::TensorProduct &product) {
  return {uint32_t(product.tilesDown * product.rows * product.ctas),
          uint32_t(product.tilesRight * product.columns), uint32_t(product.steps * product.depth)};
}

bool lowerProduct(Lowering &lowering, mlir::Operation *operation) {
  auto dot = mlir::cast<ttng::TCGen5MMAOp>(operation);
  std::string why;
  ttg::MemDescType a = dot.getA().getType(), b = dot.getB().getType(), d = dot.getD().getType();
  auto product = ttng::tensorProduct(a, b, d, why);
  auto kindA = elementKindOf(a.getElementType()), kindB = elementKindOf(b.getElementType()),
       kindD = elementKindOf(d.getElementType());
  if (!product || !kindA || !kindB || !kindD || !isDot(*kindA, *kindB, *kindD))
    return false;
  DotData form;
  form.a = *kindA;
  form.b = *kindB;
  form.result = *kindD;
  form.unsignedA = dot.getUnsignedA();
  form.unsignedB = dot.getUnsignedB();
  const Shape shape = shapeOf(*product);
  form.shape.rows = shape.rows;
  form.shape.columns = shape.columns;
  form.shape.depth = shape.depth;
  // The instruction has no other way to treat f32.
  form.shape.truncatesToTf32 = *kindA == ElementKind::F32;
  ProductData *data = lowering.addData<ProductData>();
  data->dot = form;
  return emitProduct(lowering, dot, {dot.getA(), dot.getB()}, *product, data);
}

ScaledDot::Element scaledElement(tt::ScaleDotElemType type) {
  return type == tt::ScaleDotElemType::E4M3   ? ScaledDot::Element::E4M3
         : type == tt::ScaleDotElemType::E5M2 ? ScaledDot::Element::E5M2
                                              : ScaledDot::Element::E2M1;
}

bool lowerScaledProduct(Lowering &lowering, mlir::Operation *operation) {
  auto dot = mlir::cast<ttng::TCGen5MMAScaledOp>(operation);
  std::string why;
  auto product = ttng::tensorProduct(ttng::scaledOperands(dot), why);
  if (!product)
    return false;
  const Shape shape = shapeOf(*product);
  ProductData *data = lowering.addData<ProductData>();
  data->dot = ScaledDot{shape.rows,
                        shape.columns,
                        shape.depth,
                        product->scaleBlock,
                        scaledElement(dot.getAType()),
                        scaledElement(dot.getBType()),
                        !dot.getAScale().getType().getElementType().isInteger(8)};
  return emitProduct(lowering, dot, {dot.getA(), dot.getB(), dot.getAScale(), dot.getBScale()},
                     *product, data);
}

bool lowerCommit(Lowering &lowering, mlir::Operation *operation) {
  auto commit = mlir::cast<ttng::TCGen5CommitOp>(operation);
  return emitCommit(lowering, operation, commit.getBarrier(), {commit.getPred()},
                    commit.getDescs().getTypes(), ttg::hasTwoCtas(operation));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

struct CopyData : OpData {
  Part source, target;
  Slot room;
  bool twoCtas = false;
};

/// Operands: source, target.
void runCopy(const Instruction &instruction, Cta &cta) {
  const auto &data = static_cast<const CopyData &>(*instruction.data);
  if (isSecondOfPair(cta, data.twoCtas))
    return;
  const Region source = data.source.at(cta, instruction.operands[0]);
  const Region target = data.target.at(cta, instruction.operands[1]);
  uint8_t *room = cta.at<uint8_t>(data.room);
  if (!readOperand(instruction, cta, source, room) || !checkWritable(instruction, cta, target))
    return;
  write(cta, target, room);
  cta.noteStep(instruction, Doing::Writes, target.start());
  start(instruction, cta, /*kind=*/0, source, target);
}

bool lowerCopy(Lowering &lowering, mlir::Operation *operation) {
  auto copy = mlir::cast<ttng::TMEMCopyOp>(operation);
  lowering.program.ordersShared = true;
  CopyData *data = lowering.addData<CopyData>();
  data->twoCtas = ttg::hasTwoCtas(operation);
  auto source = operandOf(lowering, operation, copy.getSrc(), data->twoCtas);
  Part target = partOf(lowering, operation, copy.getDst(), data->twoCtas);
  if (!source || !target.table)
    return false;
  data->source = source->part;
  data->room = source->room;
  data->target = target;
  lowering
      .emit(runCopy, taintObserve, Slot(),
            {lowering.slotOf(copy.getSrc()), lowering.slotOf(copy.getDst())})
      .data = data;
  return true;
}

} // namespace

void addTensorProducts(OperationTable &table) {
  table["ttng.tc_gen5_mma"] = lowerProduct;
  table["ttng.tc_gen5_mma_scaled"] = lowerScaledProduct;
  table["ttng.tc_gen5_commit"] = lowerCommit;
  table["ttng.tmem_copy"] = lowerCopy;
}

} // namespace gluonc::sim
