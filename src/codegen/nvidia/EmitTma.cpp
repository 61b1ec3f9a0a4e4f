//===- EmitTma.cpp - The copy engine -----------------------------------------------===//
//
// One instruction moves a box of at most 256 elements along each dim and, where
// the layout swizzles, of one row of the pattern along the last: a "message". A
// block takes as many as cover it. The warps share them out: in round r, one
// thread of warp w sends message r * senders + w. Where a message lies is linear
// in the bits of its number, so one instruction a round serves all warps, and
// its operands are the same in all threads of a warp, as ptxas likes them best.
//
//     block 64 x 256, f16, swizzled by 128 bytes = rows of 64:
//         message   0     1     2     3        shared memory: one after another
//         columns   0…    64…   128…  192…
//
// PTX counts dims from the last one.
//
// Each CTA of a cluster moves its own part of a block. Where several hold copies, each
// loads its own; with multicast the least of them sends one message for all, which
// counts for the barrier of each. Stores are the least one's business.
//
//===----------------------------------------------------------------------===//
#include "codegen/nvidia/Caches.h"
#include "codegen/nvidia/EmitHopper.h"

#include "codegen/core/Indices.h"
#include "codegen/core/RegisterIndex.h"
#include "codegen/core/SharedTransfer.h"
#include "codegen/nvidia/InlineAsm.h"
#include "ir/Encoding.h"
#include "ir/ttng/AsyncUnitRules.h"
#include "target/Features.h"
#include "target/nvidia/BoxCopies.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::nvidia {

namespace tma = target::nvidia::tma;

namespace {

/// Where one message begins, in elements.
struct Message {
  SmallVector<int64_t> place;
  /// In the buffer.
  uint32_t offset;
};

/// Nullopt for a buffer that the copy engine cannot address.
std::optional<SmallVector<Message>> messagesOf(ttg::MemDescType buffer,
                                               const ttng::Descriptor &descriptor) {
  auto encoding = dyn_cast<ttg::NVMMASharedEncodingAttr>(buffer.getEncoding());
  const LinearLayout *linear = linearOrNull(buffer);
  std::optional<LinearLayout> inverse = linear ? linear->pseudoInvert() : std::nullopt;
  if (!encoding || !inverse)
    return std::nullopt;
  layout::Ints shape = layout::shapePerCta(layout::Layout(encoding.getValue()), buffer.getShape());
  // im2col: pixels are counted along one dim, up to 1024 of them.
  layout::Ints box = encoding.getValue().messageShape(buffer.getShape());
  if (descriptor.im2col)
    box.front() = shape.front();
  else if (auto own = dyn_cast_or_null<ttg::NVMMASharedEncodingAttr>(descriptor.layout);
           own && own != encoding && descriptor.shape == buffer.getShape())
    // Others may share the buffer in larger parts.
    box = own.getValue().messageShape(descriptor.shape);
  SmallVector<Message> messages;
  SmallVector<int64_t> place(shape.size(), 0);
  while (true) {
    SmallVector<layout::Coord> at;
    for (auto [axis, step] : enumerate(place))
      at.push_back({Dim::axis(axis), uint32_t(step)});
    uint64_t found = inverse->applyPacked(inverse->packIn(at));
    messages.push_back({place, uint32_t(inverse->outComponent(found, Dim::Offset))});
    int64_t axis = int64_t(shape.size()) - 1;
    while (axis >= 0 && (place[axis] += box[axis]) >= shape[axis])
      place[axis--] = 0;
    if (axis < 0)
      return messages;
  }
}

/// One thread of each warp.
Value *electThread(Emitter &emitter) {
  Builder &builder = emitter.builder;
  Value *elected = emitAsm(builder,
                           "{\n\t.reg .pred mine;\n\telect.sync _|mine, 0xffffffff;\n\t"
                           "selp.b32 $0, 1, 0, mine;\n\t}",
                           builder.getInt32Ty(), {}, AsmEffect::ReadsAndWrites, Threads::Together);
  return builder.CreateICmpNE(elected, builder.getInt32(0));
}

/// Which messages the warp that runs the code sends.
class Share {
public:
  /// The first message is the business of the warp `first`, modulo their number.
  Share(Emitter &emitter, ArrayRef<Message> messages, unsigned first = 0)
      : emitter(emitter), messages(messages), senders(count()) {
    Builder &builder = emitter.builder;
    unsigned warps = bit_floor(emitter.threads.group.count);
    first %= warps;
    warp = place = builder.getInt32(0);
    if (emitter.threads.group.count > 1)
      warp = emitter.threads.warpId();
    if (first)
      warp = builder.CreateAnd(builder.CreateSub(warp, builder.getInt32(first)),
                               builder.getInt32(warps - 1));
    if (senders == warps)
      place = warp;
    else if (senders > 1)
      place = builder.CreateAnd(warp, builder.getInt32(senders - 1));
  }

