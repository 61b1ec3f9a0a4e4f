//===- MatrixElements.h - Which numbers registers hold of a matrix -------------===//
//
// The same rule for all types (PTX ISA 9.7.14.5): with e elements in 32 bits,
// g = lane / 4 and t = lane % 4, register r of A has row g + 8 * (r & 1) and elements
// t * e + (r >> 1) * 4 * e on of K; of B column g. Of a sum, each 8 columns: row g, columns
// 2 t and 2 t + 1, then row g + 8.
//
// Sums are made in double and rounded once; a GPU cuts bits off in between.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ptx/Machine.h"
#include "ptx/Numbers.h"

namespace gluonc::ptx {

/// An element type of matrices: how many bits, and the value of an encoding.
struct ElementType {
  unsigned bits = 0;
  double (*decode)(uint64_t bits) = nullptr;
};

/// By its name ("e4m3"); 0 bits for what matrices have no elements of.
ElementType elementNamed(llvm::StringRef name);

inline constexpr unsigned maxK = 64;

/// The elements of an operand as rows (of A) or columns (of B) of K numbers; `rowGroups` registers
/// in a row are of rows 8 apart.
void gather(Step &step, const Operand &operand, ElementType type, unsigned k, unsigned rowGroups,
            double (*to)[maxK]);

/// Of ScaledMatrices.cpp: mma.sync with a kind, and ldmatrix of bytes.
Handler chooseScaledMatrices(const Instruction &instruction);
Handler chooseByteMatrices(const Instruction &instruction);

/// A sum's bits and value, by the name of its type.
uint64_t rounded(llvm::StringRef type, double value, bool saturates);
double valueOf(llvm::StringRef type, uint64_t bits);

} // namespace gluonc::ptx
