//===- EmitLaunchControl.cpp - Work of clusters that have not begun ----------------===//
//
// One thread of the first CTA asks; the answer comes to all CTAs of its cluster, at
// the same place in each. In registers it is 128 bits, which the chip alone knows to
// read.
//
//===----------------------------------------------------------------------===//
#include "codegen/nvidia/EmitHopper.h"

#include "codegen/core/Isa.h"
#include "codegen/nvidia/InlineAsm.h"
#include "ir/Dialects.h"
#include "target/nvidia/Barriers.h"

using namespace llvm;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::nvidia {
namespace {

LogicalResult emitTryCancel(Emitter &emitter, ttng::CLCTryCancelOp op) {
  const unsigned ctas = emitter.threads.clusterSize();
  Value *asks = emitter.threads.isFirst(Among::Cta);
  if (Value *leads = isLeast(emitter, ctas - 1))
    asks = emitter.builder.CreateAnd(asks, leads);
  emitOrdered(emitter,
              Twine("@$2 clusterlaunchcontrol.try_cancel.async.shared::cta."
                    "mbarrier::complete_tx::bytes") +
                  (ctas > 1 ? ".multicast::cluster::all" : "") + ".b128 [$0], [$1];",
              {emitter.get(op.getResult())[0], barrierAddress(emitter, op.getMbarrier()), asks});
  return success();
}

LogicalResult emitLoadResult(Emitter &emitter, ttng::CLCLoadResultOp op) {
  Builder &builder = emitter.builder;
  Value *words =
      builder.CreateAlignedLoad(FixedVectorType::get(builder.getInt64Ty(), 2),
                                emitter.get(op.getSrc())[0], Align(target::nvidia::answerBytes));
  emitter.set(op.getClcResult(), {builder.CreateBitCast(words, builder.getInt128Ty())});
  return success();
}

/// What an instruction reads off an answer; `registers` beside it, and how the result gets out.
Value *query(Emitter &emitter, mlir::Value answer, const Twine &instruction) {
  Builder &builder = emitter.builder;
  Value *whole = emitter.scalar(answer);
  Value *low = builder.CreateTrunc(whole, builder.getInt64Ty());
  Value *high = builder.CreateTrunc(builder.CreateLShr(whole, 64), builder.getInt64Ty());
  return emitAsm(builder,
                 ("{\n\t.reg .b128 answer;\n\t.reg .pred any;\n\t"
                  "mov.b128 answer, {$1, $2};\n\tclusterlaunchcontrol.query_cancel." +
                  instruction + "\n\t}")
                     .str(),
                 builder.getInt32Ty(), {low, high}, AsmEffect::Pure);
}

LogicalResult emitIsCanceled(Emitter &emitter, ttng::CLCIsCanceledOp op) {
  Value *any = query(emitter, op.getClcResult(),
                     "is_canceled.pred.b128 any, answer;\n\tselp.b32 $0, 1, 0, any;");
  emitter.set(op.getIsCanceled(), {emitter.builder.CreateICmpNE(any, emitter.builder.getInt32(0))});
  return success();
}

LogicalResult emitProgramId(Emitter &emitter, ttng::CLCGetProgramIdOp op) {
  const unsigned axis = static_cast<unsigned>(op.getDim()), ctas = emitter.threads.clusterSize();
  Value *cta = query(emitter, op.getClcResult(),
                     Twine("get_first_ctaid::") + tt::stringifyProgramIDDim(op.getDim()) +
                         ".b32.b128 $0, answer;");
  // Clusters lie along x.
  if (axis == 0 && ctas > 1)
    cta = emitter.builder.CreateLShr(cta, Log2_32(ctas));
  emitter.set(op.getResult(), {cta});
  return success();
}

} // namespace

void addLaunchControl(EmitTable &table) {
  table.add<emitTryCancel>();
  table.add<emitLoadResult>();
  table.add<emitIsCanceled>();
  table.add<emitProgramId>();
}

} // namespace gluonc::codegen::nvidia
