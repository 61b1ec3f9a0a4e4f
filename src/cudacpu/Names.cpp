//===- Names.cpp - Functions by their names, and those that there are not -------------===//
#include "cudacpu/Api.h"

#include "llvm/ADT/StringRef.h"

using namespace gluonc;
using namespace gluonc::cudacpu;

#define GL_UNSUPPORTED(name, suffix)                                                               \
  extern "C" int name##suffix() { return refuse(notSupported, #name " is not executed here"); }
#include "cudacpu/Unsupported.def"

namespace {

struct Named {
  const char *name;
  int since;
  void *address;
};

const Named functions[] = {
#define GL_CUDA(name, suffix, since, parameters)                                                   \
  {#name, since, reinterpret_cast<void *>(&name##suffix)},
#include "cudacpu/Functions.def"
#define GL_UNSUPPORTED(name, suffix) {#name, 0, reinterpret_cast<void *>(&name##suffix)},
#include "cudacpu/Unsupported.def"
};

/// CUdriverProcAddressQueryResult.
enum class Found : int { Success = 0, NotFound = 1, VersionNotSufficient = 2 };

Found find(const char *name, int version, void **address) {
  const Named *best = nullptr;
  bool isKnown = false;
  for (const Named &named : functions) {
    if (llvm::StringRef(name) != named.name)
      continue;
    isKnown = true;
    if (named.since <= version && (!best || named.since > best->since))
      best = &named;
  }
  *address = best ? best->address : nullptr;
  return best ? Found::Success : isKnown ? Found::VersionNotSufficient : Found::NotFound;
}

} // namespace

int cuGetProcAddress(const char *name, void **address, int version, uint64_t flags) {
  return cuGetProcAddress_v2(name, address, version, flags, nullptr);
}

/// Flags choose the default stream, which is the same here.
int cuGetProcAddress_v2(const char *name, void **address, int version, uint64_t, int *status) {
  if (!name || !address)
    return invalidValue;
  Found found = find(name, version, address);
  if (status)
    *status = static_cast<int>(found);
  return found == Found::Success || status ? success : notFound;
}

extern "C" const char *gluonc_cuda_cpu_last_fault() { return lastReport(); }
