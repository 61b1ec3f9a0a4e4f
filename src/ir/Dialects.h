//===- Dialects.h - The dialects tt, ttg, ttng and gluon --------------------===//
//
// Everything that a user of the IR includes: operations, types, encodings and
// the module attributes that give a kernel its shape.
//
//   module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32,
//                      "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
//     tt.func public @kernel(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) { … }
//   }
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/interfaces/Interfaces.h"
#include "layout/named/Layouts.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "ir/TTDialect.h.inc"
#include "ir/TTEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/TTTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/TTAttrs.h.inc"

namespace gluonc::tt {

/// The memory that `tt.load` and `tt.store` touch.
struct GlobalMemory : mlir::SideEffects::Resource::Base<GlobalMemory> {
  llvm::StringRef getName() final { return "<GlobalMemory>"; }
};

/// What a pointer (or tensor of pointers) points to; null for anything else.
mlir::Type pointeeTypeOf(mlir::Type pointerLike);
/// `type` with its scalars replaced: tensor<8xf32, #l> and i1 give tensor<8xi1, #l>.
mlir::Type withScalar(mlir::Type type, mlir::Type scalar);
/// i1 in the shape and encoding of `type`: the type of a mask for it.
mlir::Type boolTypeLike(mlir::Type type);
/// Is it an attribute that says how an access treats the caches?
bool isCachePolicy(mlir::Attribute attribute);

} // namespace gluonc::tt

#define GET_OP_CLASSES
#include "ir/TTOps.h.inc"

namespace gluonc::ttg {

class LinearLayoutCache;

/// Shared memory of a CTA.
struct SharedMemory : mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "<SharedMemory>"; }
};

} // namespace gluonc::ttg

#include "ir/TTGDialect.h.inc"
#include "ir/TTGEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/TTGAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/TTGTypes.h.inc"

#define GET_OP_CLASSES
#include "ir/TTGOps.h.inc"

namespace gluonc::ttng {

/// The memory beside the tensor cores of sm_100.
struct TensorMemory : mlir::SideEffects::Resource::Base<TensorMemory> {
  llvm::StringRef getName() final { return "<TensorMemory>"; }
};

} // namespace gluonc::ttng

#include "ir/TTNGDialect.h.inc"
#include "ir/TTNGEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/TTNGAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/TTNGTypes.h.inc"

#define GET_OP_CLASSES
#include "ir/TTNGOps.h.inc"

namespace gluonc::ttng {

/// What descriptors of both kinds have in common; false for other types.
struct Descriptor {
  llvm::ArrayRef<int64_t> shape;
  mlir::Type elementType;
  mlir::Attribute layout;
  bool im2col = false;

  explicit operator bool() const { return elementType != nullptr; }
};
Descriptor descriptorOf(mlir::Type type);
/// Without the signedness that a descriptor's elements may have: what buffers hold.
mlir::Type signless(mlir::Type element);

} // namespace gluonc::ttng

#include "ir/LLVMDialect.h.inc"
#define GET_OP_CLASSES
#include "ir/LLVMOps.h.inc"

#include "ir/GluonDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/GluonAttrs.h.inc"
#define GET_OP_CLASSES
#include "ir/GluonOps.h.inc"

namespace gluonc {

/// Makes every dialect that a kernel may use known to `registry`: ours and the upstream ones.
void registerAllDialects(mlir::DialectRegistry &registry);
/// The same, loaded at once: builders need their dialects loaded.
void loadAllDialects(mlir::MLIRContext &context);

namespace ttg {

// Attributes of the module (i32 unless said otherwise).
inline constexpr llvm::StringLiteral numWarpsAttr = "ttg.num-warps";
inline constexpr llvm::StringLiteral numCtasAttr = "ttg.num-ctas";
inline constexpr llvm::StringLiteral threadsPerWarpAttr = "ttg.threads-per-warp";
/// String: `cuda:90`.
inline constexpr llvm::StringLiteral targetAttr = "ttg.target";
inline constexpr llvm::StringLiteral maxRegistersAttr = "ttg.maxnreg";
/// Bytes of shared memory that a CTA needs; set by transform.
inline constexpr llvm::StringLiteral sharedAttr = "ttg.shared";
/// Warps of a CTA with the partitions' ones; set by transform where there are partitions.
inline constexpr llvm::StringLiteral totalNumWarpsAttr = "ttg.total-num-warps";
/// Byte of shared memory where partitions are told what to run; set by transform.
inline constexpr llvm::StringLiteral warpStateAttr = "ttg.warp-state-offset";
/// Columns of tensor memory that a CTA needs, as many as can be allocated, and the byte of shared
/// memory where their address is put; set by transform.
inline constexpr llvm::StringLiteral tensorMemorySizeAttr = "ttg.tensor_memory_size";
inline constexpr llvm::StringLiteral tensorMemoryBaseAttr = "ttg.tensor-memory-base-offset";
/// Bool: products are of two CTAs; set by transform where there are any.
inline constexpr llvm::StringLiteral twoCtasAttr = "ttng.two-ctas";
/// On `ttng.tmem_alloc`: where its buffer begins; set by transform.
inline constexpr llvm::StringLiteral tensorMemoryColumnAttr = "tensor_memory_col_offset";
inline constexpr llvm::StringLiteral tensorMemoryRowAttr = "tensor_memory_row_offset";
/// Bytes of global memory that each CTA needs for itself, and their alignment; set by transform.
inline constexpr llvm::StringLiteral globalScratchAttr = "ttg.global_scratch_memory_size";
inline constexpr llvm::StringLiteral globalScratchAlignmentAttr =
    "ttg.global_scratch_memory_alignment";
/// On `ttg.global_scratch_alloc`: where in them its part begins; set by transform.
inline constexpr llvm::StringLiteral globalScratchOffsetAttr = "ttg.global_scratch_memory_offset";
/// On operations: where their buffer or scratch begins in shared memory; set by transform.
inline constexpr llvm::StringLiteral allocationOffsetAttr = "allocation.offset";
/// On operations with scratch: its size in bytes.
inline constexpr llvm::StringLiteral allocationSizeAttr = "allocation.size";

/// Warps, threads of a warp and CTAs of a cluster where `op` runs. Defaults: 4, 32, 1.
/// A partition of a `ttg.warp_specialize` has warps of its own.
int numWarpsOf(mlir::Operation *op);
int threadsPerWarpOf(mlir::Operation *op);
int numCtasOf(mlir::Operation *op);
/// Whether products in tensor memory are of two CTAs.
bool hasTwoCtas(mlir::Operation *op);

} // namespace ttg
} // namespace gluonc
