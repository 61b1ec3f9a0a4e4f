//===- DescriptorAccess.td - Blocks of tensors, through descriptors ------------===//
//
// Operations of the dialect tt with a header of their own (DescriptorAccess.h): few
// files need them.
//
//===----------------------------------------------------------------------===//
#ifndef GLUONC_IR_TT_DESCRIPTOR_ACCESS
#define GLUONC_IR_TT_DESCRIPTOR_ACCESS

include "ir/interfaces/Interfaces.td"
include "ir/tt/TT.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Kernels of the Triton language have these; `assign` makes copies of them that go through shared
// memory.
// `descriptor_access_c1`: one index per dim of the block.
// `descriptor_access_c2`: the tensor has the shape and element type of the block. A load may leave
// out leading dims of one.

def TT_DescribedMemory : Resource<"::gluonc::tt::GlobalMemory">;

class TT_DescriptorAccess<string mnemonic>
    : Op<TT_Dialect, mnemonic, [NoOnChip, OwnLayouts, Pointwise]> {
  let hasVerifier = 1;
}

def TT_DescriptorLoadOp : TT_DescriptorAccess<"descriptor_load"> {
  let summary = "The block that begins at `indices`; padded where it lies outside of the tensor";
  let arguments = (ins Arg<TT_TensorDescType, "", [MemRead<TT_DescribedMemory>]>:$desc,
      Variadic<I32>:$indices);
  let results = (outs TT_NumberTensor:$result);
  let assemblyFormat = [{
    $desc `[` $indices `]` attr-dict `:` qualified(type($desc)) `->` type($result)
  }];
}

def TT_DescriptorStoreOp : TT_DescriptorAccess<"descriptor_store"> {
  let summary = "Stores the block that begins at `indices`, as far as it lies in the tensor";
  let arguments = (ins Arg<TT_TensorDescType, "", [MemWrite<TT_DescribedMemory>]>:$desc,
      Variadic<I32>:$indices, TT_NumberTensor:$src);
  let assemblyFormat = [{
    $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)
  }];
}

def TT_DescriptorReduceOp : TT_DescriptorAccess<"descriptor_reduce"> {
  let summary = "Combines a block with what the tensor holds there, element by element";
  let description =
      "`descriptor_reduce_c1`: the copy engine has this operation for the element type.";
  let arguments = (ins TT_DescriptorReduceKind:$kind,
      Arg<TT_TensorDescType, "", [MemRead<TT_DescribedMemory>, MemWrite<TT_DescribedMemory>]>:$desc,
      Variadic<I32>:$indices, TT_NumberTensor:$src);
  let assemblyFormat = [{
    $kind `,` $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)
  }];
}

#endif
