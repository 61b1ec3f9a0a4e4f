#include "explain/MachineFlow.h"
#include "explain/Memory.h"
#include "explain/nvidia/MachineWarp.h"
#include "target/nvidia/ConstantBank.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/bit.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MathExtras.h"

namespace gluonc::explain {

using llvm::StringRef;
using namespace machine;

namespace {

enum class Flow : uint8_t { Next, Branch, Jump, Exit, Begin, Meet, Leave, Call, Return, Nowhere };

Flow flowOf(const Decoded &decoded, const MachineInstruction &instruction) {
  const StringRef family = decoded.family;
  const bool hasTarget = instruction.branchTarget != MachineInstruction::nowhere;
  if (family == "BRA")
    return hasTarget ? Flow::Branch : Flow::Nowhere;
  if (family == "EXIT" || family == "KILL")
    return Flow::Exit;
  if (family == "BSSY")
    return Flow::Begin;
  if (family == "BSYNC")
    return Flow::Meet;
  if (family == "BREAK")
    return Flow::Leave;
  if (family == "CALL")
    return hasTarget ? Flow::Call : Flow::Nowhere;
  if (family == "RET")
    return Flow::Return;
  if (family == "BRX")
    return Flow::Jump;
  return family == "JMX" || family == "JMP" ? Flow::Nowhere : Flow::Next;
}

/// "B0" of BSSY, BSYNC, BREAK.
unsigned barrierOf(const MachineInstruction &instruction) {
  unsigned number = 0;
  for (StringRef text : instruction.operands)
    if (text.consume_front("B") && !text.getAsInteger(10, number))
      break;
  return number % 16;
}

struct Code {
  Code(llvm::ArrayRef<MachineInstruction> instructions, llvm::ArrayRef<double> guesses)
      : instructions(instructions), guesses(guesses) {
    for (const MachineInstruction &instruction : instructions) {
      decoded.push_back(decode(instruction));
      decoded.back().handler = handlerOf(decoded.back().family);
      flows.push_back(flowOf(decoded.back(), instruction));
    }
    debts.resize(instructions.size());
    shared.resize(instructions.size());
  }

  llvm::ArrayRef<MachineInstruction> instructions;
  llvm::ArrayRef<double> guesses;
  std::vector<Decoded> decoded;
  std::vector<Flow> flows;
  std::vector<uint64_t> executions = std::vector<uint64_t>(instructions.size());
  /// Parts of executions that the guesses send on, and that were not.
  std::vector<double> debts;
  std::vector<SharedFlow> shared;
  uint64_t steps = 0, guessed = 0;
};

/// Those of the CTA, and that of the cluster, where here a CTA waits for its own warps only.
constexpr unsigned barriersOfCta = 16, clusterBarrier = barriersOfCta, barriers = 17;

/// What the warps of a CTA share.
struct Cta {
  SharedWords words;
  /// Threads that have come to each of its barriers; those that it is for.
  std::array<unsigned, barriers> come = {}, wanted = {};
};

/// Lanes that are at one instruction, and whether they wait there for others of the warp, or behind
/// it for other warps.
struct Group {
  size_t at = 0;
  uint32_t mask = 0;
  bool waits = false;
  std::optional<unsigned> barrier = std::nullopt;
};

enum class Stop : uint8_t { End, Barrier, Failure };

/// The groups of lanes of one warp. The one that is furthest behind goes on.
class Threads {
public:
  Threads(Code &code, const MachineLaunch &launch, const Place &place, Cta &cta)
      : code(code), warp(launch, place, cta.words), cta(cta), alive(all) {
    groups.push_back({0, all});
  }

