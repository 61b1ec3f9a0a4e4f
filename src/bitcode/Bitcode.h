//===- Bitcode.h - Functions of LLVM IR, executed on the CPU -----------------===//
//
// Libraries that users bring (`extern_libs`) are files of LLVM IR, text or bitcode. The
// simulator calls their functions, element by element:
//
//   auto libraries = bitcode::Libraries::read(files, {.architecture = 90});
//   auto function = libraries->find("scaled_gamma", type, why);
//   bitcode::Outcome outcome = function->call({bits of the arguments}, memory);
//
// find() turns a function and what it calls into flat code that needs LLVM no more, and may be
// called from several threads. What is executed: arithmetic and conversions of integers of up to 64
// bits, pointers, half, bfloat, float, double and vectors and structures of them; branches, calls,
// local memory, tables; intrinsics of LLVM that compute, and those of NVPTX by the names that
// CUDA's libraries call. All else is refused by find(), with a reason.
//
// Approximations (`llvm.nvvm.ex2.approx.f`) are as good as the host's functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace gluonc::bitcode {

struct File {
  /// For texts.
  std::string path;
  std::shared_ptr<const std::string> contents;
};

/// What code asks of the chip that it is compiled for (`__nvvm_reflect`).
struct Chip {
  /// 90 for sm_90; 0: no chip of NVIDIA's.
  unsigned architecture = 0;
  /// Approximations of float32 take subnormal numbers for zeros.
  bool flushesSubnormals = true;
};

/// Memory that a function reaches through its arguments. Each answer is false where the access is a
/// fault, which the owner has told; the call then ends.
class Memory {
public:
  virtual ~Memory() = default;
  /// 1, 2, 4 or 8 bytes, in the lower ones of `value`.
  virtual bool load(uint64_t address, unsigned bytes, uint64_t &value) = 0;
  virtual bool store(uint64_t address, unsigned bytes, uint64_t value) = 0;
  /// Puts what `change` makes of `old` in its place, with nothing in between.
  virtual bool update(uint64_t address, unsigned bytes,
                      llvm::function_ref<uint64_t(uint64_t old)> change, uint64_t &old) = 0;
};

struct Outcome {
  /// In the lower bits.
  uint64_t value = 0;
  /// What the function did that it must not do; "" where it came back, or memory had a fault.
  std::string problem;
};

/// Types of arguments and results: integers and pointers by their bits, floats by their formats.
enum class Type : uint8_t { I1, I8, I16, I32, I64, Half, BFloat, Float, Double, Pointer };

struct Signature {
  llvm::SmallVector<Type, 4> arguments;
  Type result = Type::Float;
};

struct Code;

class Function {
public:
  explicit Function(std::shared_ptr<const Code> code) : code(std::move(code)) {}

  /// Integers that come back are zero-extended.
  Outcome call(llvm::ArrayRef<uint64_t> arguments, Memory &memory) const;

  bool loads() const;
  bool stores() const;
  /// Whether it updates memory atomically.
  bool updates() const;

private:
  std::shared_ptr<const Code> code;
};

class Libraries {
public:
  /// Fails with a StringError: "cannot read `PATH`: …".
  static llvm::Expected<Libraries> read(llvm::ArrayRef<File> files, const Chip &chip);
  Libraries(Libraries &&);
  Libraries &operator=(Libraries &&);
  ~Libraries();

  /// Whether one of them defines the function.
  bool defines(llvm::StringRef symbol) const;
  /// The first of that name; nullopt, with the reason in `why`, where it has another signature or
  /// something in it is not executed here.
  std::optional<Function> find(llvm::StringRef symbol, const Signature &signature,
                               std::string &why) const;

private:
  struct State;
  explicit Libraries(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace gluonc::bitcode
