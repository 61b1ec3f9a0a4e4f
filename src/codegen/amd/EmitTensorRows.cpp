//===- EmitTensorRows.cpp - Rows of tensors by number, and prefetches ------------------===//
//
// In place of its outer dims, a descriptor of two has numbers of rows: up to 16 of 16 bits
// or 8 of 32, for rows that are neighbours in LDS. A wave moves the rows whose numbers it
// holds, by as many instructions as that takes; the last one tells the barrier.
//
// A prefetch takes 256 bytes of memory to L2 for each lane.
//
// Sources: the ISA document of gfx1250, "Tensor data mover", "GLOBAL_PREFETCH".
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdEmitters.h"

#include "codegen/amd/AmdIsa.h"
#include "codegen/amd/CopyWaits.h"
#include "codegen/amd/TensorMove.h"
#include "codegen/core/Words.h"
#include "ir/Encoding.h"
#include "target/amd/TensorMover.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::amd {

namespace tdm = target::amd::tdm;

namespace {

/// Which registers of row numbers an instruction takes.
struct RowRuns {
  /// By what distance in registers one row and a later one lie apart, by bit of that.
  SmallVector<uint32_t, 4> steps;
  /// The register of the first row of each run.
  SmallVector<uint32_t> starts;
};

RowRuns runsOf(const LinearLayout &held, unsigned mostBits) {
  RowRuns runs;
  const unsigned bits = held.inLog2(Dim::Register);
  uint32_t inside = 0;
  auto stepTo = [&](uint32_t row) {
    for (unsigned bit = 0; bit < bits; ++bit)
      if (held.basis(Dim::Register, bit, Dim::axis(0)) == row)
        return 1u << bit;
    return 0u;
  };
  while (runs.steps.size() < mostBits) {
    uint32_t step = stepTo(1u << runs.steps.size());
    if (!step)
      break;
    runs.steps.push_back(step);
    inside |= step;
  }
  for (uint32_t reg = 0; reg < held.inSize(Dim::Register); ++reg)
    if (!(reg & inside))
      runs.starts.push_back(reg);
  return runs;
}

/// Copies rows between a buffer and the rows of a tensor that `rows` names.
class RowMove {
public:
  RowMove(Emitter &emitter, mlir::Operation *op, mlir::Value desc, mlir::Value view,
          mlir::Value rows, mlir::Value barrier, bool isStore)
      : emitter(emitter), builder(emitter.builder), op(op), move(emitter, desc, view, isStore),
        descriptor(descriptorOf(emitter, desc)), rows(rows), barrier(barrier),
        memory(toLinear(cast<ttg::MemDescType>(view.getType()))),
        held(emitter.types.layoutOf(rows.getType())) {}

  LogicalResult emit() {
    if (!move.isInOnePiece() || move.hasParts() || !agreesWithCtas())
      return emitter.unsupported(op, "a copy of rows of these layouts");
    settleLds(emitter);
    move.enterPart(descriptor, /*onlyLast=*/true);
    move.restrictWaves(descriptor, held.freeVariableMask(Dim::Warp), 0);
    const bool isWide = cast<mlir::RankedTensorType>(rows.getType()).getElementType().isInteger(32);
    RowRuns runs = runsOf(held, Log2_32(isWide ? tdm::mostWideRows : tdm::mostRows));
    Value *first = nullptr;
    for (uint32_t start : runs.starts)
      emitRun(runs, start, /*isLast=*/start == runs.starts.back(), first);
    closeCopies(builder, CopyEngine::TensorMover);
    return success();
  }

private:
  /// Whether each CTA of the cluster holds the numbers of the rows that it has.
  bool agreesWithCtas() const {
    for (unsigned bit = 0; emitter.threads.clusterSize() > 1 && bit < memory.inLog2(Dim::Block);
         ++bit)
      if (memory.basis(Dim::Block, bit, Dim::axis(0)) != held.basis(Dim::Block, bit, Dim::axis(0)))
        return false;
    return true;
  }

