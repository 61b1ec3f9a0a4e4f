//===- TTNGOps.td - The operations of the ttng dialect ---------------------===//
//
// Effects say what an operation may touch between its start and its completion;
// completion itself is the business of barriers and waits, which therefore
// claim to read and write shared memory: nothing moves across them.
//
//===----------------------------------------------------------------------===//
#ifndef GLUONC_IR_TTNG_OPS
#define GLUONC_IR_TTNG_OPS

include "ir/interfaces/Interfaces.td"
include "ir/tt/TT.td"
include "ir/ttng/TTNG.td"
include "ir/ttg/TTG.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

def TTNG_GlobalMemory : Resource<"::gluonc::tt::GlobalMemory">;
def TTNG_SharedMemory : Resource<"::gluonc::ttg::SharedMemory">;

def TTNG_AnyTensorDesc : Type<
    CPred<"::mlir::isa<::gluonc::tt::TensorDescType, ::gluonc::ttng::TensorDescIm2ColType>($_self)">,
    "tensor descriptor">;
def TTNG_Block : RankedTensorOf<[TT_Float, TT_Int]>;
def TTNG_BlockOrBuffer : AnyTypeOf<[TTNG_Block, TTG_MemDescType]>;

class TTNG_Op<string mnemonic, list<Trait> traits = []> : Op<TTNG_Dialect, mnemonic, traits> {
  let hasVerifier = 1;
}

/// Waits and fences: everything of the memories stays on its side.
def TTNG_OrdersMemory : TraitList<[OnlyOrders,
    MemoryEffects<[MemRead<TTNG_SharedMemory>, MemWrite<TTNG_SharedMemory>,
                   MemRead<TTNG_GlobalMemory>, MemWrite<TTNG_GlobalMemory>]>]>;

//===----------------------------------------------------------------------===//
// Barriers in shared memory
//===----------------------------------------------------------------------===//
// `barrier_c1`: a barrier is a mutable one-dimensional buffer of i64 in shared memory, one
// element per CTA of the cluster (or per pair, or one).
// `barrier_c2`: the count is 1 to 2^20 - 1.
// `barrier_c3`: fromCTA is a set of bits of CTA numbers and the barrier has one element per CTA.
// `barrier_c4`: bytes are 0 to 2^20 - 1.
// `barrier_c5`: arrivals of each warp are of kernels of one CTA a cluster.

def TTNG_BarrierArg : Arg<TTG_MemDescType, "", [MemRead<TTNG_SharedMemory>,
                                                 MemWrite<TTNG_SharedMemory>]>;

def TTNG_InitBarrierOp : TTNG_Op<"init_barrier", [OnChip<["getAccesses"]>]> {
  let summary = "Starts a barrier whose phases end after `count` arrivals";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemWrite<TTNG_SharedMemory>]>:$alloc,
                       I32Attr:$count);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc))";
}

def TTNG_InvalBarrierOp : TTNG_Op<"inval_barrier", [OnChip<["getAccesses"]>]> {
  let summary = "Ends a barrier, so that its memory may be used for something else";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemWrite<TTNG_SharedMemory>]>:$alloc);
  let assemblyFormat = "$alloc attr-dict `:` qualified(type($alloc))";
}

def TTNG_BarrierExpectOp : TTNG_Op<"barrier_expect", [
    OnChip<["getAccesses", "synchronizesThreads", "accessesPeers", "getBarrierBytes"]>]> {
  let summary = "One arrival that also announces `size` bytes to come in this phase";
  let arguments = (ins TTNG_BarrierArg:$alloc, I32Attr:$size, I1:$pred,
                       OptionalAttr<I32Attr>:$fromCTA);
  let assemblyFormat = "$alloc `,` $size attr-dict `,` $pred `:` qualified(type($alloc))";
}

def TTNG_WaitBarrierOp : TTNG_Op<"wait_barrier", [
    OnChip<["getAccesses", "getAwaited"]>, AttrSizedOperandSegments]> {
  let summary = "Waits for the end of the phase whose parity is `phase`";
  let description = "The buffers `deps` may be in use until then.";
  let arguments = (ins TTNG_BarrierArg:$alloc, I32:$phase, Optional<I1>:$pred,
                       Variadic<TTG_MemDescType>:$deps);
  let assemblyFormat = [{
    $alloc `,` $phase (`,` $pred^)? (`deps` $deps^)? attr-dict `:` qualified(type($alloc))
    (`,` qualified(type($deps))^)?
  }];
}

