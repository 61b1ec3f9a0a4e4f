#include "sim/machine/WarpStores.h"

#include "ir/Encoding.h"
#include "sim/machine/GlobalAccess.h"

namespace gluonc::sim {

WarpStores::WarpStores(llvm::ArrayRef<const AccessData *> accesses) {
  for (const AccessData *store : accesses)
    for (const AccessData *load : accesses) {
      if (!store->writes || store->warps.empty() || !load->reads || load->warps.empty())
        continue;
      if (store->parameter >= 0 && load->parameter >= 0 && store->parameter != load->parameter)
        continue;
      any = true;
      for (int parameter : {store->parameter, load->parameter}) {
        all |= parameter < 0;
        parameters.resize(std::max<size_t>(parameters.size(), size_t(parameter + 1)));
        if (parameter >= 0)
          parameters[size_t(parameter)] = true;
      }
    }
}

bool WarpStores::watches(const AccessData &access) const {
  if (!any || access.warps.empty())
    return false;
  const size_t parameter = size_t(access.parameter);
  return all || access.parameter < 0 || (parameter < parameters.size() && parameters[parameter]);
}

std::optional<WarpStores::Store> WarpStores::storedByOther(uint64_t address, uint8_t warp,
                                                           const void *layout) const {
  auto found = stores.find(address);
  if (found == stores.end())
    return std::nullopt;
  const bool isCopy = (warp & several) && layout && found->second.layout == layout;
  return found->second.warp == (isCopy ? warp & ~several : warp) ? std::nullopt
                                                                 : std::optional(found->second);
}

const void *layoutKeyOf(mlir::Type pointers) {
  auto tile = mlir::dyn_cast<mlir::RankedTensorType>(pointers);
  return tile ? tile.getEncoding().getAsOpaquePointer() : nullptr;
}

std::vector<uint8_t> warpsOf(mlir::Operation *operation, mlir::Type pointers) {
  const int64_t warps = ttg::numWarpsOf(operation);
  if (warps < 2 || warps >= WarpStores::several)
    return {};
  auto tile = mlir::dyn_cast<mlir::RankedTensorType>(pointers);
  if (!tile)
    return {WarpStores::several};
  const layout::LinearLayout *linear = linearOrNull(tile);
  if (!linear)
    return {};
  std::vector<uint8_t> owners(size_t(tile.getNumElements()));
  std::vector<bool> isOwned(owners.size());
  // Warps come in order: they are the highest bits of an index.
  for (uint64_t index = 0; index >> linear->totalInLog2() == 0; ++index) {
    const uint64_t place = linear->applyPacked(index);
    uint64_t element = 0;
    for (auto [axis, size] : llvm::enumerate(tile.getShape()))
      element =
          element * uint64_t(size) + linear->outComponent(place, layout::Dim::axis(unsigned(axis)));
    const auto warp = uint8_t(linear->inComponent(index, layout::Dim::Warp));
    if (!isOwned[element])
      owners[element] = warp;
    else if (owners[element] != warp)
      owners[element] |= WarpStores::several;
    isOwned[element] = true;
  }
  return owners;
}

} // namespace gluonc::sim
