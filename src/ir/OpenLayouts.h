//===- OpenLayouts.h - Modules whose layouts the compiler chooses -------------===//
//
// Tensors of the Triton language have no layout. Their types say so by having no
// encoding, or `#gluon.auto_encoding` or `#gluon.coalesced_encoding`, and the module
// by an attribute; the room `assign` gives them one and drops it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/Dialects.h"

namespace gluonc {

/// On a module (unit): `assign` is to run on it.
inline constexpr llvm::StringLiteral choosesLayoutsAttr = "gluon.chooses_layouts";

/// How many stages loops have that load ahead (i32): of a loop, or of all in the module.
inline constexpr llvm::StringLiteral numStagesAttr = "tt.num_stages";

/// On a loop (unit): the author wants copies for it, and for loops inside, from warps of their own.
inline constexpr llvm::StringLiteral warpSpecializeAttr = "tt.warp_specialize";

/// Whether the compiler chooses layouts in the module around `op`.
inline bool choosesLayouts(mlir::Operation *op) {
  auto module = llvm::dyn_cast<mlir::ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<mlir::ModuleOp>();
  return module && module->hasAttr(choosesLayoutsAttr);
}

/// Whether `type` is a tensor without a layout.
inline bool isOpen(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor &&
         (!tensor.getEncoding() ||
          llvm::isa<gluon::AutoEncodingAttr, gluon::CoalescedEncodingAttr>(tensor.getEncoding()));
}

} // namespace gluonc
