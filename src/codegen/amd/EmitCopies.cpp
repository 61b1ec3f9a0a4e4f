//===- EmitCopies.cpp - Global memory to LDS and back past the registers --------------===//
//
// gfx9 has no address in LDS for each lane: an instruction writes what its lanes load side by
// side, from an address that all share. Where a swizzle wants them in another order, the lanes
// exchange the places from which they load:
//
//     place in LDS of lane's element:   slot = A lane ^ c      c by warp and register
//     lane L loads what belongs into slot L: from lane  A^-1 (L ^ c)
//
// gfx1250 takes an address from each lane; one that no LDS has drops the lane's transfer.
//
// Groups of copies are closed and awaited by marks, which CopyWaits turns into counts.
// Sources: the ISA documents, "LDS" and "Data movement"; LLVM's IntrinsicsAMDGPU.td.
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdEmitters.h"

#include "codegen/amd/AmdIsa.h"
#include "codegen/amd/Buffers.h"
#include "codegen/amd/CopyWaits.h"
#include "codegen/amd/Multicast.h"
#include "codegen/core/GlobalVectors.h"
#include "codegen/core/SharedTransfer.h"
#include "codegen/core/Shuffle.h"
#include "ir/Encoding.h"
#include "ir/amdg/AmdOps.h"
#include "ir/tt/AxisInfo.h"
#include "target/Features.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::amd {
namespace {

/// Elements of global memory, by pointers or by offsets from a base, and a view of LDS.
struct Copy {
  mlir::Operation *op;
  mlir::Value places, base, view, mask, other;
  tt::CacheModifier caches;
  int64_t contiguity;

  ttg::MemDescType viewType() const { return cast<ttg::MemDescType>(view.getType()); }
  unsigned bytes() const { return elementBytes(viewType().getElementType()); }
  mlir::RankedTensorType tensor() const {
    auto type = cast<mlir::RankedTensorType>(places.getType());
    return mlir::RankedTensorType::get(type.getShape(), viewType().getElementType(),
                                       type.getEncoding());
  }
};

class CopyEmitter {
public:
  CopyEmitter(Emitter &emitter, const Copy &copy)
      : emitter(emitter), builder(emitter.builder), copy(copy) {}

  /// False where neighbours are not enough for an instruction, whose bytes are one of `widths`
  /// (descending).
  bool plan(ArrayRef<unsigned> widths) {
    const LinearLayout &layout = emitter.types.layoutOf(copy.tensor());
    axis = layout::orderOf(layout)[0];
    auto &axes = emitter.values.axes();
    int64_t neighbours = copy.base ? axes.offsetRun(copy.base, copy.places, copy.bytes(), axis)
                                   : axes.pointerRun(copy.places, axis);
    run = sourceRun(emitter, layout, axis, std::max(neighbours, copy.contiguity), copy.mask);
    for (unsigned width : widths) {
      unsigned elements = width / copy.bytes();
      if (elements == 0 || elements > run)
        continue;
      transfer = planCopy(emitter, copy.tensor(), copy.viewType(), axis, elements);
      if (!transfer || transfer->copies || crossesCtas(emitter, *transfer, copy.view))
        return false;
      if (transfer->access.vectors.size() == elements)
        return true;
    }
    return false;
  }

  unsigned vectorBytes() const { return copy.bytes() * transfer->access.vectors.size(); }
  const auto &vectors() const { return transfer->access.vectors.vectors; }

  /// Null where it is known to hold.
  Value *maskOf(ArrayRef<uint32_t> vector) const {
    Value *mask = copy.mask ? emitter.get(copy.mask)[vector[0]] : nullptr;
    auto *known = dyn_cast_or_null<ConstantInt>(mask);
    return known && known->isOne() ? nullptr : mask;
  }

  /// Stores `other` where the mask does not hold.
  void storeOther(ThreadAddress &address, ArrayRef<uint32_t> vector, Value *mask) {
    if (!mask || !copy.other)
      return;
    underMask(builder, builder.CreateNot(mask), {}, [&] {
      storeShared(builder, address.at(vectorOffset(*transfer, vector)),
                  selectRegisters(emitter.get(copy.other), vector));
      return Registers();
    });
  }

