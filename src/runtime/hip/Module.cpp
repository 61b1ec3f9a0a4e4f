#include "runtime/hip/Module.h"

#include <mutex>
#include <vector>

namespace gluonc::hip {

/// For code that stays on its device, which may still look into its image.
static void keepForGood(std::unique_ptr<const std::string> image) {
  static std::mutex lock;
  // Not destroyed at exit either.
  static auto &kept = *new std::vector<std::unique_ptr<const std::string>>;
  std::lock_guard guard(lock);
  kept.push_back(std::move(image));
}

llvm::Expected<std::shared_ptr<const Module>> Module::load(std::shared_ptr<const Device> device,
                                                           llvm::StringRef image) {
  const Driver &driver = device->driver();
  CurrentDevice current(*device);
  if (current.result() != success)
    return driver.fail(current.result(), "hipSetDevice");
  std::shared_ptr<Module> module(new Module());
  module->image = std::make_unique<const std::string>(image.str());
  if (llvm::Error error =
          driver.check(driver.api().hipModuleLoadData(&module->handle, module->image->data()),
                       "loading the kernel"))
    return std::move(error);
  module->owner = std::move(device);
  return module;
}

Module::~Module() {
  if (!handle || !owner)
    return;
  if (isKept)
    keepForGood(std::move(image));
  else
    owner->driver().api().hipModuleUnload(handle);
}

llvm::Expected<Function> Module::function(const std::string &name, unsigned sharedBytes) const {
  const Driver &driver = owner->driver();
  const Table &api = driver.api();
  Function function;
  if (llvm::Error error = driver.check(
          api.hipModuleGetFunction(&function.handle, handle, name.c_str()), "finding " + name))
    return std::move(error);
  for (auto [which, value] :
       {std::pair(FunctionAttribute::NumRegs, &function.registers),
        std::pair(FunctionAttribute::LocalSizeBytes, &function.localBytes),
        std::pair(FunctionAttribute::MaxThreadsPerBlock, &function.maxThreads)})
    if (llvm::Error error =
            driver.check(api.hipFuncGetAttribute(value, static_cast<int>(which), function.handle),
                         "hipFuncGetAttribute"))
      return std::move(error);
  llvm::Expected<int> most = owner->attribute(DeviceAttribute::MaxSharedPerBlock);
  if (!most)
    return most.takeError();
  if (sharedBytes > static_cast<unsigned>(*most))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "%s needs %u bytes of shared memory; %s has %d", name.c_str(),
                                   sharedBytes, owner->name().c_str(), *most);
  return function;
}

} // namespace gluonc::hip
