#include "runtime/hip/Driver.h"

#include <dlfcn.h>

namespace gluonc::hip {

static llvm::Error noDriver(const llvm::Twine &why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "no HIP driver: " + why);
}

/// Null where none of them is there; `why` then says so of the first.
static void *openFirst(llvm::ArrayRef<const char *> libraries, std::string &why) {
  for (int loadedOnly : {RTLD_NOLOAD, 0})
    for (const char *name : libraries) {
      if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | loadedOnly))
        return library;
      const char *problem = dlerror();
      if (!loadedOnly && why.empty())
        why = problem ? problem : name;
    }
  return nullptr;
}

llvm::Expected<std::shared_ptr<const Driver>> Driver::open(llvm::ArrayRef<const char *> libraries) {
  std::string why;
  void *library = openFirst(libraries, why);
  if (!library)
    return noDriver(why);
  std::shared_ptr<Driver> driver(new Driver());
  const char *missing = nullptr;
#define GL_HIP_OPTIONAL(name, parameters)                                                          \
  driver->table.name = reinterpret_cast<decltype(driver->table.name)>(dlsym(library, #name));
#define GL_HIP(name, parameters)                                                                   \
  driver->table.name = reinterpret_cast<decltype(driver->table.name)>(dlsym(library, #name));      \
  if (!driver->table.name)                                                                         \
    missing = #name;
#define GL_HIP_TEXT(name, parameters) GL_HIP(name, parameters)
#include "runtime/hip/Symbols.def"
  if (missing)
    return noDriver("the library has no " + llvm::Twine(missing) + " (HIP 6 or newer is needed)");
  if (llvm::Error error = driver->check(driver->table.hipInit(0), "hipInit"))
    return std::move(error);
  int version = 0;
  if (llvm::Error error =
          driver->check(driver->table.hipDriverGetVersion(&version), "hipDriverGetVersion"))
    return std::move(error);
  // 70125424 means 7.1 and patch 25424.
  driver->hipVersion = version / 10'000'000 * 10 + version % 10'000'000 / 100'000;
  return driver;
}

Driver::~Driver() {
  // The library stays mapped: its own exit handlers and threads outlive us.
}

llvm::Error Driver::fail(Result result, llvm::StringRef call) const {
  return llvm::make_error<runtime::DriverError>(result, call, table.hipGetErrorName(result),
                                                table.hipGetErrorString(result));
}

} // namespace gluonc::hip