  Emitter &emitter;
  Builder &builder;
  const Copy &copy;
  std::optional<Transfer> transfer;
  /// Elements that are neighbours in global memory, along `axis`.
  unsigned run = 0, axis = 0;
};

//===----------------------------------------------------------------------===//
// gfx9: by waves
//===----------------------------------------------------------------------===//

/// Lanes as numbers of as many bits; column i is what lane 1 << i is mapped to.
using LaneMap = SmallVector<uint32_t, 6>;

uint32_t apply(const LaneMap &map, uint32_t lane) {
  uint32_t result = 0;
  for (auto [bit, column] : enumerate(map))
    if (lane >> bit & 1)
      result ^= column;
  return result;
}

/// Nullopt where two lanes are mapped to one.
std::optional<LaneMap> invert(const LaneMap &map) {
  LaneMap inverse(map.size());
  for (uint32_t bit = 0; bit < map.size(); ++bit) {
    uint32_t lane = 0;
    while (lane < 1u << map.size() && apply(map, lane) != 1u << bit)
      ++lane;
    if (lane == 1u << map.size())
      return std::nullopt;
    inverse[bit] = lane;
  }
  return inverse;
}

class WaveCopy : public CopyEmitter {
public:
  using CopyEmitter::CopyEmitter;

  /// False where the elements of a wave do not lie side by side in LDS.
  bool choose() {
    bool wide = target::has(emitter.state.target, target::Feature::WideDirectToLds);
    if (!plan(wide ? ArrayRef<unsigned>{16, 4} : ArrayRef<unsigned>{4}))
      return false;
    const LinearLayout &map = transfer->access.map;
    const unsigned laneBits = map.inLog2(Dim::Lane);
    chunkLog = Log2_32(transfer->access.vectors.size());
    runMask = (emitter.state.target.warpSize() << chunkLog) - 1;
    LaneMap slots;
    for (unsigned bit = 0; bit < laneBits; ++bit) {
      uint32_t image = map.basis(Dim::Lane, bit, Dim::Offset);
      if (image & ~runMask)
        return false;
      slots.push_back(image >> chunkLog);
    }
    std::optional<LaneMap> inverse = invert(slots);
    if (!inverse || !keepsRuns())
      return false;
    laneOfSlot = std::move(*inverse);
    return true;
  }

  void emit() {
    Value *resource = copy.base ? resourceOf(emitter, copy.base) : nullptr;
    ThreadAddress waves = waveAddress();
    ThreadAddress own = addressOf(emitter, *transfer, copy.view, copy.bytes());
    SmallVector<Move> moves;
    for (ArrayRef<uint32_t> vector : vectors()) {
      uint32_t offset = vectorOffset(*transfer, vector);
      Value *place = emitter.get(copy.places)[vector[0]], *mask = maskOf(vector);
      Value *source = sourceLane((offset & runMask) >> chunkLog);
      auto moved = [&](Value *value) { return source ? shuffle(emitter, value, source) : value; };
      Value *shared = uniform(waves.at(offset & ~runMask));
      bool isDirect = resource && !hasOther();
      Value *bound = isDirect ? mask : nullptr;
      Value *from = moved(resource ? byteOffset(builder, place, copy.bytes(), bound) : place);
      moves.push_back({vector, from, shared, mask && !isDirect ? moved(mask) : nullptr});
    }
    if (!resource)
      settleLds();
    for (const Move &move : moves) {
      underMask(builder, move.mask, {}, [&] {
        load(resource, move.from, move.shared);
        return Registers();
      });
      if (!resource || hasOther())
        storeOther(own, move.vector, maskOf(move.vector));
    }
    if (!resource)
      keepOrder();
  }

private:
  struct Move {
    ArrayRef<uint32_t> vector;
    Value *from, *shared;
    /// Of lanes that load; null where all do.
    Value *mask;
  };

