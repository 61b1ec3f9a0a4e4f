//===- EmitTensorMover.cpp - Blocks of tensors by gfx1250's tensor mover --------------===//
//
// The engine moves what a descriptor in scalar registers says, for each wave that asks, also
// where no lane is active. All waves ask, each for its piece of the block; the descriptors
// of those that have none are off. A wave's moves end in the order in which they began.
//
// Sources: the ISA document of gfx1250, "Tensor data mover"; LLVM's IntrinsicsAMDGPU.td.
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdEmitters.h"

#include "codegen/amd/CopyWaits.h"
#include "codegen/amd/TensorMove.h"

using namespace llvm;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::amd {
namespace {

Registers scalars(Emitter &emitter, mlir::ValueRange values) {
  Registers all;
  for (mlir::Value value : values)
    all.push_back(emitter.scalar(value));
  return all;
}

/// Turned on or off, whatever it was.
void setActive(Emitter &emitter, TensorDescriptor &descriptor, mlir::Value condition) {
  descriptor.active = emitter.builder.getInt32(1);
  descriptor.onlyIf(emitter.builder, emitter.builder.CreateIsNotNull(emitter.scalar(condition)));
}

unsigned bytesOf(mlir::Value desc) {
  mlir::Type element = ttng::descriptorOf(desc.getType()).elementType;
  return element.getIntOrFloatBitWidth() / 8;
}

LogicalResult emitMake(Emitter &emitter, tt::MakeTensorDescOp op) {
  if (op.getPadding() != tt::PaddingOption::PAD_ZERO)
    return emitter.unsupported(op, "a tensor descriptor that pads with NaN");
  auto one = op.getStrides().back().getDefiningOp<mlir::arith::ConstantOp>();
  auto number = one ? dyn_cast<mlir::IntegerAttr>(one.getValue()) : mlir::IntegerAttr();
  if (!number || number.getInt() != 1)
    return emitter.unsupported(op, "a tensor descriptor whose last stride is not the constant 1");
  setDescriptor(emitter, op.getResult(),
                TensorDescriptor::make(emitter.builder, emitter.scalar(op.getBase()),
                                       scalars(emitter, op.getShape()),
                                       scalars(emitter, op.getStrides().drop_back())));
  return success();
}

LogicalResult emitUpdate(Emitter &emitter, amdg::UpdateTensorDescriptorOp op) {
  TensorDescriptor descriptor = descriptorOf(emitter, op.getDesc());
  Builder &builder = emitter.builder;
  if (!op.getAddOffsets().empty())
    moveBlock(emitter, descriptor, bytesOf(op.getDesc()), scalars(emitter, op.getAddOffsets()),
              op.getClampBounds());
  for (auto [extent, bound] : zip(descriptor.extents, op.getSetBounds()))
    extent =
        builder.CreateBinaryIntrinsic(Intrinsic::smax, emitter.scalar(bound), builder.getInt32(0));
  if (op.getPred())
    setActive(emitter, descriptor, op.getPred());
  setDescriptor(emitter, op.getResult(), descriptor);
  return success();
}

/// The descriptor of a copy that names its place itself, as Triton 3.6 has it.
TensorDescriptor placed(Emitter &emitter, mlir::Value desc, mlir::ValueRange indices,
                        mlir::Value condition) {
  TensorDescriptor descriptor = descriptorOf(emitter, desc);
  if (!indices.empty())
    moveBlock(emitter, descriptor, bytesOf(desc), scalars(emitter, indices), /*clamps=*/true);
  if (condition)
    setActive(emitter, descriptor, condition);
  return descriptor;
}

LogicalResult refusePieces(Emitter &emitter, mlir::Operation *op) {
  return emitter.unsupported(op, "a copy of a block that is not in one piece in shared memory");
}

void begin(Emitter &emitter) { settleLds(emitter); }
void end(Emitter &emitter) { closeCopies(emitter.builder, CopyEngine::TensorMover); }

LogicalResult emitLoad(Emitter &emitter, amdg::AsyncTDMCopyGlobalToLocalOp op) {
  TensorMove move(emitter, op.getDesc(), op.getResult(), /*isStore=*/false);
  if (!move.isInOnePiece())
    return refusePieces(emitter, op);
  begin(emitter);
  for (const MoverWords &words :
       move.words(placed(emitter, op.getDesc(), op.getIndices(), op.getPred()),
                  op.getWarpUsedHint(), op.getBarrier()))
    move.issue(words, op.getCache());
  end(emitter);
  emitter.set(op.getToken(), {});
  return success();
}

/// The words of this wave's member: one instruction for all.
MoverWords selectWords(Builder &builder, Value *isFirst, const MoverWords &first,
                       const MoverWords &other) {
  MoverWords words;
  for (auto [word, one, two] : zip(words.groups, first.groups, other.groups))
    if (one)
      word = builder.CreateSelect(isFirst, one, two);
  return words;
}

LogicalResult emitFusedLoad(Emitter &emitter, amdg::AsyncTDMFusedCopyGlobalToLocalOp op) {
  begin(emitter);
  std::optional<TensorMove> move;
  MoverWords words;
  for (auto [desc, dest, hint] :
       llvm::reverse(zip_equal(op.getDescs(), op.getDests(), op.getWarpUsedHints()))) {
    move.emplace(emitter, desc, dest, /*isStore=*/false);
    if (!move->isInOnePiece())
      return refusePieces(emitter, op);
    auto all = move->words(descriptorOf(emitter, desc), uint32_t(hint), {});
    if (all.size() > 1)
      return emitter.unsupported(op, "several loads at once of a block that a wave moves in turns");
    const MoverWords &mine = all.front();
    words = words.groups[0]
                ? selectWords(emitter.builder, move->isNamed(uint32_t(hint)), mine, words)
                : mine;
  }
  move->issue(words, op.getCache());
  end(emitter);
  emitter.set(op.getToken(), {});
  return success();
}

LogicalResult emitStore(Emitter &emitter, amdg::AsyncTDMCopyLocalToGlobalOp op) {
  TensorMove move(emitter, op.getDesc(), op.getSrc(), /*isStore=*/true);
  if (!move.isInOnePiece())
    return refusePieces(emitter, op);
  begin(emitter);
  for (const MoverWords &words : move.words(placed(emitter, op.getDesc(), op.getIndices(), {}),
                                            std::nullopt, op.getBarrier()))
    move.issue(words, op.getCache());
  end(emitter);
  return success();
}

LogicalResult emitWait(Emitter &emitter, amdg::AsyncTDMWaitOp op) {
  awaitCopies(emitter.builder, CopyEngine::TensorMover, op.getNum());
  emitter.set(op.getRetToken(), {});
  return success();
}

} // namespace

void addTensorMover(EmitTable &table) {
  table.add<emitMake>();
  table.add<emitUpdate>();
  table.add<emitLoad>();
  table.add<emitFusedLoad>();
  table.add<emitStore>();
  table.add<emitWait>();
}

} // namespace gluonc::codegen::amd
