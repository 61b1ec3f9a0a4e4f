//===- DType.h - Front-end element types ------------------------------------===//
//
// IR integers are signless; signedness, `const` pointees and the fp8 flavours
// live here. A DType is a four-byte value: a scalar kind, or a pointer (to a
// pointer …) to one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "numeric/DTypes.h"

#include "mlir/IR/Types.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <optional>
#include <string>

namespace gluonc::sema {

using numeric::ScalarKind;

class DType {
public:
  constexpr DType(ScalarKind kind = ScalarKind::Void) : kind(kind) {}

  /// Pointer to `pointee`. At most seven levels of pointers.
  static DType pointer(DType pointee, bool isConst = false, unsigned addressSpace = 1);

  /// Every spelling: `fp32`, `f32`, `float32`, `gl.float32`, `i32`, `int32`, `u1`, `bool`,
  /// `*fp32`, `*kfp32` (const). No `:16` suffix. Nullopt for anything else.
  static std::optional<DType> parse(llvm::StringRef text);

  ScalarKind scalarKind() const { return kind; }
  bool isPointer() const { return pointerDepth != 0; }
  bool isConstPointer() const { return isPointer() && (constLevels >> (pointerDepth - 1) & 1); }
  unsigned addressSpace() const { return space; }
  /// What a pointer points to. Only for pointers.
  DType pointee() const;

  bool isVoid() const { return !isPointer() && kind == ScalarKind::Void; }
  bool isBool() const { return !isPointer() && kind == ScalarKind::Int1; }
  /// Integers, int1 among them.
  bool isInt() const;
  /// Signed integers; int1 is unsigned.
  bool isSignedInt() const;
  bool isUnsignedInt() const { return isInt() && !isSignedInt(); }
  bool isFloat() const;
  bool isFp8() const;
  /// fp16, bf16, fp32, fp64: what arithmetic works on.
  bool isStandardFloat() const { return isFloat() && !isFp8(); }
  /// Bits of one element; 64 for pointers, 0 for void.
  unsigned bitWidth() const;
  /// Bytes that one element takes in memory; int1 takes one.
  unsigned byteSize() const { return bitWidth() <= 8 ? (isVoid() ? 0 : 1) : bitWidth() / 8; }

  /// Triton's short spelling: `fp32`, `i32`, `*fp32`.
  std::string shortName() const;
  /// Triton's printed spelling: `fp32`, `int32`, `pointer<fp32>`.
  std::string name() const;
  mlir::Type toMlir(mlir::MLIRContext *context) const;
  /// Of a scalar or pointer; integers without a sign are taken for signed ones. Nullopt for types
  /// that no argument has.
  static std::optional<DType> fromMlir(mlir::Type type);

  constexpr bool operator==(const DType &) const = default;
  uint32_t hash() const {
    return unsigned(kind) | pointerDepth << 8 | constLevels << 16 | unsigned(space) << 24;
  }

private:
  ScalarKind kind;
  uint8_t pointerDepth = 0;
  /// Bit i: the pointer at depth i + 1 points to const.
  uint8_t constLevels = 0;
  uint8_t space = 0;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, DType dtype);

namespace dtypes {
inline constexpr DType int1 = ScalarKind::Int1, int8 = ScalarKind::Int8, int16 = ScalarKind::Int16,
                       int32 = ScalarKind::Int32, int64 = ScalarKind::Int64,
                       uint8 = ScalarKind::UInt8, uint16 = ScalarKind::UInt16,
                       uint32 = ScalarKind::UInt32, uint64 = ScalarKind::UInt64,
                       float16 = ScalarKind::Float16, bfloat16 = ScalarKind::BFloat16,
                       float32 = ScalarKind::Float32, float64 = ScalarKind::Float64;
} // namespace dtypes

} // namespace gluonc::sema
