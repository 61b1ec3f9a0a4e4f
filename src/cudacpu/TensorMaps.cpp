//===- TensorMaps.cpp - Descriptors for copies of boxes ------------------------------===//
//
// A map has the form that the executor of PTX reads (ptx/TensorMap.h); what is refused is what
// NVIDIA's documentation of cuTensorMapEncodeTiled and …Im2col forbids, and what is not executed.
//
//===----------------------------------------------------------------------===//
#include "cudacpu/Api.h"
#include "ptx/TensorMap.h"
#include "target/nvidia/BoxCopies.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace gluonc;
using namespace gluonc::cudacpu;

namespace tma = target::nvidia::tma;

namespace {

/// CUtensorMapDataType: bytes of an element in memory (of 16, where they are of 4 or 6 bits), and
/// the number that the executor has for it.
struct ElementType {
  unsigned bytes, elements;
  uint8_t number;
};
constexpr ElementType elementTypes[] = {{1, 1, 0},  {2, 1, 1},   {4, 1, 2},   {4, 1, 3},
                                        {8, 1, 4},  {8, 1, 5},   {2, 1, 6},   {4, 1, 7},
                                        {8, 1, 9},  {2, 1, 10},  {4, 1, 8},   {4, 1, 11},
                                        {4, 1, 12}, {8, 16, 13}, {8, 16, 14}, {12, 16, 15}};

Result refuseMap(const std::string &why) { return refuse(invalidValue, "tensor map: " + why); }

struct Given {
  int type;
  uint32_t rank;
  uint64_t address;
  const uint64_t *extents, *strides;
  const uint32_t *elementStrides;
  int interleave, swizzle, promotion, fill;
};

/// What both kinds of maps have.
Result encodeCommon(void *to, const Given &given, ptx::TensorMap &map) {
  if (!to || reinterpret_cast<uintptr_t>(to) % tma::parameterAlignment)
    return refuseMap("it does not lie at a multiple of 64");
  if (given.type < 0 || size_t(given.type) >= std::size(elementTypes))
    return refuseMap("no such type");
  if (!given.rank || given.rank > tma::maxRank)
    return refuseMap(llvm::utostr(given.rank) + " dims");
  if (!given.extents || !given.elementStrides || (given.rank > 1 && !given.strides))
    return invalidValue;
  if (given.interleave || given.swizzle > 3)
    return refuse(notSupported, "tensor map: interleaved memory and swizzles of atoms other than "
                                "16 bytes are not executed here");
  constexpr int mostPromotion = 3;
  if (given.swizzle < 0 || given.promotion < 0 || given.promotion > mostPromotion ||
      given.fill < 0 || given.fill > 1)
    return invalidValue;
  const ElementType &type = elementTypes[given.type];
  auto unit = static_cast<uint64_t>(type.number == 14 || type.number == 15 ? tma::paddedUnitBytes
                                                                           : tma::unitBytes);
  if (given.address % unit)
    return refuseMap("the address is not a multiple of " + llvm::utostr(unit));
  map.address = given.address;
  map.rank = static_cast<uint8_t>(given.rank - 1);
  map.elementType = type.number;
  map.swizzle = static_cast<uint8_t>(given.swizzle);
  map.fill = static_cast<uint8_t>(given.fill);
  for (uint32_t dim = 0; dim != given.rank; ++dim) {
    if (!given.extents[dim] || given.extents[dim] >= uint64_t(tma::maxExtent))
      return refuseMap("dim " + llvm::utostr(dim) + " has " + llvm::utostr(given.extents[dim]) +
                       " elements");
    map.dims[dim] = static_cast<uint32_t>(given.extents[dim]);
    map.elementStrides[dim] = given.elementStrides[dim];
    if (!map.elementStrides[dim] || map.elementStrides[dim] > tma::maxElementStride)
      return refuseMap("an element stride of " + llvm::utostr(map.elementStrides[dim]));
    if (!dim)
      continue;
    uint64_t stride = given.strides[dim - 1];
    if (stride % unit || stride >= uint64_t(tma::strideEnd))
      return refuseMap("a stride of " + llvm::utostr(stride) + " bytes; multiples of " +
                       llvm::utostr(unit) + " below 2^40 are possible");
    map.strides[dim - 1] = stride;
  }
  return success;
}

/// Bytes of a box along its innermost dim.
Result checkInnermost(const Given &given, uint64_t elements) {
  const ElementType &type = elementTypes[given.type];
  uint64_t bytes = elements * type.bytes / type.elements;
  if (elements % type.elements || bytes % tma::unitBytes)
    return refuseMap("rows of " + llvm::utostr(bytes) +
                     " bytes in a box; multiples of 16 are "
                     "possible");
  if (uint64_t most = given.swizzle ? 16u << given.swizzle : ~uint64_t(0); bytes > most)
    return refuseMap("rows of " + llvm::utostr(bytes) + " bytes in a pattern that swizzles " +
                     llvm::utostr(most));
  return success;
}

Result store(void *to, const ptx::TensorMap &map) {
  std::memset(to, 0, tma::descriptorBytes);
  std::memcpy(to, &map, sizeof map);
  return success;
}

} // namespace

