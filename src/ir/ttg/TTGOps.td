//===- TTGOps.td - The operations of the ttg dialect -----------------------===//
#ifndef GLUONC_IR_TTG_OPS
#define GLUONC_IR_TTG_OPS

include "ir/interfaces/Interfaces.td"
include "ir/tt/TT.td"
include "ir/ttg/TTG.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

def TTG_GlobalMemory : Resource<"::gluonc::tt::GlobalMemory">;
def TTG_SharedMemoryResource : Resource<"::gluonc::ttg::SharedMemory">;

class TTG_Op<string mnemonic, list<Trait> traits = []> : Op<TTG_Dialect, mnemonic, traits>;

def TTG_ConvertLayoutOp : TTG_Op<"convert_layout", [
    Pure, OnChip<["getScratch"]>, OwnLayouts, ElementFlow]> {
  let summary = "The same tensor in another layout";
  let description = [{
    `convert_layout_c1`: shapes are equal. `convert_layout_c2`: element types are equal.
    `force_warp_shuffle` asks for shuffles where shared memory would be cheaper.
  }];
  let arguments = (ins TT_Block:$src, UnitAttr:$force_warp_shuffle);
  let results = (outs TT_Block:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

def TTG_LocalAllocOp : TTG_Op<"local_alloc", [
    OnChip<["getAccesses", "accessesPeers"]>, Pointwise,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "A buffer in shared memory, filled with `src` where given";
  let description = [{
    `local_alloc_c1`: the result is in shared memory. `local_alloc_c2`: its shape is its
    alloc shape. `local_alloc_c3`: without src it is mutable. `local_alloc_c4`: src has
    the result's shape and element type, which is no ring. `local_alloc_c5`: elements are
    whole bytes.
  }];
  let arguments = (ins Optional<TT_Block>:$src, OptionalAttr<I32Attr>:$alignment);
  let results = (outs TTG_MemDescType:$result);
  let builders = [
    OpBuilder<(ins "mlir::Type":$result, CArg<"mlir::Value", "{}">:$src),
              [{ build($_builder, $_state, result, src, mlir::IntegerAttr()); }]>];
  let assemblyFormat = "($src^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def TTG_GlobalScratchAllocOp : TTG_Op<"global_scratch_alloc", [NoOnChip]> {
  let summary = "Memory that is the program's own, while it runs";
  let description = [{
    `global_scratch_alloc_c1`: bytes are positive, the alignment is a power of two.
  }];
  let arguments = (ins I32Attr:$nbytes, I32Attr:$alignment);
  let results = (outs Res<TT_Ptr, "", [MemAlloc<TTG_GlobalMemory>]>:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def TTG_LocalDeallocOp : TTG_Op<"local_dealloc", [NoOnChip]> {
  let summary = "Ends the life of a buffer";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemFree<TTG_SharedMemoryResource>]>:$src);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src))";
}

