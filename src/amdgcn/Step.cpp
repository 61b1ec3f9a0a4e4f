//===- Step.cpp - Operands of scalar instructions --------------------------------===//
#include "amdgcn/Machine.h"

namespace gluonc::amdgcn {

uint32_t literalWord(const Operand &operand) {
  return operand.isFloat ? std::bit_cast<uint32_t>(static_cast<float>(operand.real))
                         : static_cast<uint32_t>(operand.value);
}

uint32_t Step::scalar(const Operand &operand) const {
  switch (operand.bank) {
  case Bank::Scalar:
    return operand.reg == nullSlot ? 0 : wave.scalars[operand.reg];
  case Bank::Vector:
    return wave.vectors[size_t(operand.reg) * wave.lanes];
  case Bank::Literal:
    return literalWord(operand);
  default:
    return 0;
  }
}

uint64_t Step::scalarWide(const Operand &operand) const {
  if (operand.bank == Bank::Scalar)
    return operand.reg == nullSlot ? 0
           : operand.count < 2     ? wave.scalars[operand.reg]
                                   : wave.wide(operand.reg);
  if (operand.bank == Bank::Literal)
    return operand.isFloat ? std::bit_cast<uint64_t>(operand.real) : operand.value;
  return 0;
}

void Step::setScalar(const Operand &operand, uint32_t value) {
  if (operand.bank == Bank::Scalar && operand.reg != nullSlot)
    wave.scalars[operand.reg] = value;
}

void Step::setScalarWide(const Operand &operand, uint64_t value) {
  if (operand.bank == Bank::Scalar && operand.reg != nullSlot)
    wave.setWide(operand.reg, value);
}

uint64_t Step::mask(const Operand &operand) const {
  if (operand.bank == Bank::Scalar && operand.reg != nullSlot)
    return wave.mask(operand.reg) & wave.allLanes();
  if (operand.bank == Bank::Literal)
    return operand.value & wave.allLanes();
  return 0;
}

void Step::setMask(const Operand &operand, uint64_t value) {
  if (operand.bank == Bank::Scalar && operand.reg != nullSlot)
    wave.setMask(operand.reg, value);
}

} // namespace gluonc::amdgcn
