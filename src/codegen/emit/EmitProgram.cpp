//===- EmitProgram.cpp - Program ids, ranges, splats, pointer arithmetic --------===//
#include "codegen/core/Emitter.h"

#include "ir/Dialects.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

/// From CTAs to programs: a cluster, which is one program, lies along x.
Value *programsOf(Emitter &emitter, unsigned axis, Value *ctas) {
  if (axis || emitter.threads.clusterSize() == 1)
    return ctas;
  return emitter.builder.CreateLShr(ctas, Log2_32(emitter.threads.clusterSize()));
}

LogicalResult emitProgramId(Emitter &emitter, tt::GetProgramIdOp op) {
  unsigned axis = static_cast<unsigned>(op.getAxis());
  Value *cta = emitter.isa.programId(emitter.builder, axis);
  emitter.set(op.getResult(), {programsOf(emitter, axis, cta)});
  return success();
}

LogicalResult emitNumPrograms(Emitter &emitter, tt::GetNumProgramsOp op) {
  unsigned axis = static_cast<unsigned>(op.getAxis());
  Value *ctas = emitter.isa.programCount(emitter.builder, axis);
  emitter.set(op.getResult(), {programsOf(emitter, axis, ctas)});
  return success();
}

LogicalResult emitMakeRange(Emitter &emitter, tt::MakeRangeOp op) {
  Builder &builder = emitter.builder;
  const LinearLayout &layout = emitter.types.layoutOf(op.getType());
  SmallVector<uint32_t> images = Threads::images(layout, Dim::axis(0));
  Value *threadPart = emitter.threads.part(images);
  uint32_t threadBits = imageMask(images);
  Registers registers;
  for (unsigned i = 0; i < layout.inSize(Dim::Register); ++i) {
    uint32_t constant = layout.applyPacked(layout.packIn({{Dim::Register, i}}));
    Value *index = combineIndex(builder, threadPart, threadBits, constant);
    // Between two i32 that the operation names, so it cannot wrap.
    registers.push_back(
        op.getStart() == 0 ? index : builder.CreateNSWAdd(index, builder.getInt32(op.getStart())));
  }
  emitter.set(op.getResult(), std::move(registers));
  return success();
}

LogicalResult emitSplat(Emitter &emitter, tt::SplatOp op) {
  emitter.set(op.getResult(),
              Registers(emitter.types.registerCount(op.getType()), emitter.scalar(op.getSrc())));
  return success();
}

/// One element is in every thread.
LogicalResult emitUnsplat(Emitter &emitter, tt::UnsplatOp op) {
  emitter.set(op.getResult(), {emitter.scalar(op.getSrc())});
  return success();
}

/// Where each pointer is one base plus an offset of its own, and all get the same offset on top:
/// the sum of base and that offset, to which the pointers' own are added, which is one addition
/// less for each. Null where it is not so.
Value *sharedStart(Emitter &emitter, Type *element, const Registers &pointers,
                   const Registers &offsets) {
  auto *first = dyn_cast<GetElementPtrInst>(pointers.front());
  if (pointers.size() == 1 || !first || !all_equal(offsets))
    return nullptr;
  for (Value *pointer : pointers) {
    auto *sum = dyn_cast<GetElementPtrInst>(pointer);
    if (!sum || sum->getPointerOperand() != first->getPointerOperand() ||
        sum->getSourceElementType() != element || sum->getNumIndices() != 1)
      return nullptr;
  }
  return all_equal(pointers)
             ? nullptr
             : emitter.builder.CreateGEP(element, first->getPointerOperand(), offsets.front());
}

/// Offsets count elements and are signed. No `inbounds`: a masked-off element
/// may well have an address outside of any buffer.
LogicalResult emitAddPtr(Emitter &emitter, tt::AddPtrOp op) {
  mlir::Type pointee = tt::pointeeTypeOf(mlir::getElementTypeOrSelf(op.getPtr().getType()));
  Type *element = emitter.types.ofElement(pointee);
  if (element->isIntegerTy(1))
    element = emitter.builder.getInt8Ty();
  Value *start =
      sharedStart(emitter, element, emitter.get(op.getPtr()), emitter.get(op.getOffset()));
  emitElementwise(emitter, op, [&](ArrayRef<Value *> in) {
    if (start)
      return emitter.builder.CreateGEP(element, start,
                                       cast<GetElementPtrInst>(in[0])->getOperand(1));
    return emitter.builder.CreateGEP(element, in[0], in[1]);
  });
  return success();
}

} // namespace

void addProgram(EmitTable &table) {
  table.add<emitProgramId>();
  table.add<emitNumPrograms>();
  table.add<emitMakeRange>();
  table.add<emitSplat>();
  table.add<emitUnsplat>();
  table.add<emitAddPtr>();
}

} // namespace gluonc::codegen