  void keepOrder() {
    builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_sched_barrier,
                            {builder.getInt32(0)});
  }

  /// LLVM 22 counts `global_load_lds` in lgkmcnt, too, as it does not `buffer_load … lds`: behind a
  /// read of LDS and such a copy it waits for lgkmcnt(1) before it uses what was read. Nothing says
  /// that the hardware counts it there, so no read is on its way when copies begin, or begins among
  /// them.
  void settleLds() {
    keepOrder();
    // lgkmcnt(0); the other counters may hold what they can.
    builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_s_waitcnt,
                            {builder.getInt32(0xc07f)});
    keepOrder();
  }

  /// Whether padding and the view's place leave runs of a wave whole.
  bool keepsRuns() const {
    if (transfer->padded)
      for (const layout::IntervalPadding &pair : transfer->padded->paddings)
        if (pair.interval % (runMask + 1))
          return false;
    return all_of(ArrayRef(emitter.get(copy.view)).drop_front(), [](Value *offset) {
      auto *known = dyn_cast<Constant>(offset);
      return known && known->isNullValue();
    });
  }

  /// Other than the zero that a buffer gives.
  bool hasOther() const {
    return copy.other && any_of(emitter.get(copy.other), [](Value *value) {
             auto *known = dyn_cast<Constant>(value);
             return !known || !known->isNullValue();
           });
  }

  /// Of the run that a wave writes: what lanes add is left out.
  ThreadAddress waveAddress() {
    const LinearLayout &map = transfer->access.map;
    SmallVector<uint32_t> images(map.inLog2(Dim::Lane), 0);
    for (unsigned bit = 0; bit < map.inLog2(Dim::Warp); ++bit)
      images.push_back(map.basis(Dim::Warp, bit, Dim::Offset) & ~runMask);
    return addressOf(emitter, *transfer, copy.view, copy.bytes(), images);
  }

  Value *uniform(Value *pointer) {
    Value *bits = builder.CreatePtrToInt(pointer, builder.getInt32Ty());
    bits = builder.CreateIntrinsic(builder.getInt32Ty(), Intrinsic::amdgcn_readfirstlane, {bits});
    return builder.CreateIntToPtr(bits, pointer->getType());
  }

  /// Which lane has the place from which this one loads, where a register adds `slot`; null where
  /// all have their own.
  Value *sourceLane(uint32_t slot) {
    const LinearLayout &map = transfer->access.map;
    SmallVector<uint32_t> images(laneOfSlot.begin(), laneOfSlot.end());
    bool isOwn = slot == 0;
    for (auto [bit, lane] : enumerate(laneOfSlot))
      isOwn &= lane == 1u << bit;
    for (unsigned bit = 0; bit < map.inLog2(Dim::Warp); ++bit) {
      uint32_t part = (map.basis(Dim::Warp, bit, Dim::Offset) & runMask) >> chunkLog;
      images.push_back(apply(laneOfSlot, part));
      isOwn &= part == 0;
    }
    if (isOwn)
      return nullptr;
    return combineIndex(builder, emitter.threads.part(images), imageMask(images),
                        apply(laneOfSlot, slot));
  }

  void load(Value *resource, Value *from, Value *shared) {
    Value *size = builder.getInt32(vectorBytes()), *none = builder.getInt32(0);
    Value *caches = builder.getInt32(cacheOperand(emitter.state.target, copy.caches));
    if (resource)
      builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_raw_ptr_buffer_load_lds,
                              {resource, shared, size, from, none, none, caches});
    else
      builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_global_load_lds,
                              {from, shared, size, none, caches});
  }

  unsigned chunkLog = 0;
  uint32_t runMask = 0;
  LaneMap laneOfSlot;
};

//===----------------------------------------------------------------------===//
// gfx1250: by lanes
//===----------------------------------------------------------------------===//

class LaneCopy : public CopyEmitter {
public:
  using CopyEmitter::CopyEmitter;

