//===- EmitTransposedLoads.cpp - Columns of LDS into registers -------------------------===//
//
// Operands of products want neighbours along K in the registers of a lane. Where LDS has
// neighbours along M or N, plain loads fetch element by element. A transposed load has each
// lane read a run of neighbours, and hands them out to lanes:
//
//     lane, element of the result ──▶ position in a run (low bits of the lane)
//                                     lane that reads the run, its number made of, from the lowest
//                                     bit: some bits of the element, some of the lane, the rest of
//                                     the element, the rest of the lane
//
// Sources: the ISA documents of CDNA 4 and gfx1250, "DS_READ_B64_TR" and "DS_LOAD_TR".
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdEmitters.h"

#include "codegen/core/SharedTransfer.h"
#include "codegen/emit/LocalLoad.h"
#include "ir/Encoding.h"
#include "target/Features.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::amd {
namespace {

constexpr unsigned wordBytes = 4;

/// An instruction: bits of an element's number, and how many of element and lane come first in the
/// number of the reading lane.
struct Instruction {
  Intrinsic::ID id;
  unsigned elementBits, firstOfElement, firstOfLane;
};

std::optional<Instruction> instructionFor(const target::Target &target, unsigned bytes) {
  if (!target::has(target, target::Feature::TransposedLdsLoad))
    return std::nullopt;
  bool isGfx9 = target.warpSize() == 64;
  if (bytes == 2)
    return isGfx9 ? Instruction{Intrinsic::amdgcn_ds_read_tr16_b64, 2, 0, 2}
                  : Instruction{Intrinsic::amdgcn_ds_load_tr16_b128, 3, 0, 0};
  if (bytes == 1)
    return isGfx9 ? Instruction{Intrinsic::amdgcn_ds_read_tr8_b64, 3, 0, 1}
                  : Instruction{Intrinsic::amdgcn_ds_load_tr8_b64, 3, 2, 1};
  return std::nullopt;
}

class TransposedLoad {
public:
  TransposedLoad(Emitter &emitter, ttg::LocalLoadOp op, const Instruction &instruction)
      : emitter(emitter), builder(emitter.builder), op(op), instruction(instruction),
        type(cast<mlir::RankedTensorType>(op.getType())),
        bytes(elementBytes(type.getElementType())) {}

  /// False where plain loads do as well, or the elements lie otherwise.
  bool choose() {
    transfer = planTransfer(emitter, type, op.getSrc().getType());
    if (!transfer || transfer->access.vectors.size() > 1 ||
        crossesCtas(emitter, *transfer, op.getSrc()) || !keepsRuns())
      return false;
    const LinearLayout &map = transfer->access.map;
    const unsigned bits = instruction.elementBits, registers = map.inLog2(Dim::Register);
    if (registers < bits || emitter.types.registerCount(type) != 1u << registers)
      return false;
    // The low bits of the lane walk along a run, nothing else does.
    for (Dim in : {Dim::Register, Dim::Lane, Dim::Warp})
      for (unsigned bit = 0; bit < map.inLog2(in); ++bit) {
        uint32_t image = map.basis(in, bit, Dim::Offset);
        bool walks = in == Dim::Lane && bit < bits;
        if (walks ? image != 1u << bit : image & ((1u << bits) - 1))
          return false;
      }
    return true;
  }

  void emit() {
    const unsigned count = emitter.types.registerCount(type),
                   perLoad = 1 << instruction.elementBits;
    ThreadAddress address = addressOf(emitter, *transfer, op.getSrc(), bytes, images());
    Type *element = emitter.types.ofElement(type.getElementType());
    Registers loaded;
    for (uint32_t reg = 0; reg < count; reg += perLoad) {
      Value *pointer = address.at(registerOffset(*transfer, reg));
      Registers words = load(pointer, element, perLoad);
      loaded.append(words.begin(), words.end());
    }
    emitter.set(op.getResult(), std::move(loaded));
  }

private:
  /// Whether padding and the view's place leave runs whole. Words of runs are aligned on gfx1250,
  /// as Triton's loads from padded buffers have them there, all of a run on gfx950.
  bool keepsRuns() const {
    const int64_t run = 1 << instruction.elementBits;
    const int64_t aligned = emitter.state.target.warpSize() == 64 ? run : wordBytes / bytes;
    if (transfer->padded)
      for (const layout::IntervalPadding &pair : transfer->padded->paddings)
        if (pair.interval % run || pair.padding % aligned)
          return false;
    return all_of(ArrayRef(emitter.get(op.getSrc())).drop_front(), [](Value *offset) {
      auto *known = dyn_cast<Constant>(offset);
      return known && known->isNullValue();
    });
  }

  /// Where lanes read: those of the reading lane's bits, and of warps.
  SmallVector<uint32_t> images() const {
    const LinearLayout &map = transfer->access.map;
    const unsigned bits = instruction.elementBits, lanes = map.inLog2(Dim::Lane);
    SmallVector<uint32_t> result;
    auto take = [&](Dim in, unsigned from, unsigned to) {
      for (unsigned bit = from; bit < to; ++bit)
        result.push_back(map.basis(in, bit, Dim::Offset));
    };
    take(Dim::Register, 0, instruction.firstOfElement);
    take(Dim::Lane, bits, bits + instruction.firstOfLane);
    take(Dim::Register, instruction.firstOfElement, bits);
    take(Dim::Lane, bits + instruction.firstOfLane, lanes);
    take(Dim::Warp, 0, map.inLog2(Dim::Warp));
    return result;
  }

  Registers load(Value *pointer, Type *element, unsigned count) {
    bool inWords = bytes == 1;
    Type *result = inWords ? FixedVectorType::get(builder.getInt32Ty(), 2)
                           : FixedVectorType::get(element, count);
    Value *loaded = builder.CreateIntrinsic(result, instruction.id, {pointer});
    return inWords ? unpackWords(builder, wordsOf(builder, loaded), element, count)
                   : wordsOf(builder, loaded);
  }

  Emitter &emitter;
  Builder &builder;
  mutable ttg::LocalLoadOp op;
  const Instruction &instruction;
  mlir::RankedTensorType type;
  unsigned bytes;
  std::optional<Transfer> transfer;
};

LogicalResult emitLoad(Emitter &emitter, ttg::LocalLoadOp op) {
  auto type = cast<mlir::RankedTensorType>(op.getType());
  std::optional<Instruction> instruction =
      instructionFor(emitter.state.target, elementBytes(type.getElementType()));
  if (instruction) {
    TransposedLoad load(emitter, op, *instruction);
    if (load.choose()) {
      load.emit();
      return success();
    }
  }
  return emitLocalLoad(emitter, op);
}

} // namespace

void addTransposedLoads(EmitTable &table) { table.add<emitLoad>(); }

} // namespace gluonc::codegen::amd
