//===- DoubleMath.h - Elementary functions of f64 ------------------------------------===//
//
// The hardware approximates f32 only. These are made of fma, to 1 ulp (erf: 2 ulp)
// over the whole range; sin and cos for |x| up to 2^50.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/core/Isa.h"

namespace gluonc::codegen {

llvm::Value *expF64(const Isa &isa, Builder &builder, llvm::Value *x);
llvm::Value *exp2F64(const Isa &isa, Builder &builder, llvm::Value *x);
llvm::Value *logF64(const Isa &isa, Builder &builder, llvm::Value *x);
llvm::Value *log2F64(const Isa &isa, Builder &builder, llvm::Value *x);
llvm::Value *sinF64(const Isa &isa, Builder &builder, llvm::Value *x);
llvm::Value *cosF64(const Isa &isa, Builder &builder, llvm::Value *x);
llvm::Value *erfF64(const Isa &isa, Builder &builder, llvm::Value *x);

} // namespace gluonc::codegen
