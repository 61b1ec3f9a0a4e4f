//===- EmitPackedLoads.cpp - Numbers of four bits, packed along another dim ------------===//
//
// In LDS a byte holds two numbers that are neighbours along M or N, in registers two that
// are neighbours along K. Counted in numbers rather than bytes, that is a load by columns
// (EmitTransposedLoads.cpp), of 16 numbers for each lane:
//
//     number n of a lane = byte n / 2 of its registers, half n % 2
//
// Where the numbers lie otherwise, or the chip has no such load, both bytes of a result are
// read, and the half that is wanted is taken of each.
//
// Sources: the ISA documents of CDNA 4 and gfx1250, "DS_READ_B64_TR" and "DS_LOAD_TR".
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdEmitters.h"

#include "codegen/core/SharedTransfer.h"
#include "ir/Encoding.h"
#include "ir/amdg/AmdOps.h"
#include "target/Features.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::amd {
namespace {

/// Bits of the number of a number within a lane's 64 bits.
constexpr unsigned runBits = 4;
/// Bytes of such a run.
constexpr uint32_t runBytes = 8;

/// Where a bit of a number's place comes from: a register (the first bit says which half of the
/// byte), a lane or a warp.
struct Source {
  /// What it adds to the byte's offset in LDS, and whether it chooses the other half there.
  uint32_t offset;
  bool isHalf;
  uint32_t image() const { return 2 * offset + isHalf; }
};

class PackedLoad {
public:
  PackedLoad(Emitter &emitter, amdg::LocalLoadPackedTransposedOp op)
      : emitter(emitter), builder(emitter.builder), op(op),
        type(cast<mlir::RankedTensorType>(op.getType())),
        held(emitter.types.layoutOf(op.getType())) {}

  LogicalResult emit() {
    if (!plan())
      return emitter.unsupported(op, "a load that packs numbers of four bits from this layout");
    isWide() ? emitByColumns() : emitByBytes();
    return success();
  }

private:
  /// Finds the bytes: false where there are none.
  bool plan() {
    layout::Layout layout = toLayout(type.getEncoding());
    const auto *operand = layout.as<layout::DotOperandLayout>();
    const unsigned rank = type.getRank(), k = operand->kDim(),
                   other = operand->operandIndex == 0 ? rank - 2 : rank - 1;
    transfer.layout = layoutOf(op.getSrc().getType().getEncoding());
    const LinearLayout *shared = linearOrNull(op.getSrc().getType());
    if (!transfer.layout || !shared || emitter.threads.clusterSize() > 1)
      return false;
    transfer.padded = layout::paddedPart(*transfer.layout);
    std::optional<LinearLayout> bytes = bytesHeld(*shared, k, other);
    std::optional<layout::SharedAccessMap> access =
        bytes ? layout::mapToShared(*bytes, *shared, /*elementBits=*/8, /*maxVectorBits=*/8)
              : std::nullopt;
    if (!access)
      return false;
    const LinearLayout &map = access->map;
    for (Dim in : {Dim::Register, Dim::Lane, Dim::Warp}) {
      auto &list = sources.emplace_back();
      for (unsigned bit = 0; bit < map.inLog2(in); ++bit)
        list.push_back({map.basis(in, bit, Dim::Offset), isHalf(in, bit, other)});
    }
    return true;
  }

  /// Whether a bit of the byte's place in the result is the lowest along M or N.
  bool isHalf(Dim in, unsigned bit, unsigned other) const {
    if (in == Dim::Register && bit-- == 0)
      return false;
    return held.basis(in, bit, Dim::axis(other)) & 1;
  }

  /// Of each number that a thread holds, the byte in the buffer: the first bit of the register is
  /// the half of the result's byte.
  std::optional<LinearLayout> bytesHeld(const LinearLayout &shared, unsigned k,
                                        unsigned other) const {
    const unsigned rank = type.getRank();
    SmallVector<layout::DimSize, 3> outs;
    for (unsigned dim = 0; dim < rank; ++dim)
      outs.push_back({Dim::axis(dim), shared.outLog2(Dim::axis(dim))});
    SmallVector<LinearLayout::InBases, 3> ins;
    for (Dim in : {Dim::Register, Dim::Lane, Dim::Warp}) {
      ins.push_back({in, {}});
      LinearLayout::InBases &list = ins.back();
      if (in == Dim::Register)
        list.bases.emplace_back(rank, 0)[k] = 1;
      for (unsigned bit = 0; bit < held.inLog2(in); ++bit) {
        auto &basis = list.bases.emplace_back(rank, 0);
        for (unsigned dim = 0; dim < rank; ++dim) {
          int64_t place = held.basis(in, bit, Dim::axis(dim));
          basis[dim] = dim == k ? 2 * place : dim == other ? place / 2 : place;
        }
      }
    }
    return LinearLayout::create(ins, outs);
  }

