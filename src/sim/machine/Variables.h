//===- Variables.h - Variables of the source, for debuggers ------------------===//
//
// A program that was prepared for a debugger keeps every value in a slot of its own,
// and says where a variable gets one: by an instruction that does nothing, behind
// those that compute the value. What was bound last on the way of a fiber is the
// variable's value there.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/linear/LinearLayout.h"
#include "sim/machine/Program.h"

namespace gluonc::sim {

struct Variable {
  /// A name, or the way to a field: `pipe.full[1]`.
  std::string name;
  /// Where the function whose variable it is was called, innermost first.
  llvm::SmallVector<diag::Span, 2> callers;
  Slot slot;
  ElementKind kind = ElementKind::I32;
  /// As IR has it.
  std::string type;
  /// Whole; empty for scalars.
  llvm::SmallVector<int64_t, 4> shape;
  /// Null for programs of one CTA.
  const Share *share = nullptr;
  /// Of tensors with a layout.
  std::optional<layout::LinearLayout> linear;
  /// Of views of shared and tensor memory, with the kind of the elements there.
  const AddressTable *table = nullptr;
  std::optional<ElementKind> viewed;
  /// Of pointers: how large that is which they point to.
  uint32_t pointeeBytes = 0;
};

struct VariableData : OpData {
  std::vector<Variable> variables;
};

/// The variables that get their values at an instruction; null where it is none of these.
const VariableData *variablesAt(const Instruction &instruction);

} // namespace gluonc::sim
