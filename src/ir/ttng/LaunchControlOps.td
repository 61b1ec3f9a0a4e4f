//===- LaunchControlOps.td - Work of clusters that have not begun (sm_100) ---===//
//
// A running cluster asks for the programs of one that has not begun: if there is
// one, it is never launched, and its programs are those who asked to do. The answer
// comes into shared memory, and a barrier tells when.
//
//===----------------------------------------------------------------------===//
#ifndef GLUONC_IR_TTNG_LAUNCH_CONTROL
#define GLUONC_IR_TTNG_LAUNCH_CONTROL

// `clc_c1`: the answer is a buffer of two i64 in shared memory, of which each CTA has a whole one.
// `clc_c2`: the buffer that is written is mutable.

def TTNG_CLCTryCancelOp : TTNG_Op<"clc_try_cancel", [
    OnChip<["getAccesses", "accessesPeers", "getBarrierBytes"]>]> {
  let summary = "Asks for the work of a cluster that has not begun";
  let description = [{
    The barrier of each CTA counts the 16 bytes of the answer that it gets.
    `clc_try_cancel_c1`: the barrier has one element per CTA.
  }];
  let arguments = (ins Arg<TTG_MemDescType, "", [MemWrite<TTNG_SharedMemory>]>:$result,
                       TTNG_BarrierArg:$mbarrier);
  let assemblyFormat = [{
    $result `,` $mbarrier attr-dict `:` qualified(type($result)) `,` qualified(type($mbarrier))
  }];
}

def TTNG_CLCLoadResultOp : TTNG_Op<"clc_load_result", [OnChip<["getAccesses"]>]> {
  let summary = "Reads an answer into registers";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<TTNG_SharedMemory>]>:$src);
  let results = (outs I128:$clcResult);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` type($clcResult)";
}

def TTNG_CLCIsCanceledOp : TTNG_Op<"clc_is_canceled", [Pure, NoOnChip]> {
  let summary = "Whether there was a cluster, whose work is to be done now";
  let arguments = (ins I128:$clcResult);
  let results = (outs I1:$is_canceled);
  let assemblyFormat = "$clcResult attr-dict `:` type($clcResult) `->` type($is_canceled)";
  let hasVerifier = 0;
}

def TTNG_CLCGetProgramIdOp : TTNG_Op<"clc_get_program_id", [Pure, NoOnChip]> {
  let summary = "What `tt.get_program_id` would have said there; nothing is said if there was none";
  let arguments = (ins I128:$clcResult, TT_ProgramIDDim:$dim);
  let results = (outs I32:$result);
  let assemblyFormat = "$clcResult `,` $dim attr-dict `:` type($clcResult) `->` type($result)";
  let hasVerifier = 0;
}

#endif
