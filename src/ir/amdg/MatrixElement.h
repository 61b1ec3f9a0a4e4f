//===- MatrixElement.h - Types of the IR on AMD's matrix cores ----------------===//
#pragma once

#include "target/amd/MatrixInstructions.h"

#include "mlir/IR/Types.h"

#include <optional>

namespace gluonc::amdg {

/// What matrix cores call elements of this type; nullopt for those that they do not know.
std::optional<target::amd::MatrixElement> matrixElement(mlir::Type type);

} // namespace gluonc::amdg