  /// To the end, or until all lanes wait for other warps. Failure: the code goes to a place that is
  /// unknown, or on for more than `most` instructions.
  Stop run(uint64_t most) {
    while (!groups.empty()) {
      Group *next = nullptr;
      for (Group &group : groups)
        if (!group.waits && !group.barrier && (!next || group.at < next->at))
          next = &group;
      if (!next && llvm::any_of(groups, [](const Group &group) { return group.barrier; }))
        return Stop::Barrier;
      if (!next) {
        // They wait for lanes that come by a way that is not followed.
        for (Group &group : groups)
          group.waits = false, ++group.at;
        merge();
        continue;
      }
      if (++code.steps > most || next->at >= code.instructions.size() || !step(*next))
        return Stop::Failure;
    }
    return Stop::End;
  }

  /// Lets those go on that wait at this barrier.
  void pass(unsigned barrier) {
    for (Group &group : groups)
      if (group.barrier == barrier)
        group.barrier.reset();
    merge();
  }

private:
  static constexpr uint32_t all = ~0u;

  bool step(Group &group) {
    const size_t at = group.at;
    const Decoded &decoded = code.decoded[at];
    const MachineInstruction &instruction = code.instructions[at];
    ++code.executions[at];
    switch (code.flows[at]) {
    case Flow::Next:
      if (mayBeShared(decoded))
        countShared(at, group.mask);
      warp.execute(decoded, group.mask);
      ++group.at;
      if (decoded.family == "BAR")
        meet(group, decoded);
      else if (decoded.family == "CGABAR_WAIT")
        waitAt(group, clusterBarrier, warp.ofLaunch().threads);
      break;
    case Flow::Branch:
      go(group, taken(group, decoded), instruction.branchTarget);
      return true;
    case Flow::Jump:
      return jump(group, decoded);
    case Flow::Exit:
      alive &= ~taken(group, decoded);
      group.mask &= alive;
      ++group.at;
      release();
      break;
    case Flow::Begin:
      for (unsigned lane = 0; lane != lanes; ++lane)
        if (group.mask >> lane & 1)
          awaited[barrierOf(instruction)][lane] = group.mask;
      ++group.at;
      break;
    case Flow::Leave:
      for (uint32_t &mask : awaited[barrierOf(instruction)])
        mask &= ~taken(group, decoded);
      ++group.at;
      release();
      break;
    case Flow::Meet:
      group.waits = true;
      release();
      break;
    case Flow::Call:
      for (unsigned lane = 0; lane != lanes; ++lane)
        if (group.mask >> lane & 1)
          callers[lane].push_back(at + 1);
      go(group, taken(group, decoded), instruction.branchTarget);
      return true;
    case Flow::Return:
      return goBack(group);
    case Flow::Nowhere:
      return false;
    }
    if (groups.size() > 1)
      merge();
    else if (!group.mask)
      groups.clear();
    return true;
  }

  /// A barrier of the CTA. Those that do not say for how many threads are for all.
  void meet(Group &group, const Decoded &decoded) {
    unsigned number = 0, threads = warp.ofLaunch().threads;
    auto read = [&](unsigned i, unsigned &value) {
      if (i < decoded.sources.size() && decoded.sources[i].kind == Operand::Kind::Number)
        value = static_cast<unsigned>(decoded.sources[i].number);
    };
    read(0, number);
    read(1, threads);
    number %= barriersOfCta;
    if (!decoded.has("ARV"))
      return waitAt(group, number, threads);
    cta.come[number] += lanes;
    cta.wanted[number] = threads;
  }

  void waitAt(Group &group, unsigned barrier, unsigned threads) {
    cta.come[barrier] += lanes;
    cta.wanted[barrier] = threads;
    group.barrier = barrier;
  }

  void countShared(size_t at, uint32_t mask) {
    if (auto touches = warp.sharedTouches(code.decoded[at], mask))
      code.shared[at].wavefronts +=
          countWavefronts(*touches, !code.decoded[at].family.starts_with("ST")).wavefronts;
    else
      ++code.shared[at].unknown;
  }

