#include "codegen/amd/Refused.h"

#include "codegen/core/Emitter.h"
#include "ir/Dialects.h"
#include "ir/amdg/AmdOps.h"

namespace gluonc::codegen::amd {
namespace {

template <typename Op> mlir::LogicalResult refuse(Emitter &emitter, Op op) {
  return emitter.unsupported(op);
}

template <typename... Ops> void add(EmitTable &table) { (table.add<refuse<Ops>>(), ...); }

} // namespace

void addRefused(EmitTable &table) {
  add<ttng::ClusterBarrierOp, ttng::ClusterArriveOp, ttng::ClusterWaitOp>(table);
}

} // namespace gluonc::codegen::amd
