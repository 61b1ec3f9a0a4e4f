//===- TT.td - The tt dialect: types and enumerations ----------------------===//
//
// Scalars, pointers and block tensors, without a word about where their
// elements live. Spelling and numbering are Triton's, so that .ttgir files are
// exchangeable.
//
//===----------------------------------------------------------------------===//
#ifndef GLUONC_IR_TT
#define GLUONC_IR_TT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def TT_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::gluonc::tt";
  let summary = "Block tensors, pointers and the operations on them";
  // Folding makes constants, inlining makes branches, passes make barriers and conversions.
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect",
                           "::gluonc::ttg::TTGDialect", "::gluonc::ttng::TTNGDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def TT_PointerType : TypeDef<TT_Dialect, "Pointer"> {
  let mnemonic = "ptr";
  let summary = "Pointer to a scalar; address space 1 is global memory";
  let parameters = (ins "mlir::Type":$pointeeType, DefaultValuedParameter<"int", "1">:$addressSpace);
  let assemblyFormat = "`<` $pointeeType (`,` $addressSpace^)? `>`";
  let builders = [TypeBuilderWithInferredContext<
      (ins "mlir::Type":$pointeeType, CArg<"int", "1">:$addressSpace),
      [{ return $_get(pointeeType.getContext(), pointeeType, addressSpace); }]>];
}