  /// Lanes of the group for which a guard holds, and what a branch has beside it.
  uint32_t taken(const Group &group, const Decoded &decoded) {
    if (decoded.has("DIV"))
      return 0;
    Bits condition = warp.predicate(decoded.guard);
    for (const Operand &operand : decoded.sources) {
      if (!operand.isPredicate())
        continue;
      const Bits other = warp.predicate(operand);
      const uint32_t isFalse = (condition.known & ~condition.value) | (other.known & ~other.value);
      condition.value &= other.value;
      condition.known = (condition.known & other.known) | isFalse;
    }
    const uint32_t known = group.mask & condition.known;
    if (known == group.mask)
      return condition.value & group.mask;
    if (known)
      // The others go with the most.
      return llvm::popcount(known & condition.value) * 2 > llvm::popcount(known)
                 ? group.mask & (condition.value | ~condition.known)
                 : known & condition.value;
    return guess(group.at) ? group.mask : 0;
  }

  /// Whether to take the branch or to end, so that those that do not are as many as the guesses
  /// say.
  bool guess(size_t at) {
    ++code.guessed;
    const double here = code.guesses[at];
    const double behind = at + 1 < code.guesses.size() ? code.guesses[at + 1] : 0;
    // A loop ends some time.
    const bool isExit = code.flows[at] == Flow::Exit;
    const bool isBack = !isExit && code.instructions[at].branchTarget <= at;
    if (here <= 0 || (isBack && behind <= 0))
      return isExit;
    double &debt = code.debts[at];
    debt += std::min(isExit ? 0.99 : 1.0, behind / here);
    if (debt < 1 - 1e-6)
      return true;
    --debt;
    return false;
  }

  void go(Group &group, uint32_t mask, size_t target) {
    const uint32_t others = group.mask & ~mask;
    if (!others) {
      group.at = target;
    } else {
      ++group.at;
      group.mask = others;
      if (mask)
        groups.push_back({target, mask, false});
    }
    if (groups.size() > 1)
      merge();
  }

  /// To the places that a register holds, from a table: "R2 -0x110" is what is added to the next
  /// instruction's. False where one of them is unknown, or no place that code goes to.
  bool jump(Group &group, const Decoded &decoded) {
    constexpr int64_t bytes = 16;
    auto [name, offset] = decoded.sources.empty() ? std::pair<StringRef, StringRef>()
                                                  : decoded.sources[0].text.split(' ');
    const Operand from = readOperand(name), added = readOperand(offset.split('(').first);
    if (from.kind != Operand::Kind::Register || added.kind != Operand::Kind::Number)
      return false;
    const Value places = warp.ofRegister(from.index);
    const uint32_t mask = taken(group, decoded) & group.mask;
    const auto next = static_cast<int64_t>(group.at) + 1;
    group.mask &= ~mask;
    ++group.at;
    for (unsigned lane = 0; lane != lanes; ++lane) {
      if (!(mask >> lane & 1))
        continue;
      const int64_t at = next + (int64_t(places.of[lane]) + added.number) / bytes;
      if (!(places.known >> lane & 1) || at < 1 || at >= int64_t(code.instructions.size()) ||
          code.instructions[size_t(at)].block == code.instructions[size_t(at) - 1].block)
        return false;
      groups.push_back({size_t(at), 1u << lane, false});
    }
    merge();
    return true;
  }

  /// Where the lanes were called, which may be several places.
  bool goBack(Group &group) {
    const uint32_t mask = group.mask;
    group.mask = 0;
    for (unsigned lane = 0; lane != lanes; ++lane) {
      if (!(mask >> lane & 1))
        continue;
      if (callers[lane].empty())
        return false;
      groups.push_back({callers[lane].pop_back_val(), 1u << lane, false});
    }
    merge();
    return true;
  }

