#include "codegen/core/MachineLoan.h"

#include "support/Error.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"

#include <mutex>
#include <vector>

using namespace llvm;

namespace gluonc::codegen {
namespace {

struct Pool {
  std::mutex mutex;
  StringMap<std::vector<KeptMachine>> idle;
};

/// Lives as long as the process: what is kept refers to tables of LLVM.
Pool &pool() {
  static Pool &instance = *new Pool;
  return instance;
}

} // namespace

MachineLoan::MachineLoan(std::string key, Make make) : key(std::move(key)) {
  Pool &machines = pool();
  {
    std::lock_guard lock(machines.mutex);
    std::vector<KeptMachine> &idle = machines.idle[this->key];
    if (!idle.empty()) {
      kept = std::move(idle.back());
      idle.pop_back();
      return;
    }
  }
  kept.machine = make();
}

MachineLoan::~MachineLoan() {
  Pool &machines = pool();
  std::lock_guard lock(machines.mutex);
  machines.idle[key].push_back(std::move(kept));
}

void turnOn(StringRef option) {
  cl::Option *found = cl::getRegisteredOptions().lookup(option);
  GL_CHECK(found);
  static_cast<cl::opt<bool> *>(found)->setValue(true);
}

void chooseLlvmOptions() {
  static const bool chosen = [] {
    // Loop strength reduction gives every address of a tile its own 64-bit counter: twice the
    // instructions of a base plus an offset that all share, and registers beyond the limit.
    turnOn("disable-lsr");
    return true;
  }();
  (void)chosen;
}

} // namespace gluonc::codegen
