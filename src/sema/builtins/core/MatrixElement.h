//===- MatrixElement.h - Types of the language on tensor cores ----------------===//
#pragma once

#include "sema/value/DType.h"
#include "target/nvidia/MatrixInstructions.h"

#include <optional>

namespace gluonc::sema::ops {

/// What tensor cores call elements of this type; nullopt for those that they do not know. (The
/// types of the IR do not tell fp8e4b15 from bytes.)
inline std::optional<target::nvidia::MatrixElement> matrixElement(DType dtype) {
  using target::nvidia::MatrixElement;
  if (dtype.isPointer())
    return std::nullopt;
  switch (dtype.scalarKind()) {
  case ScalarKind::Float16:
    return MatrixElement::F16;
  case ScalarKind::BFloat16:
    return MatrixElement::BF16;
  case ScalarKind::Float32:
    return MatrixElement::F32;
  case ScalarKind::Float64:
    return MatrixElement::F64;
  case ScalarKind::Float8E4NV:
    return MatrixElement::E4M3;
  case ScalarKind::Float8E5:
    return MatrixElement::E5M2;
  case ScalarKind::Int8:
  case ScalarKind::UInt8:
    return MatrixElement::I8;
  case ScalarKind::Int32:
    return MatrixElement::I32;
  default:
    return std::nullopt;
  }
}

} // namespace gluonc::sema::ops
