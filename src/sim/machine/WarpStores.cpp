#include "sim/machine/WarpStores.h"

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

} // namespace gluonc::sim
