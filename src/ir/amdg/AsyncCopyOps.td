//===- AsyncCopyOps.td - amdg: copies past the registers ------------------------===//
#ifndef GLUONC_IR_AMDG_ASYNC_COPY_OPS
#define GLUONC_IR_AMDG_ASYNC_COPY_OPS

//===----------------------------------------------------------------------===//
// Copies between global memory and LDS, in groups
//===----------------------------------------------------------------------===//
// Groups are those of `ttg.async_commit_group` and `ttg.async_wait`.
// `direct_c1`: global and shared side agree in shape and element type; the buffer is no ring.
// `direct_c2`: the buffer that is written is mutable.
// `direct_c3`: other needs a mask.

def AMDG_BufferLoadToLocalOp : AMDG_Op<"buffer_load_to_local", [
    OnChip<["getAccesses"]>, SameLayout, Pointwise, AttrSizedOperandSegments,
    OptionalTypesMatchWith<"mask is i1 in the shape and encoding of the offsets", "offsets", "mask",
                           "::gluonc::tt::boolTypeLike($_self)">]> {
  let summary = "Starts copying elements of a buffer into LDS";
  let description = [{
    Elements whose mask is false, and those behind the buffer's 2 GiB, are `other`, or zero.
  }];
  let arguments = (ins Arg<TTG_MemDescType, "", [MemWrite<AMDG_SharedMemory>]>:$dest,
      Arg<TT_Ptr, "", [MemRead<AMDG_GlobalMemory>]>:$ptr, AMDG_Offsets:$offsets,
      Optional<AMDG_Mask>:$mask, Optional<TT_NumberTensor>:$other, Optional<I32>:$stride,
      DefaultValuedAttr<TT_CacheModifier, "::gluonc::tt::CacheModifier::NONE">:$cache,
      DefaultValuedAttr<I32Attr, "1">:$contiguity);
  let results = (outs TTG_AsyncTokenType:$token);
  let assemblyFormat = [{
    $ptr `[` $offsets `]` (`mask` `=` $mask^)? (`other` `=` $other^)? (`stride` `=` $stride^)?
    oilist(`cacheModifier` `=` $cache) `into` $dest attr-dict
    `:` type($ptr) `[` type($offsets) `]` type($other) `->` type($dest)
  }];
}

def AMDG_AsyncCopyLocalToGlobalOp : AMDG_Op<"async_copy_local_to_global", [
    OnChip<["getAccesses"]>, SameLayout, Pointwise,
    OptionalTypesMatchWith<"mask type matches dst type", "dst", "mask",
                           "::gluonc::tt::boolTypeLike($_self)">]> {
  let summary = "Starts copying LDS to global memory where the mask is true";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<AMDG_SharedMemory>]>:$src,
      Arg<TT_PtrBlock, "", [MemWrite<AMDG_GlobalMemory>]>:$dst, Optional<TT_BoolLike>:$mask,
      DefaultValuedAttr<TT_CacheModifier, "::gluonc::tt::CacheModifier::NONE">:$cache);
  let results = (outs TTG_AsyncTokenType:$token);
  let assemblyFormat = [{
    $src `,` $dst (`mask` $mask^)? oilist(`cacheModifier` `=` $cache) attr-dict
    `:` qualified(type($src)) `->` type($dst)
  }];
}

#endif
