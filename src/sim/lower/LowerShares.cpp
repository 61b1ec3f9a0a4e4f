//===- LowerShares.cpp - Tiles that CTAs of a cluster share -------------------===//
//
// Most operations need no more than the shares of their operands. One that mixes
// elements of several CTAs is done on whole tiles:
//
//     all CTAs synchronize; each gets the whole of every divided operand
//     the operation, in each of them
//     each keeps its share of the results
//
// As on hardware, where such an exchange passes through the cluster's memory and a
// barrier of the cluster stands inside, everybody has to come, and the exchange orders
// what is before it and behind it.
//
//===----------------------------------------------------------------------===//
#include "sim/lower/Lowering.h"
#include "sim/machine/Cta.h"
#include "sim/machine/Taint.h"

#include "ir/Encoding.h"

namespace gluonc::sim {

//===----------------------------------------------------------------------===//
// Shares of types
//===----------------------------------------------------------------------===//

const Share *Lowering::shareOf(mlir::Type type) {
  if (!inCluster())
    return nullptr;
  auto [known, isNew] = shares.try_emplace(type, nullptr);
  if (!isNew)
    return known->second;
  std::optional<Share> share = wholeShare({}, program.ctas);
  if (auto tensor = mlir::dyn_cast_or_null<mlir::RankedTensorType>(type)) {
    const layout::LinearLayout *linear = tensor.getEncoding() ? linearOrNull(tensor) : nullptr;
    share = linear ? sim::shareOf(tensor.getShape(), *linear, program.ctas)
                   : wholeShare(tensor.getShape(), program.ctas);
  } else if (auto view = mlir::dyn_cast_or_null<ttg::MemDescType>(type)) {
    const layout::LinearLayout *linear = linearOrNull(view);
    share = linear ? sim::shareOf(view.getShape(), *linear, program.ctas) : std::nullopt;
  }
  if (!share)
    return nullptr;
  Share *kept = addData<Share>();
  *kept = std::move(*share);
  return shares[type] = kept;
}

const Share *Lowering::shareOf(mlir::Operation *operation, ttg::MemDescType view) {
  const Share *share = shareOf(view);
  if (share && share->isBox())
    return share;
  if (inCluster())
    unsupported(operation, "a view of the memory of some CTAs here");
  return nullptr;
}

/// `linear` with the first bit of a CTA's number as one of memory.
static layout::LinearLayout pairwise(const layout::LinearLayout &linear) {
  using layout::Dim;
  llvm::SmallVector<layout::DimSize> ins;
  llvm::SmallVector<uint64_t> bases;
  uint64_t first = 0;
  for (layout::DimSize in : linear.inDims()) {
    ins.push_back(in);
    for (auto [bit, basis] : llvm::enumerate(linear.packedBases(in.dim))) {
      const bool isFirst = in.dim == Dim::Block && bit == 0;
      first = isFirst ? basis : first;
      bases.push_back(isFirst ? 0 : basis);
    }
  }
  ins.push_back({Dim::Repetition, 1});
  bases.push_back(first);
  return layout::LinearLayout::fromPacked(ins, linear.outDims(), bases);
}

const Share *Lowering::pairShareOf(mlir::Operation *operation, ttg::MemDescType view) {
  const layout::LinearLayout *linear = linearOrNull(view);
  std::optional<Share> share =
      linear ? sim::shareOf(view.getShape(), pairwise(*linear), program.ctas) : std::nullopt;
  if (!share || !share->isBox()) {
    unsupported(operation, "a view of the memory of some CTAs here");
    return nullptr;
  }
  auto [known, isNew] = pairShares.try_emplace(view, nullptr);
  if (isNew) {
    Share *kept = addData<Share>();
    *kept = std::move(*share);
    kept->together = 1;
    known->second = kept;
  }
  return known->second;
}

llvm::ArrayRef<int64_t> Lowering::shapeOf(mlir::Type type) {
  auto tensor = mlir::dyn_cast_or_null<mlir::RankedTensorType>(type);
  if (!tensor)
    return {};
  const Share *share = wholeTiles ? nullptr : shareOf(type);
  return share ? llvm::ArrayRef<int64_t>(share->shape) : tensor.getShape();
}

uint32_t Lowering::elementCountOf(mlir::Type type) {
  uint64_t elements = 1;
  for (int64_t size : shapeOf(type))
    elements *= uint64_t(size);
  return static_cast<uint32_t>(elements);
}

//===----------------------------------------------------------------------===//
// Which operations mix shares
//===----------------------------------------------------------------------===//

namespace {

using Coordinates = llvm::SmallVector<int64_t, 4>;

Coordinates placeOf(uint32_t element, llvm::ArrayRef<int64_t> shape) {
  Coordinates place(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; element /= uint32_t(shape[dim]))
    place[dim] = element % shape[dim];
  return place;
}

uint32_t elementAt(const Coordinates &place, llvm::ArrayRef<int64_t> shape) {
  uint32_t element = 0;
  for (auto [at, size] : llvm::zip_equal(place, shape))
    element = element * uint32_t(size) + uint32_t(at);
  return element;
}

/// Of a tensor or view; empty for a scalar.
llvm::ArrayRef<int64_t> wholeShapeOf(mlir::Type type) {
  if (auto view = mlir::dyn_cast<ttg::MemDescType>(type))
    return view.getShape();
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  return tensor ? tensor.getShape() : llvm::ArrayRef<int64_t>();
}

/// Whether the elements that `map` gives for those of a CTA's share of one tensor are its share of
/// the other. A map is a projection: bits of coordinates go where they go one by one, or vanish.
bool staysInShare(Lowering &lowering, const ElementMap &map) {
  mlir::Type from = map.from.getType(), to = map.to.getType();
  const Share *source = lowering.shareOf(from), *target = lowering.shareOf(to);
  if (!source || !target || !source->isBox() || !target->isBox())
    return false;
  auto image = [&](uint32_t element) {
    Coordinates place = placeOf(element, wholeShapeOf(from)), moved;
    for (std::optional<unsigned> dim : map.dims)
      moved.push_back(dim ? place[*dim] : 0);
    return elementAt(moved, wholeShapeOf(to));
  };
  uint32_t split = 0;
  for (uint32_t rest = source->split; rest; rest &= rest - 1)
    split |= image(rest & -rest);
  return split == target->split &&
         llvm::equal(source->begins, target->begins,
                     [&](uint32_t begin, uint32_t other) { return image(begin) == other; });
}

bool isDivided(Lowering &lowering, mlir::Type type) {
  const Share *share = lowering.shareOf(type);
  return share && share->split;
}

bool isDividedAlong(Lowering &lowering, mlir::Type type, unsigned dim) {
  const Share *share = lowering.shareOf(type);
  return !share || share->shape[dim] != wholeShapeOf(type)[dim];
}

bool hasDividedTensor(Lowering &lowering, mlir::Operation *operation) {
  auto isDividedTensor = [&](mlir::Type type) {
    return mlir::isa<mlir::RankedTensorType>(type) && isDivided(lowering, type);
  };
  return llvm::any_of(operation->getOperandTypes(), isDividedTensor) ||
         llvm::any_of(operation->getResultTypes(), isDividedTensor);
}

} // namespace

bool mixesShares(Lowering &lowering, mlir::Operation *operation) {
  // Operations of other dialects compute element by element, or are control flow.
  if (!isOurs(operation) || operation->hasTrait<Pointwise>())
    return false;
  ElementFlow flow;
  if (auto answers = mlir::dyn_cast<ElementFlowOpInterface>(operation))
    answers.flowElements(flow);
  else
    flow.isMixed = true;
  if (flow.isMixed)
    return hasDividedTensor(lowering, operation);
  for (auto [source, result] : flow.sameNumbers) {
    const Share *from = lowering.shareOf(source.getType());
    const Share *to = lowering.shareOf(result.getType());
    if (!from || !to || !from->agreesWith(*to))
      return true;
  }
  return llvm::any_of(flow.alongDims,
                      [&](auto along) {
                        return isDividedAlong(lowering, along.first.getType(), along.second);
                      }) ||
         !llvm::all_of(flow.maps,
                       [&](const ElementMap &map) { return staysInShare(lowering, map); });
}

//===----------------------------------------------------------------------===//
// What CTAs give each other
//===----------------------------------------------------------------------===//

namespace {

struct ExchangeData : OpData {
  const Share *share = nullptr;
  /// Bits in which CTAs with copies go apart.
  uint32_t among = 0;
  uint32_t bytes = 0;
};

const ExchangeData &dataOf(const Instruction &instruction) {
  return static_cast<const ExchangeData &>(*instruction.data);
}

/// `to` is a whole tile; a source of one element is the same everywhere in its share.
void putShare(const Share &share, uint32_t rank, const uint8_t *from, uint32_t elements,
              uint32_t bytes, uint8_t *to) {
  const uint32_t run = elements == 1 ? 1 : share.run;
  for (uint32_t element = 0; element < share.elements; element += run)
    std::memcpy(to + uint64_t(share.toWhole(element, rank)) * bytes,
                from + (elements == 1 ? 0 : uint64_t(element) * bytes), uint64_t(run) * bytes);
}

/// Operands: this CTA's share. Result: the whole tile.
void runGatherShares(const Instruction &instruction, Cta &cta) {
  const ExchangeData &data = dataOf(instruction);
  Slot source = instruction.operands[0], whole = instruction.result;
  cta.exchange(instruction, [&] {
    for (uint32_t rank = 0; rank < cta.program.ctas; ++rank) {
      if (!data.share->isLeast(rank))
        continue;
      putShare(*data.share, rank, cta.frameOf(rank, source), source.elements, data.bytes,
               cta.frameOf(0, whole));
      if (cta.tracking)
        putShare(*data.share, rank, cta.taintOf(rank, source), source.elements, 1,
                 cta.taintOf(0, whole));
    }
    for (uint32_t rank = 1; rank < cta.program.ctas; ++rank)
      cta.copySlot(0, rank, whole, data.bytes);
  });
}

/// Result: a slot that the first of the CTAs with copies has written.
void runHandOut(const Instruction &instruction, Cta &cta) {
  const ExchangeData &data = dataOf(instruction);
  cta.exchange(instruction, [&] {
    for (uint32_t rank = 0; rank < cta.program.ctas; ++rank) {
      uint32_t from = 0;
      while (data.share->begins[from] != data.share->begins[rank] || ((from ^ rank) & data.among))
        ++from;
      if (from != rank)
        cta.copySlot(from, rank, instruction.result, data.bytes);
    }
  });
}

/// An exchange brings its taint along, and may be looked at again and again.
void taintExchange(const Instruction &, Cta &) {}

template <bool kTaint> void takeShare(const Instruction &instruction, Cta &cta) {
  const ExchangeData &data = dataOf(instruction);
  const uint32_t bytes = kTaint ? 1 : data.bytes, rank = cta.rank(), run = data.share->run;
  const uint8_t *from =
      kTaint ? cta.taintAt(instruction.operands[0]) : cta.at<uint8_t>(instruction.operands[0]);
  uint8_t *to = kTaint ? cta.taintAt(instruction.result) : cta.at<uint8_t>(instruction.result);
  for (uint32_t element = 0; element < data.share->elements; element += run)
    std::memcpy(to + uint64_t(element) * bytes,
                from + uint64_t(data.share->toWhole(element, rank)) * bytes, uint64_t(run) * bytes);
}

/// Jumps to `immediate` in CTAs that only hold copies.
void runUnlessFirst(const Instruction &instruction, Cta &cta) {
  if (!dataOf(instruction).share->isLeast(cta.rank()))
    cta.pc = static_cast<uint32_t>(instruction.immediate);
}

ExchangeData *addExchange(Lowering &lowering, const Share *share, uint32_t bytes) {
  ExchangeData *data = lowering.addData<ExchangeData>();
  data->share = share;
  data->bytes = bytes;
  return data;
}

} // namespace

void Lowering::bindWhole(mlir::Value value, Slot whole) {
  const Share *share = wholeTiles ? nullptr : shareOf(value.getType());
  if (!share || !share->split || whole.elements == 1)
    return bind(value, whole);
  ElementKind kind = kindOf(value);
  emit(takeShare<false>, takeShare<true>, define(value, share->elements), {whole}).data =
      addExchange(*this, share, byteSize(kind));
}

void Lowering::emitOnce(mlir::Type type, llvm::function_ref<void()> emitAll) {
  const Share *share = shareOf(type);
  if (!share || !share->hasCopies())
    return emitAll();
  uint32_t jump = here();
  emit(runUnlessFirst, taintNothing, Slot(), {}).data = addExchange(*this, share, 0);
  emitAll();
  instructionAt(jump).immediate = here();
}

void Lowering::emitHandOut(mlir::Type type, Slot slot, ElementKind kind, uint32_t among) {
  const Share *share = shareOf(type);
  if (!share || !share->hasCopies())
    return;
  ExchangeData *data = addExchange(*this, share, byteSize(kind));
  data->among = among;
  emit(runHandOut, taintExchange, slot, {}).data = data;
}

bool Lowering::lowerWhole(mlir::Operation *operation, LowerFunction function) {
  llvm::SmallVector<std::pair<mlir::Value, Slot>, 4> replaced;
  for (mlir::Value operand :
       llvm::SetVector<mlir::Value>(operation->operand_begin(), operation->operand_end())) {
    if (!isDivided(*this, operand.getType()))
      continue;
    const Share *share = shareOf(operand.getType());
    Slot whole = temporary(kindOf(operand), share->wholeElements);
    emit(runGatherShares, taintExchange, whole, {slotOf(operand)}).data =
        addExchange(*this, share, byteSize(kindOf(operand)));
    replaced.push_back({operand, slotOf(operand)});
    slots[operand] = whole;
  }
  wholeTiles = true;
  bool lowered = function(*this, operation);
  wholeTiles = false;
  for (auto &[operand, slot] : replaced)
    slots[operand] = slot;
  if (!lowered)
    return false;
  for (mlir::Value result : operation->getResults()) {
    Slot whole = slotOf(result);
    if (!isDivided(*this, result.getType()) || whole.elements == 1)
      continue;
    // The hold that the value has on the whole tile outlives the share's beginning.
    bindWhole(result, whole);
    free(whole);
  }
  return true;
}

} // namespace gluonc::sim
