#include "target/nvidia/BoxCopies.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

namespace gluonc::target::nvidia::tma {

static std::string whyNotExtent(const TensorDescription &tensor, unsigned dim) {
  int64_t extent = tensor.shape[dim];
  if (extent < 1 || extent > maxExtent)
    return ("extent " + llvm::Twine(extent) + " of dim " + llvm::Twine(dim) +
            " is not in 1 to 2^32")
        .str();
  uint32_t step = tensor.elementStrides[dim];
  if (step < 1 || step > maxElementStride)
    return ("element stride " + llvm::Twine(step) + " of dim " + llvm::Twine(dim) +
            " is not in 1 to " + llvm::Twine(maxElementStride))
        .str();
  return "";
}

std::string whyNotAddressable(const TensorDescription &tensor, unsigned elementBytes,
                              int64_t unit) {
  if (tensor.base % uint64_t(unit))
    return ("the tensor begins at 0x" + llvm::utohexstr(tensor.base) +
            ", which is not a multiple of " + llvm::Twine(unit) + " bytes")
        .str();
  if (tensor.strides[tensor.rank - 1] != 1)
    return ("the last stride is " + llvm::Twine(tensor.strides[tensor.rank - 1]) +
            " elements; it has to be 1")
        .str();
  for (unsigned dim = 0; dim + 1 < tensor.rank; ++dim) {
    int64_t bytes = 0;
    if (llvm::MulOverflow<int64_t>(tensor.strides[dim], elementBytes, bytes))
      bytes = std::numeric_limits<int64_t>::max();
    if (bytes < 0 || bytes % unit || bytes >= strideEnd)
      return ("stride " + llvm::Twine(tensor.strides[dim]) + " of dim " + llvm::Twine(dim) +
              " is " + llvm::Twine(bytes) + " bytes, which is not a multiple of " +
              llvm::Twine(unit) + " below 2^40")
          .str();
  }
  for (unsigned dim = 0; dim < tensor.rank; ++dim)
    if (std::string why = whyNotExtent(tensor, dim); !why.empty())
      return why;
  return "";
}

} // namespace gluonc::target::nvidia::tma
