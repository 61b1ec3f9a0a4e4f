//===- LdsBarrierOps.td - amdg: barriers in LDS, clusters ------------------------===//
#ifndef GLUONC_IR_AMDG_LDS_BARRIER_OPS
#define GLUONC_IR_AMDG_LDS_BARRIER_OPS

//===----------------------------------------------------------------------===//
// Barriers in LDS
//===----------------------------------------------------------------------===//
// A phase ends when as many arrivals have come as `count` says. Every thread arrives for itself: an
// arrival of a workgroup of 128 threads counts 128 times.
// `lds_barrier_c1`: a barrier is a mutable buffer of one i64 in LDS; each CTA of a cluster has its
// own. `lds_barrier_c2`: the count is 1 to 2^20 - 1.

def AMDG_BarrierArg : Arg<TTG_MemDescType, "", [MemRead<AMDG_SharedMemory>,
                                                 MemWrite<AMDG_SharedMemory>]>;

def AMDG_InitBarrierOp : AMDG_Op<"init_barrier", [OnChip<["getAccesses"]>]> {
  let summary = "Starts a barrier whose phases end after `count` arrivals";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemWrite<AMDG_SharedMemory>]>:$alloc,
                       I32Attr:$count);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc))";
}

def AMDG_WaitBarrierOp : AMDG_Op<"wait_barrier", [OnChip<["getAccesses", "getAwaited"]>]> {
  let summary = "Waits for the end of the phase whose parity is `phase`";
  let arguments = (ins AMDG_BarrierArg:$alloc, I32:$phase);
  let assemblyFormat = "$alloc `,` $phase attr-dict `:` qualified(type($alloc))";
}

def AMDG_ArriveBarrierOp : AMDG_Op<"arrive_barrier", [OnChip<["getAccesses"]>]> {
  let summary = "Every thread arrives `count` times; gives the phase's parity before that";
  let arguments = (ins AMDG_BarrierArg:$alloc, I32Attr:$count);
  let results = (outs I32:$priorPhase);
  let assemblyFormat = [{
    $alloc `,` $count attr-dict `:` qualified(type($alloc)) `->` type($priorPhase)
  }];
}

def AMDG_AsyncCopyMbarrierArriveOp
    : AMDG_Op<"async_copy_mbarrier_arrive", [OnChip<["getAccesses"]>]> {
  let summary = "Every thread arrives once its copies so far are done";
  let arguments = (ins AMDG_BarrierArg:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
}

//===----------------------------------------------------------------------===//
// Halves of the warps
//===----------------------------------------------------------------------===//

def AMDG_HalfBarrierOp : AMDG_Op<"half_barrier", [MemoryEffects<[MemWrite]>, NoOnChip]> {
  let summary = "Warps of one half arrive at the barrier of the workgroup once more";
  let description = [{
    Those from the fifth on (`late`), or the first four. Behind the first of the two the late half
    is one barrier behind the other, until the second. They stand before and behind a loop.
  }];
  let arguments = (ins UnitAttr:$late);
  let assemblyFormat = "(`late` $late^)? attr-dict";
  let hasVerifier = 0;
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//
// `workgroups_c1`: the cluster has several CTAs.

/// Everything of the memories stays on its side.
def AMDG_OrdersMemory : TraitList<[OnlyOrders,
    MemoryEffects<[MemRead<AMDG_SharedMemory>, MemWrite<AMDG_SharedMemory>,
                   MemRead<AMDG_GlobalMemory>, MemWrite<AMDG_GlobalMemory>]>]>;

def AMDG_ClusterBarrierArriveOp : AMDG_Op<"cluster_barrier_arrive", [
    OnChip<["getClusterSync"]>, AMDG_OrdersMemory]> {
  let summary = "First half of a barrier of the cluster";
  let assemblyFormat = "attr-dict";
}

def AMDG_ClusterBarrierWaitOp : AMDG_Op<"cluster_barrier_wait", [
    OnChip<["synchronizesThreads", "getClusterSync"]>, AMDG_OrdersMemory]> {
  let summary = "Second half of a barrier of the cluster";
  let assemblyFormat = "attr-dict";
}

#endif