def TTNG_ArriveBarrierOp : TTNG_Op<"arrive_barrier", [
    OnChip<["getAccesses", "synchronizesThreads", "accessesPeers"]>]> {
  let summary = "`count` arrivals, once all threads of the partition came here";
  let description = [{
    With `perWarp` each warp of the partition sends as many, once its own threads came here: warps
    do not wait for each other.
  }];
  let arguments = (ins TTNG_BarrierArg:$alloc, I32Attr:$count, Optional<I1>:$pred,
                       OptionalAttr<I32Attr>:$fromCTA, UnitAttr:$perWarp);
  let assemblyFormat = [{
    $alloc `,` $count (`,` $pred^)? attr-dict `:` qualified(type($alloc))
  }];
}

def TTNG_AsyncCopyMbarrierArriveOp : TTNG_Op<"async_copy_mbarrier_arrive", [
    OnChip<["getAccesses"]>]> {
  let summary = "Every thread arrives once its copies (cp.async) so far are done";
  let description = [{
    The arrivals are added to those awaited, unless `noIncrement` says that the barrier's count
    has room for them.
  }];
  let arguments = (ins TTNG_BarrierArg:$barrier, UnitAttr:$noIncrement);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
}

//===----------------------------------------------------------------------===//
// Fences and clusters
//===----------------------------------------------------------------------===//
// `cluster_c1`: the cluster has several CTAs.

def TTNG_FenceAsyncSharedOp : TTNG_Op<"fence_async_shared", [NoOnChip, TTNG_OrdersMemory]> {
  let summary = "Earlier accesses of threads to shared memory come before later ones of units";
  let arguments = (ins BoolAttr:$bCluster);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 0;
}

def TTNG_FenceMBarrierInitReleaseClusterOp
    : TTNG_Op<"fence_mbarrier_init_release_cluster", [NoOnChip, TTNG_OrdersMemory]> {
  let summary = "Makes initialized barriers known to the cluster";
  let assemblyFormat = "attr-dict";
}

def TTNG_ClusterBarrierOp : TTNG_Op<"cluster_barrier", [
    OnChip<["synchronizesThreads", "getClusterSync"]>, TTNG_OrdersMemory]> {
  let summary = "All threads of the cluster wait for each other";
  let description = "Relaxed: it orders no memory.";
  let arguments = (ins DefaultValuedAttr<BoolAttr, "false">:$relaxed);
  let assemblyFormat = "attr-dict";
}

def TTNG_ClusterArriveOp : TTNG_Op<"cluster_arrive", [
    OnChip<["getClusterSync"]>, TTNG_OrdersMemory]> {
  let summary = "First half of a cluster barrier";
  let arguments = (ins BoolAttr:$relaxed);
  let assemblyFormat = "attr-dict";
}

def TTNG_ClusterWaitOp : TTNG_Op<"cluster_wait", [
    OnChip<["synchronizesThreads", "getClusterSync"]>, TTNG_OrdersMemory]> {
  let summary = "Second half of a cluster barrier";
  let assemblyFormat = "attr-dict";
}

def TTNG_AsyncSharedStoreOp : TTNG_Op<"async_shared_store", [
    OnChip<["getAccesses", "accessesPeers", "getBarrierBytes"]>, Pointwise]> {
  let summary = "Stores registers into shared memory of the cluster; a barrier counts the bytes";
  let description = [{
    `async_shared_store_c1`: shape and element type are equal, and the buffer is no ring.
    `async_shared_store_c2`: the buffer is mutable. `async_shared_store_c3`: the stores have at least 32 bits.
  }];
  let arguments = (ins TTNG_Block:$src,
      Arg<TTG_MemDescType, "", [MemWrite<TTNG_SharedMemory>]>:$dst, TTNG_BarrierArg:$mbarrier);
  let assemblyFormat = [{
    $src `,` $dst `,` $mbarrier attr-dict `:` type($src) `->` qualified(type($dst)) `,`
    qualified(type($mbarrier))
  }];
}

