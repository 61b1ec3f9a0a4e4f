//===- EmitAsyncCopy.cpp - Global to shared memory without registers -------------===//
//
// A copy moves 4, 8 or 16 bytes, so what one thread's registers would hold must
// be neighbours on both sides: consecutive pointers, and consecutive offsets in
// the buffer. Threads that would copy the same bytes again are switched off.
// The wait covers the copies of its own thread; the barrier that lets others
// see them comes from the transform pipeline.
//
//===----------------------------------------------------------------------===//
#include "codegen/core/Emitter.h"

#include "codegen/core/SharedTransfer.h"
#include "ir/Encoding.h"
#include "ir/tt/AxisInfo.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

LogicalResult emitAsyncCopy(Emitter &emitter, ttg::AsyncCopyGlobalToLocalOp op) {
  auto pointers = cast<mlir::RankedTensorType>(op.getSrc().getType());
  auto buffer = cast<ttg::MemDescType>(op.getResult().getType());
  auto tensor = mlir::RankedTensorType::get(pointers.getShape(), buffer.getElementType(),
                                            pointers.getEncoding());
  // The instruction writes zero where the mask does not hold.
  if (mlir::Value other = op.getOther();
      other && !matchPattern(other, mlir::m_Zero()) && !matchPattern(other, mlir::m_AnyZeroFloat()))
    return emitter.unsupported(op, "an asynchronous copy with an `other` that is not zero");
  unsigned bytes = elementBytes(buffer.getElementType());
  const LinearLayout &layout = emitter.types.layoutOf(tensor);
  unsigned axis = layout::orderOf(layout)[0];
  int64_t neighbours = emitter.values.axes().pointerRun(op.getSrc(), axis);
  unsigned run =
      std::min(sourceRun(emitter, layout, axis, std::max<int64_t>(neighbours, op.getContiguity()),
                         op.getMask()),
               std::max(1u, 16 / bytes));
  std::optional<Transfer> transfer = planCopy(emitter, tensor, buffer, axis, run);
  if (!transfer)
    return emitter.unsupported(op, "an asynchronous copy to this shared layout");
  if (transfer->copies || crossesCtas(emitter, *transfer, op.getResult()))
    return emitter.unsupported(op, "an asynchronous copy to the shared memory of other CTAs (a "
                                   "thread copies to that of its own)");
  unsigned chunk = bytes * transfer->access.vectors.size();
  if (chunk != 4 && chunk != 8 && chunk != 16)
    return emitter.unsupported(op, "an asynchronous copy of " + Twine(chunk) +
                                       " neighbouring bytes per thread (4, 8 or 16 are possible)");

  const Registers sources = emitter.get(op.getSrc());
  Value *owner = emitter.threads.ownerMask(layout, Among::Cta);
  ThreadAddress address = addressOf(emitter, *transfer, op.getResult(), bytes);
  for (ArrayRef<uint32_t> vector : transfer->access.vectors.vectors) {
    Value *mask = op.getMask() ? emitter.get(op.getMask())[vector[0]] : nullptr;
    ConstantInt *known = dyn_cast_or_null<ConstantInt>(mask);
    if (known && known->isOne())
      mask = nullptr;
    emitter.isa.copyAsync(emitter.builder, address.at(vectorOffset(*transfer, vector)),
                          sources[vector[0]], chunk, mask, owner, tt::cachePolicyOf(op));
  }
  emitter.set(op.getToken(), {});
  return success();
}

LogicalResult emitCommit(Emitter &emitter, ttg::AsyncCommitGroupOp op) {
  emitter.isa.commitCopies(emitter.builder);
  emitter.set(op.getAsyncToken(), {});
  return success();
}

LogicalResult emitWait(Emitter &emitter, ttg::AsyncWaitOp op) {
  emitter.isa.waitCopies(emitter.builder, op.getNum());
  emitter.set(op.getRetToken(), {});
  return success();
}

} // namespace

void addAsyncCopy(EmitTable &table) {
  table.add<emitAsyncCopy>();
  table.add<emitCommit>();
  table.add<emitWait>();
}

} // namespace gluonc::codegen
