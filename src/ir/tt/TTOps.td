//===- TTOps.td - The operations of the tt dialect -------------------------===//
//
// Constraints carry labels (`load_c1`); the verifier cites them in comments and
// test/ir/*-invalid.ttgir has one rejected program per label. Rules that hold
// for every operation are checked once per tt.func (see TensorRules.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef GLUONC_IR_TT_OPS
#define GLUONC_IR_TT_OPS

include "ir/interfaces/Interfaces.td"
include "ir/tt/TT.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TT_GlobalMemory : Resource<"::gluonc::tt::GlobalMemory">;

class TT_Op<string mnemonic, list<Trait> traits = []> : Op<TT_Dialect, mnemonic, traits>;

/// One value in, one value per element out: shape and encoding carry over.
class TT_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : TT_Op<mnemonic, !listconcat([Pure, NoOnChip, SameLayout, Pointwise], traits)> {
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

def TT_FuncOp : TT_Op<"func", [AffineScope, AutomaticAllocationScope, IsolatedFromAbove,
                               FunctionOpInterface, NoOnChip]> {
  let summary = "A kernel (public) or device function";
  let description = [{
    `noinline = true` keeps calls. Every tensor inside obeys `tensor_c1` to `tensor_c3`,
    every buffer `memdesc_c1` to `memdesc_c3`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let builders = [OpBuilder<(ins "llvm::StringRef":$name, "mlir::FunctionType":$type,
      CArg<"llvm::ArrayRef<mlir::NamedAttribute>", "{}">:$attrs,
      CArg<"llvm::ArrayRef<mlir::DictionaryAttr>", "{}">:$argAttrs)>];
  let extraClassDeclaration = [{
    mlir::Region *getCallableRegion() { return isExternal() ? nullptr : &getBody(); }
    llvm::ArrayRef<mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    llvm::ArrayRef<mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    bool isNoInline();
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TT_ReturnOp : TT_Op<"return", [
    Pure, NoOnChip, Pointwise, HasParent<"FuncOp">, ReturnLike, Terminator]> {
  let summary = "Ends a function";
  let description = "`return_c1`: operand types are the function's result types.";
  let arguments = (ins Variadic<AnyType>:$srcs);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($srcs^ `:` type($srcs))?";
  let hasVerifier = 1;
}

/// Says nothing of memories on the chip: what is called may do anything.
def TT_CallOp : TT_Op<"call", [
    Pointwise, CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a device function";
  let description = "`call_c1`: the callee is a tt.func. `call_c2`: its type is the call's.";
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<AnyType>);
  let builders = [OpBuilder<(ins "FuncOp":$callee, CArg<"mlir::ValueRange", "{}">:$operands)>];
  let assemblyFormat = "$callee `(` $operands `)` attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    operand_range getArgOperands() { return getOperands(); }
    mlir::MutableOperandRange getArgOperandsMutable() { return getOperandsMutable(); }
    mlir::CallInterfaceCallable getCallableForCallee() { return getCalleeAttr(); }
    void setCalleeFromCallable(mlir::CallInterfaceCallable callee) {
      auto symbol = llvm::cast<mlir::SymbolRefAttr>(callee);
      setCalleeAttr(llvm::cast<mlir::FlatSymbolRefAttr>(symbol));
    }
  }];
}

//===----------------------------------------------------------------------===//
// Program and ranges
//===----------------------------------------------------------------------===//

class TT_ProgramOp<string mnemonic> : TT_Op<mnemonic, [Pure, NoOnChip]> {
  let arguments = (ins TT_ProgramIDDim:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}
def TT_GetProgramIdOp : TT_ProgramOp<"get_program_id">;
def TT_GetNumProgramsOp : TT_ProgramOp<"get_num_programs">;

def TT_MakeRangeOp : TT_Op<"make_range", [Pure, NoOnChip, Pointwise]> {
  let summary = "start, start + 1, …, end - 1";
  let description = [{
    `make_range_c1`: the result has one dimension of 32-bit integers.
    `make_range_c2`: its size is end - start, which is positive.
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs TT_IntBlock:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

def TT_SplatOp : TT_Op<"splat", [Pure, NoOnChip, Pointwise]> {
  let summary = "Every element is the scalar";
  let description = "`splat_c1`: the scalar has the tensor's element type.";
  let arguments = (ins AnyTypeOf<[TT_Float, TT_Int, TT_Ptr]>:$src);
  let results = (outs TT_Block:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TT_UnsplatOp : TT_Op<"unsplat", [Pure, NoOnChip, Pointwise,
    TypesMatchWith<"result is the element type", "src", "result",
                   "llvm::cast<mlir::RankedTensorType>($_self).getElementType()">]> {
  let summary = "The one element of a tensor";
  let description = "`unsplat_c1`: the tensor has exactly one element.";
  let arguments = (ins TT_Block:$src);
  let results = (outs TT_Type:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
  let hasVerifier = 1;
}

def TT_ExpandDimsOp : TT_Op<"expand_dims", [Pure, NoOnChip, LayoutFlow, ElementFlow]> {
  let summary = "Inserts a dimension of size 1";
  let description = [{
    `expand_dims_c1`: axis is at most the rank; the result's shape has a 1 there.
    `expand_dims_c2`: the source holds its elements where a slice of the result's
    layout along `axis` holds them.
  }];
  let arguments = (ins TT_Block:$src, I32Attr:$axis);
  let results = (outs TT_Block:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

def TT_BroadcastOp : TT_Op<"broadcast", [Pure, NoOnChip, SameLayout, ElementFlow]> {
  let summary = "Repeats along dimensions of size 1";
  let description = [{
    `broadcast_c1`: same rank; sizes are equal or the source's is 1.
    `broadcast_c2`: same encoding. `broadcast_c3`: same element type.
  }];
  let arguments = (ins TT_Block:$src);
  let results = (outs TT_Block:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

def TT_ReshapeOp : TT_Op<"reshape", [Pure, NoOnChip, LayoutFlow, ElementFlow]> {
  let summary = "The same elements, row-major, under another shape";
  let description = [{
    `reshape_c1`: same number of elements and element type.
    `reshape_c2`: without allow_reorder, no element changes its register, lane, warp or CTA.
  }];
  let arguments = (ins TT_Block:$src, UnitAttr:$allow_reorder, UnitAttr:$efficient_layout);
  let results = (outs TT_Block:$result);
  let assemblyFormat = [{
    $src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)? attr-dict
    `:` type($src) `->` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TT_TransOp : TT_Op<"trans", [Pure, NoOnChip, LayoutFlow, ElementFlow]> {
  let summary = "Permutes dimensions: result dim i is source dim order[i]";
  let description = [{
    `trans_c1`: order is a permutation of the dimensions. `trans_c2`: the result's
    shape is the permuted one, element types are equal. `trans_c3`: no element moves.
  }];
  let arguments = (ins TT_Block:$src, DenseI32ArrayAttr:$order);
  let results = (outs TT_Block:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TT_JoinOp : TT_Op<"join", [
    Pure, NoOnChip, LayoutFlow, ElementFlow, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "Stacks two tensors along a new last dimension of size 2";
  let description = [{
    `join_c1`: the result's shape is the operands' with a 2 appended, element types are
    equal. `join_c2`: both halves of the pair lie in the thread that held the operands.
  }];
  let arguments = (ins TT_Block:$lhs, TT_Block:$rhs);
  let results = (outs TT_Block:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def TT_SplitOp : TT_Op<"split", [Pure, NoOnChip, LayoutFlow, ElementFlow,
    TypesMatchWith<"both results have one type", "outLHS", "outRHS", "$_self">]> {
  let summary = "Undoes join";
  let description = "`split_c1`, `split_c2`: as `join_c1`, `join_c2` with the sides exchanged.";
  let arguments = (ins TT_Block:$src);
  let results = (outs TT_Block:$outLHS, TT_Block:$outRHS);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($outLHS)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//
// `elementwise_c1`: operands and result agree in shape and encoding.

class TT_CastOp<string mnemonic, Type from, Type to> : TT_ElementwiseOp<mnemonic> {
  let arguments = (ins from:$src);
  let results = (outs to:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}
def TT_IntToPtrOp : TT_CastOp<"int_to_ptr", TT_I64Like, TT_PtrOrBlock> { let hasFolder = 1; }
def TT_PtrToIntOp : TT_CastOp<"ptr_to_int", TT_PtrOrBlock, TT_I64Like> { let hasFolder = 1; }
def TT_BitcastOp : TT_CastOp<"bitcast", TT_Type, TT_Type> {
  let description = "`bitcast_c1`: elements have equal widths; pointers only to pointers.";
  let hasFolder = 1;
}

def TT_FpToFpOp : TT_ElementwiseOp<"fp_to_fp"> {
  let summary = "Floating-point conversion with a rounding mode";
  let description = "`fp_to_fp_c1`: a narrowing conversion names its rounding.";
  let arguments = (ins TT_FloatOrBlock:$src, OptionalAttr<TT_RoundingMode>:$rounding);
  let results = (outs TT_FloatOrBlock:$result);
  let assemblyFormat = [{
    $src attr-dict (`,` `rounding` `=` $rounding^)? `:` type($src) `->` type($result)
  }];
}

def TT_ClampFOp : TT_ElementwiseOp<"clampf", [SameOperandsAndResultType]> {
  let arguments = (ins TT_FloatOrBlock:$x, TT_FloatOrBlock:$min, TT_FloatOrBlock:$max,
                       TT_PropagateNan:$propagateNan);
  let results = (outs TT_FloatOrBlock:$result);
  let assemblyFormat = [{
    $x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict `:` type($result)
  }];
}

def TT_PreciseSqrtOp : TT_ElementwiseOp<"precise_sqrt", [SameOperandsAndResultType]> {
  let arguments = (ins TT_FloatOrBlock:$x);
  let results = (outs TT_FloatOrBlock:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

class TT_BinaryOp<string mnemonic, Type type>
    : TT_ElementwiseOp<mnemonic, [SameOperandsAndResultType]> {
  let arguments = (ins type:$x, type:$y);
  let results = (outs type:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}
def TT_PreciseDivFOp : TT_BinaryOp<"precise_divf", TT_FloatOrBlock>;
def TT_MulhiUIOp : TT_BinaryOp<"mulhiui", TT_IntOrBlock>;

def TT_AddPtrOp : TT_ElementwiseOp<"addptr", [AllTypesMatch<["ptr", "result"]>]> {
  let summary = "Moves a pointer by a number of elements";
  let description = "`addptr_c1`: pointers and offsets agree in shape and encoding.";
  let arguments = (ins TT_PtrOrBlock:$ptr, TT_IntOrBlock:$offset);
  let results = (outs TT_PtrOrBlock:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
  let hasFolder = 1;
}

def TT_ExternElementwiseOp : TT_Op<"extern_elementwise", [
    NoOnChip, SameLayout, Pointwise, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    ConditionallySpeculatable]> {
  let summary = "Calls a function of a bitcode library per element";
  let arguments = (ins Variadic<TT_Type>:$srcs, StrAttr:$libname, StrAttr:$libpath,
                       StrAttr:$symbol, BoolAttr:$pure);
  let results = (outs TT_Type:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = "mlir::Speculation::Speculatability getSpeculatability();";
  let hasVerifier = 1;
}

def TT_ElementwiseInlineAsmOp : TT_Op<"elementwise_inline_asm", [
    NoOnChip, SameLayout, Pointwise, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    ConditionallySpeculatable]> {
  let summary = "Inline PTX on groups of packed_element elements";
  let description = [{
    `inline_asm_c1`: all tensors agree in shape and encoding.
    `inline_asm_c2`: packed_element is positive and divides the registers of a thread.
    `inline_asm_c3`: the constraints and the text fit results and operands.
  }];
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure,
                       I32Attr:$packed_element, Variadic<TT_Type>:$args);
  let results = (outs Variadic<TT_Type>:$result);
  let assemblyFormat = "$asm_string attr-dict ($args^ `:` type($args))? `->` type($result)";
  let extraClassDeclaration = "mlir::Speculation::Speculatability getSpeculatability();";
  let hasVerifier = 1;
}

def TT_MapElementwiseOp : TT_Op<"map_elementwise", [
    NoOnChip, SameLayout, Pointwise, RecursiveMemoryEffects]> {
  let summary = "Runs scalar code on groups of `pack` elements";
  let description = [{
    `map_elementwise_c1`: all tensors agree in shape and encoding.
    `map_elementwise_c2`: pack is positive and divides the registers of a thread.
    `map_elementwise_c3`: the region takes `pack` scalars of each operand, those of the first
    operand first, and returns as many of each result.
  }];
  let arguments = (ins Variadic<TT_Block>:$srcs, I32Attr:$pack);
  let results = (outs Variadic<TT_Block>:$result);
  let regions = (region AnyRegion:$scalarOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}
def TT_MapElementwiseReturnOp : TT_Op<"map_elementwise.return", [
    HasParent<"MapElementwiseOp">, Pure, NoOnChip, Terminator, ReturnLike]> {
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "attr-dict ($result^ `:` type($result))?";
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

def TT_LoadOp : TT_Op<"load", [
    NoOnChip, SameLayout, Pointwise, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TypesMatchWith<"result type matches ptr type", "ptr", "result",
                   "::gluonc::tt::pointeeTypeOf($_self)">,
    OptionalTypesMatchWith<"mask type matches ptr type", "ptr", "mask",
                           "::gluonc::tt::boolTypeLike($_self)">,
    OptionalTypesMatchWith<"other type matches ptr type", "ptr", "other",
                           "::gluonc::tt::pointeeTypeOf($_self)">]> {
  let summary = "Reads global memory; elements whose mask is false are `other`";
  let description = [{
    `load_c1`, `load_c2`, `load_c3`: result, mask and other have the pointer's shape and
    encoding; `load_c4`: other needs a mask.
    `cache_policy_c1`, for every operation that has one: it stands alone, and says nothing that
    such an access does not have.
  }];
  let arguments = (ins TT_PtrOrBlock:$ptr, Optional<TT_BoolLike>:$mask, Optional<TT_Type>:$other,
      DefaultValuedAttr<TT_CacheModifier, "::gluonc::tt::CacheModifier::NONE">:$cache,
      DefaultValuedAttr<TT_EvictionPolicy, "::gluonc::tt::EvictionPolicy::NORMAL">:$evict,
      DefaultValuedAttr<BoolAttr, "false">:$isVolatile,
      OptionalAttr<TT_AnyCachePolicy>:$cachePolicy);
  let results = (outs TT_Type:$result);
  let builders = [
    OpBuilder<(ins "mlir::Value":$ptr, CArg<"CacheModifier", "CacheModifier::NONE">:$cache,
                   CArg<"EvictionPolicy", "EvictionPolicy::NORMAL">:$evict,
                   CArg<"bool", "false">:$isVolatile)>];
  let assemblyFormat = [{
    $ptr (`,` $mask^)? (`,` $other^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict `:` type($ptr)
  }];
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

def TT_StoreOp : TT_Op<"store", [
    NoOnChip, SameLayout, Pointwise,
    TypesMatchWith<"value has the type that the pointer points to", "ptr", "value",
                   "::gluonc::tt::pointeeTypeOf($_self)">,
    OptionalTypesMatchWith<"mask type matches ptr type", "ptr", "mask",
                           "::gluonc::tt::boolTypeLike($_self)">]> {
  let summary = "Writes global memory where the mask is true";
  let description = [{
    `store_c1`, `store_c2`: value and mask have the pointer's shape and encoding.
    `ignore_cta` lets every CTA of a cluster write, also those holding copies.
  }];
  let arguments = (ins Arg<TT_PtrOrBlock, "", [MemWrite<TT_GlobalMemory>]>:$ptr, TT_Type:$value,
      Optional<TT_BoolLike>:$mask,
      DefaultValuedAttr<TT_CacheModifier, "::gluonc::tt::CacheModifier::NONE">:$cache,
      DefaultValuedAttr<TT_EvictionPolicy, "::gluonc::tt::EvictionPolicy::NORMAL">:$evict,
      UnitAttr:$ignore_cta, OptionalAttr<TT_AnyCachePolicy>:$cachePolicy);
  let builders = [
    OpBuilder<(ins "mlir::Value":$ptr, "mlir::Value":$value,
                   CArg<"CacheModifier", "CacheModifier::NONE">:$cache,
                   CArg<"EvictionPolicy", "EvictionPolicy::NORMAL">:$evict)>];
  let assemblyFormat = [{
    $ptr `,` $value (`,` $mask^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict `:` type($ptr)
  }];
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

def TT_AtomicRMWOp : TT_Op<"atomic_rmw", [
    OnChip<["getScratch"]>, SameLayout, Pointwise,
    AllTypesMatch<["val", "result"]>,
    TypesMatchWith<"value has the type that the pointer points to", "ptr", "val",
                   "::gluonc::tt::pointeeTypeOf($_self)">,
    OptionalTypesMatchWith<"mask type matches ptr type", "ptr", "mask",
                           "::gluonc::tt::boolTypeLike($_self)">]> {
  let summary = "Atomic read-modify-write; gives the old value";
  let description = [{
    `atomic_rmw_c1`, `atomic_rmw_c2`: value and mask follow the pointer.
    `atomic_rmw_c3`: fadd on floats only; the bitwise, add and unsigned kinds on integers only.
  }];
  let arguments = (ins TT_RMWOp:$atomic_rmw_op,
      Arg<TT_PtrOrBlock, "", [MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>:$ptr,
      TT_Type:$val, Optional<TT_BoolLike>:$mask, TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs TT_Type:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict `:`
    functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_AtomicCASOp : TT_Op<"atomic_cas", [
    OnChip<["getScratch"]>, SameLayout, Pointwise,
    AllTypesMatch<["cmp", "val", "result"]>,
    TypesMatchWith<"value has the type that the pointer points to", "ptr", "val",
                   "::gluonc::tt::pointeeTypeOf($_self)">]> {
  let summary = "Atomic compare-and-swap; gives the old value";
  let description = "`atomic_cas_c1`: compared and new value follow the pointer.";
  let arguments = (ins
      Arg<TT_PtrOrBlock, "", [MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>:$ptr,
      TT_Type:$cmp, TT_Type:$val, TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs TT_Type:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict `:` functional-type(operands, $result)
  }];
}

def TT_AtomicLoadOp : TT_Op<"atomic_load", [
    OnChip<["getScratch"]>, SameLayout, Pointwise,
    TypesMatchWith<"result has the type that the pointer points to", "ptr", "result",
                   "::gluonc::tt::pointeeTypeOf($_self)">,
    OptionalTypesMatchWith<"mask type matches ptr type", "ptr", "mask",
                           "::gluonc::tt::boolTypeLike($_self)">]> {
  let summary = "Reads global memory in order with other threads; zero where the mask is false";
  let description = [{
    `atomic_load_c1`: integers or floats. `atomic_load_c2`: relaxed or acquire. Keeps its place
    among other accesses, hence the write.
  }];
  let arguments = (ins
      Arg<TT_PtrOrBlock, "", [MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>:$ptr,
      Optional<TT_BoolLike>:$mask, TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs TT_Type:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr (`,` $mask^)? attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_AtomicStoreOp : TT_Op<"atomic_store", [
    NoOnChip, SameLayout, Pointwise,
    TypesMatchWith<"value has the type that the pointer points to", "ptr", "value",
                   "::gluonc::tt::pointeeTypeOf($_self)">,
    OptionalTypesMatchWith<"mask type matches ptr type", "ptr", "mask",
                           "::gluonc::tt::boolTypeLike($_self)">]> {
  let summary = "Writes global memory in order with other threads where the mask is true";
  let description = "`atomic_store_c1`: integers or floats. `atomic_store_c2`: relaxed or release.";
  let arguments = (ins Arg<TT_PtrOrBlock, "", [MemWrite<TT_GlobalMemory>]>:$ptr, TT_Type:$value,
      Optional<TT_BoolLike>:$mask, TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $value (`,` $mask^)? attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
}

def TT_AtomicPollOp : TT_Op<"atomic_poll", [
    OnChip<["getScratch"]>,
    TypesMatchWith<"pointer points to the expected type", "ptr", "expected",
                   "::gluonc::tt::pointeeTypeOf($_self)">]> {
  let summary = "Waits until memory holds a value; false where `timeout` nanoseconds passed first";
  let description = [{
    One thread polls, all wait for it. `atomic_poll_c1`: an integer of 16, 32 or 64 bits.
    `atomic_poll_c2`: relaxed or acquire.
  }];
  let arguments = (ins
      Arg<TT_Ptr, "", [MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>:$ptr,
      TT_Int:$expected, Optional<I64>:$timeout, TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $expected (`timeout` $timeout^)? attr-dict `:`
    qualified(type($ptr)) `,` type($expected) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Across elements
//===----------------------------------------------------------------------===//

class TT_CombineOp<string mnemonic, Trait layouts> : TT_Op<mnemonic, [
    OnChip<["getScratch"]>, layouts, ElementFlow, RecursiveMemoryEffects,
    RecursivelySpeculatable, SingleBlock]> {
  let regions = (region SizedRegion<1>:$combineOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

class TT_CombineReturnOp<string mnemonic, string parent>
    : TT_Op<mnemonic, [HasParent<parent>, Pure, NoOnChip, Terminator, ReturnLike]> {
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_ReduceOp : TT_CombineOp<"reduce", LayoutFlow> {
  let summary = "Combines all elements along an axis";
  let description = [{
    `reduce_c1`: sources agree in shape and encoding; axis is below the rank.
    `reduce_c2`: each result has the source's element type and its shape without the axis.
    `reduce_c3`: its encoding is the slice of the source's along the axis.
    `reduce_c4`: the region takes two scalars per source and returns one.
  }];
  let arguments = (ins Variadic<TT_Block>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<TT_Type>:$result);
}
def TT_ReduceReturnOp : TT_CombineReturnOp<"reduce.return", "ReduceOp">;

def TT_ScanOp : TT_CombineOp<"scan", SameLayout> {
  let summary = "Running combination along an axis";
  let description = [{
    `scan_c1`: as `reduce_c1`. `scan_c2`: result types are the source types.
    `scan_c3`: as `reduce_c4`.
  }];
  let arguments = (ins Variadic<TT_Block>:$srcs, I32Attr:$axis, BoolAttr:$reverse);
  let results = (outs Variadic<TT_Block>:$result);
}
def TT_ScanReturnOp : TT_CombineReturnOp<"scan.return", "ScanOp">;

def TT_GatherOp : TT_Op<"gather", [
    Pure, OnChip<["getScratch"]>, LayoutFlow, MixesElements]> {
  let summary = "result[i, j] = src[indices[i, j], j] (for axis 0)";
  let description = [{
    `gather_c1`: result and indices agree in shape and encoding, result and source in
    element type. `gather_c2`: ranks are equal, sizes too except along the axis.
  }];
  let arguments = (ins TT_Block:$src, TT_IntBlock:$indices, I32Attr:$axis,
                       UnitAttr:$efficient_layout);
  let results = (outs TT_Block:$result);
  let assemblyFormat = "$src `[` $indices `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def TT_HistogramOp : TT_Op<"histogram", [
    Pure, OnChip<["getScratch"]>, OwnLayouts, MixesElements,
    OptionalTypesMatchWith<"mask type matches src type", "src", "mask",
                           "::gluonc::tt::boolTypeLike($_self)">]> {
  let summary = "Counts how often each bin number occurs";
  let description = "`histogram_c1`: source and result have one dimension.";
  let arguments = (ins TT_IntBlock:$src, Optional<TT_BoolLike>:$mask);
  let results = (outs TT_IntBlock:$result);
  let assemblyFormat = "$src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def TT_DotOp : TT_Op<"dot", [
    Pure, NoOnChip, LayoutFlow, ElementFlow, AllTypesMatch<["c", "d"]>]> {
  let summary = "a * b + c";
  let description = "`dot_c1`: shapes are [.., M, K], [.., K, N] and [.., M, N].";
  let arguments = (ins TT_NumberTensor:$a, TT_NumberTensor:$b, TT_NumberTensor:$c,
      DefaultValuedAttr<TT_InputPrecision, "::gluonc::tt::InputPrecision::IEEE">:$inputPrecision,
      DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc);
  let results = (outs TT_NumberTensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict `:`
    type($a) `*` type($b) `->` type($d)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Tensor descriptors
//===----------------------------------------------------------------------===//

def TT_MakeTensorDescOp
    : TT_Op<"make_tensor_descriptor", [Pure, NoOnChip, SameVariadicOperandSize]> {
  let summary = "A descriptor of the tensor at `base`, made by the running kernel";
  let description = [{
    `make_tensor_descriptor_c1`: one size and one stride per dim of the block, 1 to 5 of them.
    `make_tensor_descriptor_c2`: the pointer's element type is the descriptor's.
    `make_tensor_descriptor_c3`: NaN pads floats only.
  }];
  let arguments = (ins TT_Ptr:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
      DefaultValuedAttr<TT_PaddingOption, "::gluonc::tt::PaddingOption::PAD_ZERO">:$padding);
  let results = (outs TT_TensorDescType:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` type($base) `,` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Diagnostics of the running kernel
//===----------------------------------------------------------------------===//

def TT_PrintOp : TT_Op<"print", [
    NoOnChip, OwnLayouts, Pointwise, MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "Prints a prefix and values from the device";
  let description = "`print_c1`: one isSigned flag per value.";
  let arguments = (ins StrAttr:$prefix, BoolAttr:$hex, Variadic<TT_Type>:$args,
                       DenseI32ArrayAttr:$isSigned);
  let assemblyFormat = "$prefix attr-dict (`:` $args^ `:` type($args))?";
  let hasVerifier = 1;
}

def TT_AssertOp : TT_Op<"assert", [
    NoOnChip, Pointwise, MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "Traps with a message where the condition is false";
  let arguments = (ins TT_BoolLike:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

#endif