  /// Lets those go on at a BSYNC for whom nobody is missing any more.
  void release() {
    for (Group &group : groups) {
      if (!group.waits)
        continue;
      const auto &of = awaited[barrierOf(code.instructions[group.at])];
      uint32_t wanted = group.mask, there = 0;
      for (unsigned lane = 0; lane != lanes; ++lane)
        if (group.mask >> lane & 1)
          wanted |= of[lane];
      for (const Group &other : groups)
        if (other.waits && other.at == group.at)
          there |= other.mask;
      if (wanted & alive & ~there)
        continue;
      const size_t at = group.at;
      for (Group &other : groups)
        if (other.waits && other.at == at)
          other.waits = false, ++other.at;
    }
  }

  bool isMeeting(size_t at) const { return at < code.flows.size() && code.flows[at] == Flow::Meet; }

  /// Joins groups that are at one place; each of them executes a BSYNC by itself.
  void merge() {
    llvm::erase_if(groups, [](const Group &group) { return !group.mask; });
    for (size_t i = 0; i != groups.size(); ++i)
      for (size_t j = groups.size(); --j > i;)
        if (groups[i].at == groups[j].at && groups[i].waits == groups[j].waits &&
            groups[i].barrier == groups[j].barrier &&
            (groups[i].waits || !isMeeting(groups[i].at))) {
          groups[i].mask |= groups[j].mask;
          groups.erase(groups.begin() + static_cast<ptrdiff_t>(j));
        }
  }

  Code &code;
  Warp warp;
  Cta &cta;
  uint32_t alive;
  llvm::SmallVector<Group, 4> groups;
  std::array<std::array<uint32_t, lanes>, 16> awaited = {};
  std::array<llvm::SmallVector<size_t, 0>, lanes> callers;
};

} // namespace

/// The CTA with this number, those of a cluster one after the other.
static Place placeOf(const MachineLaunch &launch, uint64_t cta) {
  Place place;
  place.cta = {static_cast<uint32_t>(cta % launch.grid[0]),
               static_cast<uint32_t>(cta / launch.grid[0] % launch.grid[1]),
               static_cast<uint32_t>(cta / launch.grid[0] / launch.grid[1])};
  place.ctaOfCluster = place.cta[0] % launch.ctasOfCluster;
  return place;
}

/// All warps of a CTA, from barrier to barrier.
static bool followCta(Code &code, const MachineLaunch &launch, Place place, uint64_t limit) {
  Cta cta;
  std::vector<std::unique_ptr<Threads>> warps;
  for (place.warp = 0; place.warp * lanes < launch.threads; ++place.warp)
    warps.push_back(std::make_unique<Threads>(code, launch, place, cta));
  while (!warps.empty()) {
    for (auto &warp : warps) {
      const Stop stop = warp->run(limit);
      if (stop == Stop::Failure)
        return false;
      if (stop == Stop::End)
        warp.reset();
    }
    llvm::erase_if(warps, [](const auto &warp) { return !warp; });
    auto isComplete = [&](unsigned barrier) {
      // Warps that have ended are missed at the cluster's barrier by nobody.
      const size_t wanted = barrier == clusterBarrier ? warps.size() * lanes : cta.wanted[barrier];
      return cta.come[barrier] && cta.come[barrier] >= wanted;
    };
    // Where branches were guessed, or warps have ended, some wait for nobody.
    const bool isStuck = llvm::none_of(llvm::seq(barriers), isComplete);
    for (unsigned barrier = 0; barrier != barriers; ++barrier) {
      if (!isStuck && !isComplete(barrier))
        continue;
      cta.come[barrier] = 0;
      for (auto &warp : warps)
        warp->pass(barrier);
    }
  }
  return true;
}

std::optional<MachineFlow> followMachineCode(llvm::ArrayRef<MachineInstruction> instructions,
                                             const MachineLaunch &launch,
                                             llvm::ArrayRef<double> guesses, uint64_t most) {
  Code code(instructions, guesses);
  const uint64_t clusters =
      uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2] / launch.ctasOfCluster;
  auto follow = [&](uint64_t cluster, uint64_t limit) {
    for (unsigned cta = 0; cta != launch.ctasOfCluster; ++cta) {
      if (!followCta(code, launch, placeOf(launch, cluster * launch.ctasOfCluster + cta), limit))
        return false;
    }
    return true;
  };
  if (!clusters || !follow(0, most))
    return std::nullopt;
  // As many as there is time for, spread over the grid, the first and the last one among them.
  const uint64_t chosen =
      std::min(clusters, std::max<uint64_t>(2, most / std::max<uint64_t>(1, code.steps)));
  for (uint64_t i = 1; i < chosen; ++i)
    if (!follow(i * (clusters - 1) / (chosen - 1), 4 * most))
      return std::nullopt;
  MachineFlow flow;
  flow.guessed = code.guessed;
  const double scale = double(clusters) / double(chosen);
  for (uint64_t count : code.executions)
    flow.executions.push_back(double(count) * scale);
  for (const SharedFlow &shared : code.shared)
    flow.shared.push_back({shared.wavefronts * scale, shared.unknown * scale});
  return flow;
}