  size_t rounds() const { return messages.size() / senders; }
  const Message &first(size_t round) const { return messages[round * senders]; }

  /// `elected` in warps that send.
  Value *sends(Value *elected) const {
    if (senders == emitter.threads.group.count)
      return elected;
    Builder &builder = emitter.builder;
    Value *mine = builder.CreateICmpULT(warp, builder.getInt32(senders));
    return emitter.builder.CreateAnd(elected, mine);
  }

  /// What the warp's number adds to the place of a round's first message.
  Value *step(unsigned axis) const {
    return part([&](const Message &message) { return uint32_t(message.place[axis]); });
  }
  Value *offset() const { return part(offsetOf); }
  uint32_t offsetMask() const { return imageMask(images(offsetOf)); }

private:
  static uint32_t offsetOf(const Message &message) { return message.offset; }

  template <typename Field> SmallVector<uint32_t> images(Field field) const {
    SmallVector<uint32_t> found;
    for (unsigned bit = 1; bit < senders; bit *= 2)
      found.push_back(field(messages[bit]));
    return found;
  }

  template <typename Field> Value *part(Field field) const {
    return applyLinear(emitter.builder, place, images(field));
  }

  /// As many warps as can send at once: a power of two, so that a round begins where the bits of
  /// its warps are 0.
  unsigned count() const {
    unsigned all = messages.size();
    return std::min(bit_floor(emitter.threads.group.count), all & -all);
  }

  Emitter &emitter;
  ArrayRef<Message> messages;
  unsigned senders;
  /// The number of the warp, from the first sender on, and the part of it that tells messages
  /// apart.
  Value *warp, *place;
};

/// Numbers operands while the text of an instruction is written.
struct Instruction {
  std::string text;
  SmallVector<Value *> operands;

