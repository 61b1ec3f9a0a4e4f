//===- TensorMemoryOps.td - Tensor memory and products in it (sm_100) --------===//
//
// Tensor memory is allocated, viewed by the operations of ttg, and accessed by
// loads, stores and products. These are asynchronous: `tc_gen5_commit` has a
// barrier tell when those that the same partition started before are over. Tokens
// are read and ignored.
//
//===----------------------------------------------------------------------===//
#ifndef GLUONC_IR_TTNG_TENSOR_MEMORY
#define GLUONC_IR_TTNG_TENSOR_MEMORY

def TTNG_TensorMemoryResource : Resource<"::gluonc::ttng::TensorMemory">;

// `tmem_c1`: the buffer is in tensor memory. `tmem_c2`: shape and element type are equal, and the
// buffer is no ring. `tmem_c3`: what is written is mutable. `tmem_c4`: instructions move tensors
// of this layout; warps come in fours (layout/plan/TensorMemoryAccess.h).

def TTNG_TMEMAllocOp : TTNG_Op<"tmem_alloc", [
    OnChip<["getAccesses"]>, Pointwise, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "A buffer in tensor memory, filled with `src` where given";
  let description = [{
    `tmem_alloc_c1`: its shape is its alloc shape. `tmem_alloc_c2`: without src it is mutable.
    `tmem_alloc_c3`: it fits into tensor memory.
  }];
  let arguments = (ins Optional<TTNG_Block>:$src);
  let results = (outs TTG_MemDescType:$result, Optional<TTG_AsyncTokenType>:$token);
  let builders = [
    OpBuilder<(ins "mlir::Type":$result, CArg<"mlir::Value", "{}">:$src),
              [{ build($_builder, $_state, result, mlir::Type(), src); }]>];
  let assemblyFormat = "($src^)? attr-dict `:` functional-type(operands, results)";
}

def TTNG_TMEMLoadOp : TTNG_Op<"tmem_load", [
    OnChip<["getAccesses"]>, ElementFlow, OwnLayouts, AttrSizedResultSegments]> {
  let summary = "Reads tensor memory into registers; `red` is the least or largest of each row";
  let description = [{
    With `abs` the least or largest absolute value; with `NaN` a row with a NaN has one, else they
    do not count.
    `tmem_load_c1`: redOp and red come together, abs and NaN with them.
    `tmem_load_c2`: the instruction reduces (ReducingLoad.h). `tmem_load_c3`: red has the elements and
    the layout of the result without its second dim.
  }];
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<TTNG_TensorMemoryResource>]>:$src,
                       Optional<TTG_AsyncTokenType>:$dep,
                       OptionalAttr<TTNG_TMEMLoadReduceModifierAttr>:$redOp,
                       OptionalAttr<BoolAttr>:$abs, OptionalAttr<BoolAttr>:$NaN);
  let results = (outs TTNG_Block:$result, Optional<TTG_AsyncTokenType>:$token,
                      Optional<TTNG_Block>:$red);
  let builders = [OpBuilder<(ins "mlir::Type":$result, "mlir::Value":$src), [{
    build($_builder, $_state, result, mlir::Type(), mlir::Type(), src, mlir::Value(),
          TMEMLoadReduceModifierAttr(), mlir::BoolAttr(), mlir::BoolAttr());
  }]>];
  let assemblyFormat = [{
    $src `` custom<Token>($dep, type($dep), type($token)) attr-dict `:` qualified(type($src)) `->`
    type($result) (`,` type($red)^)?
  }];
}

def TTNG_TMEMStoreOp : TTNG_Op<"tmem_store", [OnChip<["getAccesses"]>, Pointwise]> {
  let summary = "Writes registers into tensor memory";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemWrite<TTNG_TensorMemoryResource>]>:$dst,
                       Optional<TTG_AsyncTokenType>:$dep, TTNG_Block:$src, I1:$pred);
  let results = (outs Optional<TTG_AsyncTokenType>:$token);
  let builders = [OpBuilder<(ins "mlir::Value":$src, "mlir::Value":$dst, "mlir::Value":$pred), [{
    build($_builder, $_state, mlir::Type(), dst, mlir::Value(), src, pred);
  }]>];
  let assemblyFormat = [{
    $src `,` $dst `` custom<Token>($dep, type($dep), type($token)) `,` $pred attr-dict `:`
    type($src) `->` qualified(type($dst))
  }];
}

def TTNG_TMEMSubSliceOp : TTNG_Op<"tmem_subslice", [
    Pure, NoOnChip, DeclareOpInterfaceMethods<ViewLikeOpInterface>]> {
  let summary = "A window at a constant offset along one dim";
  let description = [{
    `tmem_subslice_c1`: equal rank, encoding, element type and alloc shape; other dims are equal.
    `tmem_subslice_c2`: the window lies inside.
    `tmem_subslice_c3`: it begins at a whole column of the same CTA, and at a multiple of its size
    unless its elements lie in a row.
  }];
  let arguments = (ins TTG_MemDescType:$src, I32Attr:$offset,
                       DefaultValuedAttr<I32Attr, "1">:$dim);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
}