  /// One instruction; `first` is what the one before it took for its first operand, if there was
  /// one.
  void emitRun(const RowRuns &runs, uint32_t start, bool isLast, Value *&first) {
    const Registers &numbers = emitter.get(rows);
    SmallVector<Value *, 16> named;
    for (uint32_t row = 0; row < 1u << runs.steps.size(); ++row) {
      uint32_t reg = start;
      for (auto [bit, step] : enumerate(runs.steps))
        reg |= row >> bit & 1 ? step : 0;
      named.push_back(numbers[reg]);
    }
    TensorDescriptor mine = descriptor;
    SmallVector<uint32_t> images = waveImages();
    MoverTile tile = move.tileAt(mine, {int64_t(named.size()), move.part()[1]},
                                 imageMask(images) ? move.ofWave(images) : builder.getInt32(0),
                                 imageMask(images), offsetOf(rowOf(start)));
    tile.rows = std::move(named);
    if (isLast)
      move.tell(tile, barrier);
    MoverWords words = makeWords(builder, mine, tile);
    if (first)
      words.groups[0] = builder.CreateInsertElement(keep(first), tile.address, 1);
    first = words.groups[0];
    move.issue(words, tt::CacheModifier::NONE);
  }

  /// The same registers behind the instruction as before it: LLVM would copy all of them to change
  /// one. Where it has put them into vector registers, they come back first: it does not see to
  /// that for assembly.
  Value *keep(Value *words) {
    SmallVector<Value *> scalars;
    for (unsigned i = 0; i < 4; ++i)
      scalars.push_back(builder.CreateIntrinsic(builder.getInt32Ty(),
                                                Intrinsic::amdgcn_readfirstlane,
                                                {builder.CreateExtractElement(words, i)}));
    words = vectorOf(builder, scalars);
    auto *type = FunctionType::get(words->getType(), {words->getType()}, false);
    return builder.CreateCall(InlineAsm::get(type, "", "=s,0", /*hasSideEffects=*/true), {words});
  }

  /// Where the row lies in the part of its CTA, in elements.
  uint32_t offsetOf(uint32_t row) const {
    return row % uint32_t(move.part()[0]) * uint32_t(move.part()[1]);
  }
  uint32_t rowOf(uint32_t reg) const {
    return held.outComponent(held.applyPacked(held.packIn({{Dim::Register, reg}})), Dim::axis(0));
  }
  SmallVector<uint32_t> waveImages() const {
    SmallVector<uint32_t> images;
    for (unsigned bit = 0; bit < held.inLog2(Dim::Warp); ++bit)
      images.push_back(offsetOf(held.basis(Dim::Warp, bit, Dim::axis(0))));
    return images;
  }

  Emitter &emitter;
  Builder &builder;
  mlir::Operation *op;
  TensorMove move;
  TensorDescriptor descriptor;
  mlir::Value rows, barrier;
  const LinearLayout &memory;
  const LinearLayout &held;
};

LogicalResult emitGather(Emitter &emitter, amdg::AsyncTDMGatherOp op) {
  emitter.set(op.getToken(), {});
  return RowMove(emitter, op, op.getDesc(), op.getDst(), op.getSrcRowIndices(), op.getBarrier(),
                 /*isStore=*/false)
      .emit();
}

LogicalResult emitScatter(Emitter &emitter, amdg::AsyncTDMScatterOp op) {
  return RowMove(emitter, op, op.getDesc(), op.getSrc(), op.getDstRowIndices(), op.getBarrier(),
                 /*isStore=*/true)
      .emit();
}

/// Prefetches of a block: by bits of the number of one, which lane, wave and turn make up, where it
/// is in each dim.
class Prefetches {
public:
  Prefetches(Emitter &emitter, amdg::TDMPrefetchOp op)
      : emitter(emitter), builder(emitter.builder), op(op),
        block(ttng::descriptorOf(op.getDesc().getType()).shape),
        bytes(ttng::descriptorOf(op.getDesc().getType()).elementType.getIntOrFloatBitWidth() / 8) {
    unsigned perPrefetch = Log2_32(tdm::prefetchedBytes / bytes);
    for (size_t dim = block.size(); dim--;)
      for (unsigned bit = dim + 1 == block.size() ? perPrefetch : 0; bit < Log2_64(block[dim]);
           ++bit)
        places.push_back({unsigned(dim), 1u << bit});
  }

