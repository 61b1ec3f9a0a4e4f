//===- LowerTensorProducts.cpp - Products of tensor memory, copies to it -----===//
//
// A product computes at once, and its sum is written at once, but counts as being
// written until a barrier that a commit names has completed. Meanwhile only
// products of the same partition and kind into the very same tile may touch it: they
// follow each other in the tensor cores. A copy from shared memory is the same, and
// copies and products of a partition follow each other as they were started: products
// read what was copied before, and a copy or a product may overwrite what a product
// that runs reads in tensor memory, as attention does, whose scores have the columns
// of the weights before. (PTX promises the first only; NVIDIA's own kernels rely on
// the others, too.)
//
// Where two CTAs multiply together, the first does it for both, and tells barriers of
// both.
//
//===----------------------------------------------------------------------===//
#include "ir/Encoding.h"
#include "ir/Sanitizer.h"
#include "ir/ttng/TensorMemoryRules.h"
#include "layout/named/Blocks.h"
#include "sim/async/Dot.h"
#include "sim/machine/BarrierView.h"
#include "sim/machine/SharedAccess.h"
#include "sim/machine/SharedPart.h"

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

/// In the order of accesses, the tensor cores that a partition sends work to: they know what it
/// knows and what they did before. The partition knows of that when it has waited for it, no matter
/// who else has. Null while there is nobody else.
std::optional<uint32_t> tensorCoresOf(Cta &cta) {
  if (!cta.ordering || !cta.ordering->isConcurrent())
    return std::nullopt;
  const uint32_t unit = (Ordering::kFibers / 2 + cta.fiber->index) % Ordering::kFibers;
  cta.ordering->start(cta.fiber->index, unit);
  return unit;
}

/// While it lives, accesses are those of the tensor cores.
class AsTensorCores {
public:
  explicit AsTensorCores(Cta &cta) : fiber(*cta.fiber), own(fiber.index) {
    fiber.index = tensorCoresOf(cta).value_or(own);
  }
  ~AsTensorCores() { fiber.index = own; }
  AsTensorCores(const AsTensorCores &) = delete;

private:
  Fiber &fiber;
  const uint32_t own;
};

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

bool holdsNothing(const AsyncOperation &operation) {
  auto *sum = std::get_if<AsyncOperation::Sum>(&operation.movement);
  return sum && sum->holdsNothing;
}