//===----------------------------------------------------------------------===//
// The copy engine
//===----------------------------------------------------------------------===//
// `tma_c1`: one coordinate per dim of a tiled block, 1 to 5; three to five for im2col.
// `tma_c2`: tiled copies take no offsets, im2col ones two less than coordinates.
// `tma_c3`: the buffer has the layout of the descriptor, an NVMMASharedLayout.
// `tma_c4`: the buffer has the shape and element type of the descriptor's block.
// `tma_c5`: the buffer that is written is mutable.
// `tma_c6`: the buffer begins where copies can begin (AsyncUnitRules.h).
// `tma_c7`: the buffer that is read begins in the memory of the CTA that executes this.
// `tma_c8`: only loads take fp4_padded layouts.

def TTNG_AsyncTMACopyGlobalToLocalOp : TTNG_Op<"async_tma_copy_global_to_local", [
    OnChip<["getAccesses", "accessesPeers", "getBarrierBytes", "getBoxCopy"]>,
    AttrSizedOperandSegments]> {
  let summary = "Starts copying a block into a buffer; the barrier counts its bytes";
  let description = [{
    Elements outside of the tensor are padded, and count as bytes. `multicast` delivers one
    copy to all CTAs that hold the same block.
  }];
  let arguments = (ins Arg<TTNG_AnyTensorDesc, "", [MemRead<TTNG_GlobalMemory>]>:$desc,
      Variadic<I32>:$coord, Variadic<I16>:$offsets, TTNG_BarrierArg:$barrier,
      Arg<TTG_MemDescType, "", [MemWrite<TTNG_SharedMemory>]>:$result, I1:$pred,
      UnitAttr:$multicast,
      DefaultValuedAttr<TT_CacheModifier, "::gluonc::tt::CacheModifier::NONE">:$cache,
      DefaultValuedAttr<TT_EvictionPolicy, "::gluonc::tt::EvictionPolicy::NORMAL">:$evict,
      DefaultValuedAttr<BoolAttr, "false">:$isVolatile,
      OptionalAttr<TT_AnyCachePolicy>:$cachePolicy);
  let assemblyFormat = [{
    $desc `[` $coord `]` (`offsets` `=` `[` $offsets^ `]`)? $result `,` $barrier `,` $pred
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` qualified(type($desc)) `,` qualified(type($barrier)) `->`
    qualified(type($result))
  }];
}

class TTNG_TMAStoreOp<string mnemonic, dag kind = (ins), dag hints = (ins)>
    : TTNG_Op<mnemonic, [OnChip<["getAccesses", "getBoxCopy"]>]> {
  let arguments = !con(kind, (ins
      Arg<TT_TensorDescType, "", [MemRead<TTNG_GlobalMemory>, MemWrite<TTNG_GlobalMemory>]>:$desc,
      Variadic<I32>:$coord, Arg<TTG_MemDescType, "", [MemRead<TTNG_SharedMemory>]>:$src), hints);
}

def TTNG_AsyncTMACopyLocalToGlobalOp
    : TTNG_TMAStoreOp<"async_tma_copy_local_to_global", (ins),
                      (ins OptionalAttr<TT_AnyCachePolicy>:$cachePolicy)> {
  let summary = "Starts copying a buffer to a block of a tensor, in a group of its own";
  let assemblyFormat = [{
    $desc `[` $coord `]` $src attr-dict `:` qualified(type($desc)) `,` qualified(type($src))
  }];
}

def TTNG_AsyncTMAReduceOp
    : TTNG_TMAStoreOp<"async_tma_reduce", (ins TT_DescriptorReduceKind:$kind)> {
  let summary = "The same, combined with what is there, element by element";
  let description = "`async_tma_reduce_c1`: the copy engine has this operation for the element type.";
  let assemblyFormat = [{
    $kind `,` $desc `[` $coord `]` $src attr-dict `:` qualified(type($desc)) `,`
    qualified(type($src))
  }];
}

def TTNG_TMAStoreWaitOp : TTNG_Op<"async_tma_store_wait", [
    OnChip<["getAwaited", "awaitsGlobalWrites"]>, TTNG_OrdersMemory]> {
  let summary = "Waits until at most `pendings` groups are unfinished (or still read buffers)";
  let arguments = (ins I32Attr:$pendings, UnitAttr:$read_only);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 0;
}

//===----------------------------------------------------------------------===//
// Rows that are named one by one
//===----------------------------------------------------------------------===//
// `rows_c1`: the descriptor's block is one row, the buffer has as many columns, and a row for each
// offset. `rows_c2`: the layouts of descriptor and buffer are equal, an NVMMASharedLayout,
// neither fp4_padded nor transposed. `rows_c3`: the buffer has 8 rows or more, elements of at most 32 bits, and in each CTA
// 32 bytes of a row or more. `rows_c4`: threads hold four neighbouring offsets, all threads of a
// warp the same. `rows_c5`: each CTA holds the offsets of its rows.
// The rules tma_c5, tma_c6 and tma_c7 hold, too.

def TTNG_RowOffsets : RankedTensorOf<[I32]>;

def TTNG_AsyncTMAGatherOp : TTNG_Op<"async_tma_gather", [
    OnChip<["getAccesses", "accessesPeers", "getBarrierBytes", "getBoxCopy"]>, Pointwise]> {
  let summary = "Starts copying rows of a tensor into a buffer; the barrier counts their bytes";
  let description = [{
    Row i of the buffer is columns `y_offset`… of the tensor's row `x_offsets[i]`. Elements outside
    of the tensor are padded, and count as bytes.
  }];
  let arguments = (ins Arg<TT_TensorDescType, "", [MemRead<TTNG_GlobalMemory>]>:$desc,
      TTNG_RowOffsets:$x_offsets, I32:$y_offset, TTNG_BarrierArg:$barrier,
      Arg<TTG_MemDescType, "", [MemWrite<TTNG_SharedMemory>]>:$result, I1:$pred,
      UnitAttr:$multicast);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` $result `,` $barrier `,` $pred attr-dict `:`
    type(operands)
  }];
}