def TT_TensorDescType : TypeDef<TT_Dialect, "TensorDesc"> {
  let mnemonic = "tensordesc";
  let summary = "Describes a tensor in global memory to the copy engine";
  let description = [{
    `!tt.tensordesc<128x64xf16, #shared>`: copies move blocks of this shape, laid out in
    shared memory by `sharedLayout` (null until it is known). Element types may carry
    signedness, which only reductions look at. The older text with a tensor type inside,
    `!tt.tensordesc<tensor<128x64xf16, #shared>>`, is read too.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "mlir::Type":$elementType,
                        "mlir::Attribute":$sharedLayout);
  let hasCustomAssemblyFormat = 1;
}

def TT_Float : AnyTypeOf<[F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F16, BF16, F32, F64],
                         "floating-point">;
def TT_Int : AnyTypeOf<[I<1>, I<4>, I<8>, I<16>, I<32>, I<64>], "integer">;
def TT_Ptr : DialectType<TT_Dialect, CPred<"::mlir::isa<::gluonc::tt::PointerType>($_self)">,
                         "pointer", "::gluonc::tt::PointerType">;

def TT_FloatBlock : RankedTensorOf<[TT_Float]>;
def TT_IntBlock : RankedTensorOf<[TT_Int]>;
def TT_PtrBlock : RankedTensorOf<[TT_Ptr]>;
def TT_NumberTensor : RankedTensorOf<[TT_Float, TT_Int]>;
def TT_Block : RankedTensorOf<[TT_Float, TT_Int, TT_Ptr]>;

def TT_FloatOrBlock : AnyTypeOf<[TT_Float, TT_FloatBlock]>;
def TT_IntOrBlock : AnyTypeOf<[TT_Int, TT_IntBlock]>;
def TT_BoolLike : AnyTypeOf<[I1, RankedTensorOf<[I1]>]>;
def TT_I64Like : AnyTypeOf<[I64, RankedTensorOf<[I64]>]>;
def TT_PtrOrBlock : AnyTypeOf<[TT_Ptr, TT_PtrBlock]>;
def TT_Type : AnyTypeOf<[TT_Float, TT_Int, TT_Ptr, TT_Block]>;

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

class TT_Enum<string name, list<I32EnumAttrCase> cases> : I32EnumAttr<name, "", cases> {
  let cppNamespace = "::gluonc::tt";
}

def TT_CacheModifier : TT_Enum<"CacheModifier", [
  I32EnumAttrCase<"NONE", 1, "none">, I32EnumAttrCase<"CA", 2, "ca">,
  I32EnumAttrCase<"CG", 3, "cg">, I32EnumAttrCase<"WB", 4, "wb">,
  I32EnumAttrCase<"CS", 5, "cs">, I32EnumAttrCase<"WT", 6, "wt">,
  I32EnumAttrCase<"CV", 7, "cv">]>;

def TT_EvictionPolicy : TT_Enum<"EvictionPolicy", [
  I32EnumAttrCase<"NORMAL", 1, "evict_normal">, I32EnumAttrCase<"EVICT_FIRST", 2, "evict_first">,
  I32EnumAttrCase<"EVICT_LAST", 3, "evict_last">]>;

/// What of a cache line's neighbours leaves the cache first. Only L1 has the last one.
def TT_EvictionPriority : TT_Enum<"EvictionPriority", [
  I32EnumAttrCase<"NORMAL", 1, "evict_normal">, I32EnumAttrCase<"UNCHANGED", 2, "evict_unchanged">,
  I32EnumAttrCase<"FIRST", 3, "evict_first">, I32EnumAttrCase<"LAST", 4, "evict_last">,
  I32EnumAttrCase<"NO_ALLOCATE", 5, "no_allocate">]>;

def TT_MemSemantic : TT_Enum<"MemSemantic", [
  I32EnumAttrCase<"RELAXED", 1, "relaxed">, I32EnumAttrCase<"ACQUIRE", 2, "acquire">,
  I32EnumAttrCase<"RELEASE", 3, "release">, I32EnumAttrCase<"ACQUIRE_RELEASE", 4, "acq_rel">]>;

def TT_MemSyncScope : TT_Enum<"MemSyncScope", [
  I32EnumAttrCase<"GPU", 1, "gpu">, I32EnumAttrCase<"CTA", 2, "cta">,
  I32EnumAttrCase<"SYSTEM", 3, "sys">]>;

def TT_RMWOp : TT_Enum<"RMWOp", [
  I32EnumAttrCase<"AND", 1, "and">, I32EnumAttrCase<"OR", 2, "or">,
  I32EnumAttrCase<"XOR", 3, "xor">, I32EnumAttrCase<"ADD", 4, "add">,
  I32EnumAttrCase<"FADD", 5, "fadd">, I32EnumAttrCase<"MAX", 6, "max">,
  I32EnumAttrCase<"MIN", 7, "min">, I32EnumAttrCase<"UMAX", 8, "umax">,
  I32EnumAttrCase<"UMIN", 9, "umin">, I32EnumAttrCase<"XCHG", 10, "exch">]>;

def TT_ProgramIDDim : TT_Enum<"ProgramIDDim", [
  I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">, I32EnumAttrCase<"Z", 2, "z">]>;

def TT_RoundingMode : TT_Enum<"RoundingMode", [
  I32EnumAttrCase<"RTZ", 0, "rtz">, I32EnumAttrCase<"RTNE", 1, "rtne">]>;

def TT_ScaleDotElemType : TT_Enum<"ScaleDotElemType", [
  I32EnumAttrCase<"E4M3", 0, "e4m3">, I32EnumAttrCase<"E5M2", 1, "e5m2">,
  I32EnumAttrCase<"E2M3", 2, "e2m3">, I32EnumAttrCase<"E3M2", 3, "e3m2">,
  I32EnumAttrCase<"E2M1", 4, "e2m1">, I32EnumAttrCase<"BF16", 5, "bf16">,
  I32EnumAttrCase<"FP16", 6, "fp16">]>;

def TT_PropagateNan : TT_Enum<"PropagateNan", [
  I32EnumAttrCase<"NONE", 0, "none">, I32EnumAttrCase<"ALL", 65535, "all">]>;

/// What a copy delivers for elements outside of the tensor.
def TT_PaddingOption : TT_Enum<"PaddingOption", [
  I32EnumAttrCase<"PAD_ZERO", 1, "zero">, I32EnumAttrCase<"PAD_NAN", 2, "nan">]>;

def TT_DescriptorReduceKind : TT_Enum<"DescriptorReduceKind", [
  I32EnumAttrCase<"ADD", 1, "add">, I32EnumAttrCase<"MIN", 2, "min">,
  I32EnumAttrCase<"MAX", 3, "max">, I32EnumAttrCase<"INC", 4, "inc">,
  I32EnumAttrCase<"DEC", 5, "dec">, I32EnumAttrCase<"AND", 6, "and">,
  I32EnumAttrCase<"OR", 7, "or">, I32EnumAttrCase<"XOR", 8, "xor">]>;

def TT_InputPrecision : TT_Enum<"InputPrecision", [
  I32EnumAttrCase<"TF32", 0, "tf32">, I32EnumAttrCase<"TF32x3", 1, "tf32x3">,
  I32EnumAttrCase<"IEEE", 2, "ieee">, I32EnumAttrCase<"BF16x3", 3, "bf16x3">,
  I32EnumAttrCase<"BF16x6", 4, "bf16x6">]>;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def TT_CachePolicyAttr : AttrDef<TT_Dialect, "CachePolicy"> {
  let mnemonic = "cache_policy";
  let summary = "A cache modifier and an eviction policy, as text from Triton 3.9 on has them";
  let parameters = (ins EnumParameter<TT_CacheModifier>:$cache_modifier,
                        EnumParameter<TT_EvictionPolicy>:$eviction_policy);
  let assemblyFormat = "`<` struct(params) `>`";
}

/// This one or the ttng dialect's, which says more; in place of `cacheModifier` and
/// `evictionPolicy`. See ir/tt/CachePolicy.h.
def TT_AnyCachePolicy : Attr<CPred<"::gluonc::tt::isCachePolicy($_self)">, "a cache policy"> {
  let storageType = "::mlir::Attribute";
  let returnType = "::mlir::Attribute";
  let convertFromStorage = "$_self";
}

#endif
