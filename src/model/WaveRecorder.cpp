#include "model/WaveRecorder.h"

#include "explain/Memory.h"
#include "explain/WaveCounter.h"
#include "explain/WaveLiveness.h"

#include "llvm/ADT/STLExtras.h"

#include <bit>

namespace gluonc::model {

using explain::cacheLineBytes;
using llvm::StringRef;

/// SIMDs of a compute unit, and cycles of one for an instruction of a wave: a quarter of its lanes
/// at a time, transcendental functions and products of integers at a quarter of that rate.
static constexpr double simds = 4, vectorCycles = 4, slowCycles = 16;

/// So many lanes of each wave come to a barrier, as the replay counts.
static constexpr unsigned lanesOfReplay = 32;

/// What AMD does not publish: latencies, and what launches and barriers take. They are near what
/// others measured (Chips and Cheese on the MI300X), and those of the H100.
static Speeds speedsOf(const target::amd::Speeds &published) {
  constexpr double gigabyte = 1e9, ofCopies = 0.9;
  Speeds speeds = {};
  speeds.name = published.name;
  speeds.areMeasured = false;
  speeds.multiprocessors = published.computeUnits;
  speeds.megahertz = speeds.productMegahertz = published.megahertz;
  speeds.launchMicroseconds = 1.7;
  speeds.ctaCycles = 155;
  speeds.pipes.fill({vectorCycles, vectorCycles});
  speeds.tensorFlops = published.matrix.bits16 / simds;
  speeds.warpProductShare = 1;
  speeds.sharedBytesPerCycle = 128;
  speeds.sharedLatency = 64;
  speeds.shuffleLatency = 64;
  speeds.firstLevelLatency = 120;
  speeds.firstLevelBytes = 32 * 1024;
  // The white papers of CDNA 3 and 4: 64 bytes a cycle for a compute unit, 2 KiB for a die of 38 or
  // 32 together, 256 MB of Infinity Cache.
  speeds.secondLevelBytesPerCycle = 64;
  speeds.distinctBytesPerCycle = speeds.commonBytesPerCycle = 54;
  speeds.secondLevelLatency = 300;
  speeds.atomicLatency = 500;
  speeds.secondLevelBytes = 256e6;
  speeds.memoryGigabytesPerSecond = ofCopies * published.bytesOfSecond / gigabyte;
  speeds.memoryLatency = 1000;
  speeds.memoryGranule = speeds.loneGranule = cacheLineBytes;
  speeds.barrierLatency = 12;
  speeds.barrierCycles = 1;
  speeds.mbarrierLatency = 24;
  speeds.branchLatency = 8;
  return speeds;
}

const Speeds *waveSpeedsOf(const target::Target &target) {
  static const auto known = [] {
    std::map<std::string, Speeds, std::less<>> all;
    for (const char *name : {"hip:gfx942", "hip:gfx950"})
      if (auto chip = target::Target::parse(name))
        if (const target::amd::Speeds *published = target::amd::speedsOf(*chip))
          all.emplace(name, speedsOf(*published));
    return all;
  }();
  auto found = known.find(target.name());
  return found == known.end() ? nullptr : &found->second;
}

/// The number behind `vmcnt(` and such; nothing where the text does not have it.
static std::optional<unsigned> countIn(StringRef text, StringRef name) {
  auto [before, rest] = text.split(name.str() + "(");
  unsigned count = 0;
  if (rest.empty() || rest.consumeInteger(10, count))
    return std::nullopt;
  return count;
}

static void addRegisters(Work &work, const amdgcn::Instruction &instruction) {
  explain::VectorUses uses = explain::vectorUsesOf(instruction);
  for (auto [from, to] :
       {std::pair(&uses.read, &work.read), std::pair(&uses.written, &work.written)})
    for (size_t i = from->_Find_first(); i < from->size(); i = from->_Find_next(i))
      to->push_back(static_cast<int32_t>(i));
}

/// Waits for each counter that `s_waitcnt` names.
static llvm::SmallVector<Work, 2> waitsOf(StringRef text) {
  llvm::SmallVector<Work, 2> waits;
  for (auto [name, queue] : {std::pair("vmcnt", Queue::Copies), {"lgkmcnt", Queue::Boxes}}) {
    std::optional<unsigned> left = countIn(text, name);
    if (!left)
      continue;
    Work wait;
    wait.rule = Rule::Wait;
    wait.queue = queue;
    wait.left = *left;
    waits.push_back(std::move(wait));
  }
  return waits;
}

static void setAccess(Work &work, const amdgcn::Instruction &instruction) {
  StringRef name = instruction.mnemonic;
  const bool isScalar = name.starts_with("s_");
  work.rule = Rule::Access;
  work.joinsQueue = true;
  work.queue = isScalar || name.starts_with("ds_") ? Queue::Boxes : Queue::Copies;
  work.latency = isScalar ? 200 : 0;
  work.stores = instruction.access.isStore;
  work.isAtomic = instruction.access.isAtomic && !name.starts_with("ds_");
  work.bypassesFirstLevel =
      work.isAtomic || instruction.modifiers.has("nt") || instruction.modifiers.has("sc1");
}

static llvm::SmallVector<Work, 2> makeWorks(const amdgcn::Instruction &instruction,
                                            const target::amd::Speeds &published) {
  StringRef name = instruction.mnemonic;
  if (name == "s_waitcnt")
    return waitsOf(instruction.text);
  Work work;
  work.inOrder = true;
  addRegisters(work, instruction);
  auto setMath = [&](Pipe pipe, double cycles) {
    work.rule = Rule::Math;
    work.pipe = pipe;
    work.cycles = work.latency = cycles;
  };
  switch (explain::wavePipeOf(name)) {
  case explain::Pipe::Tensor: {
    const unsigned rate = target::amd::matrixRateOf(published, name);
    setMath(Pipe::Tensor, rate ? double(explain::waveFlopsOf(instruction)) / (rate / simds) : 0);
    work.rule = Rule::Product;
    break;
  }
  case explain::Pipe::Special:
    setMath(Pipe::Special, slowCycles);
    break;
  case explain::Pipe::Integer:
    setMath(Pipe::Integer,
            name.contains("mul_lo_u32") || name.contains("mul_hi_u32") ? slowCycles : vectorCycles);
    break;
  case explain::Pipe::Float:
  case explain::Pipe::Move:
    setMath(Pipe::Float, vectorCycles);
    break;
  case explain::Pipe::Shuffle:
    if (name.starts_with("ds_"))
      setAccess(work, instruction);
    else
      setMath(Pipe::Integer, vectorCycles);
    break;
  case explain::Pipe::Memory:
    setAccess(work, instruction);
    break;
  case explain::Pipe::Control:
    work.rule = name == "s_barrier" ? Rule::Signal : Rule::Branch;
    work.latency = name.starts_with("s_cbranch") || name == "s_branch" ? 8 : 0;
    break;
  default:
    work.rule = Rule::Branch;
    break;
  }
  return {std::move(work)};
}

WaveRecorder::WaveRecorder(const target::amd::Speeds &published, const Recorder::Launch &launch,
                           std::vector<uint64_t> sample, StringRef codeObject, unsigned ldsBanks)
    : published(published), launch(launch), ldsBanks(ldsBanks),
      lines(amdgcn::readLines(codeObject)), sharing(launch.ctasPerCluster), wave(*this),
      recorder(*this) {
  trace.registers = explain::VectorRegisters().size();
  for (uint64_t number : sample) {
    ClusterTrace &cluster = clusters[number];
    cluster.ctas.resize(launch.ctasPerCluster);
    for (CtaTrace &cta : cluster.ctas)
      cta.warps.resize(launch.warps);
  }
}

std::optional<unsigned> WaveRecorder::borderAt(const amdgcn::Observed &what) {
  const amdgcn::Instruction &instruction = what.instruction;
  const auto &operands = instruction.operands;
  if (instruction.mnemonic == "s_mov_b32" && operands.size() == 2 &&
      operands[0].bank == amdgcn::Bank::Scalar && operands[0].reg == amdgcn::m0Slot &&
      operands[1].bank == amdgcn::Bank::Literal)
    marks[what.address] = static_cast<unsigned>(operands[1].value);
  if (instruction.mnemonic != "s_ttracedata")
    return std::nullopt;
  // Behind that move, with a number within it or behind it, and a wait.
  for (uint64_t before : {8, 12})
    if (auto mark = marks.find(what.address - before); mark != marks.end())
      return mark->second;
  return std::nullopt;
}

Slice WaveRecorder::worksOf(const amdgcn::Observed &what) {
  auto [entry, isNew] = works.try_emplace(what.address);
  if (!isNew)
    return entry->second;
  auto behind = llvm::upper_bound(lines, what.address,
                                  [](uint64_t at, const auto &row) { return at < row.address; });
  ptx::SourcePlace place;
  if (behind != lines.begin() && std::prev(behind)->line) {
    const amdgcn::LineRow &row = *std::prev(behind);
    auto known = llvm::find(trace.files, row.file);
    place = {static_cast<unsigned>(known - trace.files.begin()), row.line, row.column};
    if (known == trace.files.end())
      trace.files.push_back(row.file);
  }
  const auto begin = static_cast<uint32_t>(trace.code.size());
  auto made = makeWorks(what.instruction, published);
  if (std::optional<unsigned> border = borderAt(what)) {
    made.front().rule = Rule::Scope;
    made.front().left = *border;
  }
  for (Work &work : made) {
    trace.code.push_back(std::move(work));
    trace.places.push_back(place);
    trace.names.push_back(what.instruction.mnemonic);
  }
  entry->second = {begin, static_cast<uint32_t>(trace.code.size())};
  return entry->second;
}

static llvm::SmallVector<ptx::Touch, 64> touchesOf(llvm::ArrayRef<amdgcn::Touch> list) {
  llvm::SmallVector<ptx::Touch, 64> touches;
  for (const amdgcn::Touch &touch : list)
    touches.push_back({touch.address, touch.bytes, touch.lane});
  return touches;
}

void WaveRecorder::Together::executed(const amdgcn::Observed &what) {
  Slice works = owner.worksOf(what);
  if (what.touched.global.empty() || !works.size())
    return;
  ptx::Touched touched;
  for (const ptx::Touch &touch : touchesOf(what.touched.global))
    touched.global.push_back(touch);
  owner.sharing.executed({works.begin, what.workgroup, what.wave, 0, 0, touched});
}

Detail WaveRecorder::describe(const amdgcn::Observed &what, const Work &work, CtaTrace &cta) {
  constexpr unsigned sectorsOfLine = cacheLineBytes / explain::sectorBytes;
  Detail detail;
  if (!what.touched.shared.empty()) {
    const bool reads = what.touched.global.empty() && !work.stores;
    detail.wavefronts = static_cast<uint16_t>(
        explain::countLdsCycles(touchesOf(what.touched.shared), ldsBanks, reads).wavefronts);
  }
  // Whole lines move, by halves.
  auto begin = static_cast<uint32_t>(cta.sectors.size());
  std::vector<uint32_t> found;
  for (const amdgcn::Touch &touch : what.touched.global)
    for (uint64_t line = touch.address / cacheLineBytes,
                  last = (touch.address + touch.bytes - 1) / cacheLineBytes;
         line <= last; ++line)
      found.push_back(static_cast<uint32_t>(line));
  llvm::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  for (uint32_t line : found)
    for (uint32_t i = 0; i != sectorsOfLine; ++i)
      cta.sectors.push_back(line * sectorsOfLine + i);
  detail.sectors = {begin, static_cast<uint32_t>(cta.sectors.size())};
  detail.lines = static_cast<uint16_t>(found.size() * cacheLineBytes / published.vectorCacheBytes);
  if (!work.stores)
    loads += detail.sectors.size();
  if (work.rule == Rule::Signal) {
    auto first = static_cast<uint32_t>(cta.signals.size());
    cta.signals.push_back({ptx::Signal::Kind::Meet, 0, int64_t(launch.warps) * lanesOfReplay});
    detail.signals = {first, first + 1};
  }
  return detail;
}

void WaveRecorder::record(const amdgcn::Observed &what) {
  const uint64_t wide = launch.grid[0] / launch.ctasPerCluster;
  auto [x, y, z] = what.workgroup;
  auto found = clusters.find((uint64_t(z) * launch.grid[1] + y) * wide + x / launch.ctasPerCluster);
  if (found == clusters.end())
    return;
  if (bytes >= mostTraceBytes) {
    trace.isCut = true;
    return;
  }
  CtaTrace &cta = found->second.ctas[x % launch.ctasPerCluster];
  Slice works = worksOf(what);
  for (uint32_t number = works.begin; number != works.end; ++number) {
    const Work &work = trace.code[number];
    Op op{number, -1, static_cast<uint8_t>(lanesOfReplay)};
    if (work.rule == Rule::Access || work.rule == Rule::Signal) {
      op.detail = static_cast<int32_t>(cta.details.size());
      cta.details.push_back(describe(what, work, cta));
    }
    bytes += traceBytesOf(op.detail < 0 ? nullptr : &cta.details.back());
    cta.warps[what.wave].push_back(op);
  }
}

Trace WaveRecorder::take() {
  for (auto &[number, cluster] : clusters)
    trace.clusters.push_back(std::move(cluster));
  trace.loadedSectors = static_cast<double>(loads) / static_cast<double>(trace.clusters.size());
  trace.sharers = sharing.sharers();
  trace.sharers.resize(trace.code.size());
  return std::move(trace);
}

} // namespace gluonc::model
