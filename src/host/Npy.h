//===- Npy.h - NumPy's .npy files -------------------------------------------===//
//
// Format versions 1, 2 and 3, little-endian numbers, C and Fortran order. bf16
// and fp8 have no descriptor of their own: they are written as `<V2` and `|V1`
// (as ml_dtypes does) and read by naming the dtype, `npy("x.npy", bf16)`, which
// takes files of void or unsigned elements of the same size.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "host/Tensor.h"

namespace gluonc::host {

/// Reads bytes of an .npy file. `wanted` void takes what the file says.
llvm::Expected<Tensor> parseNpy(llvm::StringRef bytes, sema::DType wanted = {});
llvm::Expected<Tensor> readNpy(llvm::StringRef path, sema::DType wanted = {});

/// The bytes of an .npy file; row-major whatever the strides are.
std::string formatNpy(const Tensor &tensor);
llvm::Error writeNpy(llvm::StringRef path, const Tensor &tensor);

} // namespace gluonc::host
