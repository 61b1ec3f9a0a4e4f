//===- AsmConstraints.h - Operands of inline assembly -----------------------===//
//
// A constraint string names a register class per operand, results first:
// "=r,=f,r,l". The text refers to operands by number: "add.u32 $0, $1, $2;".
//
// Elements of less than 32 bits travel together: as many as fill a 32-bit
// register, if `pack` elements do.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/TypeRange.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <utility>

namespace gluonc {

struct AsmRegister {
  /// 'h' 16 bits, 'r' 32, 'l' 64, 'f' float, 'd' double, 'c' 8 bits, 'b' predicate; of AMD's chips
  /// 'v' vector, 's' scalar, 'a' accumulation registers, as many as the operand fills; of operands
  /// also 'n', a number that is known at compile time, in no register.
  char kind = 'r';
  unsigned bits = 32;
};

struct AsmConstraints {
  llvm::SmallVector<AsmRegister> results, operands;
  /// Operands in the register of a result, as (operand, result).
  llvm::SmallVector<std::pair<unsigned, unsigned>> ties;

  /// Whether registers are named as AMD's chips have them.
  bool isAmd() const;
};

/// How many elements of `type` share an operand when `pack` of them are processed together.
unsigned elementsPerAsmOperand(mlir::Type type, unsigned pack);

/// Reads the constraints of assembly on `pack` elements of each of these types. Nullopt, with the
/// reason in `why`, where they and the text do not fit the operands.
std::optional<AsmConstraints> readAsmConstraints(llvm::StringRef text, llvm::StringRef constraints,
                                                 mlir::TypeRange results, mlir::TypeRange operands,
                                                 unsigned pack, std::string &why);

/// What the operands of `ttg.inline_asm` are: of a tensor, the elements that each thread has,
/// register by register; of a buffer, an i32. Nullopt where a tensor has no layout yet.
std::optional<llvm::SmallVector<mlir::Type>> threadAsmTypes(mlir::TypeRange types);

} // namespace gluonc
