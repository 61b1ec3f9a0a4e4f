#include "support/TensorDescription.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

namespace gluonc {

static std::string whyNotExtent(const TensorDescription &tensor, unsigned dim) {
  int64_t extent = tensor.shape[dim];
  if (extent < 1 || extent > int64_t(1) << 32)
    return ("extent " + llvm::Twine(extent) + " of dim " + llvm::Twine(dim) +
            " is not in 1 to 2^32")
        .str();
  uint32_t step = tensor.elementStrides[dim];
  if (step < 1 || step > 8)
    return ("element stride " + llvm::Twine(step) + " of dim " + llvm::Twine(dim) +
            " is not in 1 to 8")
        .str();
  return "";
}

std::string whyNotAddressable(const TensorDescription &tensor, unsigned elementBytes,
                              unsigned grain) {
  if (tensor.base % grain)
    return ("the tensor begins at 0x" + llvm::utohexstr(tensor.base) +
            ", which is not a multiple of " + llvm::Twine(grain) + " bytes")
        .str();
  if (tensor.strides[tensor.rank - 1] != 1)
    return ("the last stride is " + llvm::Twine(tensor.strides[tensor.rank - 1]) +
            " elements; it has to be 1")
        .str();
  for (unsigned dim = 0; dim + 1 < tensor.rank; ++dim) {
    int64_t bytes = 0;
    if (llvm::MulOverflow<int64_t>(tensor.strides[dim], elementBytes, bytes))
      bytes = std::numeric_limits<int64_t>::max();
    if (bytes < 0 || bytes % grain || bytes >= int64_t(1) << 40)
      return ("stride " + llvm::Twine(tensor.strides[dim]) + " of dim " + llvm::Twine(dim) +
              " is " + llvm::Twine(bytes) + " bytes, which is not a multiple of " +
              llvm::Twine(grain) + " below 2^40")
          .str();
  }
  for (unsigned dim = 0; dim < tensor.rank; ++dim)
    if (std::string why = whyNotExtent(tensor, dim); !why.empty())
      return why;
  return "";
}

} // namespace gluonc
