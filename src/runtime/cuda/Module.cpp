#include "runtime/cuda/Module.h"

#include "target/nvidia/Chips.h"

namespace gluonc::cuda {

llvm::Expected<std::shared_ptr<const Module>> Module::load(std::shared_ptr<const Device> device,
                                                           llvm::StringRef image) {
  if (llvm::Error error = device->activate())
    return std::move(error);
  const Driver &driver = device->driver();
  std::shared_ptr<Module> module(new Module());
  // PTX must end in a zero byte; a std::string does.
  std::string owned = image.str();
  std::string log(8192, '\0');
  int options[] = {static_cast<int>(JitOption::ErrorLogBuffer),
                   static_cast<int>(JitOption::ErrorLogBufferSizeBytes)};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  CUresult result =
      driver.api().cuModuleLoadDataEx(&module->handle, owned.c_str(), 2, options, values);
  if (result != success) {
    log.resize(std::char_traits<char>::length(log.c_str()));
    return driver.fail(result,
                       log.empty() ? "loading the kernel" : "loading the kernel (" + log + ")");
  }
  module->owner = std::move(device);
  return module;
}

Module::~Module() {
  if (handle && !isKept)
    owner->driver().api().cuModuleUnload(handle);
}

llvm::Expected<Function> Module::function(const std::string &name, unsigned sharedBytes) const {
  const Driver &driver = owner->driver();
  const Table &api = driver.api();
  Function function;
  if (llvm::Error error = driver.check(
          api.cuModuleGetFunction(&function.handle, handle, name.c_str()), "finding " + name))
    return std::move(error);
  auto read = [&](FunctionAttribute which, int &value) {
    return driver.check(api.cuFuncGetAttribute(&value, static_cast<int>(which), function.handle),
                        "cuFuncGetAttribute");
  };
  if (llvm::Error error = read(FunctionAttribute::NumRegs, function.registers))
    return std::move(error);
  if (llvm::Error error = read(FunctionAttribute::LocalSizeBytes, function.localBytes))
    return std::move(error);
  if (llvm::Error error = read(FunctionAttribute::MaxThreadsPerBlock, function.maxThreads))
    return std::move(error);
  if (sharedBytes <= target::nvidia::plainSharedBytes)
    return function;
  llvm::Expected<int> most = owner->attribute(DeviceAttribute::MaxSharedPerBlockOptin);
  if (!most)
    return most.takeError();
  if (sharedBytes > static_cast<unsigned>(*most))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "%s needs %u bytes of shared memory; %s has %d", name.c_str(),
                                   sharedBytes, owner->name().c_str(), *most);
  if (llvm::Error error = driver.check(
          api.cuFuncSetAttribute(function.handle,
                                 static_cast<int>(FunctionAttribute::MaxDynamicSharedSizeBytes),
                                 static_cast<int>(sharedBytes)),
          "raising the shared memory limit"))
    return std::move(error);
  return function;
}

} // namespace gluonc::cuda
