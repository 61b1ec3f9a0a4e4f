//===- MatrixElement.h - Types of the language on AMD's matrix cores ----------===//
#pragma once

#include "sema/value/DType.h"
#include "target/amd/MatrixInstructions.h"

#include <optional>

namespace gluonc::sema::ops {

/// What matrix cores call elements of this type; nullopt for those that they do not know. Products
/// of the IR have signed integers only.
inline std::optional<target::amd::MatrixElement> amdMatrixElement(DType dtype) {
  using target::amd::MatrixElement;
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
  case ScalarKind::Int8:
    return MatrixElement::I8;
  case ScalarKind::Int32:
    return MatrixElement::I32;
  case ScalarKind::Float8E4NV:
    return MatrixElement::E4M3;
  case ScalarKind::Float8E5:
    return MatrixElement::E5M2;
  case ScalarKind::Float8E4B8:
    return MatrixElement::E4M3Fnuz;
  case ScalarKind::Float8E5B16:
    return MatrixElement::E5M2Fnuz;
  default:
    return std::nullopt;
  }
}

} // namespace gluonc::sema::ops
