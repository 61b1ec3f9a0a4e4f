#include "ptx/Handlers.h"
#include "ptx/TensorAccess.h"

#include <cstring>
#include <thread>

namespace gluonc::ptx {

Handler findHandler(const Instruction &instruction) {
  static const HandlerTable table = [] {
    HandlerTable result;
    addArithmetic(result);
    addConversions(result);
    addMemory(result);
    addControl(result);
    addWarpOperations(result);
    addMatrices(result);
    addAsynchronous(result);
    addWarpgroups(result);
    addTensorCopies(result);
    addTensorMemory(result);
    addLaunchControl(result);
    return result;
  }();
  auto found = table.find(instruction.name);
  return found == table.end() ? nullptr : found->second(instruction);
}

// -- Operands --------------------------------------------------------------------

static uint64_t specialValue(const Step &step, Special special, unsigned lane) {
  const Launch &launch = step.machine.launch;
  switch (special) {
  case Special::ThreadX:
    return step.thread(lane);
  case Special::ThreadsX:
    return launch.threads;
  case Special::CtaX:
  case Special::CtaY:
  case Special::CtaZ:
    return step.cta.coordinates[unsigned(special) - unsigned(Special::CtaX)];
  case Special::GridX:
  case Special::GridY:
  case Special::GridZ:
    return launch.grid[unsigned(special) - unsigned(Special::GridX)];
  case Special::ClusterRank:
  case Special::ClusterCtaX:
    return step.cta.rank;
  case Special::ClusterSize:
    return launch.ctasPerCluster;
  case Special::ClusterX:
    return step.cta.coordinates[0] / launch.ctasPerCluster;
  case Special::ClustersX:
    return launch.grid[0] / launch.ctasPerCluster;
  case Special::Lane:
    return lane;
  case Special::Warp:
    return step.warp.number;
  case Special::Clock:
    return step.warp.steps;
  case Special::SharedBytes:
    return launch.sharedBytes;
  case Special::LaneMaskLess:
    return (uint32_t(1) << lane) - 1;
  case Special::One:
    return 1;
  case Special::Zero:
    return 0;
  }
  return 0;
}

uint64_t Step::readSpecial(const Operand &operand, unsigned lane) const {
  return operand.kind == OperandKind::Special ? specialValue(*this, operand.special, lane) : 0;
}

/// The registers of an operand, each once.
static void addRegisters(const Step &step, const Operand &operand, unsigned lane, Fault &fault) {
  const Function &kernel = step.machine.kernel;
  for (int32_t number : {operand.reg, operand.second}) {
    std::string name = number < 0 ? "" : kernel.registerName(number);
    auto isThere = [&](const Fault::Register &other) { return other.name == name; };
    if (number >= 0 && llvm::none_of(fault.registers, isThere))
      fault.registers.push_back(
          {name, step.warp.registers[static_cast<size_t>(number) * warpLanes + lane]});
  }
  for (const Operand &element : operand.elements)
    addRegisters(step, element, lane, fault);
}

/// A line of the text without the blanks around it.
static std::string lineOf(llvm::StringRef text, unsigned number) {
  for (; number > 1; --number)
    text = text.split('\n').second;
  return text.split('\n').first.trim().str();
}

void Step::fail(unsigned lane, const llvm::Twine &message, FaultKind kind) {
  if (machine.fault)
    return;
  machine.fault = {message.str(), instruction.line, cta.coordinates, thread(lane),
                   lineOf(machine.module.text, instruction.line)};
  machine.fault->kind = kind;
  const SourcePlace &source = instruction.source;
  if (source.file && source.file < machine.module.files.size()) {
    machine.fault->sourceFile = machine.module.files[source.file];
    machine.fault->sourceLine = source.line;
    machine.fault->sourceColumn = source.column;
  }
  Operand guard;
  guard.reg = instruction.guard;
  addRegisters(*this, guard, lane, *machine.fault);
  for (const Operand &operand : instruction.operands)
    addRegisters(*this, operand, lane, *machine.fault);
}

void Step::failGlobal(unsigned lane, const llvm::Twine &message, uint64_t address, unsigned bytes) {
  if (machine.fault)
    return;
  fail(lane, message, FaultKind::Address);
  machine.fault->address = address;
  machine.fault->bytes = bytes;
}

// -- Memory ----------------------------------------------------------------------

Machine::Machine(const Function &kernel, const Module &module, const Launch &launch,
                 Clusters &clusters)
    : kernel(kernel), module(module), launch(launch), parameters(kernel.parameterBytes, 0),
      clusters(clusters), ranges(launch.memory.begin(), launch.memory.end()) {
  for (const auto &variable : module.variables)
    ranges.push_back({reinterpret_cast<uint64_t>(variable->data()),
                      reinterpret_cast<uint64_t>(variable->data()) + variable->size()});
  auto isBefore = [](const Range &a, const Range &b) { return a.begin < b.begin; };
  if (!llvm::is_sorted(ranges, isBefore))
    llvm::sort(ranges, isBefore);
  for (size_t i = 0; i != std::min(launch.slots.size(), kernel.parameters.size()); ++i) {
    const Parameter &parameter = kernel.parameters[i];
    if (parameter.bytes <= sizeof(uint64_t))
      std::memcpy(parameters.data() + parameter.offset, &launch.slots[i], parameter.bytes);
    else
      std::memcpy(parameters.data() + parameter.offset,
                  reinterpret_cast<const void *>(launch.slots[i]), parameter.bytes);
  }
}

uint8_t *Machine::global(uint64_t address, unsigned bytes) {
  auto reaches = [&](const Range &range) {
    return address >= range.begin && address < range.end && bytes <= range.end - address;
  };
  if (recent >= ranges.size() || !reaches(ranges[recent])) {
    auto behind = llvm::upper_bound(
        ranges, address, [](uint64_t at, const Range &range) { return at < range.begin; });
    if (behind == ranges.begin() || !reaches(behind[-1]))
      return nullptr;
    recent = static_cast<size_t>(behind - ranges.begin()) - 1;
  }
  return reinterpret_cast<uint8_t *>(address + ranges[recent].toHost);
}

uint8_t *Machine::shared(uint64_t address, unsigned bytes) {
  uint64_t rank = address >> clusterShift, place = address & withinCta;
  if (rank >= ctas.size() || place + bytes > ctas[rank].shared.size())
    return nullptr;
  return ctas[rank].shared.data() + place;
}

// -- Barriers --------------------------------------------------------------------

void Machine::release(Cta &cta, unsigned barrier) {
  cta.barriers[barrier].arrived = 0;
  for (Warp &warp : cta.warps)
    for (unsigned lane = 0; lane != warpLanes; ++lane)
      if (warp.state[lane] == LaneState::AtBarrier && warp.barrier[lane] == barrier)
        warp.state[lane] = LaneState::Runs;
}

void Machine::settleClusterBarrier() {
  unsigned alive = 0;
  for (Cta &cta : ctas)
    for (Warp &warp : cta.warps)
      alive += std::popcount(~warp.lanesIn(LaneState::Ended));
  if (!clusterArrived || clusterArrived < alive)
    return;
  clusterArrived = 0;
  ++clusterPhase;
  for (Cta &cta : ctas)
    for (Warp &warp : cta.warps)
      for (LaneState &state : warp.state)
        if (state == LaneState::AtClusterBarrier)
          state = LaneState::Runs;
}

// -- Running ---------------------------------------------------------------------

uint32_t Machine::choose(const Cta &, const Warp &warp) const {
  uint32_t rest = warp.lanesIn(LaneState::Runs), chosen = 0;
  bool latest = warp.steps % 64 == 63;
  uint32_t at = 0;
  while (rest) {
    unsigned first = std::countr_zero(rest);
    uint32_t group = warp.lanesAt(warp.pc[first]) & rest;
    rest &= ~group;
    uint32_t needed = lanesNeeded(kernel.code[warp.pc[first]], warp, first);
    if (needed & ~group)
      continue;
    if (!chosen || (latest ? warp.pc[first] > at : warp.pc[first] < at)) {
      chosen = group;
      at = warp.pc[first];
    }
  }
  return chosen;
}

static bool isProduct(const Instruction &instruction) {
  return instruction.name == "mma" || instruction.has("mma_async") ||
         (instruction.name == "tcgen05" && instruction.has("mma"));
}

bool Machine::runWarp(Cta &cta, Warp &warp) {
  constexpr unsigned turn = 4096;
  unsigned done = 0;
  auto isStopped = [&] { return launch.stepsOfWarp && warp.steps >= launch.stepsOfWarp; };
  for (; done != turn && !fault && !isStopped(); ++done) {
    uint32_t group = choose(cta, warp);
    if (!group)
      break;
    unsigned first = std::countr_zero(group);
    const Instruction &instruction = kernel.code[warp.pc[first]];
    uint32_t active = group;
    Step step{*this, cta, warp, instruction, group};
    if (launch.observer) {
      touched.clear();
      step.touched = &touched;
    }
    size_t number = warp.pc[first];
    for (unsigned lane = 0; lane != warpLanes; ++lane)
      warp.pc[lane] += group >> lane & 1;
    for (uint32_t lanes = instruction.guard < 0 ? 0 : group; lanes; lanes &= lanes - 1) {
      unsigned lane = std::countr_zero(lanes);
      if ((step.cell(instruction.guard, lane) != 0) == instruction.guardIsNegated)
        active &= ~(uint32_t(1) << lane);
    }
    step.active = active;
    if (++warp.steps > launch.stepLimit)
      step.fail(first, "the kernel does not end", FaultKind::Endless);
    else if (active && !(launch.skipsProducts && isProduct(instruction)))
      instruction.execute(step);
    else if (active && launch.observer && instruction.name == "tcgen05")
      tellTensorProduct(step);
    if (launch.observer)
      launch.observer->executed({number, cta.coordinates, warp.number, group, active, touched});
    if (step.yields) {
      bool asks = instruction.name == "mbarrier";
      onlyAsks &= asks || instruction.name == "nanosleep";
      if (asks)
        warp.asked = &instruction;
      return true;
    }
  }
  onlyAsks &= done == 0;
  return done != 0;
}

void Machine::begin(std::array<uint32_t, 3> coordinates) {
  static_cast<Resident &>(*this) = Resident();
  ctas.resize(launch.ctasPerCluster);
  for (unsigned rank = 0; rank != ctas.size(); ++rank) {
    Cta &cta = ctas[rank];
    cta.coordinates = coordinates;
    cta.coordinates[0] += rank;
    cta.rank = rank;
    cta.shared.assign(dynamicSharedBase + launch.sharedBytes, 0xff);
    cta.warps.resize((launch.threads + warpLanes - 1) / warpLanes);
    for (auto [number, warp] : llvm::enumerate(cta.warps)) {
      warp.number = static_cast<unsigned>(number);
      warp.laneMemory.assign(size_t(module.laneMemoryBytes) * warpLanes, 0);
      warp.registers.assign(kernel.registerBits.size() * warpLanes, 0);
      warp.clusterPhase.fill(clusterPhase);
      for (unsigned lane = 0; lane != warpLanes; ++lane)
        if (number * warpLanes + lane >= launch.threads)
          warp.state[lane] = LaneState::Ended;
    }
  }
}

bool Machine::runRound() {
  bool any = false;
  onlyAsks = true;
  for (Cta &cta : ctas)
    for (Warp &warp : cta.warps)
      any |= runWarp(cta, warp);
  return any;
}

void Machine::failWaiting() {
  for (Cta &cta : ctas)
    for (Warp &warp : cta.warps)
      if (uint32_t waits = ~warp.lanesIn(LaneState::Ended); waits && !fault) {
        unsigned lane = std::countr_zero(waits);
        bool runs = warp.state[lane] == LaneState::Runs;
        const Instruction &at =
            runs && warp.asked ? *warp.asked : kernel.code[warp.pc[lane] - !runs];
        Step{*this, cta, warp, at, waits}.fail(lane, "waits for ever", FaultKind::Endless);
      }
}

void Machine::checkEnd() {
  failWaiting();
  for (Cta &cta : ctas)
    if (const Instruction *at = cta.tensor ? cta.tensor->notGivenBack() : nullptr; at && !fault)
      Step{*this, cta, cta.warps.front(), *at, 1}.fail(
          0, "tensor memory is not deallocated before the CTA ends");
}

bool Machine::hasCluster() {
  while (ctas.empty()) {
    if (!others.empty()) {
      static_cast<Resident &>(*this) = std::move(others.front());
      others.pop_front();
      return true;
    }
    uint64_t number = 0;
    switch (clusters.take(number)) {
    case Clusters::Taken::Cluster:
      begin(clusterAt(number));
      break;
    case Clusters::Taken::None:
      return false;
    case Clusters::Taken::Later:
      if (clusters.isStopped())
        return false;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  return true;
}

void Machine::turnToOther() {
  uint64_t number = 0;
  bool begins = clusters.take(number) == Clusters::Taken::Cluster;
  if (!begins && others.empty())
    return;
  others.push_back(std::move(static_cast<Resident &>(*this)));
  if (begins)
    return begin(clusterAt(number));
  static_cast<Resident &>(*this) = std::move(others.front());
  others.pop_front();
}

void Machine::run() {
  // Who asks so often while nothing happens asks in vain: nothing is under way here that takes
  // time.
  constexpr unsigned manyRounds = 10000;
  // Who gets no further for so long perhaps waits for another cluster.
  constexpr unsigned patience = 4;
  while (!clusters.isStopped() && hasCluster()) {
    uint64_t before = progress;
    bool any = runRound();
    bool isIdle = progress == before;
    asking = onlyAsks && isIdle ? asking + 1 : 0;
    idle = isIdle ? idle + 1 : 0;
    if (any && asking == manyRounds)
      failWaiting();
    if (!any && !launch.stepsOfWarp)
      checkEnd();
    if (fault)
      break;
    if (!any) {
      ctas.clear();
      clusters.ended();
    } else if (idle >= patience) {
      idle = 0;
      turnToOther();
    }
    clusters.askForHelp();
  }
  if (!fault)
    return;
  if (launch.state && !clusters.isStopped())
    printState(*this, *launch.state);
  clusters.stop(*fault);
}

std::optional<Fault> Machine::findUnknown() const {
  const Instruction *mixed = findMixedGroup(kernel);
  if (!mixed)
    return std::nullopt;
  return Fault{"a kernel with cta_group::1 and cta_group::2",
               mixed->line,
               {},
               0,
               lineOf(module.text, mixed->line)};
}

std::array<uint32_t, 3> Machine::clusterAt(uint64_t number) const {
  uint64_t wide = launch.grid[0] / launch.ctasPerCluster, rows = number / wide;
  return {static_cast<uint32_t>(number % wide * launch.ctasPerCluster),
          static_cast<uint32_t>(rows % launch.grid[1]),
          static_cast<uint32_t>(rows / launch.grid[1])};
}

std::optional<std::array<uint32_t, 3>> Machine::cancelCluster() {
  std::optional<uint64_t> number = clusters.cancel();
  if (!number)
    return std::nullopt;
  return clusterAt(*number);
}

} // namespace gluonc::ptx
