//===- InlineAsm.h - PTX fragments as LLVM inline assembly -------------------===//
#pragma once

#include "codegen/core/Isa.h"

namespace gluonc::codegen::nvidia {

/// How LLVM may treat a fragment.
enum class AsmEffect {
  /// A function of its operands: may be merged, moved and dropped.
  Pure,
  /// Reads memory: kept in order with writes, dropped when unused.
  Reads,
  /// Writes memory.
  Writes,
  /// Reads and writes: stays where it is among all accesses.
  ReadsAndWrites
};

/// Whether a fragment is an operation of each thread, or of all threads of a warp at one place.
enum class Threads { Alone, Together };

/// Emits `text` with one result of type `result` (void: none). Constraint
/// letters are derived from the operand types; results come first in `$n`
/// numbering. A struct type gives several results.
llvm::Value *emitAsm(Builder &builder, llvm::StringRef text, llvm::Type *result,
                     llvm::ArrayRef<llvm::Value *> operands, AsmEffect effect,
                     Threads threads = Threads::Alone);

/// The same for a fragment of a whole warp that updates registers in place: results $0... of
/// `types` start out as `tied`, which take the next numbers; `operands` follow.
llvm::Value *emitTiedAsm(Builder &builder, llvm::StringRef text, llvm::ArrayRef<llvm::Type *> types,
                         llvm::ArrayRef<llvm::Value *> tied, llvm::ArrayRef<llvm::Value *> operands,
                         AsmEffect effect);

/// NVPTX's register class letter: b i1, h i16, r i32, l i64 and pointers, f, d.
char constraintOf(llvm::Type *type);

} // namespace gluonc::codegen::nvidia
