//===- ScaleOps.td - amdg: conversions with scales, parts of tensors -----------===//
#ifndef GLUONC_IR_AMDG_SCALE_OPS
#define GLUONC_IR_AMDG_SCALE_OPS

//===----------------------------------------------------------------------===//
// Conversions with scales
//===----------------------------------------------------------------------===//
// A scale is a byte, the exponent of a power of two plus 127 (255: no number), or such a power as
// bf16. It belongs to one element, or to a run of neighbours along `axis`.
// `scaled_c1`: types and shapes of input and output go together, packed bytes of two e2m1 numbers
// being half as many along the axis.
// `scaled_c2`: a scale for each run of as many elements along the axis.
// `scaled_c3`: input and output lie in the same threads.
// `scaled_c4`: scales lie in the threads that have the elements.

def AMDG_Scale : RankedTensorOf<[I8, BF16]>;
def AMDG_Wide : RankedTensorOf<[F16, BF16]>;

def AMDG_ScaledUpcastFp4Op : AMDG_Op<"scaled_upcast_fp4", [
    Pure, NoOnChip, LayoutFlow, MixesElements]> {
  let summary = "Two e2m1 numbers from each byte, the low half first, times their scales";
  let arguments = (ins RankedTensorOf<[I8]>:$input, AMDG_Scale:$scale, I32Attr:$axis);
  let results = (outs AMDG_Wide:$output);
  let assemblyFormat = [{
    $input `scale` $scale attr-dict `:` type($input) `,` type($scale) `->` type($output)
  }];
}

def AMDG_ScaledUpcastFp8Op : AMDG_Op<"scaled_upcast_fp8", [Pure, NoOnChip, SameLayout, Pointwise]> {
  let summary = "8-bit floats times their scales, one for each";
  let arguments = (ins RankedTensorOf<[F8E4M3FN, F8E5M2]>:$input, AMDG_Scale:$scale);
  let results = (outs AMDG_Wide:$output);
  let assemblyFormat = [{
    $input `scale` $scale attr-dict `:` type($input) `,` type($scale) `->` type($output)
  }];
}

class AMDG_ScaledDowncastOp<string mnemonic, Type to>
    : AMDG_Op<mnemonic, [Pure, NoOnChip, LayoutFlow, MixesElements]> {
  let arguments = (ins RankedTensorOf<[F16, BF16, F32]>:$input, RankedTensorOf<[I8]>:$scale,
                       I32Attr:$axis);
  let results = (outs to:$output);
  let assemblyFormat = [{
    $input `scale` $scale attr-dict `:` type($input) `,` type($scale) `->` type($output)
  }];
}
def AMDG_ScaledDowncastFp4Op : AMDG_ScaledDowncastOp<"scaled_downcast_fp4", RankedTensorOf<[I8]>> {
  let summary = "Floats divided by their scales as pairs of e2m1 numbers, the first in the low half";
}
def AMDG_ScaledDowncastFp8Op
    : AMDG_ScaledDowncastOp<"scaled_downcast_fp8", RankedTensorOf<[F8E4M3FN, F8E5M2]>> {
  let summary = "Floats divided by their scales as 8-bit floats";
}

//===----------------------------------------------------------------------===//
// Loads that repack
//===----------------------------------------------------------------------===//
// `repack_c1`: bytes, of which the result has half as many along K and twice as many along M or N.
// `repack_c2`: the result is an operand of a product, of two dims or of three.

def AMDG_LocalLoadPackedTransposedOp : AMDG_Op<"local_load_packed_transposed", [
    OnChip<["getAccesses"]>, MixesElements]> {
  let summary = "Reads e2m1 numbers that are packed along M or N as an operand packed along K";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<AMDG_SharedMemory>]>:$src);
  let results = (outs RankedTensorOf<[I8]>:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` type($result)";
}

//===----------------------------------------------------------------------===//
// Parts of tensors
//===----------------------------------------------------------------------===//
// `part_c1`: the part is of the same rank and element type, and lies within the whole.
// `part_c2`: no element changes its thread.

def AMDG_ExtractSliceOp : AMDG_Op<"extract_slice", [Pure, NoOnChip, LayoutFlow, MixesElements]> {
  let summary = "The part of a tensor that begins at `static_offsets`";
  let arguments = (ins TT_Block:$source, DenseI64ArrayAttr:$static_offsets);
  let results = (outs TT_Block:$result);
  let assemblyFormat = "$source $static_offsets attr-dict `:` type($source) `to` type($result)";
}

#endif