def TTNG_AsyncTMAScatterOp : TTNG_Op<"async_tma_scatter", [
    OnChip<["getAccesses", "getBoxCopy"]>, Pointwise]> {
  let summary = "Starts copying rows of a buffer into a tensor, in a group of their own";
  let description = "What lies behind the end of the tensor is not written.";
  let arguments = (ins
      Arg<TT_TensorDescType, "", [MemRead<TTNG_GlobalMemory>, MemWrite<TTNG_GlobalMemory>]>:$desc,
      TTNG_RowOffsets:$x_offsets, I32:$y_offset,
      Arg<TTG_MemDescType, "", [MemRead<TTNG_SharedMemory>]>:$src);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` $src attr-dict `:` type(operands)
  }];
}

//===----------------------------------------------------------------------===//
// Descriptors that a kernel makes
//===----------------------------------------------------------------------===//
// What `tt.make_tensor_descriptor` becomes: 128 bytes in global memory are filled in, made known to
// the copy engine, and taken for a descriptor. Dims are counted from the innermost.

def TTNG_DescriptorPlace : Arg<TT_Ptr, "", [MemRead<TTNG_GlobalMemory>,
                                            MemWrite<TTNG_GlobalMemory>]>;

def TTNG_TensormapCreateOp : TTNG_Op<"tensormap_create", [
    OnChip<["getScratch"]>, AttrSizedOperandSegments]> {
  let summary = "Writes a descriptor to global memory";
  let description = [{
    `tensormap_create_c1`: 1 to 5 dims; a box length, an extent and an element stride for each, a
    stride in bytes for each but the innermost.
    `tensormap_create_c2`: codes are those of PTX: elem_type 0 to 15, interleave_layout 0 to 2,
    swizzle_mode 0 to 3, fill_mode 0 or 1.
  }];
  let arguments = (ins TTNG_DescriptorPlace:$desc_ptr, TT_Ptr:$global_address,
      Variadic<I32>:$box_dim, Variadic<I32>:$global_dim, Variadic<I64>:$global_stride,
      Variadic<I32>:$element_stride, I32Attr:$elem_type, I32Attr:$interleave_layout,
      I32Attr:$swizzle_mode, I32Attr:$fill_mode);
  let assemblyFormat = [{
    $desc_ptr `,` $global_address `,` `[` $box_dim `]` `,` `[` $global_dim `]` `,`
    `[` $global_stride `]` `,` `[` $element_stride `]` attr-dict `:`
    functional-type(operands, results)
  }];
}

def TTNG_TensormapFenceproxyAcquireOp : TTNG_Op<"tensormap_fenceproxy_acquire", [NoOnChip]> {
  let summary = "Copies started behind it see the descriptor as it is now";
  let arguments = (ins TTNG_DescriptorPlace:$desc_ptr);
  let assemblyFormat = "$desc_ptr attr-dict `:` qualified(type($desc_ptr))";
  let hasVerifier = 0;
}

def TTNG_ReinterpretTensorDescOp : TTNG_Op<"reinterpret_tensor_descriptor", [Pure, NoOnChip]> {
  let summary = "The descriptor at an address";
  let arguments = (ins TT_Ptr:$rawDesc);
  let results = (outs TT_TensorDescType:$result);
  let assemblyFormat = [{
    $rawDesc attr-dict `:` qualified(type($rawDesc)) `to` qualified(type($result))
  }];
  let hasVerifier = 0;
}

//===----------------------------------------------------------------------===//
// Matrix multiplication by groups of four warps
//===----------------------------------------------------------------------===//

def TTNG_WarpGroupDotOp : TTNG_Op<"warp_group_dot", [
    OnChip<["getAccesses"]>, LayoutFlow, ElementFlow,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, AllTypesMatch<["c", "d"]>]> {
  let summary = "a * b + c (or a * b where useC is false); b, often a, are read from buffers";
  let description = [{
    Asynchronous: buffers are read and the result is written until a `warp_group_dot_wait`.
    `warp_group_dot_c1`: shapes are [M, K], [K, N] and [M, N].
    `warp_group_dot_c2`: warps come in fours. `warp_group_dot_c3`: the instruction exists for the
    element types and the precision. `warp_group_dot_c4`: only elements of type i8 are unsigned.
    `warp_group_dot_c5`: operands and result lie as the instruction takes them (AsyncUnitRules.h).
  }];
  let arguments = (ins TTNG_BlockOrBuffer:$a, TTG_MemDescType:$b, TTNG_Block:$c,
      Optional<I1>:$useC,
      DefaultValuedAttr<TT_InputPrecision, "::gluonc::tt::InputPrecision::IEEE">:$inputPrecision,
      DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc,
      DefaultValuedAttr<BoolAttr, "false">:$isAsync,
      UnitAttr:$unsignedA, UnitAttr:$unsignedB);
  let results = (outs TTNG_Block:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` $useC^)? attr-dict `:` qualified(type($a)) `*` qualified(type($b))
    `->` type($d)
  }];
}