  /// Loads of runs below four bytes are refused, as Triton does. Where padding leaves none of the
  /// wider ones aligned, single bytes move.
  bool chooseLoad() {
    if (plan({16, 8, 4}))
      return true;
    if (!plan({copy.bytes()}))
      return false;
    isNarrow = !hasWords();
    return !isNarrow;
  }
  bool chooseStore() { return plan({16, 8, 4, copy.bytes()}); }

  void emitLoad() {
    /// Beyond all of LDS.
    constexpr uint32_t nowhere = 0x7fffffff;
    ThreadAddress address = addressOf(emitter, *transfer, copy.view, copy.bytes());
    const layout::LinearLayout &layout = emitter.types.layoutOf(copy.tensor());
    Value *sharers = emitter.threads.clusterSize() > 1
                         ? multicastMask(builder, layout.freeVariableMask(layout::Dim::Block))
                         : nullptr;
    // All waves issue all copies, as waits count them, but lanes with what others copy, too, do not
    // move it.
    Value *owner = emitter.threads.ownerMask(layout, Among::Cta);
    for (ArrayRef<uint32_t> vector : vectors()) {
      Value *shared = address.at(vectorOffset(*transfer, vector)), *mask = maskOf(vector);
      Value *moves = mask && owner ? builder.CreateAnd(mask, owner) : mask ? mask : owner;
      Value *to = shared;
      if (moves)
        to = builder.CreateSelect(
            moves, shared, builder.CreateIntToPtr(builder.getInt32(nowhere), shared->getType()));
      if (sharers)
        move(Intrinsic::amdgcn_cluster_load_async_to_lds_b8,
             Intrinsic::amdgcn_cluster_load_async_to_lds_b32,
             Intrinsic::amdgcn_cluster_load_async_to_lds_b64,
             Intrinsic::amdgcn_cluster_load_async_to_lds_b128, vector, to, sharers);
      else
        move(Intrinsic::amdgcn_global_load_async_to_lds_b8,
             Intrinsic::amdgcn_global_load_async_to_lds_b32,
             Intrinsic::amdgcn_global_load_async_to_lds_b64,
             Intrinsic::amdgcn_global_load_async_to_lds_b128, vector, to);
      storeOther(address, vector, mask);
    }
  }

  void emitStore() {
    ThreadAddress address = addressOf(emitter, *transfer, copy.view, copy.bytes());
    Value *owner = emitter.threads.ownerMask(emitter.types.layoutOf(copy.tensor()), Among::Cluster);
    for (ArrayRef<uint32_t> vector : vectors()) {
      // Before the mask: what it computes serves other vectors, too.
      Value *mask = maskOf(vector), *shared = address.at(vectorOffset(*transfer, vector));
      if (owner)
        mask = mask ? builder.CreateAnd(mask, owner) : owner;
      underMask(builder, mask, {}, [&] {
        move(Intrinsic::amdgcn_global_store_async_from_lds_b8,
             Intrinsic::amdgcn_global_store_async_from_lds_b32,
             Intrinsic::amdgcn_global_store_async_from_lds_b64,
             Intrinsic::amdgcn_global_store_async_from_lds_b128, vector, shared);
        return Registers();
      });
    }
  }

  /// Why a load was refused.
  bool isNarrow = false;

private:
  /// Whether four bytes lie side by side at both ends, aligned but for padding.
  bool hasWords() const {
    const unsigned log2 = Log2_32(4 / copy.bytes());
    if (run < 1u << log2)
      return false;
    if (transfer->padded)
      for (const layout::IntervalPadding &pair : transfer->padded->paddings)
        if (pair.interval < 1 << log2)
          return false;
    const layout::RegisterVectors shared =
        layout::vectorizeAlong(transfer->access.map, Dim::Offset, log2);
    return shared.log2 == log2 &&
           shared.vectors ==
               layout::vectorizeAlong(emitter.types.layoutOf(copy.tensor()), Dim::axis(axis), log2)
                   .vectors;
  }

