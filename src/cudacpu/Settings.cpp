#include "cudacpu/Settings.h"

#include "target/nvidia/Chips.h"

#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace gluonc::cudacpu {

namespace {

constexpr int mostDevices = 16;
constexpr unsigned mostThreads = 256;

llvm::StringRef variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// False, and why, for what is no number from 1 to `most`.
template <typename Number>
bool readNumber(const char *name, Number most, Number &number, std::string &error) {
  llvm::StringRef text = variable(name);
  if (text.empty())
    return true;
  Number given = 0;
  if (text.getAsInteger(10, given) || given < 1 || given > most) {
    error = (llvm::Twine(name) + "=" + text + " is no number from 1 to " + llvm::Twine(most)).str();
    return false;
  }
  number = given;
  return true;
}

} // namespace

Settings readSettings() {
  Settings settings;
  settings.target = *target::Target::cuda(90);
  settings.threads = std::clamp(std::thread::hardware_concurrency(), 1u, mostThreads);
  settings.reports = variable("GLUONC_CUDA_CPU_REPORTS").str();
  if (llvm::StringRef text = variable("GLUONC_CUDA_CPU_TARGET"); !text.empty()) {
    std::string name = (llvm::Twine(text.starts_with("cuda:") ? "" : "cuda:") + text).str();
    std::optional<target::Target> target = target::Target::parse(name);
    if (!target || !target->isNvidia() || !target->hasCodegen()) {
      settings.error =
          (llvm::Twine("GLUONC_CUDA_CPU_TARGET=") + text + " is no target that has PTX").str();
      return settings;
    }
    settings.target = *target;
  }
  if (readNumber("GLUONC_CUDA_CPU_DEVICES", mostDevices, settings.devices, settings.error))
    readNumber("GLUONC_CUDA_CPU_THREADS", mostThreads, settings.threads, settings.error);
  return settings;
}

} // namespace gluonc::cudacpu
