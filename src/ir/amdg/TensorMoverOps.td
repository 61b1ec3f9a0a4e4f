//===- TensorMoverOps.td - amdg: the engine that copies blocks of tensors -------===//
#ifndef GLUONC_IR_AMDG_TENSOR_MOVER_OPS
#define GLUONC_IR_AMDG_TENSOR_MOVER_OPS

//===----------------------------------------------------------------------===//
// The tensor mover
//===----------------------------------------------------------------------===//
// A descriptor says where a block begins and how far the tensor reaches from there; copies move the
// block. Elements behind the end of the tensor are zero in LDS, and are not written. A copy is over
// when a wait says so, or when the barrier that it names has had its arrivals: one for each warp
// that took part. Copies by a descriptor that is off do nothing.
// `mover_c1`: the descriptor is one that the engine knows (TensorMover.h).
// `mover_c2`: the buffer has the descriptor's block, elements and layout.
// `mover_c3`: the buffer that is written is mutable.
// `mover_c4`: padding of a buffer that is read follows whole rows of the block.
// `mover_c5`: offsets and bounds are as many as the block has dims.
// `mover_c6`: warps of a hint are there, as many as a power of two, and no others lie between them:
// some bits of their numbers vary freely, the others are equal.
// `mover_c7`: rows are numbers in one dim, one for each row of the buffer, the same in all lanes.

def AMDG_Cache : Resource<"::gluonc::amdg::Cache">;
def AMDG_MovedTensor : Arg<TT_TensorDescType, "", [MemRead<AMDG_GlobalMemory>]>;
def AMDG_WrittenTensor : Arg<TT_TensorDescType, "", [MemWrite<AMDG_GlobalMemory>]>;
def AMDG_FilledBuffer : Arg<TTG_MemDescType, "", [MemWrite<AMDG_SharedMemory>]>;
def AMDG_MovedBuffer : Arg<TTG_MemDescType, "", [MemRead<AMDG_SharedMemory>]>;
def AMDG_OptionalBarrier : Arg<Optional<TTG_MemDescType>, "", [MemRead<AMDG_SharedMemory>,
                                                               MemWrite<AMDG_SharedMemory>]>;
def AMDG_RowNumbers : RankedTensorOf<[I16, I32]>;

class AMDG_MoverOp<string mnemonic, list<Trait> traits = []>
    : AMDG_Op<mnemonic, !listconcat([OnChip<["getAccesses"]>], traits)>;

def AMDG_UpdateTensorDescriptorOp : AMDG_Op<"update_tensor_descriptor", [
    Pure, NoOnChip, AttrSizedOperandSegments, AllTypesMatch<["desc", "result"]>]> {
  let summary = "The descriptor of a block elsewhere in the tensor";
  let description = [{
    `add_offsets` moves the block and leaves the end of the tensor as far from it as it was; with
    `clamp_bounds` it stays where it is. `set_bounds` says how far it is. `pred` turns copies by the
    descriptor on or off. `update_c1`: there is something to update. `update_c2`: clamping goes with
    offsets, and without bounds.
  }];
  let arguments = (ins TT_TensorDescType:$desc, Variadic<I32>:$add_offsets,
      Variadic<I32>:$set_bounds, Optional<I32>:$pred, UnitAttr:$clamp_bounds);
  let results = (outs TT_TensorDescType:$result);
  let assemblyFormat = [{
    $desc (`add_offsets` `=` `[` $add_offsets^ `]`)? (`set_bounds` `=` `[` $set_bounds^ `]`)?
    (`pred` `=` $pred^)? attr-dict `:` qualified(type($desc))
  }];
}

def AMDG_AsyncTDMCopyGlobalToLocalOp : AMDG_MoverOp<"async_tdm_copy_global_to_local", [
    AttrSizedOperandSegments]> {
  let summary = "Starts copying a block into a buffer";
  let description = [{
    Triton 3.6 names the place of the block and a condition here, as `update_tensor_descriptor` with
    `clamp_bounds` does.
  }];
  let arguments = (ins AMDG_MovedTensor:$desc, Variadic<I32>:$indices, AMDG_FilledBuffer:$result,
      Optional<AnyTypeOf<[I1, I32]>>:$pred, AMDG_OptionalBarrier:$barrier,
      DefaultValuedAttr<TT_CacheModifier, "::gluonc::tt::CacheModifier::NONE">:$cache,
      OptionalAttr<I32Attr>:$warp_used_hint);
  let results = (outs TTG_AsyncTokenType:$token);
  let assemblyFormat = [{
    $desc (`[` $indices^ `]`)? `into` $result `` custom<PredAndBarrier>($pred, type($pred), $barrier)
    oilist(`cacheModifier` `=` $cache) attr-dict
    `:` qualified(type($desc)) (`,` qualified(type($barrier))^)? `->` qualified(type($result))
  }];
}

