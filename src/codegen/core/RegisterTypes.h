//===- RegisterTypes.h - LLVM types of values, register by register ----------===//
//
// A tensor is one LLVM value per register of its layout, redundant registers
// (zero bases) left out, so a tensor that wraps around many times costs what one
// copy costs. A scalar is one value. A buffer in shared memory is its base
// pointer, then its element offset along each dim. What a tensor descriptor is, the
// Isa says.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/linear/LinearLayout.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Type.h"

#include <memory>

namespace gluonc::codegen {

class Isa;

class RegisterTypes {
public:
  RegisterTypes(llvm::LLVMContext &context, const Isa &isa) : context(context), hardware(isa) {}

  /// LLVM type of one element: fp8 as i8, pointers in their address space.
  llvm::Type *ofElement(mlir::Type type) const;
  /// One LLVM type per register.
  llvm::SmallVector<llvm::Type *> ofRegisters(mlir::Type type);
  /// The layout of a tensor without its zero register bases.
  const layout::LinearLayout &layoutOf(mlir::Type type);
  unsigned registerCount(mlir::Type type);

private:
  llvm::LLVMContext &context;
  const Isa &hardware;
  /// By pointer: references to layouts outlive the growth of the map.
  llvm::DenseMap<mlir::Type, std::unique_ptr<layout::LinearLayout>> layouts;
};

} // namespace gluonc::codegen
