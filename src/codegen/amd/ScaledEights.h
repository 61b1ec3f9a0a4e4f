//===- ScaledEights.h - Eight conversions with one scale (gfx1250) ----------------===//
#pragma once

#include "codegen/core/Isa.h"

namespace gluonc::codegen::amd {

/// Eight small floats of each lane times a power of two, by v_cvt_scale_pk8.
struct EightUpcasts {
  /// 4-bit floats, two in each byte, else 8-bit ones.
  bool arePairs = false;
  bool areE5M2 = false;
  /// Lanes whose numbers differ by 16 have the same scales.
  bool halvesAgree = false;

  /// `bytes` holds four bytes or eight, `scale` an i8, the exponent plus 127. All lanes of the wave
  /// must come here: the instruction reads scales of other lanes. `to` is f16 or bf16.
  Registers emit(Builder &builder, const Isa &isa, llvm::ArrayRef<llvm::Value *> bytes,
                 llvm::Value *scale, llvm::Type *to) const;
};

/// Eight floats of a lane over a power of two as small floats, by v_cvt_scalef32_pk8.
struct EightDowncasts {
  bool arePairs = false;
  bool areE5M2 = false;

  /// `numbers` are f16, bf16 or f32; four bytes or eight come out, which are right unless
  /// `leaveRange` holds.
  Registers emit(Builder &builder, llvm::ArrayRef<llvm::Value *> numbers, llvm::Value *scale) const;
  /// Whether a number is NaN or leaves the format's range, where the instruction does not saturate,
  /// or the scale is not an f32 that is normal.
  llvm::Value *leaveRange(Builder &builder, llvm::ArrayRef<llvm::Value *> numbers,
                          llvm::Value *scale) const;
};

/// Whether in any lane of the wave one of `groups` has scales that are not all the same: i1.
llvm::Value *anyScalesDiffer(Builder &builder,
                             llvm::ArrayRef<llvm::SmallVector<llvm::Value *, 8>> groups);

} // namespace gluonc::codegen::amd