def AMDG_AsyncTDMFusedCopyGlobalToLocalOp
    : AMDG_MoverOp<"async_tdm_fused_copy_global_to_local", [AttrSizedOperandSegments]> {
  let summary = "Starts copying 2 to 4 blocks, each with warps of its own";
  let description = [{
    `fused_c1`: 2 to 4 descriptors of one rank, and as many buffers and hints. `fused_c2`: no warp
    is in two hints.
  }];
  let arguments = (ins Arg<Variadic<TT_TensorDescType>, "", [MemRead<AMDG_GlobalMemory>]>:$descs,
      Arg<Variadic<TTG_MemDescType>, "", [MemWrite<AMDG_SharedMemory>]>:$dests,
      DenseI32ArrayAttr:$warp_used_hints,
      DefaultValuedAttr<TT_CacheModifier, "::gluonc::tt::CacheModifier::NONE">:$cache);
  let results = (outs TTG_AsyncTokenType:$token);
  let assemblyFormat = [{
    $descs `into` $dests oilist(`cacheModifier` `=` $cache) attr-dict
    `:` qualified(type($descs)) `->` qualified(type($dests))
  }];
}

def AMDG_AsyncTDMCopyLocalToGlobalOp : AMDG_MoverOp<"async_tdm_copy_local_to_global", [
    AttrSizedOperandSegments]> {
  let summary = "Starts copying a buffer to a block of a tensor";
  let arguments = (ins AMDG_WrittenTensor:$desc, Variadic<I32>:$indices, AMDG_MovedBuffer:$src,
      AMDG_OptionalBarrier:$barrier,
      DefaultValuedAttr<TT_CacheModifier, "::gluonc::tt::CacheModifier::NONE">:$cache);
  let assemblyFormat = [{
    $desc (`[` $indices^ `]`)? `from` $src (`,` `barrier` `=` $barrier^)?
    oilist(`cacheModifier` `=` $cache) attr-dict
    `:` qualified(type($src)) (`,` qualified(type($barrier))^)? `->` qualified(type($desc))
  }];
}

def AMDG_AsyncTDMGatherOp : AMDG_MoverOp<"async_tdm_gather", [Pointwise]> {
  let summary = "Starts copying rows of a tensor, which are named one by one, into a buffer";
  let arguments = (ins AMDG_MovedTensor:$desc, AMDG_RowNumbers:$src_row_indices,
      AMDG_FilledBuffer:$dst, AMDG_OptionalBarrier:$barrier);
  let results = (outs TTG_AsyncTokenType:$token);
  let assemblyFormat = [{
    $desc `[` $src_row_indices `]` `to` $dst (`,` `barrier` `=` $barrier^)? attr-dict
    `:` type($src_row_indices) `,` qualified(type($dst)) (`,` qualified(type($barrier))^)?
    `->` qualified(type($desc))
  }];
}

def AMDG_AsyncTDMScatterOp : AMDG_MoverOp<"async_tdm_scatter", [Pointwise]> {
  let summary = "Starts copying rows of a buffer to rows of a tensor, named one by one";
  let arguments = (ins AMDG_WrittenTensor:$desc, AMDG_RowNumbers:$dst_row_indices,
      AMDG_MovedBuffer:$src, AMDG_OptionalBarrier:$barrier);
  let results = (outs TTG_AsyncTokenType:$token);
  let assemblyFormat = [{
    $desc `[` $dst_row_indices `]` `from` $src (`,` `barrier` `=` $barrier^)? attr-dict
    `:` type($dst_row_indices) `,` qualified(type($src)) (`,` qualified(type($barrier))^)?
    `->` qualified(type($desc))
  }];
}

def AMDG_AsyncTDMWaitOp : AMDG_Op<"async_tdm_wait", [OnChip<["getAwaited"]>]> {
  let summary = "Waits until at most `num` copies of the engine are under way";
  let arguments = (ins Variadic<TTG_AsyncTokenType>:$asyncToken, I32Attr:$num);
  let results = (outs TTG_AsyncTokenType:$retToken);
  let assemblyFormat = "($asyncToken^)? attr-dict";
  let hasVerifier = 0;
}

def AMDG_TDMPrefetchOp : AMDG_Op<"tdm_prefetch", [NoOnChip]> {
  let summary = "Asks for a block of a tensor to be in L2";
  let description = [{
    It changes the cache, or nothing would keep it.
  }];
  let arguments = (ins
      Arg<TT_TensorDescType, "", [MemRead<AMDG_GlobalMemory>, MemWrite<AMDG_Cache>]>:$desc,
      Variadic<I32>:$indices, I1:$pred, BoolAttr:$speculative);
  let assemblyFormat = [{
    $desc `[` $indices `]` `,` $pred `,` `speculative` `=` $speculative attr-dict
    `:` qualified(type($desc))
  }];
}

#endif
