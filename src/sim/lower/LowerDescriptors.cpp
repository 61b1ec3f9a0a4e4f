//===- LowerDescriptors.cpp - Descriptors that a kernel makes ----------------===//
#include "sim/lower/Lowering.h"
#include "sim/machine/Taint.h"

#include "ir/Encoding.h"
#include "target/nvidia/BoxCopies.h"

namespace gluonc::sim {
namespace {

struct DescriptorData : OpData {
  /// From the outermost dim inwards. Where the innermost has no stride, it is 1.
  llvm::SmallVector<Slot, TensorDescription::maxRank> shape, strides;
  /// What strides count: elements, or this many bytes.
  int64_t strideUnit = 1;
  bool nanPadding = false;
  /// Of the innermost dim elements of 4 bits are counted, two to a byte of the block.
  bool countsFours = false;
};

template <typename Range>
void appendSlots(Lowering &lowering, Range &&values, llvm::SmallVectorImpl<Slot> &slots) {
  for (mlir::Value value : values)
    slots.push_back(lowering.slotOf(value));
}

void taintDescriptor(const Instruction &instruction, Cta &cta) {
  taintObserve(instruction, cta);
  const DescriptorData &data = static_cast<const DescriptorData &>(*instruction.data);
  for (llvm::ArrayRef<Slot> slots : {llvm::ArrayRef(data.shape), llvm::ArrayRef(data.strides)})
    for (Slot slot : slots)
      if (uint8_t code = *cta.taintAt(slot); code && !cta.failed)
        cta.raise(instruction, code);
}

TensorDescription describe(const Instruction &instruction, Slot base, Cta &cta) {
  const DescriptorData &data = static_cast<const DescriptorData &>(*instruction.data);
  TensorDescription made;
  made.base = *cta.at<uint64_t>(base);
  made.rank = unsigned(data.shape.size());
  made.nanPadding = data.nanPadding;
  for (auto [dim, slot] : llvm::enumerate(data.shape))
    made.shape[dim] = *cta.at<int32_t>(slot);
  if (data.countsFours)
    made.shape[made.rank - 1] /= 2;
  for (unsigned dim = 0; dim != made.rank; ++dim)
    made.strides[dim] =
        dim < data.strides.size() ? *cta.at<int64_t>(data.strides[dim]) / data.strideUnit : 1;
  return made;
}

/// Operands: base.
void runMakeDescriptor(const Instruction &instruction, Cta &cta) {
  *cta.at<TensorDescription>(instruction.result) =
      describe(instruction, instruction.operands[0], cta);
}

bool lowerMakeDescriptor(Lowering &lowering, mlir::Operation *operation) {
  auto make = mlir::cast<tt::MakeTensorDescOp>(operation);
  DescriptorData *data = lowering.addData<DescriptorData>();
  appendSlots(lowering, make.getShape(), data->shape);
  appendSlots(lowering, make.getStrides(), data->strides);
  data->nanPadding = make.getPadding() == tt::PaddingOption::PAD_NAN;
  Slot base = lowering.slotOf(make.getBase());
  Slot result = lowering.define(make.getResult(), 1);
  lowering.emit(runMakeDescriptor, taintDescriptor, result, {base}).data = data;
  return true;
}

// What `tt.make_tensor_descriptor` is lowered to. The 128 bytes are no memory here: their address
// stands for what was described last. Nobody else can know them.

/// Addresses that no buffer of the host has.
constexpr uint64_t kScratchBase = uint64_t(1) << 56;

void runGlobalScratch(const Instruction &instruction, Cta &cta) {
  // Each CTA has its own.
  *cta.at<uint64_t>(instruction.result) =
      kScratchBase + (uint64_t(cta.rank()) << 40) + instruction.immediate;
}

bool lowerGlobalScratch(Lowering &lowering, mlir::Operation *operation) {
  auto alloc = mlir::cast<ttg::GlobalScratchAllocOp>(operation);
  uint64_t offset = lowering.program.globalScratchBytes;
  lowering.program.globalScratchBytes += alloc.getNbytes();
  lowering.emit(runGlobalScratch, taintNothing, lowering.define(alloc.getResult(), 1), {})
      .immediate = offset;
  return true;
}

/// Operands: place, base.
void runCreateDescriptor(const Instruction &instruction, Cta &cta) {
  if (cta.schedule)
    cta.schedule->touchAnything();
  cta.madeDescriptors[*cta.at<uint64_t>(instruction.operands[0])] = {
      describe(instruction, instruction.operands[1], cta), false};
}

bool lowerCreateDescriptor(Lowering &lowering, mlir::Operation *operation) {
  auto create = mlir::cast<ttng::TensormapCreateOp>(operation);
  DescriptorData *data = lowering.addData<DescriptorData>();
  // From the innermost dim outwards there; the innermost has no stride.
  appendSlots(lowering, llvm::reverse(create.getGlobalDim()), data->shape);
  appendSlots(lowering, llvm::reverse(create.getGlobalStride()), data->strides);
  data->nanPadding = create.getFillMode() == 1;
  data->countsFours =
      create.getElemType() == uint32_t(target::nvidia::tma::ElementCode::Padded4Bits);
  data->strideUnit = elementBytes(tt::pointeeTypeOf(create.getGlobalAddress().getType()));
  lowering
      .emit(runCreateDescriptor, taintDescriptor, Slot(),
            {lowering.slotOf(create.getDescPtr()), lowering.slotOf(create.getGlobalAddress())})
      .data = data;
  return true;
}

/// Operands: place.
void runReinterpretDescriptor(const Instruction &instruction, Cta &cta) {
  auto made = cta.madeDescriptors.find(*cta.at<uint64_t>(instruction.operands[0]));
  if (made == cta.madeDescriptors.end())
    return cta.fail(instruction, diag::Kind::DescriptorNotReady, {"the program made none"});
  if (!made->second.acquired)
    return cta.fail(instruction, diag::Kind::DescriptorNotReady,
                    {"no fence has shown it to the copy engine"});
  *cta.at<TensorDescription>(instruction.result) = made->second.tensor;
}

bool lowerReinterpretDescriptor(Lowering &lowering, mlir::Operation *operation) {
  auto reinterpret = mlir::cast<ttng::ReinterpretTensorDescOp>(operation);
  Slot place = lowering.slotOf(reinterpret.getRawDesc());
  lowering.emit(runReinterpretDescriptor, taintObserve, lowering.define(reinterpret.getResult(), 1),
                {place});
  return true;
}

/// Operands: place.
void runAcquireDescriptor(const Instruction &instruction, Cta &cta) {
  auto made = cta.madeDescriptors.find(*cta.at<uint64_t>(instruction.operands[0]));
  if (made != cta.madeDescriptors.end())
    made->second.acquired = true;
}

bool lowerAcquireDescriptor(Lowering &lowering, mlir::Operation *operation) {
  auto acquire = mlir::cast<ttng::TensormapFenceproxyAcquireOp>(operation);
  lowering.emit(runAcquireDescriptor, taintObserve, Slot(),
                {lowering.slotOf(acquire.getDescPtr())});
  return true;
}

} // namespace

void addDescriptors(OperationTable &table) {
  table["tt.make_tensor_descriptor"] = lowerMakeDescriptor;
  table["ttg.global_scratch_alloc"] = lowerGlobalScratch;
  table["ttng.tensormap_create"] = lowerCreateDescriptor;
  table["ttng.tensormap_fenceproxy_acquire"] = lowerAcquireDescriptor;
  table["ttng.reinterpret_tensor_descriptor"] = lowerReinterpretDescriptor;
}

} // namespace gluonc::sim