int cuTensorMapEncodeTiled(void *to, int type, uint32_t rank, uint64_t address,
                           const uint64_t *extents, const uint64_t *strides, const uint32_t *box,
                           const uint32_t *elementStrides, int interleave, int swizzle,
                           int promotion, int fill) {
  Given given = {type,           rank,       address, extents,   strides,
                 elementStrides, interleave, swizzle, promotion, fill};
  ptx::TensorMap map = {};
  if (Result failure = encodeCommon(to, given, map))
    return failure;
  if (!box)
    return invalidValue;
  for (uint32_t dim = 0; dim != rank; ++dim) {
    if (!box[dim] || box[dim] > tma::maxBoxLength)
      return refuseMap("a box of " + llvm::utostr(box[dim]) + " elements along dim " +
                       llvm::utostr(dim));
    // Of dim 0 it is ignored.
    if (dim && map.elementStrides[dim] != 1)
      return refuse(notSupported,
                    "tensor map: boxes that leave elements out are not executed here");
    map.box[dim] = box[dim];
  }
  if (Result failure = checkInnermost(given, box[0]))
    return failure;
  return store(to, map);
}

int cuTensorMapEncodeIm2col(void *to, int type, uint32_t rank, uint64_t address,
                            const uint64_t *extents, const uint64_t *strides, const int *lower,
                            const int *upper, uint32_t channels, uint32_t pixels,
                            const uint32_t *elementStrides, int interleave, int swizzle,
                            int promotion, int fill) {
  Given given = {type,           rank,       address, extents,   strides,
                 elementStrides, interleave, swizzle, promotion, fill};
  ptx::TensorMap map = {};
  if (Result failure = encodeCommon(to, given, map))
    return failure;
  if (rank < tma::minIm2ColRank || !lower || !upper)
    return rank < tma::minIm2ColRank ? refuseMap("pixels have 3 dims or more") : invalidValue;
  if (!channels || channels > tma::maxBoxLength || !pixels || pixels > tma::maxPixels)
    return refuseMap(llvm::utostr(pixels) + " pixels of " + llvm::utostr(channels) + " channels");
  map.isIm2col = true;
  map.box[0] = channels;
  map.box[1] = pixels;
  int64_t most = tma::maxCornerOffset[rank - tma::minIm2ColRank];
  for (uint32_t dim = 0; dim != rank - 2; ++dim) {
    for (int corner : {lower[dim], upper[dim]})
      if (corner < -most - 1 || corner > most)
        return refuseMap("a corner at " + llvm::itostr(corner));
    map.lower[dim] = static_cast<int16_t>(lower[dim]);
    map.upper[dim] = static_cast<int16_t>(upper[dim]);
  }
  if (Result failure = checkInnermost(given, channels))
    return failure;
  return store(to, map);
}

int cuTensorMapReplaceAddress(void *to, uint64_t address) {
  if (!to || address % tma::unitBytes)
    return invalidValue;
  ptx::TensorMap map;
  std::memcpy(&map, to, sizeof map);
  map.address = address;
  return store(to, map);
}