def TTG_LocalLoadOp : TTG_Op<"local_load", [
    OnChip<["getAccesses", "accessesPeers"]>, Pointwise]> {
  let summary = "Reads a buffer into registers";
  let description = "`local_load_c1`: shape and element type are equal, and the buffer is no ring.";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<TTG_SharedMemoryResource>]>:$src,
                       Optional<TTG_AsyncTokenType>:$token);
  let results = (outs TT_Block:$result);
  let builders = [OpBuilder<(ins "mlir::Type":$result, "mlir::Value":$src), [{
    build($_builder, $_state, result, src, mlir::Value());
  }]>];
  let assemblyFormat = [{
    $src (`token` $token^)? attr-dict `:` qualified(type($src)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TTG_LocalStoreOp : TTG_Op<"local_store", [
    OnChip<["getAccesses", "accessesPeers"]>, Pointwise]> {
  let summary = "Writes registers into a buffer";
  let description = [{
    `local_store_c1`: shape and element type are equal. `local_store_c2`: dst is mutable.
  }];
  let arguments = (ins TT_Block:$src,
                       Arg<TTG_MemDescType, "", [MemWrite<TTG_SharedMemoryResource>]>:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` type($src) `->` qualified(type($dst))";
  let hasVerifier = 1;
}

// Indexed access: element I of the tensor is the buffer's at I, but with `indices[I]`
// as coordinate along the axis. `indexed_c1`: indices, values and mask agree in shape and encoding.
// `indexed_c2`: values have the buffer's element type. `indexed_c3`: ranks are equal, the axis is
// below them, and no other dimension is larger than the buffer's. `indexed_c4`: what is written is
// mutable. `indexed_c5`: the buffer is no ring.

def TTG_LocalGatherOp : TTG_Op<"local_gather", [
    OnChip<["getAccesses", "accessesPeers"]>, SameLayout, Pointwise]> {
  let summary = "Reads a buffer at indices along an axis";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<TTG_SharedMemoryResource>]>:$src,
                       TT_IntBlock:$indices, I32Attr:$axis, Optional<TTG_AsyncTokenType>:$token);
  let results = (outs TT_Block:$result);
  let builders = [OpBuilder<(ins "mlir::Type":$result, "mlir::Value":$src,
                                 "mlir::Value":$indices, "uint32_t":$axis), [{
    build($_builder, $_state, result, src, indices, axis, mlir::Value());
  }]>];
  let assemblyFormat = [{
    $src `[` $indices `]` (`token` $token^)? attr-dict `:` qualified(type($src)) `,`
    type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TTG_LocalScatterOp : TTG_Op<"local_scatter", [
    OnChip<["getAccesses", "accessesPeers"]>, SameLayout, Pointwise]> {
  let summary = "Writes a buffer at indices along an axis; of equal places one wins";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemWrite<TTG_SharedMemoryResource>]>:$dst,
                       TT_Block:$values, TT_IntBlock:$indices, I32Attr:$axis,
                       Optional<TTG_AsyncTokenType>:$token);
  let builders = [OpBuilder<(ins "mlir::Value":$dst, "mlir::Value":$values,
                                 "mlir::Value":$indices, "uint32_t":$axis), [{
    build($_builder, $_state, dst, values, indices, axis, mlir::Value());
  }]>];
  let assemblyFormat = [{
    $dst `[` $indices `]` `,` $values (`token` $token^)? attr-dict `:` qualified(type($dst)) `,`
    type($indices) `,` type($values)
  }];
  let hasVerifier = 1;
}

def TTG_LocalAtomicScatterRMWOp : TTG_Op<"local_atomic_scatter_rmw", [
    OnChip<["getScratch", "getAccesses", "accessesPeers"]>, SameLayout, Pointwise,
    AllTypesMatch<["values", "result"]>,
    OptionalTypesMatchWith<"mask type matches values type", "values", "mask",
                           "::gluonc::tt::boolTypeLike($_self)">]> {
  let summary = "Atomic read-modify-write of a buffer at indices along an axis; gives old values";
  let arguments = (ins TT_RMWOp:$atomic_rmw_op,
      Arg<TTG_MemDescType, "", [MemRead<TTG_SharedMemoryResource>,
                                MemWrite<TTG_SharedMemoryResource>]>:$dst,
      TT_Block:$values, TT_IntBlock:$indices, Optional<TT_BoolLike>:$mask, I32Attr:$axis);
  let results = (outs TT_Block:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $dst `[` $indices `]` `,` $values (`,` $mask^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

def TTG_Fp4ToFpOp : TTG_Op<"fp4_to_fp", [Pure, NoOnChip, LayoutFlow, MixesElements]> {
  let summary = "Two e2m1 numbers from each byte, the low half first";
  let description = [{
    `fp4_to_fp_c1`: bytes become f16 or bf16. `fp4_to_fp_c2`: the result is twice as large along
    the axis. `fp4_to_fp_c3`: both numbers of a byte lie in its thread.
  }];
  let arguments = (ins RankedTensorOf<[I8]>:$src, I32Attr:$axis);
  let results = (outs TT_FloatBlock:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//
// `view_c1`: memory space and mutability are the source's.
// `view_c2`: so is the element type (all but memdesc_reinterpret).

class TTG_ViewOp<string mnemonic, dag extraArguments = (ins)>
    : TTG_Op<mnemonic, [Pure, NoOnChip, DeclareOpInterfaceMethods<ViewLikeOpInterface>]> {
  let arguments = !con((ins TTG_MemDescType:$src), extraArguments);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def TTG_MemDescIndexOp : TTG_ViewOp<"memdesc_index", (ins I32:$index)> {
  let summary = "One buffer of a ring";
  let description = [{
    `memdesc_index_c1`: the result's shape is the source's without the first dim.
    `memdesc_index_c2`: equal encodings. `memdesc_index_c3`: the source is no subslice.
  }];
  let assemblyFormat = [{
    $src `[` $index `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
}

def TTG_MemDescSubsliceOp : TTG_ViewOp<"memdesc_subslice", (ins DenseI32ArrayAttr:$offsets)> {
  let summary = "A window at constant offsets";
  let description = [{
    `memdesc_subslice_c1`: equal rank, encoding and alloc shape; one offset per dim.
    `memdesc_subslice_c2`: the window lies inside the source.
    `memdesc_subslice_c3`: offsets are multiples of the window along each dim.
    `memdesc_subslice_c4`: the window does not cut the swizzling pattern.
    `memdesc_subslice_c5`: the source is in shared memory.
  }];
  let assemblyFormat = [{
    $src `[` custom<Offsets>($offsets) `]` attr-dict `:` qualified(type($src)) `->`
    qualified(type($result))
  }];
  let hasFolder = 1;
}

def TTG_MemDescTransOp : TTG_ViewOp<"memdesc_trans", (ins DenseI32ArrayAttr:$order)> {
  let summary = "Permutes dimensions";
  let description = [{
    `memdesc_trans_c1`: order is a permutation. `memdesc_trans_c2`: shapes agree with it.
    `memdesc_trans_c3`: no element moves. `memdesc_trans_c4`: the source is no ring.
  }];
  let hasFolder = 1;
}

def TTG_MemDescReshapeOp : TTG_ViewOp<"memdesc_reshape"> {
  let summary = "The same elements, row-major, under another shape";
  let description = [{
    `memdesc_reshape_c1`: same number of elements. `memdesc_reshape_c2`: the source is no
    subslice. `memdesc_reshape_c3`: no element moves. `memdesc_reshape_c4`: it is no ring.
  }];
}

def TTG_MemDescReinterpretOp : TTG_ViewOp<"memdesc_reinterpret"> {
  let summary = "The same bytes as another type, shape and encoding";
  let description = [{
    `memdesc_reinterpret_c1`: the source has no gaps, and the result is no subslice.
    `memdesc_reinterpret_c2`: it needs no more bytes than the source has, together with the
    buffers that follow it in a ring. `memdesc_reinterpret_c3`: padding is kept.
    `memdesc_reinterpret_c4`: in tensor memory it needs no other columns than the source has.
  }];
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Warp specialization
//===----------------------------------------------------------------------===//
//
//   %r = ttg.warp_specialize(%a, %b)
//   default { … ttg.warp_yield %x : i32 }
//   partition0(%arg0: i32, %arg1: f32) num_warps(4) { … ttg.warp_return } : (i32, f32) -> i32

def TTG_WarpSpecializeOp : TTG_Op<"warp_specialize", [
    OnChip<["getScratch"]>, Pointwise, RecursiveMemoryEffects]> {
  let summary = "Groups of warps run different code at the same time";
  let description = [{
    The default region runs on the warps that came here and may use values around it;
    partitions run on warps of their own, see captures only (`warp_specialize.partitions`)
    and have layouts of their own. All synchronize at the end.
    `warp_specialize_c1`: one power of two of warps per partition.
    `warp_specialize_c2`: one requested number of registers per partition, if any.
    `warp_specialize_c3`: it is neither nested nor in a function that stays one.
    `warp_specialize_c4`: the default region yields the results.
  }];
  let arguments = (ins DenseI32ArrayAttr:$partitionNumWarps,
                       OptionalAttr<DenseI32ArrayAttr>:$warpGroupStartIds,
                       OptionalAttr<DenseI32ArrayAttr>:$requestedRegisters,
                       OptionalAttr<DenseI32ArrayAttr>:$actualRegisters);
  let results = (outs Variadic<AnyType>:$defaultPassthrough);
  let regions = (region MinSizedRegion<1>:$defaultRegion, SizedRegion<1>:$partitionOpHolder);
  let builders = [OpBuilder<(ins "mlir::TypeRange":$results,
      "llvm::ArrayRef<int32_t>":$partitionNumWarps, "mlir::ValueRange":$captures,
      CArg<"llvm::ArrayRef<int32_t>", "{}">:$requestedRegisters)>];
  let extraClassDeclaration = [{
    WarpSpecializePartitionsOp getPartitionOp();
    mlir::MutableArrayRef<mlir::Region> getPartitions();
    mlir::OperandRange getCaptures();
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TTG_WarpSpecializePartitionsOp : TTG_Op<"warp_specialize.partitions", [
    IsolatedFromAbove, NoOnChip, RecursiveMemoryEffects, Terminator,
    HasParent<"WarpSpecializeOp">]> {
  let summary = "Holds the partitions of a `ttg.warp_specialize` and what they capture";
  let description = [{
    `warp_specialize.partitions_c1`: every partition has the captures as its arguments.
    `warp_specialize.partitions_c2`: no tensor is captured.
  }];
  let arguments = (ins Variadic<AnyType>:$explicitCaptures);
  let regions = (region VariadicRegion<MinSizedRegion<1>>:$partitionRegions);
  let hasVerifier = 1;
}

def TTG_WarpYieldOp : TTG_Op<"warp_yield", [
    Pure, NoOnChip, Pointwise, Terminator, ReturnLike, HasParent<"WarpSpecializeOp">]> {
  let summary = "Ends the default region; its operands are the results of the operation";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^)? attr-dict (`:` type($values)^)?";
}

def TTG_WarpReturnOp : TTG_Op<"warp_return", [
    Pure, NoOnChip, Terminator, ReturnLike, HasParent<"WarpSpecializePartitionsOp">]> {
  let summary = "Ends a partition";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Asynchronous copies and synchronization
//===----------------------------------------------------------------------===//

def TTG_BarrierOp : TTG_Op<"barrier", [OnChip<["synchronizesThreads"]>, OnlyOrders]> {
  let summary = "All threads wait for each other; earlier accesses to the named memories are done";
  let arguments = (ins TTG_AddrSpace:$addrSpace);
  let assemblyFormat = "custom<AddrSpace>($addrSpace) attr-dict";
  let extraClassDeclaration = [{
    bool orders(AddrSpace space) { return bitEnumContainsAny(getAddrSpace(), space); }
  }];
}

def TTG_AsyncCopyGlobalToLocalOp : TTG_Op<"async_copy_global_to_local", [
    OnChip<["getAccesses"]>, SameLayout, Pointwise,
    AttrSizedOperandSegments,
    OptionalTypesMatchWith<"mask type matches ptr type", "src", "mask",
                           "::gluonc::tt::boolTypeLike($_self)">,
    OptionalTypesMatchWith<"other type matches ptr type", "src", "other",
                           "::gluonc::tt::pointeeTypeOf($_self)">]> {
  let summary = "Starts copying global memory into a buffer (cp.async)";
  let description = [{
    `async_copy_c1`: pointers and buffer agree in shape and element type; it is no ring.
    `async_copy_c2`: the buffer is mutable. `async_copy_c3`: mask and other follow the pointers.
  }];
  let arguments = (ins Arg<TT_PtrBlock, "", [MemRead<TTG_GlobalMemory>]>:$src,
      Arg<TTG_MemDescType, "", [MemWrite<TTG_SharedMemoryResource>]>:$result,
      Optional<TT_BoolLike>:$mask, Optional<TT_Type>:$other,
      DefaultValuedAttr<TT_CacheModifier, "::gluonc::tt::CacheModifier::NONE">:$cache,
      DefaultValuedAttr<TT_EvictionPolicy, "::gluonc::tt::EvictionPolicy::NORMAL">:$evict,
      DefaultValuedAttr<BoolAttr, "false">:$isVolatile,
      DefaultValuedAttr<I32Attr, "1">:$contiguity, OptionalAttr<TT_AnyCachePolicy>:$cachePolicy);
  let results = (outs TTG_AsyncTokenType:$token);
  let assemblyFormat = [{
    $src `,` $result (`mask` $mask^)? (`other` $other^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TTG_AsyncCommitGroupOp : TTG_Op<"async_commit_group", [NoOnChip]> {
  let summary = "Closes the group of copies started since the last one";
  let arguments = (ins Variadic<TTG_AsyncTokenType>:$inputTokens);
  let results = (outs TTG_AsyncTokenType:$asyncToken);
  let assemblyFormat = "(`tokens` $inputTokens^)? attr-dict";
}

def TTG_AsyncWaitOp : TTG_Op<"async_wait", [OnChip<["getAwaited"]>]> {
  let summary = "Waits until at most `num` groups of this thread are unfinished";
  let arguments = (ins Variadic<TTG_AsyncTokenType>:$asyncToken, I32Attr:$num);
  let results = (outs TTG_AsyncTokenType:$retToken);
  let assemblyFormat = "($asyncToken^)? attr-dict";
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

def TTG_InlineAsmOp : TTG_Op<"inline_asm", [
    NoOnChip, OwnLayouts, Pointwise, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    ConditionallySpeculatable]> {
  let summary = "Assembly that each thread executes once";
  let description = [{
    A tensor is as many operands as a thread has registers of it, copies among them; a buffer is
    its address in shared memory. What the text does to memory is for the program to order.
    `thread_asm_c1`: tensors have layouts. `thread_asm_c2`: assembly that takes buffers is not
    pure. `thread_asm_c3`: the constraints and the text fit results and operands.
  }];
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure,
                       Variadic<AnyTypeOf<[TT_Type, TTG_MemDescType]>>:$args);
  let results = (outs Variadic<TT_Type>:$result);
  let assemblyFormat = "$asm_string attr-dict $args `:` functional-type($args, $result)";
  let extraClassDeclaration = "mlir::Speculation::Speculatability getSpeculatability();";
  let hasVerifier = 1;
}

#endif