  void move(Intrinsic::ID one, Intrinsic::ID four, Intrinsic::ID eight, Intrinsic::ID sixteen,
            ArrayRef<uint32_t> vector, Value *shared, Value *sharers = nullptr) {
    const unsigned bytes = vectorBytes(), step = bytes < 4 ? 1 : bytes;
    Intrinsic::ID id = bytes < 4 ? one : bytes == 4 ? four : bytes == 8 ? eight : sixteen;
    for (unsigned offset = 0; offset < bytes; offset += step) {
      auto at = [&](Value *pointer) {
        return builder.CreatePtrAdd(pointer, builder.getInt32(offset));
      };
      SmallVector<Value *> operands = {
          at(emitter.get(copy.places)[vector[0]]), at(shared), builder.getInt32(0),
          builder.getInt32(cacheOperand(emitter.state.target, copy.caches))};
      if (sharers)
        operands.push_back(sharers);
      // Of two branches that began with it each would have a copy, which a wave might count twice.
      builder.CreateIntrinsic(builder.getVoidTy(), id, operands)->setConvergent();
    }
  }
};

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult emitCopy(Emitter &emitter, const Copy &copy, mlir::Value token) {
  auto refuse = [&] {
    return emitter.unsupported(copy.op, "an asynchronous copy of these layouts");
  };
  if (target::has(emitter.state.target, target::Feature::AsyncLds)) {
    LaneCopy lanes(emitter, copy);
    if (copy.base || !lanes.chooseLoad())
      return lanes.isNarrow
                 ? emitter.unsupported(copy.op, "an asynchronous copy of less than 4 neighbouring "
                                                "bytes per thread")
                 : refuse();
    lanes.emitLoad();
  } else if (target::has(emitter.state.target, target::Feature::DirectToLds)) {
    WaveCopy waves(emitter, copy);
    if (!waves.choose())
      return refuse();
    waves.emit();
  } else {
    return emitter.unsupported(copy.op);
  }
  emitter.set(token, {});
  return success();
}

LogicalResult emitPointerCopy(Emitter &emitter, ttg::AsyncCopyGlobalToLocalOp op) {
  return emitCopy(emitter,
                  {op,
                   op.getSrc(),
                   {},
                   op.getResult(),
                   op.getMask(),
                   op.getOther(),
                   op.getCache(),
                   op.getContiguity()},
                  op.getToken());
}

LogicalResult emitBufferCopy(Emitter &emitter, amdg::BufferLoadToLocalOp op) {
  return emitCopy(emitter,
                  {op, op.getOffsets(), op.getPtr(), op.getDest(), op.getMask(), op.getOther(),
                   op.getCache(), op.getContiguity()},
                  op.getToken());
}

LogicalResult emitCopyBack(Emitter &emitter, amdg::AsyncCopyLocalToGlobalOp op) {
  Copy copy = {op, op.getDst(), {}, op.getSrc(), op.getMask(), {}, op.getCache(), 1};
  LaneCopy lanes(emitter, copy);
  if (!target::has(emitter.state.target, target::Feature::AsyncLds) || !lanes.chooseStore())
    return emitter.unsupported(op, "an asynchronous copy of these layouts");
  lanes.emitStore();
  emitter.set(op.getToken(), {});
  return success();
}

LogicalResult emitCommit(Emitter &emitter, ttg::AsyncCommitGroupOp op) {
  closeCopies(emitter.builder, CopyEngine::Lanes);
  emitter.set(op.getAsyncToken(), {});
  return success();
}

LogicalResult emitWait(Emitter &emitter, ttg::AsyncWaitOp op) {
  awaitCopies(emitter.builder, CopyEngine::Lanes, op.getNum());
  emitter.set(op.getRetToken(), {});
  return success();
}

} // namespace

void addCopies(EmitTable &table) {
  table.add<emitPointerCopy>();
  table.add<emitBufferCopy>();
  table.add<emitCopyBack>();
  table.add<emitCommit>();
  table.add<emitWait>();
}

} // namespace gluonc::codegen::amd