def TTNG_TCGen5MMAOp : TTNG_Op<"tc_gen5_mma", [
    OnChip<["getAccesses", "synchronizesThreads", "accessesPeers"]>, AttrSizedOperandSegments]> {
  let summary = "Starts d = a * b + d (or a * b where useD is false)";
  let description = [{
    Operands must stay, and the result must not be touched, until a barrier tells: one of
    `barriers`, or a `tc_gen5_commit` behind it.
    `tc_gen5_mma_c1`: shapes are [M, K], [K, N] and [M, N]. `tc_gen5_mma_c2`: the instruction exists
    for the element types. `tc_gen5_mma_c3`: a is in shared or tensor memory, b in shared memory,
    d in tensor memory, whose encodings are those of operands and sums. `tc_gen5_mma_c4`: the
    instruction has the block of d. `tc_gen5_mma_c5`: operands lie as the instruction reads them.
    `tc_gen5_mma_c6`: each barrier has a predicate. `tc_gen5_mma_c7`: two_ctas is d's.
  }];
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<TTNG_SharedMemory>,
                                                 MemRead<TTNG_TensorMemoryResource>]>:$a,
      Arg<TTG_MemDescType, "", [MemRead<TTNG_SharedMemory>]>:$b,
      Arg<TTG_MemDescType, "", [MemRead<TTNG_TensorMemoryResource>,
                                MemWrite<TTNG_TensorMemoryResource>]>:$d,
      Optional<TTG_AsyncTokenType>:$dep, I1:$useD, I1:$pred,
      Variadic<TTG_MemDescType>:$barriers, Variadic<I1>:$barrier_preds,
      UnitAttr:$is_async, UnitAttr:$two_ctas, UnitAttr:$multicast,
      UnitAttr:$unsignedA, UnitAttr:$unsignedB);
  let results = (outs Optional<TTG_AsyncTokenType>:$token);
  let assemblyFormat = [{
    $a `,` $b `,` $d `` custom<Token>($dep, type($dep), type($token)) `,` $useD `,` $pred ``
    custom<BarriersAndPreds>($barriers, $barrier_preds) attr-dict `:` qualified(type($a)) `,`
    qualified(type($b)) `,` qualified(type($d)) (`,` qualified(type($barriers))^)?
  }];
}

def TTNG_TCGen5MMAScaledOp : TTNG_Op<"tc_gen5_mma_scaled", [
    OnChip<["getAccesses", "synchronizesThreads", "accessesPeers"]>, AttrSizedOperandSegments]> {
  let summary = "The same of a and b with a scale for every 16 or 32 elements along K";
  let description = [{
    d = (a * a_scale) * (b * b_scale) + d. Elements of 4 bits lie two to a byte, along K.
    Beyond `tc_gen5_mma_c1` to `_c6`: `tc_gen5_mma_scaled_c1`: types of elements are e4m3, e5m2 or
    e2m1, and buffers have elements of 8 bits. `tc_gen5_mma_scaled_c2`: scales lie in tensor memory
    in their encoding, one for each 16 or 32 elements along K.
  }];
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<TTNG_SharedMemory>,
                                                 MemRead<TTNG_TensorMemoryResource>]>:$a,
      Arg<TTG_MemDescType, "", [MemRead<TTNG_SharedMemory>]>:$b,
      Arg<TTG_MemDescType, "", [MemRead<TTNG_TensorMemoryResource>,
                                MemWrite<TTNG_TensorMemoryResource>]>:$d,
      Optional<TTG_AsyncTokenType>:$dep,
      Arg<TTG_MemDescType, "", [MemRead<TTNG_TensorMemoryResource>]>:$a_scale,
      Arg<TTG_MemDescType, "", [MemRead<TTNG_TensorMemoryResource>]>:$b_scale,
      TT_ScaleDotElemType:$a_type, TT_ScaleDotElemType:$b_type, I1:$useD, I1:$pred,
      Variadic<TTG_MemDescType>:$barriers, Variadic<I1>:$barrier_preds,
      UnitAttr:$two_ctas, UnitAttr:$multicast, UnitAttr:$is_async);
  let results = (outs Optional<TTG_AsyncTokenType>:$token);
  let assemblyFormat = [{
    $a `,` $b `,` $d `` custom<Token>($dep, type($dep), type($token)) `,` $a_scale `,` $b_scale `,`
    $useD `,` $pred `lhs` `=` $a_type `rhs` `=` $b_type ``
    custom<BarriersAndPreds>($barriers, $barrier_preds) attr-dict `:` qualified(type($a)) `,`
    qualified(type($b)) `,` qualified(type($d)) `,` qualified(type($a_scale)) `,`
    qualified(type($b_scale)) (`,` qualified(type($barriers))^)?
  }];
}

def TTNG_TMEMCopyOp : TTNG_Op<"tmem_copy", [OnChip<["getAccesses", "accessesPeers"]>]> {
  let summary = "Starts copying a buffer in shared memory to tensor memory";
  let description = [{
    Over when a barrier tells, like a product.
    `tmem_copy_c1`: from shared to mutable tensor memory. `tmem_copy_c2`: shapes and element types
    are equal. `tmem_copy_c3`: the instruction copies between these layouts.
  }];
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<TTNG_SharedMemory>]>:$src,
                       Arg<TTG_MemDescType, "", [MemWrite<TTNG_TensorMemoryResource>]>:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` qualified(type(operands))";
}

def TTNG_TCGen5CommitOp : TTNG_Op<"tc_gen5_commit", [
    OnChip<["getAccesses", "synchronizesThreads", "accessesPeers"]>, AttrSizedOperandSegments]> {
  let summary = "The barrier counts one arrival once what this partition started so far is over";
  let arguments = (ins TTNG_BarrierArg:$barrier, Optional<I1>:$pred,
                       Variadic<TTG_MemDescType>:$descs);
  let assemblyFormat = [{
    $barrier (`,` $pred^)? (`descs` $descs^)? attr-dict `:` qualified(type($barrier))
    (`,` qualified(type($descs))^)?
  }];
}

#endif