  /// Whether lanes find their numbers in runs that are handed out so.
  bool isWide() const {
    if (!target::has(emitter.state.target, target::Feature::TransposedLdsLoad) || !keepsRuns() ||
        registers().size() < runBits || held.inLog2(Dim::Register) + 1 != registers().size())
      return false;
    for (auto [in, list] : enumerate(sources))
      for (auto [bit, source] : enumerate(list)) {
        bool walks = in == 1 && bit < runBits;
        if (walks ? source.image() != 1u << bit : source.image() % (2 * runBytes) != 0)
          return false;
      }
    return true;
  }

  /// Whether padding and the view's place leave runs whole.
  bool keepsRuns() const {
    if (transfer.padded)
      for (const layout::IntervalPadding &pair : transfer.padded->paddings)
        if (pair.interval % runBytes || pair.padding % runBytes)
          return false;
    return all_of(ArrayRef(emitter.get(op.getSrc())).drop_front(), [](Value *offset) {
      auto *known = dyn_cast<Constant>(offset);
      return known && known->isNullValue();
    });
  }

  void emitByColumns() {
    const bool isGfx9 = emitter.state.target.warpSize() == 64;
    // Of the reading lane's number: bits of the number's, then of the lane's, then the others.
    const unsigned ofNumber = isGfx9 ? 0 : 3, ofLane = isGfx9 ? 0 : 1;
    SmallVector<uint32_t> images;
    auto take = [&](unsigned in, unsigned from, unsigned to) {
      for (unsigned bit = from; bit < to; ++bit)
        images.push_back(sources[in][bit].offset);
    };
    take(0, 0, ofNumber);
    take(1, runBits, runBits + ofLane);
    take(0, ofNumber, runBits);
    take(1, runBits + ofLane, sources[1].size());
    take(2, 0, sources[2].size());
    ThreadAddress address = addressOf(emitter, transfer, op.getSrc(), 1, images);
    Type *words = FixedVectorType::get(builder.getInt32Ty(), 2);
    Registers loaded;
    for (uint32_t reg = 0; reg < 1u << held.inLog2(Dim::Register); reg += runBytes) {
      Value *run = builder.CreateIntrinsic(
          words, isGfx9 ? Intrinsic::amdgcn_ds_read_tr4_b64 : Intrinsic::amdgcn_ds_load_tr4_b64,
          {address.at(offsetOf(2 * reg))});
      append_range(loaded,
                   unpackWords(builder, wordsOf(builder, run), builder.getInt8Ty(), runBytes));
    }
    emitter.set(op.getResult(), std::move(loaded));
  }

  void emitByBytes() {
    SmallVector<uint32_t> images, shifts;
    for (unsigned in : {1, 2})
      for (const Source &source : sources[in]) {
        images.push_back(source.offset);
        shifts.push_back(source.isHalf ? 4 : 0);
      }
    ThreadAddress address = addressOf(emitter, transfer, op.getSrc(), 1, images);
    Value *ofThread = emitter.threads.part(shifts);
    Registers results;
    for (uint32_t reg = 0; reg < 1u << held.inLog2(Dim::Register); ++reg) {
      Value *shift = builder.CreateXor(ofThread, builder.getInt32(halfOf(2 * reg) ? 4 : 0));
      Value *low = half(address, 2 * reg, shift), *high = half(address, 2 * reg + 1, shift);
      results.push_back(builder.CreateOr(low, builder.CreateShl(high, 4)));
    }
    emitter.set(op.getResult(), std::move(results));
  }

  Value *half(ThreadAddress &address, uint32_t number, Value *shift) {
    Value *byte = loadShared(builder, address.at(offsetOf(number)), builder.getInt8Ty(), 1)[0];
    Value *shifted = builder.CreateLShr(byte, builder.CreateTrunc(shift, builder.getInt8Ty()));
    return builder.CreateAnd(shifted, 15);
  }

  const SmallVector<Source> &registers() const { return sources[0]; }
  /// What a register's numbers add.
  uint32_t offsetOf(uint32_t number) const {
    uint32_t offset = 0;
    for (auto [bit, source] : enumerate(registers()))
      offset ^= number >> bit & 1 ? source.offset : 0;
    return offset;
  }
  bool halfOf(uint32_t number) const {
    bool isOther = false;
    for (auto [bit, source] : enumerate(registers()))
      isOther ^= (number >> bit & 1) && source.isHalf;
    return isOther;
  }

  Emitter &emitter;
  Builder &builder;
  mutable amdg::LocalLoadPackedTransposedOp op;
  mlir::RankedTensorType type;
  const LinearLayout &held;
  Transfer transfer;
  /// By bit of the number in the registers, of the lane and of the warp.
  SmallVector<SmallVector<Source>, 3> sources;
};

LogicalResult emitPackedLoad(Emitter &emitter, amdg::LocalLoadPackedTransposedOp op) {
  return PackedLoad(emitter, op).emit();
}

} // namespace

void addPackedLoads(EmitTable &table) { table.add<emitPackedLoad>(); }

} // namespace gluonc::codegen::amd
