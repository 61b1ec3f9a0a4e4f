#include "model/Recorder.h"

#include "explain/Memory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <bit>

namespace gluonc::model {

std::vector<uint64_t> sampleOf(const std::array<uint32_t, 3> &grid, unsigned count) {
  uint64_t wide = grid[0], rows = uint64_t(grid[1]) * grid[2];
  std::vector<uint64_t> sample;
  uint64_t taken = std::min<uint64_t>(wide * rows, count);
  for (uint64_t i = 0; i != taken; ++i)
    sample.push_back((2 * i + 1) * rows / (2 * taken) * wide + (2 * i + 1) * wide / (2 * taken));
  // Of a grid of few programs some may be the same.
  sample.erase(std::unique(sample.begin(), sample.end()), sample.end());
  return sample;
}

Recorder::Recorder(const Speeds &chip, const Launch &launch, std::vector<uint64_t> sample,
                   size_t mostBytes)
    : chip(chip), launch(launch), mostBytes(mostBytes) {
  for (uint64_t number : sample) {
    ClusterTrace &cluster = clusters[number];
    cluster.ctas.resize(launch.ctasPerCluster);
    for (CtaTrace &cta : cluster.ctas)
      cta.warps.resize(launch.warps);
  }
}

void Recorder::begin(const ptx::Function &kernel, const ptx::Module &module) {
  trace.files = module.files;
  trace.registers = static_cast<unsigned>(kernel.registerBits.size());
  for (const ptx::Instruction &instruction : kernel.code) {
    trace.code.push_back(workOf(instruction, chip));
    trace.places.push_back(instruction.source);
    trace.names.push_back(instruction.name.str());
  }
}

ClusterTrace *Recorder::clusterOf(const std::array<uint32_t, 3> &cta) {
  uint64_t wide = launch.grid[0] / launch.ctasPerCluster;
  uint64_t number =
      (uint64_t(cta[2]) * launch.grid[1] + cta[1]) * wide + cta[0] / launch.ctasPerCluster;
  if (number == current)
    return currentTrace;
  current = number;
  auto found = clusters.find(number);
  currentTrace = found == clusters.end() ? nullptr : &found->second;
  return currentTrace;
}

void Recorder::addSectors(llvm::ArrayRef<ptx::Touch> touches, Detail &detail, CtaTrace &cta) {
  constexpr unsigned lineSectors = lineBytes / explain::sectorBytes;
  auto begin = static_cast<uint32_t>(cta.sectors.size());
  // In 64 bits: the low ones of the last number may be all ones.
  for (const ptx::Touch &touch : touches) {
    const uint64_t address = touch.address - shift;
    for (uint64_t sector = address / explain::sectorBytes,
                  end = llvm::divideCeil(address + touch.bytes, explain::sectorBytes);
         sector < end; ++sector)
      cta.sectors.push_back(static_cast<uint32_t>(sector));
  }
  auto first = cta.sectors.begin() + begin;
  std::sort(first, cta.sectors.end());
  cta.sectors.erase(std::unique(first, cta.sectors.end()), cta.sectors.end());
  detail.sectors = {begin, static_cast<uint32_t>(cta.sectors.size())};
  uint32_t line = ~uint32_t(0);
  for (uint32_t i = begin; i != detail.sectors.end; ++i) {
    detail.lines += cta.sectors[i] / lineSectors != line;
    line = cta.sectors[i] / lineSectors;
  }
}

/// Rows that tensor cores have, whether a product uses them or not.
static void addProduct(const ptx::TensorProduct &product, const Speeds &chip, Detail &detail) {
  constexpr double quarters = 4, referenceBits = 16;
  constexpr unsigned rowsOfCores = 128;
  const unsigned rows = product.rows / product.ctas;
  const double flops = 2.0 * std::max(rows, rowsOfCores) * product.columns * product.depth;
  detail.tensorCycles =
      static_cast<float>(flops / (quarters * chip.tensorFlops * referenceBits / product.bits));
  const double read = (product.readsA ? rows : 0) + double(product.columns) / product.ctas;
  detail.operandCycles =
      static_cast<float>(read * product.depth * product.bits / 8 / chip.sharedBytesPerCycle);
  detail.pair = static_cast<uint8_t>(product.ctas);
}

Detail Recorder::describe(const ptx::Observed &what, const Work &work, CtaTrace &cta) {
  const ptx::Touched &touched = what.touched;
  Detail detail;
  detail.wavefronts =
      static_cast<uint16_t>(explain::countWavefronts(touched.shared, !work.stores).wavefronts);
  detail.boxBytes = static_cast<uint32_t>(touched.boxBytes);
  addSectors(touched.boxBytes ? llvm::ArrayRef<ptx::Touch>(touched.box) : touched.global, detail,
             cta);
  if (!work.stores && work.rule != Rule::BoxStore)
    loads += detail.sectors.size();
  auto begin = static_cast<uint32_t>(cta.signals.size());
  cta.signals.insert(cta.signals.end(), touched.signals.begin(), touched.signals.end());
  detail.signals = {begin, static_cast<uint32_t>(cta.signals.size())};
  if (touched.product.rows)
    addProduct(touched.product, chip, detail);
  return detail;
}

void Recorder::executed(const ptx::Observed &what) {
  ClusterTrace *cluster = clusterOf(what.cta);
  if (!cluster)
    return;
  const Work &work = trace.code[what.instruction];
  // Asked in vain: the replay finds out itself when those that wait may go on.
  const auto &signals = what.touched.signals;
  if (!signals.empty() && signals.front().kind == ptx::Signal::Kind::Ask &&
      !llvm::all_of(signals, [](const ptx::Signal &signal) { return signal.isOver; }))
    return;
  if (bytes >= mostBytes) {
    trace.isCut = true;
    return;
  }
  CtaTrace &cta = cluster->ctas[what.cta[0] % launch.ctasPerCluster];
  Op op{static_cast<uint32_t>(what.instruction), -1,
        static_cast<uint8_t>(std::popcount(what.active))};
  const ptx::Touched &touched = what.touched;
  if (!touched.global.empty() || !touched.shared.empty() || touched.boxBytes || !signals.empty() ||
      touched.product.rows) {
    op.detail = static_cast<int32_t>(cta.details.size());
    cta.details.push_back(describe(what, work, cta));
  }
  bytes += traceBytesOf(op.detail < 0 ? nullptr : &cta.details.back());
  cta.warps[what.warp].push_back(op);
}

Trace Recorder::take() {
  for (auto &[number, cluster] : clusters)
    trace.clusters.push_back(std::move(cluster));
  trace.loadedSectors = static_cast<double>(loads) / static_cast<double>(trace.clusters.size());
  return std::move(trace);
}

} // namespace gluonc::model
