//===- ArgSpec.h - What a specialization knows about an argument -------------===//
//
// An argument is a type plus what may be assumed of its value (divisible by 16), or
// it is a compile-time value and leaves no trace in the IR signature.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sema/names/Program.h"
#include "sema/value/Value.h"
#include "target/Target.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace gluonc::sema {

struct ArgSpec {
  enum class Kind : uint8_t {
    /// A pointer or scalar passed at run time.
    Runtime,
    /// Known at compile time; not passed.
    Constant,
    /// Several arguments under one name.
    Tuple,
    /// A host TensorDescriptor: 128 opaque bytes by value, then what `items` says.
    Descriptor,
    /// A host TensorDescriptor without a layout, for kernels of Triton. `items` are what is passed
    /// at run time: the pointer, the extents (i32), the strides (i64) but the last, which is 1; or,
    /// where a copy engine moves the blocks (see `on`), a Descriptor.
    BlockedTensor,
  };
  Kind kind = Kind::Runtime;
  /// Of a Descriptor and a BlockedTensor: its element type.
  DType dtype;
  /// Of a BlockedTensor: its last extent.
  bool divisibleBy16 = false;
  /// The value of a Constant; the shared layout of a Descriptor; the padding of a BlockedTensor,
  /// "zero" or "nan".
  Value constant;
  /// Of a Tuple; of a Descriptor the run-time scalars that follow it: the extents (i32), then the
  /// strides (i64).
  std::vector<ArgSpec> items;
  /// Field names of a namedtuple.
  std::vector<std::string> names;
  /// Of a Descriptor: the block that one transfer moves. Of im2col: pixels, channels.
  std::vector<int64_t> blockShape;
  bool isIm2Col = false;
  /// Of a BlockedTensor of float32: what is loaded is rounded.
  bool roundsToTf32 = false;

  static ArgSpec pointer(DType element, bool divisibleBy16 = true, bool isConst = false);
  static ArgSpec scalar(DType dtype, bool divisibleBy16 = false);
  static ArgSpec compileTime(Value value);
  static ArgSpec none() { return compileTime(Value::none()); }
  static ArgSpec tuple(std::vector<ArgSpec> items, std::vector<std::string> names = {});
  /// A tiled descriptor of a tensor whose rank is the block's.
  static ArgSpec descriptor(DType element, std::vector<int64_t> blockShape, Value layout);
  /// `isAligned`: the last extent is a multiple of 16.
  static ArgSpec blockedTensor(DType element, std::vector<int64_t> blockShape, bool padsWithNan,
                               bool roundsToTf32, bool isAligned = false);
  static ArgSpec im2colDescriptor(DType element, std::vector<int64_t> blockShape, unsigned rank,
                                  Value layout);

  /// `'*fp32:16'`, `'i32'`, `'i32:16'`, `'*kfp16'`, `'fp16'`. Nullopt for other text.
  static std::optional<ArgSpec> parse(llvm::StringRef text);
  /// `tensordesc<fp16[64, 64],layout>`, `tensordesc_im2col<fp16[64, 64],input_rank=4,layout>`;
  /// without a layout `tensordesc<fp16[64, 64]>`, `tensordesc<fp32[64, 64],nan,tf32,aligned>`.
  /// `layoutOf` evaluates the layout and reports what is wrong with it; other problems go to
  /// `problem`.
  static std::optional<ArgSpec>
  parseDescriptor(llvm::StringRef text,
                  llvm::function_ref<std::optional<Value>(llvm::StringRef)> layoutOf,
                  std::string &problem);
  /// How an int argument specializes for `parameter`: value 1, i32/i64/u64, divisibility.
  static ArgSpec specializeInt(int64_t value, const Parameter &parameter);
  static ArgSpec specializeUInt64(uint64_t value, const Parameter &parameter);
  static ArgSpec specializeFloat(const Parameter &parameter);
  static ArgSpec specializeBool();
  static ArgSpec specializePointer(DType element, uint64_t address, const Parameter &parameter);

  /// How kernels on `target` take it, in clusters of `ctas`: what a BlockedTensor is there.
  ArgSpec on(const target::Target &target, unsigned ctas) const;

  /// Rank of the tensor that a Descriptor is of.
  unsigned rank() const { return static_cast<unsigned>(items.size() / 2); }

  /// Arguments that the kernel takes at run time, depth first: Runtime, Descriptor and
  /// BlockedTensor specs. The last two stand before their items; of a BlockedTensor only these are
  /// passed.
  void flatten(std::vector<const ArgSpec *> &out) const;
  /// `*fp32:16`, `i32`, `constexpr(4)`, `tensordesc<fp16[64, 64],NVMMASharedLayout(…)>`: stable, so
  /// usable in cache keys and messages.
  std::string text() const;
};

/// `on`, for each of them.
std::vector<ArgSpec> onTarget(llvm::ArrayRef<ArgSpec> arguments, const target::Target &target,
                              unsigned ctas);

/// The layout in shared memory of such blocks of a tensor, where the target's copy engine moves
/// them for kernels of Triton; nullopt where threads access the tensor themselves.
std::optional<layout::Layout> boxLayout(DType element, llvm::ArrayRef<int64_t> block,
                                        const target::Target &target, unsigned ctas);

} // namespace gluonc::sema