def TTNG_WarpGroupDotWaitOp : TTNG_Op<"warp_group_dot_wait", [
    OnChip<["getAwaited"]>, Pointwise, TTNG_OrdersMemory, AllTypesMatch<["inputs", "outputs"]>]> {
  let summary = "Waits until at most `pendings` asynchronous dots are unfinished";
  let description = [{
    The results are what the inputs hold then. `warpGroupLocal`: other groups of warps may
    still be reading buffers. `warp_group_dot_wait_c1`: there is an input.
  }];
  let arguments = (ins Variadic<TTNG_BlockOrBuffer>:$inputs, I32Attr:$pendings,
                       UnitAttr:$warpGroupLocal);
  let results = (outs Variadic<TTNG_BlockOrBuffer>:$outputs);
  let assemblyFormat = "$inputs attr-dict `:` qualified(type($inputs))";
}

//===----------------------------------------------------------------------===//
// Packed arithmetic (sm_100)
//===----------------------------------------------------------------------===//

def TTNG_PackedArithOp : TTNG_Op<"packed_arith", [Pure, NoOnChip, LayoutFlow, ElementFlow]> {
  let summary = "Arithmetic on two or four neighbouring elements by one instruction";
  let description = [{
    Operands of type i8 hold two e2m1 numbers each, the lower one first.
    `packed_arith_c1`: fma has three operands, others have two.
    `packed_arith_c2`: an instruction has these element types (PackedArith.h).
    `packed_arith_c3`: operands have the shape and layout of the result, those of type i8 half of it
    along one dim.
    `packed_arith_c4`: the elements of an instruction lie in one thread.
  }];
  let arguments = (ins TTNG_PackedArithOpKind:$op_kind, Variadic<TTNG_Block>:$operands);
  let results = (outs TTNG_Block:$result);
  let assemblyFormat = "$op_kind $operands attr-dict `:` functional-type($operands, $result)";
}

include "ir/ttng/LaunchControlOps.td"
include "ir/ttng/TensorMemoryOps.td"

#endif