std::vector<int16_t> tablesOf(StringRef cubin, StringRef kernel) {
  using File = llvm::object::ELFFile<llvm::object::ELF64LE>;
  std::vector<int16_t> tables;
  auto give = [&](llvm::Error error) {
    llvm::consumeError(std::move(error));
    return tables;
  };
  llvm::Expected<File> file = File::create(cubin);
  if (!file)
    return give(file.takeError());
  llvm::Expected<File::Elf_Shdr_Range> sections = file->sections();
  if (!sections)
    return give(sections.takeError());
  for (const File::Elf_Shdr &section : *sections) {
    llvm::Expected<StringRef> name = file->getSectionName(section);
    if (!name)
      return give(name.takeError());
    if (*name != (".nv.constant" + llvm::Twine(tablesBank) + "." + kernel).str())
      continue;
    llvm::Expected<llvm::ArrayRef<uint8_t>> bytes = file->getSectionContents(section);
    if (!bytes)
      return give(bytes.takeError());
    tables.assign(bytes->begin(), bytes->end());
  }
  return tables;
}

std::vector<int16_t> constantsOf(const target::Target &target, const MachineLaunch &launch,
                                 const ptx::Function &kernel, llvm::ArrayRef<uint64_t> slots) {
  const target::nvidia::ConstantBank bank = target::nvidia::constantBankOf(target);
  // Parameters begin where the one that is aligned most may; only tensor maps are larger than 8
  // bytes.
  constexpr uint64_t tensorMapAlignment = 64;
  const bool hasTensorMap = llvm::any_of(
      kernel.parameters, [](const ptx::Parameter &parameter) { return parameter.bytes > 8; });
  const uint64_t begin =
      hasTensorMap ? llvm::alignTo(bank.parameters, tensorMapAlignment) : bank.parameters;
  std::vector<int16_t> constants(begin + kernel.parameterBytes, -1);
  auto put = [&](size_t at, uint32_t number) {
    for (unsigned byte = 0; byte != 4; ++byte)
      constants[at + byte] = static_cast<int16_t>(number >> 8 * byte & 0xff);
  };
  for (unsigned dim = 0; dim != 3; ++dim) {
    put(bank.threads + 4 * dim, dim ? 1 : launch.threads);
    put(bank.grid + 4 * dim, launch.grid[dim]);
  }
  for (const auto &[parameter, slot] : llvm::zip(kernel.parameters, slots))
    for (unsigned byte = 0; parameter.bytes <= sizeof(slot) && byte != parameter.bytes; ++byte)
      constants[begin + parameter.offset + byte] = static_cast<int16_t>(slot >> 8 * byte & 0xff);
  return constants;
}

} // namespace gluonc::explain
