#include "runtime/cuda/TensorMap.h"

#include "target/nvidia/BoxCopies.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace gluonc::cuda {

namespace tma = target::nvidia::tma;

namespace {

constexpr unsigned maxRank = TensorDescription::maxRank;
/// CUtensorMapL2promotion: 128 bytes.
constexpr int promote128 = 2;

/// The driver counts dims from the innermost.
template <typename To, typename From>
std::array<To, maxRank> reversed(const std::array<From, maxRank> &dims, unsigned rank) {
  std::array<To, maxRank> result = {};
  for (unsigned i = 0; i != rank; ++i)
    result[i] = static_cast<To>(dims[rank - 1 - i]);
  return result;
}

template <typename To, typename From>
std::array<To, 3> reversedCorner(const From &corner, unsigned n) {
  std::array<To, 3> result = {};
  for (unsigned i = 0; i != n; ++i)
    result[i] = corner[n - 1 - i];
  return result;
}

llvm::Error refuse(const llvm::Twine &what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "tensor descriptor: " + what);
}

llvm::Error checkBox(const TensorBox &box) {
  for (unsigned dim = 0; dim != box.rank; ++dim) {
    if (!box.isIm2Col && (box.box[dim] < 1 || box.box[dim] > tma::maxBoxLength))
      return refuse("a transfer of " + llvm::Twine(box.box[dim]) + " elements along dim " +
                    llvm::Twine(dim) + "; 1 to " + llvm::Twine(tma::maxBoxLength) +
                    " are possible");
  }
  uint64_t innermost = uint64_t(box.box[box.isIm2Col ? 1 : box.rank - 1]) * box.elementBytes;
  if (box.swizzleBytes && innermost > box.swizzleBytes)
    return refuse("rows of " + llvm::Twine(innermost) + " bytes in a pattern that swizzles " +
                  llvm::Twine(box.swizzleBytes));
  return llvm::Error::success();
}

} // namespace

llvm::Error check(const TensorBox &box, const TensorDescription &tensor) {
  int64_t unit = box.type == TensorMapType::Padded4Bits ? tma::paddedUnitBytes : tma::unitBytes;
  TensorDescription described = tensor;
  described.rank = box.rank;
  if (std::string why = tma::whyNotAddressable(described, box.elementBytes, unit); !why.empty())
    return refuse(why);
  return checkBox(box);
}

llvm::Error encode(const Driver &driver, const TensorBox &box, const TensorDescription &tensor,
                   TensorMap &map) {
  const Table &api = driver.api();
  if (!api.cuTensorMapEncodeTiled || !api.cuTensorMapEncodeIm2col)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the CUDA driver is older than 12.0 (no tensor maps)");
  unsigned rank = box.rank;
  auto extents = reversed<uint64_t>(tensor.shape, rank);
  auto strides = reversed<uint64_t>(tensor.strides, rank);
  for (uint64_t &stride : strides)
    stride *= box.elementBytes;
  auto steps = reversed<uint32_t>(tensor.elementStrides, rank);
  for (uint32_t &step : steps)
    step = std::max(step, 1u);
  TensorMapType type = box.type;
  if (tensor.roundToTf32 && type == TensorMapType::Float32)
    type = TensorMapType::TFloat32;
  // Two 4-bit elements to a byte.
  if (type == TensorMapType::Padded4Bits)
    extents[0] *= 2;
  int swizzle = int(tma::swizzleCode(box.swizzleBytes)), padding = tensor.nanPadding;
  // The driver counts the innermost stride as one element; its list starts with the next.
  const uint64_t *outerStrides = strides.data() + 1;
  CUresult result;
  if (box.isIm2Col) {
    unsigned spatial = rank - 2;
    auto lower = reversedCorner<int>(tensor.lowerCorner, spatial);
    auto upper = reversedCorner<int>(tensor.upperCorner, spatial);
    result = api.cuTensorMapEncodeIm2col(
        &map, static_cast<int>(type), rank, tensor.base, extents.data(), outerStrides, lower.data(),
        upper.data(), box.box[1], box.box[0], steps.data(), 0, swizzle, promote128, padding);
  } else {
    auto lengths = reversed<uint32_t>(box.box, rank);
    result = api.cuTensorMapEncodeTiled(&map, static_cast<int>(type), rank, tensor.base,
                                        extents.data(), outerStrides, lengths.data(), steps.data(),
                                        0, swizzle, promote128, padding);
  }
  return driver.check(result, "describing a tensor to the memory accelerator");
}

} // namespace gluonc::cuda