  std::string operand(Value *value) {
    operands.push_back(value);
    return "$" + std::to_string(operands.size() - 1);
  }
  std::string list(ArrayRef<Value *> values) {
    std::string all;
    for (Value *value : values)
      all += (all.empty() ? "" : ", ") + operand(value);
    return "{" + all + "}";
  }
};

/// Which elements of the buffer each CTA moves, by the buffer's shape: of a view that is cut out of
/// a larger buffer it may be others than lie in its memory.
LinearLayout sharesOf(ttg::MemDescType buffer) {
  int64_t rank = toLinear(buffer).outDims().size();
  return toLayout(buffer.getEncoding()).toLinear(buffer.getShape().take_back(rank));
}

/// Where the part of this CTA begins, for each dim of the buffer; null for 0.
SmallVector<Value *> partOfCta(Emitter &emitter, ttg::MemDescType buffer) {
  SmallVector<Value *> starts(buffer.getRank());
  const LinearLayout linear = sharesOf(buffer);
  for (int64_t axis = 0; axis < buffer.getRank(); ++axis) {
    SmallVector<uint32_t> images;
    for (unsigned bit = 0; bit < linear.inLog2(Dim::Block); ++bit)
      images.push_back(linear.basis(Dim::Block, bit, Dim::axis(axis)));
    if (imageMask(images))
      starts[axis] = applyLinear(emitter.builder, emitter.threads.clusterRank(), images);
  }
  return starts;
}

/// Where the part of a buffer lies that a CTA loads.
struct Destination {
  /// What the CTA's number adds to the place in memory, by XOR.
  Value *offset = nullptr;
  uint32_t offsetMask = 0;
  /// The CTA that has it, if that may be another one, and the bits in which their numbers may
  /// differ.
  Value *rank = nullptr;
  uint32_t rankMask = 0;
};

Destination destinationOf(Emitter &emitter, mlir::Value view) {
  Destination found;
  if (emitter.threads.clusterSize() == 1)
    return found;
  auto buffer = cast<ttg::MemDescType>(view.getType());
  const LinearLayout shares = sharesOf(buffer);
  const std::optional<LinearLayout> places = toLinear(buffer).pseudoInvert();
  SmallVector<uint32_t> offsets, ranks;
  for (unsigned bit = 0; places && bit < shares.inLog2(Dim::Block); ++bit) {
    SmallVector<layout::Coord> at;
    for (auto [axis, size] : enumerate(shares.outDims()))
      at.push_back({size.dim, uint32_t(shares.basis(Dim::Block, bit, size.dim))});
    const bool isCopy = llvm::all_of(at, [](const layout::Coord &each) { return !each.value; });
    uint64_t place = places->applyPacked(places->packIn(at));
    offsets.push_back(places->outComponent(place, Dim::Offset));
    ranks.push_back(isCopy || !places->hasOut(Dim::Block)
                        ? 0
                        : uint32_t(places->outComponent(place, Dim::Block)) ^ 1u << bit);
  }
  Builder &builder = emitter.builder;
  if ((found.offsetMask = imageMask(offsets)))
    found.offset = applyLinear(builder, emitter.threads.clusterRank(), offsets);
  auto [begin, mask] = beginningCta(emitter, view);
  found.rankMask = imageMask(ranks) | (begin ? mask : 0);
  if (!found.rankMask)
    return found;
  found.rank = builder.CreateXor(emitter.threads.clusterRank(),
                                 applyLinear(builder, emitter.threads.clusterRank(), ranks));
  if (begin)
    found.rank = builder.CreateXor(found.rank, begin);
  return found;
}

/// Whether elements are of 4 bits, two to a byte of the block and each in a byte of the buffer.
bool isPadded(ttg::MemDescType buffer) {
  return cast<ttg::NVMMASharedEncodingAttr>(buffer.getEncoding()).getValue().fp4Padded;
}

/// Coordinates of a round's messages as PTX wants them: `padded` ones count elements of 4 bits,
/// where the program counts their bytes.
SmallVector<Value *> coordinates(Emitter &emitter, mlir::ValueRange coords, const Share &share,
                                 size_t round, ArrayRef<Value *> part, bool padded = false) {
  Builder &builder = emitter.builder;
  SmallVector<Value *> values;
  const Message &first = share.first(round);
  size_t rank = coords.size(), inner = first.place.size();
  for (size_t i = 0; i < rank; ++i) {
    Value *coordinate = emitter.scalar(coords[rank - 1 - i]);
    if (i < inner) {
      unsigned axis = inner - 1 - i;
      coordinate = builder.CreateAdd(coordinate, share.step(axis));
      coordinate = builder.CreateAdd(coordinate, builder.getInt32(first.place[axis]));
      if (part[axis])
        coordinate = builder.CreateAdd(coordinate, part[axis]);
    }
    if (padded && i == 0)
      coordinate = builder.CreateShl(coordinate, 1);
    values.push_back(coordinate);
  }
  return values;
}

/// Of a thread whose messages begin at `part`, in the memory of the CTA that sends them.
ThreadAddress addressOf(Emitter &emitter, mlir::Value buffer, Value *part, uint32_t mask,
                        const Destination &destination = {}) {
  unsigned bytes = elementBytes(cast<ttg::MemDescType>(buffer.getType()).getElementType());
  if (destination.offset) {
    part = emitter.builder.CreateXor(part, destination.offset);
    mask |= destination.offsetMask;
  }
  return addressOf(emitter, Transfer{}, buffer, bytes, part, mask);
}

/// The nearest operation that does something, in one direction.
mlir::Operation *nextEffect(mlir::Operation *op, bool forward) {
  do
    op = forward ? op->getNextNode() : op->getPrevNode();
  while (op && mlir::isPure(op));
  return op;
}

/// Whether the copy is the second for a barrier that the program waits for at once, while products
/// run: such a loop is as fast as the L2 cache, which serves the CTAs of a chip best when all ask
/// for one operand before the other.
bool followsWhileProductsRun(ttng::AsyncTMACopyGlobalToLocalOp op) {
  auto first = dyn_cast_or_null<ttng::AsyncTMACopyGlobalToLocalOp>(nextEffect(op, false));
  auto wait = dyn_cast_or_null<ttng::WaitBarrierOp>(nextEffect(op, true));
  return first && wait && first.getBarrier() == op.getBarrier() &&
         wait.getAlloc() == op.getBarrier() &&
         isa_and_nonnull<ttng::WarpGroupDotWaitOp>(nextEffect(wait, true));
}

/// Copies for one barrier object are under way sooner if no warp starts several of them. Where the
/// group has warps to spare, a copy of `size` messages leaves out those that are busy since the
/// last barrier; for the sake of one message that is not worth the arithmetic. Its own warps are
/// neighbours whose numbers begin at a multiple of `size`: spread over two groups of four, they
/// would hold up the dots of both. Four warps that have come `together` all begin anew.
unsigned firstSender(Emitter &emitter, mlir::Operation *op, unsigned size, bool together) {
  if (together && emitter.threads.group.count <= 4)
    return 0;
  unsigned busy = 0;
  while ((op = op->getPrevNode()) && !isa<ttng::BarrierExpectOp>(op))
    if (auto copy = dyn_cast<ttng::AsyncTMACopyGlobalToLocalOp>(op)) {
      if (auto messages =
              messagesOf(copy.getResult().getType(), ttng::descriptorOf(copy.getDesc().getType())))
        busy += messages->size();
    }
  unsigned first = alignTo(busy, size);
  return busy > 1 && first + size <= emitter.threads.group.count ? first : 0;
}

/// The CTAs that hold the copies, as a mask of 16 bits: the number of the destination with all
/// values of the bits `copies`, which it has at 0.
Value *receivers(Emitter &emitter, uint32_t copies, const Destination &destination) {
  Builder &builder = emitter.builder;
  Value *first = destination.rank ? destination.rank : emitter.threads.clusterRank();
  Value *all = builder.CreateShl(builder.getInt32(setOfCtas(copies)), first);
  return builder.CreateTrunc(all, builder.getInt16Ty());
}

/// Whether two CTAs that multiply together have one barrier in common.
bool signalsPair(mlir::Value barrier) {
  return ctasInCommon(barrier) == 1 && ttg::hasTwoCtas(barrier.getParentRegion()->getParentOp());
}

/// The barrier that a copy signals, as it is in the window of the cluster's shared memory.
Value *signalledBarrier(Emitter &emitter, mlir::Value barrier) {
  Value *address = barrierAddress(emitter, barrier);
  if (!signalsPair(barrier))
    return address;
  Builder &builder = emitter.builder;
  return emitter.isa.peerAddress(
      builder, address, builder.CreateAnd(emitter.threads.clusterRank(), builder.getInt32(~1u)));
}

/// Whether the copy engine can write there and signal the barrier. That is of the CTA that receives
/// the data or, where there are pairs of CTAs, of the other one of its pair.
bool reaches(Emitter &emitter, const Destination &destination, mlir::Value barrier) {
  const bool hasPairs = target::has(emitter.state.target, target::Feature::TensorMemory);
  return (!destination.rankMask || (hasPairs && destination.rankMask == 1)) &&
         (!ctasInCommon(barrier) || signalsPair(barrier));
}

/// Whether a load is of a CTA of a pair for both of them.
bool isOfPair(const Destination &destination, mlir::Value barrier) {
  return destination.rankMask || signalsPair(barrier);
}

/// A place of shared memory where `destination` has it.
Value *placedAt(Emitter &emitter, Value *address, const Destination &destination) {
  return destination.rank ? emitter.isa.peerAddress(emitter.builder, address, destination.rank)
                          : address;
}

LogicalResult emitLoad(Emitter &emitter, ttng::AsyncTMACopyGlobalToLocalOp op) {
  ttg::MemDescType buffer = op.getResult().getType();
  ttng::Descriptor descriptor = ttng::descriptorOf(op.getDesc().getType());
  auto messages = messagesOf(buffer, descriptor);
  if (!messages)
    return emitter.unsupported(op);
  const Destination destination = destinationOf(emitter, op.getResult());
  if (!reaches(emitter, destination, op.getBarrier()))
    return emitter.unsupported(op, "a bulk load into a CTA of another pair than its barrier's");
  bool together = emitter.threads.group.count > 1 && followsWhileProductsRun(op);
  if (together)
    emitter.threads.barrier();
  Share share(emitter, *messages, firstSender(emitter, op, messages->size(), together));
  ThreadAddress address =
      addressOf(emitter, op.getResult(), share.offset(), share.offsetMask(), destination);
  uint32_t copies = op.getMulticast() ? ctasInCommon(op.getResult()) : 0;
  Value *elected = emitter.builder.CreateAnd(electThread(emitter), emitter.scalar(op.getPred()));
  if (copies)
    elected = emitter.builder.CreateAnd(elected, isLeast(emitter, copies));
  Value *sends = share.sends(elected);
  SmallVector<Value *> part = partOfCta(emitter, buffer);
  tt::CachePolicy caches = tt::cachePolicyOf(op);
  for (size_t round = 0; round < share.rounds(); ++round) {
    Instruction code;
    code.text = "@" + code.operand(sends);
    code.text += " cp.async.bulk.tensor." + std::to_string(op.getCoord().size()) + "d" +
                 (isOfPair(destination, op.getBarrier()) ? ".cta_group::2" : "") +
                 ".shared::cluster.global" + (descriptor.im2col ? ".im2col" : "") +
                 ".mbarrier::complete_tx::bytes" + (copies ? ".multicast::cluster" : "") +
                 l2Qualifiers(caches) + " ";
    Value *place = placedAt(emitter, address.at(share.first(round).offset), destination);
    code.text += "[" + code.operand(place) + "], ";
    code.text +=
        "[" + code.operand(emitter.scalar(op.getDesc())) + ", " +
        code.list(coordinates(emitter, op.getCoord(), share, round, part, isPadded(buffer))) +
        "], ";
    code.text += "[" + code.operand(signalledBarrier(emitter, op.getBarrier())) + "]";
    SmallVector<Value *> offsets;
    for (mlir::Value offset : llvm::reverse(op.getOffsets()))
      offsets.push_back(emitter.scalar(offset));
    if (!offsets.empty())
      code.text += ", " + code.list(offsets);
    if (copies)
      code.text += ", " + code.operand(receivers(emitter, copies, destination));
    if (caches.l2)
      code.text += ", " + code.operand(l2Policy(emitter.builder, *caches.l2));
    emitOrdered(emitter, code.text + ";", code.operands);
  }
  return success();
}

/// Stores and reductions; `instruction` is all in front of the operands.
LogicalResult emitOutwards(Emitter &emitter, mlir::Operation *op, mlir::Value desc,
                           mlir::ValueRange coords, mlir::Value source, StringRef instruction,
                           const tt::CachePolicy &caches = {}) {
  auto buffer = cast<ttg::MemDescType>(source.getType());
  auto messages = messagesOf(buffer, ttng::descriptorOf(desc.getType()));
  if (!messages || crossesCtas(emitter, Transfer{}, source))
    return emitter.unsupported(op, messages ? "a bulk store that concerns another CTA" : "");
  Share share(emitter, *messages);
  ThreadAddress address = addressOf(emitter, source, share.offset(), share.offsetMask());
  Value *elected = electThread(emitter);
  if (Value *least = isLeast(emitter, ctasInCommon(source)))
    elected = emitter.builder.CreateAnd(elected, least);
  Value *sends = share.sends(elected);
  SmallVector<Value *> part = partOfCta(emitter, buffer);
  for (size_t round = 0; round < share.rounds(); ++round) {
    Instruction code;
    code.text = "@" + code.operand(sends) + " " + instruction.str();
    code.text += " [" + code.operand(emitter.scalar(desc)) + ", " +
                 code.list(coordinates(emitter, coords, share, round, part)) + "], ";
    code.text += "[" + code.operand(address.at(share.first(round).offset)) + "]";
    if (caches.l2)
      code.text += ", " + code.operand(l2Policy(emitter.builder, *caches.l2));
    emitOrdered(emitter, code.text + ";", code.operands);
  }
  emitOrdered(emitter, "cp.async.bulk.commit_group;", {});
  return success();
}

LogicalResult emitStore(Emitter &emitter, ttng::AsyncTMACopyLocalToGlobalOp op) {
  std::string text = "cp.async.bulk.tensor." + std::to_string(op.getCoord().size()) +
                     "d.global.shared::cta.bulk_group";
  tt::CachePolicy caches = tt::cachePolicyOf(tt::CacheModifier::NONE, tt::EvictionPolicy::NORMAL,
                                             op.getCachePolicyAttr());
  return emitOutwards(emitter, op, op.getDesc(), op.getCoord(), op.getSrc(),
                      text + l2Qualifiers(caches), caches);
}

LogicalResult emitReduce(Emitter &emitter, ttng::AsyncTMAReduceOp op) {
  std::string text = "cp.reduce.async.bulk.tensor." + std::to_string(op.getCoord().size()) +
                     "d.global.shared::cta." +
                     tt::stringifyDescriptorReduceKind(op.getKind()).str() + ".bulk_group";
  return emitOutwards(emitter, op, op.getDesc(), op.getCoord(), op.getSrc(), text);
}

//===----------------------------------------------------------------------===//
// Rows that are named one by one
//===----------------------------------------------------------------------===//

/// The warps share rows out as the layout of their numbers does. Four rows of a panel of columns go
/// with one message:
///
///     numbers       warp 0: 5, 9, 0, 2 | 7, 7, 1, 3       warp 1: …
///     messages      {column, 5, 9, 0, 2}   {column, 7, 7, 1, 3}
struct RowMessages {
  struct Message {
    /// The registers that hold the numbers.
    SmallVector<unsigned, 4> numbers;
    int64_t column;
    /// In the buffer, for warp 0.
    uint32_t offset;
  };
  SmallVector<Message> messages;
  /// What each bit of the warp's number adds to the offset.
  SmallVector<uint32_t> warps;
};

/// Nullopt for a buffer that the copy engine cannot address.
std::optional<RowMessages> rowMessagesOf(Emitter &emitter, mlir::RankedTensorType numbers,
                                         ttg::MemDescType buffer) {
  auto encoding = dyn_cast<ttg::NVMMASharedEncodingAttr>(buffer.getEncoding());
  const LinearLayout *linear = linearOrNull(buffer);
  std::optional<LinearLayout> inverse = linear ? linear->pseudoInvert() : std::nullopt;
  if (!encoding || !inverse)
    return std::nullopt;
  int64_t columns = layout::shapePerCta(layout::Layout(encoding.getValue()), buffer.getShape())[1];
  int64_t panel = encoding.getValue().messageShape(buffer.getShape())[1];
  // The rows of a panel lie one behind the other; a swizzle moves elements within their row.
  auto offsetOf = [&](uint32_t row, int64_t column) {
    uint64_t found = inverse->applyPacked(
        inverse->packIn({{Dim::axis(0), row}, {Dim::axis(1), uint32_t(column)}}));
    return inverse->outComponent(found, Dim::Offset) & ~uint32_t(tma::namedRows * panel - 1);
  };
  RowMessages result;
  RegisterIndex registers(emitter, numbers);
  for (int64_t row = 0; row < buffer.getShape()[0]; row += tma::namedRows) {
    RowMessages::Message message;
    for (int64_t i = 0; i < tma::namedRows; ++i)
      if (std::optional<unsigned> found = registers.find({row + i}))
        message.numbers.push_back(*found);
    // Others hold the rest.
    if (message.numbers.size() != tma::namedRows)
      continue;
    for (message.column = 0; message.column < columns; message.column += panel) {
      message.offset = offsetOf(row, message.column);
      result.messages.push_back(message);
    }
  }
  const LinearLayout &held = emitter.types.layoutOf(numbers);
  for (unsigned bit = 0; bit < held.inLog2(Dim::Warp); ++bit)
    result.warps.push_back(offsetOf(held.basis(Dim::Warp, bit, Dim::axis(0)), 0));
  return result;
}

/// One thread of each warp whose rows no other warp has, in CTAs that send: those with 0 at the
/// bits `copies` of their number.
Value *sendersOfRows(Emitter &emitter, mlir::RankedTensorType numbers, uint32_t copies) {
  Builder &builder = emitter.builder;
  Value *sends = electThread(emitter);
  if (uint32_t spare = emitter.types.layoutOf(numbers).freeVariableMask(Dim::Warp))
    sends = builder.CreateAnd(
        sends,
        builder.CreateICmpEQ(builder.CreateAnd(emitter.threads.warpId(), builder.getInt32(spare)),
                             builder.getInt32(0)));
  if (Value *least = isLeast(emitter, copies))
    sends = builder.CreateAnd(sends, least);
  return sends;
}

/// What a copy of named rows has beside its instruction.
struct NamedRows {
  mlir::Value desc, numbers, column, buffer;
  Value *sends;
  Destination destination = {};
};

tt::CachePolicy rowCachePolicyOf(mlir::Operation *op) {
  return tt::cachePolicyOf(tt::CacheModifier::NONE, tt::EvictionPolicy::NORMAL,
                           op->getDiscardableAttr(ttng::rowCachePolicyName));
}

/// Writes one instruction per message: `instruction` with the descriptor, the column and the rows,
/// and the place in shared memory, in the order that `write` wants; L2's policy follows.
/// Several messages are behind a branch: under a predicate ptxas broadcasts the numbers of all of
/// them from the thread that sends, and has no uniform registers for so many.
LogicalResult emitRows(
    Emitter &emitter, mlir::Operation *op, const NamedRows &rows, const tt::CachePolicy &caches,
    function_ref<void(Instruction &, const std::string &tensor, const std::string &shared)> write) {
  Builder &builder = emitter.builder;
  auto buffer = cast<ttg::MemDescType>(rows.buffer.getType());
  auto plan = rowMessagesOf(emitter, cast<mlir::RankedTensorType>(rows.numbers.getType()), buffer);
  if (!plan)
    return emitter.unsupported(op);
  Value *part = builder.getInt32(0);
  if (!plan->warps.empty())
    part = applyLinear(builder, emitter.threads.warpId(), plan->warps);
  ThreadAddress address =
      addressOf(emitter, rows.buffer, part, imageMask(plan->warps), rows.destination);
  Value *begin = emitter.scalar(rows.column);
  if (Value *columns = partOfCta(emitter, buffer)[1])
    begin = builder.CreateAdd(begin, columns);
  const Registers &numbers = emitter.get(rows.numbers);
  const bool branches = plan->messages.size() > 1;
  BasicBlock *end = nullptr;
  if (branches) {
    BasicBlock *sends = emitter.blocks.create("rows");
    end = emitter.blocks.create("rows.end");
    builder.CreateCondBr(rows.sends, sends, end);
    emitter.blocks.start(sends);
  }
  for (const RowMessages::Message &message : plan->messages) {
    Instruction code;
    if (!branches)
      code.text = "@" + code.operand(rows.sends) + " ";
    SmallVector<Value *> place = {builder.CreateAdd(begin, builder.getInt32(message.column))};
    for (unsigned reg : message.numbers)
      place.push_back(numbers[reg]);
    std::string tensor =
        "[" + code.operand(emitter.scalar(rows.desc)) + ", " + code.list(place) + "]";
    Value *shared = placedAt(emitter, address.at(message.offset), rows.destination);
    write(code, tensor, "[" + code.operand(shared) + "]");
    if (caches.l2)
      code.text += ", " + code.operand(l2Policy(builder, *caches.l2));
    emitOrdered(emitter, code.text + ";", code.operands);
  }
  if (branches) {
    builder.CreateBr(end);
    emitter.blocks.start(end);
  }
  return success();
}

LogicalResult emitGather(Emitter &emitter, ttng::AsyncTMAGatherOp op) {
  if (!target::has(emitter.state.target, target::Feature::RowGather))
    return emitter.unsupported(op);
  const Destination destination = destinationOf(emitter, op.getResult());
  if (!reaches(emitter, destination, op.getBarrier()))
    return emitter.unsupported(op, "a bulk gather into a CTA of another pair than its barrier's");
  const bool ofPair = isOfPair(destination, op.getBarrier());
  uint32_t copies = op.getMulticast() ? ctasInCommon(op.getResult()) : 0;
  Value *sends = sendersOfRows(emitter, op.getXOffsets().getType(), copies);
  sends = emitter.builder.CreateAnd(sends, emitter.scalar(op.getPred()));
  tt::CachePolicy caches = rowCachePolicyOf(op);
  auto write = [&](Instruction &code, const std::string &tensor, const std::string &shared) {
    code.text += std::string("cp.async.bulk.tensor.2d.tile::gather4") +
                 (ofPair ? ".cta_group::2" : "") +
                 ".shared::" + (copies || ofPair ? "cluster" : "cta") +
                 ".global.mbarrier::complete_tx::bytes" + (copies ? ".multicast::cluster" : "") +
                 l2Qualifiers(caches) + " " + shared + ", " + tensor + ", [" +
                 code.operand(signalledBarrier(emitter, op.getBarrier())) + "]";
    if (copies)
      code.text += ", " + code.operand(receivers(emitter, copies, destination));
  };
  return emitRows(
      emitter, op,
      {op.getDesc(), op.getXOffsets(), op.getYOffset(), op.getResult(), sends, destination}, caches,
      write);
}

LogicalResult emitScatter(Emitter &emitter, ttng::AsyncTMAScatterOp op) {
  if (!target::has(emitter.state.target, target::Feature::RowScatter))
    return emitter.unsupported(op);
  if (crossesCtas(emitter, Transfer{}, op.getSrc()))
    return emitter.unsupported(op, "a bulk scatter that concerns another CTA");
  Value *sends = sendersOfRows(emitter, op.getXOffsets().getType(), ctasInCommon(op.getSrc()));
  tt::CachePolicy caches = rowCachePolicyOf(op);
  auto write = [&](Instruction &code, const std::string &tensor, const std::string &shared) {
    code.text += "cp.async.bulk.tensor.2d.tile::scatter4.global.shared::cta.bulk_group" +
                 l2Qualifiers(caches) + " " + tensor + ", " + shared;
  };
  if (failed(emitRows(emitter, op,
                      {op.getDesc(), op.getXOffsets(), op.getYOffset(), op.getSrc(), sends}, caches,
                      write)))
    return mlir::failure();
  emitOrdered(emitter, "cp.async.bulk.commit_group;", {});
  return success();
}

//===----------------------------------------------------------------------===//
// Stores from registers
//===----------------------------------------------------------------------===//

/// Registers to the shared memory of whichever CTA, one word or more each, counted in bytes by the
/// barrier of the CTA that receives them. Threads with copies stay out, CTAs with copies do not:
/// they fill their own.
LogicalResult emitSharedStore(Emitter &emitter, ttng::AsyncSharedStoreOp op) {
  Builder &builder = emitter.builder;
  auto tensor = cast<mlir::RankedTensorType>(op.getSrc().getType());
  unsigned bytes = elementBytes(tensor.getElementType());
  std::optional<Transfer> transfer = planTransfer(emitter, tensor, op.getDst().getType());
  if (!transfer || bytes * transfer->access.vectors.size() < 4)
    return emitter.unsupported(op, "an asynchronous store of less than four neighbouring bytes");
  if (ctasInCommon(op.getMbarrier()))
    return emitter.unsupported(op, "an asynchronous store with a barrier of several CTAs");
  PeerAddress address = peerAddressOf(emitter, *transfer, op.getDst(), bytes);
  PeerAddress barriers =
      peerAddressAt(emitter, *transfer, op.getDst(), barrierAddress(emitter, op.getMbarrier()));
  Value *owner = emitter.threads.ownerMask(emitter.types.layoutOf(tensor), Among::Cta);
  const Registers &registers = emitter.get(op.getSrc());
  for (ArrayRef<uint32_t> vector : transfer->access.vectors.vectors) {
    Registers elements;
    for (uint32_t reg : vector)
      elements.push_back(registers[reg]);
    Registers words = packWords(builder, elements, wordType(elements[0]->getType(), vector.size()));
    for (uint32_t copy : layout::combinations(transfer->copies)) {
      uint32_t block = registerBlock(*transfer, vector[0]) ^ copy;
      Instruction code;
      if (owner)
        code.text = "@" + code.operand(owner) + " ";
      code.text += "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes" +
                   (words.size() > 1 ? ".v" + std::to_string(words.size()) : std::string()) + ".b" +
                   std::to_string(wordBits(words[0]->getType())) + " ";
      code.text += "[" + code.operand(address.at(vectorOffset(*transfer, vector), block)) + "], ";
      code.text += words.size() > 1 ? code.list(words) : code.operand(words[0]);
      code.text += ", [" + code.operand(barriers.at(0, block)) + "];";
      emitOrdered(emitter, code.text, code.operands);
    }
  }
  return success();
}

} // namespace

void addTma(EmitTable &table) {
  table.add<emitSharedStore>();
  table.add<emitLoad>();
  table.add<emitStore>();
  table.add<emitReduce>();
  table.add<emitGather>();
  table.add<emitScatter>();
}

} // namespace gluonc::codegen::nvidia