/// Reads a region as an instruction does that follows what this partition started before; false
/// after a fault. The read is one from now on: several barriers may tell that it is over.
bool readOperand(const Instruction &instruction, Cta &cta, const Region &region, uint8_t *to,
                 uint32_t kind = 0) {
  if (region.table->inTensorMemory && isFollowed(cta, region, kind)) {
    if (holdsNothing(*cta.pendingSum(region))) {
      const uint64_t offset = region.offsetOf(0);
      cta.fail(instruction, diag::Kind::UninitializedSharedRead,
               {cta.bufferText(offset), cta.byteText(offset)}, 0, std::nullopt,
               cta.memoryAt(offset));
      return false;
    }
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
    noteRead(cta, region, instruction.place, proxy);
  return true;
}

void write(Cta &cta, const Region &region, const uint8_t *from) {
  const uint64_t size = region.table->elementBytes;
  forEachPlace(region, [&](const Region &place) {
    forEachSharedRun(place, [&](uint32_t element, uint64_t offset, uint32_t count) {
      std::memcpy(cta.shared.data() + offset, from + element * size, count * size);
    });
    return true;
  });
}

/// Whether a product that this partition started behind the copy which is under way reads what that
/// brings; or nobody is to read it.
bool isUsed(Cta &cta, const Region &region) {
  AsyncOperation *copy = cta.pendingSum(region);
  bool isBehind = false, isRead = holdsNothing(*copy);
  for (const std::shared_ptr<AsyncOperation> &each : cta.fiber->products) {
    isBehind |= each.get() == copy;
    for (const Region &source : each->reads)
      isRead |= isBehind && source.table == region.table && source.view.base == region.view.base;
  }
  return isRead;
}

/// Whether the tensor cores may write a region; false after a fault. Products that this partition
/// started before have read what they read in tensor memory by then.
bool checkTarget(const Instruction &instruction, Cta &cta, const Region &region) {
  auto forEachRead = [&](auto &&use) {
    for (const std::shared_ptr<AsyncOperation> &each : cta.fiber->products)
      for (const Region &source : each->reads)
        if (each->isReading && source.table->inTensorMemory)
          use(cta.shared, source);
  };
  forEachRead(removeReader);
  const bool fine = checkWritable(instruction, cta, region);
  forEachRead(addReader);
  return fine;
}

/// The same for a copy, which may follow what this partition started before.
bool checkCopyTarget(const Instruction &instruction, Cta &cta, const Region &region) {
  return (isFollowed(cta, region, /*kind=*/0) && isUsed(cta, region)) ||
         checkTarget(instruction, cta, region);
}

/// From now on `reads` and `target` are in use, until a barrier tells.
void start(const Instruction &instruction, Cta &cta, uint32_t kind, llvm::ArrayRef<Region> reads,
           const Region &target, bool holdsNothing = false) {
  AsyncOperation started;
  started.name = kind ? "product" : "copy";
  started.proxy = Proxy::Async;
  started.reads.append(reads.begin(), reads.end());
  started.movement = AsyncOperation::Sum{
      target, cta.ordering ? cta.ordering->now(cta.fiber->index) : 0, kind, holdsNothing};
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
    /// 4-bit floats in tensor memory, each in the middle of a byte: those with odd places along K,
    /// and room for them. A pair of them is what the view has as one element.
    bool isSpread = false;
    Slot odd;
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

/// Puts two floats that were bytes apart into one byte, as shared memory has them.
void joinSpread(const ProductData::Operand &operand, Cta &cta) {
  constexpr uint8_t kMask = 15;
  constexpr unsigned kShift = 2;
  uint8_t *even = cta.at<uint8_t>(operand.room), *odd = cta.at<uint8_t>(operand.odd);
  for (uint32_t i = 0; i < operand.part.elements(); ++i)
    even[i] = uint8_t((even[i] >> kShift & kMask) | (odd[i] >> kShift & kMask) << 4);
}

/// Reads an operand and adds where it lies to `reads`; false after a fault.
bool readFactor(const Instruction &instruction, Cta &cta, const ProductData::Operand &operand,
                llvm::SmallVectorImpl<Region> &reads) {
  Region region = operand.part.at(cta, operand.view);
  reads.push_back(region);
  if (!readOperand(instruction, cta, region, cta.at<uint8_t>(operand.room)))
    return false;
  if (!operand.isSpread)
    return true;
  ++region.view.base;
  reads.push_back(region);
  if (!readOperand(instruction, cta, region, cta.at<uint8_t>(operand.odd)))
    return false;
  joinSpread(operand, cta);
  return true;
}

/// Operands: sum, whether to do anything.
void runProduct(const Instruction &instruction, Cta &cta) {
  const auto &data = static_cast<const ProductData &>(*instruction.data);
  if (!*cta.at<uint8_t>(instruction.operands[1]) || isSecondOfPair(cta, data.twoCtas))
    return;
  AsTensorCores unit(cta);
  const bool usesSum = *cta.at<uint8_t>(data.usesSum);
  const Region sum = data.sum.at(cta, instruction.operands[0]);
  llvm::SmallVector<Region, 4> reads;
  for (const ProductData::Operand &operand : data.operands)
    if (!readFactor(instruction, cta, operand, reads))
      return;
  if (usesSum && !readOperand(instruction, cta, sum, cta.at<uint8_t>(data.before), data.kind))
    return;
  if (!isFollowed(cta, sum, data.kind) && !checkTarget(instruction, cta, sum))
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
  const std::optional<uint32_t> unit =
      cta.fiber->products.empty() ? std::nullopt : tensorCoresOf(cta);
  for (int64_t distance : receiversOf(data, cta.rank())) {
    if (!checkBarrier(instruction, cta, view, "arrival on", uint32_t(distance)))
      return;
    BarrierEvent event;
    event.arrivals = 1;
    event.cta = cta.rank();
    event.place = instruction.place;
    event.committer = cta.fiber->index;
    for (const std::shared_ptr<AsyncOperation> &product : cta.fiber->products)
      if (!product->isComplete)
        event.operations.push_back(product);
    forEachBarrier(view, [&](uint32_t offset) {
      offset += uint32_t(distance);
      event.barriers.push_back(offset);
      if (cta.ordering)
        cta.ordering->arrive(cta.fiber->index, offset);
      if (unit)
        cta.ordering->arrive(*unit, offset);
    });
    cta.noteStep(instruction, Doing::Arrives, event.barriers.front(),
                 cta.barrierAt(event.barriers.front()).phase);
    cta.addEvent(std::move(event));
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
  auto type = mlir::cast<ttg::MemDescType>(view.getType());
  auto kind = elementKindOf(type.getElementType());
  Part part = partOf(lowering, operation, view, twoCtas);
  if (!part.table || !kind)
    return std::nullopt;
  auto tile = mlir::dyn_cast_or_null<ttng::TensorMemoryEncodingAttr>(type.getEncoding());
  const bool isSpread = tile && tile.getValue().fp4Padded;
  return ProductData::Operand{part, lowering.slotOf(view),
                              lowering.temporary(*kind, part.elements()), isSpread,
                              isSpread ? lowering.temporary(*kind, part.elements()) : Slot()};
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
  auto product = ttng::tensorProduct(a, b, d, why, isSanitizedFloat(operation));
  auto kindA = elementKindOf(a.getElementType()), kindB = elementKindOf(b.getElementType()),
       kindD = elementKindOf(d.getElementType());
  if (!product || !kindA || !kindB || !kindD || !isDot(*kindA, *kindB, *kindD))
    return false;
  DotData form;
  form.a = *kindA;
  form.b = *kindB;
  form.result = *kindD;
  form.sanitized = lowering.program.sanitizer == Sanitizer::Fpsan;
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
  auto product = ttng::tensorProduct(ttng::scaledOperands(dot), why, isSanitizedFloat(operation));
  if (!product)
    return false;
  const Shape shape = shapeOf(*product);
  ProductData *data = lowering.addData<ProductData>();
  const bool hasFloatScales = !dot.getAScale().getType().getElementType().isInteger(8);
  data->dot = ScaledDot{shape.rows,
                        shape.columns,
                        shape.depth,
                        product->scaleBlock,
                        scaledElement(dot.getAType()),
                        scaledElement(dot.getBType()),
                        hasFloatScales,
                        hasFloatScales,
                        lowering.program.sanitizer == Sanitizer::Fpsan};
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

/// Whether a region has bytes that nothing has written.
bool isUnwritten(const Cta &cta, const Region &region) {
  bool found = false;
  forEachPart(region, [&](uint64_t offset, uint32_t bytes) {
    if (!cta.shared.contains(offset, bytes))
      return;
    const uint64_t first = offset + cta.shared.firstUnreadable(offset, bytes);
    found |= first < offset + bytes && cta.shared.state(first) == SharedMemory::Unwritten;
  });
  return found;
}

/// Operands: source, target. What was never written may be copied for a product that is not done.
void runCopy(const Instruction &instruction, Cta &cta) {
  const auto &data = static_cast<const CopyData &>(*instruction.data);
  if (isSecondOfPair(cta, data.twoCtas))
    return;
  AsTensorCores unit(cta);
  const Region source = data.source.at(cta, instruction.operands[0]);
  const Region target = data.target.at(cta, instruction.operands[1]);
  uint8_t *room = cta.at<uint8_t>(data.room);
  const bool holdsNothing = isUnwritten(cta, source);
  if (!(holdsNothing || readOperand(instruction, cta, source, room)) ||
      !checkCopyTarget(instruction, cta, target))
    return;
  if (!holdsNothing)
    write(cta, target, room);
  cta.noteStep(instruction, Doing::Writes, target.start());
  start(instruction, cta, /*kind=*/0, source, target, holdsNothing);
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
