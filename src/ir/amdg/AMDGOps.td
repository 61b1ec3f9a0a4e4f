//===- AMDGOps.td - The operations of the amdg dialect -----------------------===//
//
// Constraints carry labels (`buffer_c1`); VerifyAmd.cpp cites them, and
// test/ir/amdg-invalid.ttgir has one rejected program per label.
//
//===----------------------------------------------------------------------===//
#ifndef GLUONC_IR_AMDG_OPS
#define GLUONC_IR_AMDG_OPS

include "ir/amdg/AMDG.td"
include "ir/interfaces/Interfaces.td"
include "ir/tt/TT.td"
include "ir/ttg/TTG.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def AMDG_GlobalMemory : Resource<"::gluonc::tt::GlobalMemory">;
def AMDG_SharedMemory : Resource<"::gluonc::ttg::SharedMemory">;

class AMDG_Op<string mnemonic, list<Trait> traits = []> : Op<AMDG_Dialect, mnemonic, traits> {
  let hasVerifier = 1;
}

def AMDG_Offsets : RankedTensorOf<[I32]>;
def AMDG_Mask : RankedTensorOf<[I1]>;

//===----------------------------------------------------------------------===//
// Buffers: global memory by a base and offsets
//===----------------------------------------------------------------------===//
// Offsets count elements; as bytes they are unsigned numbers of 32 bits. What begins or ends behind
// the 2 GiB that a buffer has reads as zero and is not written, whatever the mask says.
// `buffer_c1`: offsets, mask, other and values agree in shape and encoding.
// `buffer_c2`: elements are whole bytes.

/// The pointer, the offsets and the mask that go with elements of `values`.
class AMDG_BufferTypes<string values> {
  list<Trait> traits = [
    TypesMatchWith<"ptr points to the elements", values, "ptr",
                   "::gluonc::amdg::bufferPointer($_self)">,
    TypesMatchWith<"offsets are i32 in the shape and encoding of the elements", values, "offsets",
                   "::gluonc::amdg::bufferOffsets($_self)">,
    OptionalTypesMatchWith<"mask is i1 in the shape and encoding of the elements", values, "mask",
                           "::gluonc::tt::boolTypeLike($_self)">];
}

class AMDG_BufferOp<string mnemonic, string values, list<Trait> traits = []>
    : AMDG_Op<mnemonic, !listconcat([NoOnChip, SameLayout, Pointwise, AttrSizedOperandSegments],
                                    AMDG_BufferTypes<values>.traits, traits)>;

def AMDG_BufferLoadOp : AMDG_BufferOp<"buffer_load", "result", [
    OptionalTypesMatchWith<"other has the result's type", "result", "other", "$_self">]> {
  let summary = "Reads a buffer; elements whose mask is false are `other`, or zero";
  let description = "`buffer_load_c1`: other needs a mask.";
  let arguments = (ins Arg<TT_Ptr, "", [MemRead<AMDG_GlobalMemory>]>:$ptr, AMDG_Offsets:$offsets,
      Optional<I32>:$stride,
      DefaultValuedAttr<TT_CacheModifier, "::gluonc::tt::CacheModifier::NONE">:$cache,
      Optional<AMDG_Mask>:$mask, Optional<TT_NumberTensor>:$other,
      DefaultValuedAttr<I32Attr, "1">:$contiguity);
  let results = (outs TT_NumberTensor:$result);
  let assemblyFormat = [{
    $ptr `[` $offsets `]` (`,` $mask^)? (`,` $other^)? oilist(`cacheModifier` `=` $cache)
    (`stride` `=` $stride^)? attr-dict `:` type($result)
  }];
}

def AMDG_BufferStoreOp : AMDG_BufferOp<"buffer_store", "value"> {
  let summary = "Writes a buffer where the mask is true";
  let arguments = (ins TT_NumberTensor:$value, Arg<TT_Ptr, "", [MemWrite<AMDG_GlobalMemory>]>:$ptr,
      AMDG_Offsets:$offsets, Optional<I32>:$stride,
      DefaultValuedAttr<TT_CacheModifier, "::gluonc::tt::CacheModifier::NONE">:$cache,
      Optional<AMDG_Mask>:$mask, DefaultValuedAttr<I32Attr, "1">:$contiguity);
  let assemblyFormat = [{
    $value `,` $ptr `[` $offsets `]` (`,` $mask^)? oilist(`cacheModifier` `=` $cache)
    (`stride` `=` $stride^)? attr-dict `:` type($value)
  }];
}

def AMDG_BufferAtomicRMWOp : AMDG_BufferOp<"buffer_atomic_rmw", "result", [
    AllTypesMatch<["value", "result"]>]> {
  let summary = "Atomic read-modify-write of a buffer; gives the old value, zero where it did nothing";
  let description = [{
    `buffer_atomic_c1`: fadd is for floats, add and the bitwise and unsigned kinds for integers.
    `buffer_atomic_c2`: elements have 32 or 64 bits, those of fadd 16 or more.
  }];
  let arguments = (ins TT_RMWOp:$atomic_rmw_op,
      Arg<TT_Ptr, "", [MemRead<AMDG_GlobalMemory>, MemWrite<AMDG_GlobalMemory>]>:$ptr,
      AMDG_Offsets:$offsets, TT_NumberTensor:$value, Optional<I32>:$stride, TT_MemSemantic:$sem,
      TT_MemSyncScope:$scope, Optional<AMDG_Mask>:$mask);
  let results = (outs TT_NumberTensor:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $value `,` $ptr `[` $offsets `]` (`,` $mask^)?
    (`stride` `=` $stride^)? attr-dict `:` type($result)
  }];
}

include "ir/amdg/AsyncCopyOps.td"
include "ir/amdg/LdsBarrierOps.td"
include "ir/amdg/ScaleOps.td"
include "ir/amdg/TensorMoverOps.td"

#endif
