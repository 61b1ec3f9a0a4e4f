#include "runtime/cuda/Driver.h"

#include <dlfcn.h>

namespace gluonc::cuda {

static llvm::Error noDriver(const llvm::Twine &why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "no CUDA driver: " + why);
}

llvm::Expected<std::shared_ptr<const Driver>> Driver::open(const std::string &library) {
  std::shared_ptr<Driver> driver(new Driver());
  driver->library = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!driver->library) {
    const char *why = dlerror();
    return noDriver(why ? why : library);
  }
  const char *missing = nullptr;
#define GL_CUDA_OPTIONAL(name, parameters)                                                         \
  driver->table.name =                                                                             \
      reinterpret_cast<decltype(driver->table.name)>(dlsym(driver->library, #name));
#define GL_CUDA(name, parameters)                                                                  \
  driver->table.name =                                                                             \
      reinterpret_cast<decltype(driver->table.name)>(dlsym(driver->library, #name));               \
  if (!driver->table.name)                                                                         \
    missing = #name;
#include "runtime/cuda/Symbols.def"
  if (missing)
    return noDriver(llvm::Twine(library) + " has no " + missing);
  if (llvm::Error error = driver->check(driver->table.cuInit(0), "cuInit"))
    return std::move(error);
  int version = 0;
  if (llvm::Error error =
          driver->check(driver->table.cuDriverGetVersion(&version), "cuDriverGetVersion"))
    return std::move(error);
  // 13000 means 13.0, 12040 means 12.4.
  driver->cudaVersion = version / 1000 * 10 + version % 1000 / 10;
  return driver;
}

Driver::~Driver() {
  // The library stays mapped: its own exit handlers and threads outlive us.
}

llvm::Error Driver::fail(CUresult result, llvm::StringRef call) const {
  const char *name = nullptr;
  const char *text = nullptr;
  table.cuGetErrorName(result, &name);
  table.cuGetErrorString(result, &text);
  return llvm::make_error<runtime::DriverError>(result, call, name, text);
}

} // namespace gluonc::cuda