  void emit() {
    descriptor = descriptorOf(emitter, op.getDesc());
    Registers offsets;
    for (mlir::Value index : op.getIndices())
      offsets.push_back(emitter.scalar(index));
    // What is behind the end need not be there, in rows either; nor what is in front.
    moveBlock(emitter, descriptor, bytes, offsets, /*clamps=*/true);
    unsigned together = Log2_32(emitter.threads.count());
    unsigned turns = places.size() > together ? 1u << (places.size() - together) : 1;
    for (unsigned turn = 0; turn < turns; ++turn)
      emitTurn(turn, together);
  }

private:
  struct Place {
    unsigned dim;
    uint32_t distance;
  };

  /// The part of a prefetch's place in `dim`.
  Value *placeIn(unsigned dim, unsigned turn, unsigned together) {
    SmallVector<uint32_t> images(together + Log2_32(emitter.threads.clusterSize()), 0);
    uint32_t constant = 0;
    for (auto [bit, place] : enumerate(places)) {
      if (place.dim != dim)
        continue;
      if (bit < together)
        images[bit] = place.distance;
      else if (turn >> (bit - together) & 1)
        constant |= place.distance;
    }
    return combineIndex(builder, emitter.threads.part(images), imageMask(images), constant);
  }

  void emitTurn(unsigned turn, unsigned together) {
    Value *mask = emitter.scalar(op.getPred());
    if (places.size() < together) {
      Value *limit = builder.getInt32(1u << places.size());
      mask = builder.CreateAnd(mask, builder.CreateICmpULT(emitter.threads.id(), limit));
    }
    TensorDescriptor mine = descriptor;
    Registers place;
    for (unsigned dim = 0; dim < block.size(); ++dim) {
      place.push_back(placeIn(dim, turn, together));
      if (!op.getSpeculative())
        mask =
            builder.CreateAnd(mask, builder.CreateICmpULT(place.back(), descriptor.extents[dim]));
    }
    enterBlock(emitter, mine, bytes, place);
    constexpr uint64_t addressBits = 57;
    Value *address = builder.CreateAnd(mine.base, maskTrailingOnes<uint64_t>(addressBits));
    underMask(builder, mask, {}, [&] {
      constexpr unsigned toL2 = 8, mustExist = 1;
      Value *pointer =
          builder.CreateIntToPtr(address, PointerType::get(builder.getContext(), GlobalSpace));
      builder.CreateIntrinsic(
          builder.getVoidTy(), Intrinsic::amdgcn_global_prefetch,
          {pointer, builder.getInt32(op.getSpeculative() ? toL2 : toL2 | mustExist)});
      return Registers();
    });
  }

  Emitter &emitter;
  Builder &builder;
  amdg::TDMPrefetchOp op;
  TensorDescriptor descriptor;
  ArrayRef<int64_t> block;
  unsigned bytes;
  SmallVector<Place> places;
};

LogicalResult emitPrefetch(Emitter &emitter, amdg::TDMPrefetchOp op) {
  Prefetches(emitter, op).emit();
  return success();
}

} // namespace

void addTensorRows(EmitTable &table) {
  table.add<emitGather>();
  table.add<emitScatter>();
  table.add<emitPrefetch>();
}

} // namespace gluonc::codegen::amd
