//===- Choice.h - Which variant a launch takes --------------------------------===//
//
// Conditions compare what a launch gives, in slots as gluonc_rt_launch takes them, with
// numbers. A variant is taken if all of its conditions hold.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "bundle/Bundle.h"
#include "gluonc/gluonc_rt.h"
#include "target/Target.h"

#include "llvm/ADT/SmallVector.h"

namespace gluonc::bundle {

/// The number in the low `bits` of a slot.
inline int64_t signExtended(uint64_t slot, unsigned bits) {
  return static_cast<int64_t>(slot << (64 - bits)) >> (64 - bits);
}

inline bool compare(format::Operator op, int64_t value, int64_t operand) {
  switch (op) {
  case format::Operator::Equal:
    return value == operand;
  case format::Operator::NotEqual:
    return value != operand;
  case format::Operator::Less:
    return value < operand;
  case format::Operator::LessEqual:
    return value <= operand;
  case format::Operator::Greater:
    return value > operand;
  case format::Operator::GreaterEqual:
    return value >= operand;
  case format::Operator::Multiple:
    // Most divisors are powers of two.
    return operand & (operand - 1) ? value % operand == 0 : (value & (operand - 1)) == 0;
  }
  return false;
}

/// Slots of tensors are not null.
bool holds(const format::Condition &condition, llvm::ArrayRef<format::Parameter> parameters,
           const uint64_t *slots);

inline bool hold(llvm::ArrayRef<format::Condition> conditions,
                 llvm::ArrayRef<format::Parameter> parameters, const uint64_t *slots) {
  for (const format::Condition &condition : conditions)
    if (!holds(condition, parameters, slots))
      return false;
  return true;
}

/// "n % 16 == 0", "a.shape[0] <= 128".
std::string describe(const format::Condition &condition,
                     llvm::ArrayRef<format::Parameter> parameters, const Bundle &bundle);

/// The variants of a kernel that a chip can run, as places among the kernel's: those for the target
/// that is nearest to it. PTX is for later chips, too, and none where there is machine code for the
/// same launches.
llvm::SmallVector<uint32_t, 0> variantsFor(const Bundle &bundle, const format::Kernel &kernel,
                                           const target::Target &chip);

/// Why none of a kernel's variants is for a launch on `chip`, variant by variant.
std::string whyNone(const Bundle &bundle, const format::Kernel &kernel, const target::Target &chip,
                    const uint64_t *slots);

} // namespace gluonc::bundle
