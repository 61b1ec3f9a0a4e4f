//===- DotScaled.td - Products whose operands have scales ---------------------===//
//
// An operation of the dialect tt with a header of its own (DotScaled.h): few files
// need it.
//
//===----------------------------------------------------------------------===//
#ifndef GLUONC_IR_TT_DOT_SCALED
#define GLUONC_IR_TT_DOT_SCALED

include "ir/interfaces/Interfaces.td"
include "ir/tt/TT.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TT_DotScaledOp : Op<TT_Dialect, "dot_scaled", [
    Pure, NoOnChip, LayoutFlow, ElementFlow, AttrSizedOperandSegments, AllTypesMatch<["c", "d"]>]> {
  let summary = "a * b + c, where blocks of a and b along K have a scale each";
  let description = [{
    Elements of the formats e2m1 lie in pairs in bytes: along K where `lhs_k_pack` (`rhs_k_pack`) is
    true, along M (N) else. Scales are [M, K / block] and [N, K / block]: bytes that are exponents
    plus 127, or 8-bit floats. An operand without scales is taken as it is. All may have a dim
    in front, of which each has a product of its own.
    `dot_scaled_c1`: shapes are those of a product. `dot_scaled_c2`: operands have the element type of
    their format, e4m3, e5m2 or e2m1; the sum is f32. `dot_scaled_c3`: scales are of blocks of 16 or
    32 elements, the same for both operands. `dot_scaled_c4`: everything is packed along K.
  }];
  let arguments = (ins TT_NumberTensor:$a, TT_NumberTensor:$b, TT_FloatBlock:$c,
      Optional<RankedTensorOf<[I8, F8E4M3FN]>>:$a_scale,
      Optional<RankedTensorOf<[I8, F8E4M3FN]>>:$b_scale,
      TT_ScaleDotElemType:$a_elem_type, TT_ScaleDotElemType:$b_elem_type, BoolAttr:$fastMath,
      DefaultValuedAttr<BoolAttr, "true">:$lhs_k_pack,
      DefaultValuedAttr<BoolAttr, "true">:$rhs_k_pack);
  let results = (outs TT_FloatBlock:$d);
  let assemblyFormat = [{
    $a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c `lhs` `=` $a_elem_type `rhs` `=`
    $b_elem_type attr-dict `:` type($a) (`,` type($a_scale)^)? `*` type($b)
    (`,` type($b_scale)^)? `->` type($d)
  }];
  let extraClassDeclaration = [{
    /// Elements along K, and those that share a scale (32 without scales).
    int64_t getDepth();
    int64_t getScaleBlock();
  }];
  let hasVerifier = 1;
}

#endif
