#include "driver/ExecutedLaunch.h"
#include "driver/predict/LaunchModel.h"

#include "llvm/Support/MathExtras.h"

#include <chrono>

namespace gluonc::driver {

/// As of memory that a GPU's driver gives.
static constexpr uint64_t scratchAlignment = 256;

ExecutedLaunch::ExecutedLaunch(const CompiledKernel &kernel, const KernelArguments &arguments,
                               Grid programs)
    : grid(programs), numWarps(kernel.kernel.numWarps) {
  grid[0] *= kernel.kernel.numCtas;
  for (const RuntimeArgument &argument : arguments.runtime) {
    const host::Tensor *tensor = std::get_if<host::Tensor>(&argument.value);
    if (argument.described.rank())
      appendExecuted(argument.described, argument.descriptionOnHost(), maps, slots);
    else if (tensor)
      slots.push_back(reinterpret_cast<uint64_t>(tensor->data()));
    else
      slots.push_back(scalarBits(argument));
  }
  for (const auto &[buffer, name] : buffersOf(arguments)) {
    auto begin = reinterpret_cast<uint64_t>(buffer->data());
    buffers.push_back(buffer);
    memory.push_back({begin, begin + buffer->size()});
  }
  addHidden(kernel);
}

ExecutedLaunch::ExecutedLaunch(const CompiledKernel &kernel, llvm::ArrayRef<uint64_t> slots,
                               std::vector<std::pair<uint64_t, uint64_t>> memory, Grid programs)
    : slots(slots.begin(), slots.end()), memory(std::move(memory)), grid(programs),
      numWarps(kernel.kernel.numWarps) {
  grid[0] *= kernel.kernel.numCtas;
  addHidden(kernel);
}

void appendExecuted(const runtime::TensorParameter &parameter, const TensorDescription &tensor,
                    std::deque<ptx::TensorMap> &maps, std::vector<uint64_t> &slots) {
  runtime::Slots words;
  runtime::append(parameter, tensor, words);
  // What executes PTX reads descriptors in a form of its own.
  if (parameter.box)
    words.front() =
        reinterpret_cast<uintptr_t>(&maps.emplace_back(executedMap(*parameter.box, tensor)));
  llvm::append_range(slots, words);
}

void ExecutedLaunch::addHidden(const CompiledKernel &kernel) {
  uint64_t ctas = uint64_t(grid[0]) * grid[1] * grid[2];
  scratch.resize(ctas * kernel.kernel.globalScratchBytes + scratchAlignment);
  uint64_t base = llvm::alignTo(reinterpret_cast<uint64_t>(scratch.data()), scratchAlignment);
  memory.push_back({base, reinterpret_cast<uint64_t>(scratch.data() + scratch.size())});
  slots.push_back(base);
  slots.push_back(0);
}

RunTime ExecutedLaunch::timed(llvm::function_ref<void()> execute) {
  auto start = std::chrono::steady_clock::now();
  execute();
  RunTime time;
  time.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  for (host::Buffer *buffer : buffers)
    buffer->settle();
  return time;
}

} // namespace gluonc::driver
