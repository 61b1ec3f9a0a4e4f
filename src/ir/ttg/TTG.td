//===- TTG.td - The ttg dialect: encodings and memory descriptors ----------===//
//
// An encoding says where the elements of a tensor or buffer live. Each wraps
// one named layout of the layout room; text and parameters are Triton's.
//
//===----------------------------------------------------------------------===//
#ifndef GLUONC_IR_TTG
#define GLUONC_IR_TTG

include "ir/ttg/TTGEnums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/OpBase.td"

def TTG_Dialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::gluonc::ttg";
  let summary = "Layouts, shared memory and synchronization";
  let dependentDialects = ["gluonc::tt::TTDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Linear layouts of types that were asked for; see Encoding.h.
    LinearLayoutCache &linearLayouts() const { return *layoutCache; }
  private:
    void registerAttributes();
    void registerTypes();
    std::unique_ptr<LinearLayoutCache> layoutCache;
  public:
  }];
  let hasNonDefaultDestructor = 1;
}

//===----------------------------------------------------------------------===//
// Encodings that wrap a layout
//===----------------------------------------------------------------------===//

/// `aliasText` begins the names at the top of a listing: `#blocked = #ttg.blocked<…>`. Text is
/// written and read by the fields of the layout (EncodingText.cpp).
class TTG_LayoutAttr<string name, string mnemonicText, string layoutClass, string aliasText = "",
                     Dialect owner = TTG_Dialect> : AttrDef<owner, name # "Encoding"> {
  let mnemonic = mnemonicText;
  let parameters = (ins "::gluonc::layout::Layout":$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    using Named = ::gluonc::layout::}] # layoutClass # [{;
    static constexpr ::llvm::StringLiteral alias = "}] # aliasText # [{";
    /// The wrapped layout by its own type.
    const Named &getValue() const;
  }];
  let extraClassDefinition = [{
    const $cppClass::Named &$cppClass::getValue() const {
      return *getImpl()->layout.as<Named>();
    }
    ::mlir::Attribute $cppClass::parse(::mlir::AsmParser &parser, ::mlir::Type) {
      return ::gluonc::text::parseEncoding<$cppClass>(parser);
    }
    void $cppClass::print(::mlir::AsmPrinter &printer) const {
      ::gluonc::text::printEncoding(printer, *this);
    }
    ::llvm::LogicalResult
    $cppClass::verify(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
                      ::gluonc::layout::Layout layout) {
      return ::gluonc::text::verifyEncoding<$cppClass>(emitError, layout);
    }
  }];
}

def TTG_BlockedEncoding : TTG_LayoutAttr<"Blocked", "blocked", "BlockedLayout", "blocked">;
def TTG_SliceEncoding : TTG_LayoutAttr<"Slice", "slice", "SliceLayout">;
def TTG_LinearEncoding : TTG_LayoutAttr<"Linear", "linear", "DistributedLinearLayout", "linear">;
/// Linear, but warps may move along several dims at once, or elements have several owners.
def TTG_GenericLinearEncoding
    : TTG_LayoutAttr<"GenericLinear", "generic_linear", "DistributedLinearLayout",
                     "generic_linear">;
def TTG_SwizzledSharedEncoding
    : TTG_LayoutAttr<"SwizzledShared", "swizzled_shared", "SwizzledSharedLayout", "shared">;
def TTG_PaddedSharedEncoding
    : TTG_LayoutAttr<"PaddedShared", "padded_shared", "PaddedSharedLayout", "shared">;
def TTG_PartitionedSharedEncoding
    : TTG_LayoutAttr<"PartitionedShared", "partitioned_shared", "PartitionedSharedLayout",
                     "shared">;
def TTG_SharedLinearEncoding
    : TTG_LayoutAttr<"SharedLinear", "shared_linear", "SharedLinearLayout", "shared">;

def TTG_NvidiaMmaEncoding
    : TTG_LayoutAttr<"NvidiaMma", "nvidia_mma", "NVMMADistributedLayout", "mma">;
def TTG_DotOperandEncoding : TTG_LayoutAttr<"DotOperand", "dot_op", "DotOperandLayout">;
def TTG_AMDMfmaEncoding : TTG_LayoutAttr<"AMDMfma", "amd_mfma", "AMDMFMALayout", "mma">;
def TTG_AMDWmmaEncoding : TTG_LayoutAttr<"AMDWmma", "amd_wmma", "AMDWMMALayout", "mma">;
def TTG_NVMMASharedEncoding
    : TTG_LayoutAttr<"NVMMAShared", "nvmma_shared", "NVMMASharedLayout", "shared">;

def TTG_SharedMemory : AttrDef<TTG_Dialect, "SharedMemorySpace"> {
  let mnemonic = "shared_memory";
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def TTG_MemDescType : TypeDef<TTG_Dialect, "MemDesc"> {
  let mnemonic = "memdesc";
  let summary = "A view of a buffer in shared (or tensor) memory";
  let description = [{
    `allocShape` is the shape of the buffer that the view was cut from; its last
    dims are those that `encoding` speaks of; one more leading dim makes a ring of
    buffers. Rules: `memdesc_c1` to `memdesc_c3` in TensorRules.cpp.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "mlir::Type":$elementType,
                        "mlir::Attribute":$encoding, "mlir::Attribute":$memorySpace,
                        "bool":$mutableMemory, ArrayRefParameter<"int64_t">:$allocShape);
  let builders = [
    TypeBuilderWithInferredContext<(ins "llvm::ArrayRef<int64_t>":$shape, "mlir::Type":$elementType,
        "mlir::Attribute":$encoding, "mlir::Attribute":$memorySpace,
        CArg<"bool", "false">:$mutableMemory), [{
      return $_get(elementType.getContext(), shape, elementType, encoding, memorySpace,
                   mutableMemory, shape);
    }]>,
    TypeBuilderWithInferredContext<(ins "llvm::ArrayRef<int64_t>":$shape, "mlir::Type":$elementType,
        "mlir::Attribute":$encoding, "mlir::Attribute":$memorySpace, "bool":$mutableMemory,
        "llvm::ArrayRef<int64_t>":$allocShape), [{
      return $_get(elementType.getContext(), shape, elementType, encoding, memorySpace,
                   mutableMemory, allocShape);
    }]>];
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    bool isShared() const;
    bool isTensorMemory() const;
  }];
  let hasCustomAssemblyFormat = 1;
}

def TTG_AsyncTokenType : TypeDef<TTG_Dialect, "AsyncToken"> {
  let mnemonic = "async.token";
}

#endif
