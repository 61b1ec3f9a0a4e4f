//===- SmallFloats.h - Floats of 4 and 8 bits, computed in integers ------------------===//
#pragma once

#include "codegen/core/Isa.h"

#include "mlir/IR/Types.h"

namespace gluonc::codegen {

/// A format of up to 8 bits, in the low bits of an i8.
struct SmallFloat {
  unsigned bits, mantissaBits;
  int bias;
  /// Bits of the largest finite number, and of NaN (of the largest where there is none).
  uint8_t largest, nan;
  double largestValue;
  /// No minus zero: its bits are NaN's.
  bool isFnuz = false;
};

inline constexpr SmallFloat smallE4M3 = {8, 3, 7, 0x7e, 0x7f, 448};
inline constexpr SmallFloat smallE5M2 = {8, 2, 15, 0x7b, 0x7f, 57344};
inline constexpr SmallFloat smallE4M3FNUZ = {8, 3, 8, 0x7f, 0x80, 240, true};
inline constexpr SmallFloat smallE5M2FNUZ = {8, 2, 16, 0x7f, 0x80, 57344, true};
inline constexpr SmallFloat smallE2M1 = {4, 1, 1, 0x7, 0x7, 6};

/// The format of a float type; nullopt for other types.
std::optional<FloatKind> floatKind(mlir::Type type);

/// As f16, which holds every number of the 8-bit formats.
llvm::Value *widenSmall(Builder &builder, llvm::Value *byte, const SmallFloat &from);
/// f32 to nearest even, saturated at the largest number; NaN stays where the format has one.
llvm::Value *narrowToSmall(Builder &builder, llvm::Value *x, const SmallFloat &to);

/// e5m2 of an f16 that was cut towards zero, towards zero, too: at most the largest number, or NaN.
llvm::Value *cutToE5M2(Builder &builder, llvm::Value *half);

/// One of the two e2m1 numbers of a byte, as f16, bf16 or f32.
llvm::Value *unpackFp4(Builder &builder, llvm::Value *byte, bool high, llvm::Type *type);

/// f64 as f32 towards zero; whether something is lost shows in `lost`, an i1.
llvm::Value *cutToFloat(Builder &builder, llvm::Value *x, llvm::Value *&lost);
/// f64 as f32 with the last bit set if anything was lost: a second rounding sees on which side of
/// a tie the number was.
llvm::Value *roundToOdd(Builder &builder, llvm::Value *x);

} // namespace gluonc::codegen
