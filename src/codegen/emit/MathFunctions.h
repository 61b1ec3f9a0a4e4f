//===- MathFunctions.h - Functions made of others ---------------------------------===//
#pragma once

#include "codegen/core/Emitter.h"

namespace gluonc::codegen {

/// Horner's scheme, lowest power first.
llvm::Value *polynomial(Builder &builder, llvm::Value *at, llvm::ArrayRef<double> coefficients);
/// log of f32 to 1 ulp, log2 to 2 ulp.
llvm::Value *logF32(Builder &builder, llvm::Value *x);
llvm::Value *log2F32(Builder &builder, llvm::Value *x);
/// sin(x + quarters * pi/2) of f32 to 2 ulp.
llvm::Value *sineF32(Builder &builder, llvm::Value *x, unsigned quarters);
/// erf of f32 to 3 ulp.
llvm::Value *erfF32(Builder &builder, const Isa &isa, llvm::Value *x);

} // namespace gluonc::codegen
