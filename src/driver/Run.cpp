#include "driver/Run.h"
#include "ir/Dialects.h"
#include "sim/machine/Memory.h"

#include <chrono>

namespace gluonc::driver {

using diag::Kind;
using sema::Value;

llvm::MapVector<host::Buffer *, std::string> buffersOf(const KernelArguments &arguments) {
  llvm::MapVector<host::Buffer *, std::string> buffers;
  for (const RuntimeArgument &argument : arguments.runtime)
    if (const host::Tensor *tensor = std::get_if<host::Tensor>(&argument.value))
      buffers.insert({tensor->storage().get(), argument.name});
  for (size_t i = 0; i != buffers.size(); ++i)
    for (const auto &[name, buffer] : buffers.begin()[i].first->reached)
      buffers.insert({buffer.get(), name});
  return buffers;
}

uint64_t tensorBytes(const KernelArguments &arguments) {
  uint64_t bytes = 0;
  for (const RuntimeArgument &argument : arguments.runtime)
    if (const host::Tensor *tensor = std::get_if<host::Tensor>(&argument.value))
      bytes += static_cast<uint64_t>(tensor->size()) * tensor->dtype().byteSize();
  return bytes;
}

std::string kernelNameOf(mlir::ModuleOp module) {
  std::string name;
  unsigned count = 0;
  for (tt::FuncOp function : module.getOps<tt::FuncOp>())
    if (function.isPublic()) {
      name = function.getSymName().str();
      ++count;
    }
  return count == 1 ? name : "";
}

/// Parameters of a kernel in IR that takes these.
static unsigned widthOf(const KernelArguments &arguments) {
  unsigned width = 0;
  for (const RuntimeArgument &argument : arguments.runtime)
    width += argument.width();
  return width;
}

bool takesArguments(mlir::ModuleOp module, const KernelArguments &arguments, diag::Sink &sink) {
  std::string name = kernelNameOf(module);
  auto function = module.lookupSymbol<tt::FuncOp>(name);
  if (!function)
    sink.report(Kind::SimulatedKernelMissing, {}, name).end();
  else if (unsigned width = widthOf(arguments); function.getNumArguments() != width)
    sink.report(Kind::SimulatedArgumentCount, {}, name, function.getNumArguments(), width).end();
  else
    return true;
  return false;
}

/// Takes over what the simulator knows about a poisoned buffer's bytes.
static void readWritten(host::Buffer &buffer, const sim::Memory &memory) {
  uint64_t base = reinterpret_cast<uint64_t>(buffer.data());
  const sim::Range *range = memory.find(base);
  if (!range || range->firstUnwritten(base, buffer.size()) == buffer.size())
    return buffer.settle();
  buffer.written.assign(buffer.size(), false);
  for (uint64_t i = 0; i != buffer.size(); ++i)
    buffer.written[i] = range->firstUnwritten(base + i, 1) == 1;
}

mlir::OwningOpRef<mlir::ModuleOp> makeSimulatedIr(Compiler &compiler, const KernelSource &source,
                                                  const diag::SourceManager &sources,
                                                  diag::Sink &sink, Timings *timings) {
  const target::Target &target = source.options.target;
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler.makeIr(source, sink, timings);
  if (!module || !compiler.transform(*module, target, sources, sink, timings) ||
      !compiler.isLegal(*module, target, sources, sink, timings))
    return nullptr;
  return module;
}

void appendSimulated(const runtime::TensorParameter &parameter, const TensorDescription &tensor,
                     std::vector<sim::Argument> &arguments) {
  arguments.push_back(parameter.expandedRank
                          ? sim::Argument::pointer(reinterpret_cast<const void *>(tensor.base))
                          : sim::Argument::descriptor(tensor));
  for (int64_t extent : llvm::ArrayRef(tensor.shape).take_front(tensor.rank))
    arguments.push_back(sim::Argument::integer(extent));
  for (int64_t stride : runtime::passedStrides(parameter, tensor))
    arguments.push_back(sim::Argument::integer(stride));
}

SimulatedLaunch::SimulatedLaunch(const KernelArguments &arguments, Grid grid,
                                 const SimulatedRun &how)
    : buffers(buffersOf(arguments)) {
  for (auto &[buffer, name] : buffers)
    if (buffer->size())
      memory.add(name, buffer->data(), buffer->size(), sim::Memory::Access::ReadWrite,
                 buffer->isPoisoned() ? sim::Memory::Contents::Poisoned
                                      : sim::Memory::Contents::Initialized);
  launch.grid = grid;
  launch.memory = &memory;
  launch.output = how.printed;
  launch.scheduleSeed = how.scheduleSeed;
  launch.schedule = how.schedule;
  launch.races = how.races;
  launch.maskedOff = how.maskedOff;
  launch.unknownReads = how.unknownReads;
  launch.maxBranches = how.maxBranches;
  for (const RuntimeArgument &argument : arguments.runtime) {
    if (argument.described.rank()) {
      appendSimulated(argument.described, descriptions.emplace_back(argument.descriptionOnHost()),
                      launch.arguments);
    } else if (const host::Tensor *tensor = std::get_if<host::Tensor>(&argument.value))
      launch.arguments.push_back(sim::Argument::pointer(tensor->data()));
    else if (argument.dtype.isFloat())
      launch.arguments.push_back(
          sim::Argument::floating(std::get<Value>(argument.value).asDouble()));
    else
      launch.arguments.push_back(
          sim::Argument::integer(static_cast<int64_t>(scalarBits(argument))));
  }
}

void SimulatedLaunch::settle() {
  for (auto &[buffer, name] : buffers)
    if (buffer->isPoisoned())
      readWritten(*buffer, memory);
}

std::optional<RunTime> runOnCpu(mlir::ModuleOp module, const KernelArguments &arguments, Grid grid,
                                const diag::SourceManager &sources, const SimulatedRun &how,
                                diag::Sink &sink, const bitcode::Libraries *libraries) {
  std::unique_ptr<sim::Executable> executable = sim::Executable::prepare(
      module, kernelNameOf(module), sink, sources, sim::Purpose::Run, libraries);
  if (!executable)
    return std::nullopt;
  SimulatedLaunch simulated(arguments, grid, how);
  auto start = std::chrono::steady_clock::now();
  bool fine = executable->run(simulated.launch, sink);
  RunTime time;
  time.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  simulated.settle();
  if (!fine)
    return std::nullopt;
  return time;
}

void reportDevice(llvm::Error error, diag::Sink &sink) {
  llvm::handleAllErrors(
      std::move(error),
      [&](const runtime::DriverError &failure) {
        sink.report(failure.isByKernel() ? Kind::DeviceFault : Kind::DeviceError, {},
                    failure.message())
            .end();
      },
      [&](const llvm::ErrorInfoBase &other) {
        sink.report(Kind::DeviceError, {}, other.message()).end();
      });
}

} // namespace gluonc::driver
