//===- TensorText.h - Tensors as NumPy prints them ----------------------------===//
#pragma once

#include "host/Tensor.h"

namespace gluonc::debug {

/// What an element prints as, by its row-major number.
using PrintElement = llvm::function_ref<std::string(int64_t element)>;

/// Brackets and columns as NumPy's; of more than 1000 elements the three at either end of each
/// dim.
std::string arrayText(llvm::ArrayRef<int64_t> shape, PrintElement element);

std::string tensorText(const host::Tensor &tensor);

/// One of its elements: `3`, `0.5`, `True`; `??` where nothing wrote it.
std::string elementText(const host::Tensor &tensor, const uint8_t *element);

} // namespace gluonc::debug
