//===- TTNG.td - The ttng dialect: types -----------------------------------===//
//
// What NVIDIA's chips do beyond plain loads and stores: barriers in memory, the
// copy engine (TMA), matrix multiplication by groups of warps, clusters.
//
//===----------------------------------------------------------------------===//
#ifndef GLUONC_IR_TTNG
#define GLUONC_IR_TTNG

include "ir/ttg/TTG.td"
include "ir/ttng/TTNGEnums.td"

def TTNG_Dialect : Dialect {
  let name = "ttng";
  let cppNamespace = "::gluonc::ttng";
  let summary = "NVIDIA's asynchronous operations";
  let dependentDialects = ["gluonc::ttg::TTGDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void registerTypes(); void registerAttributes();";
}

//===----------------------------------------------------------------------===//
// Tensor memory (sm_100)
//===----------------------------------------------------------------------===//

def TTNG_TensorMemoryEncoding
    : TTG_LayoutAttr<"TensorMemory", "tensor_memory_encoding", "TensorMemoryLayout", "tmem",
                     TTNG_Dialect>;
def TTNG_TensorMemoryScalesEncoding
    : TTG_LayoutAttr<"TensorMemoryScales", "tensor_memory_scales_encoding",
                     "TensorMemoryScalesLayout", "tmem_scales", TTNG_Dialect>;
def TTNG_TensorMemory : AttrDef<TTNG_Dialect, "TensorMemorySpace"> {
  let mnemonic = "tensor_memory";
}
/// `#ttng.redOp<max>`
def TTNG_TMEMLoadReduceModifierAttr
    : EnumAttr<TTNG_Dialect, TTNG_TMEMLoadReduceModifier, "redOp"> {
  let assemblyFormat = "`<` $value `>`";
}

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

def TTNG_CachePolicyAttr : AttrDef<TTNG_Dialect, "CachePolicy"> {
  let mnemonic = "cache_policy";
  let summary = "What NVIDIA's caches are told with an access";
  let description = [{
    `#ttng.cache_policy<l2_primary = evict_last, l2_secondary = evict_first, l2_fraction = 5.0e-01 : f32>`:
    L2 gives `l2_primary` to this share of the lines, `l2_secondary` to the others. What is not
    said is left out.
  }];
  let parameters = (ins "::gluonc::tt::CacheModifier":$cache_modifier,
                        "std::optional<::gluonc::tt::EvictionPriority>":$l1,
                        "std::optional<::gluonc::tt::EvictionPriority>":$l2_primary,
                        "std::optional<::gluonc::tt::EvictionPriority>":$l2_secondary,
                        "::mlir::FloatAttr":$l2_fraction, "unsigned":$l2_prefetch_size);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TTNG_TensorDescIm2ColType : TypeDef<TTNG_Dialect, "TensorDescIm2Col"> {
  let mnemonic = "tensordesc_im2col";
  let summary = "Describes an image whose windows are copied as rows of a matrix";
  let description = "The block is [pixels, channels]; the tensor has 3 to 5 dims.";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "mlir::Type":$elementType,
                        "mlir::Attribute":$sharedLayout);
  let hasCustomAssemblyFormat = 1;
}

#endif
