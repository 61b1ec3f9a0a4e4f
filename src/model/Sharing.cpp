#include "model/Sharing.h"

#include "explain/Memory.h"

#include "llvm/Support/MathExtras.h"

namespace gluonc::model {

std::vector<uint64_t> waveOf(uint64_t clusters, uint64_t together) {
  uint64_t size = std::min({clusters, std::max<uint64_t>(together, 1), mostSharing});
  uint64_t first = clusters / size / 2 * size;
  std::vector<uint64_t> wave;
  for (uint64_t i = first; i != std::min(first + size, clusters); ++i)
    wave.push_back(i);
  return wave;
}

void Sharing::begin(const ptx::Function &kernel, const ptx::Module &) {
  counts.resize(kernel.code.size());
}

void Sharing::touch(size_t instruction, uint64_t address, unsigned bytes) {
  if (instruction >= counts.size())
    counts.resize(instruction + 1);
  Count &count = counts[instruction];
  for (uint64_t sector = address / explain::sectorBytes,
                end = llvm::divideCeil(address + bytes, explain::sectorBytes);
       sector < end; ++sector) {
    auto [entry, isNew] = last.try_emplace(
        {static_cast<uint32_t>(instruction), static_cast<uint32_t>(sector)}, number);
    count.different += isNew;
    count.groups += isNew || number - entry->second > nearby;
    count.all += isNew || entry->second != number;
    entry->second = number;
  }
}

void Sharing::executed(const ptx::Observed &what) {
  std::array<uint32_t, 3> cluster = what.cta;
  cluster[0] /= ctasPerCluster;
  if (cluster != current)
    ++number;
  current = cluster;
  if (number > mostSharing)
    return;
  const ptx::Touched &touched = what.touched;
  for (const ptx::Touch &touch : touched.boxBytes ? llvm::ArrayRef<ptx::Touch>(touched.box)
                                                  : llvm::ArrayRef<ptx::Touch>(touched.global))
    this->touch(what.instruction, touch.address, touch.bytes);
}

std::vector<Sharers> Sharing::sharers() const {
  std::vector<Sharers> list;
  for (const Count &count : counts) {
    const auto all = static_cast<double>(count.all);
    list.push_back(count.different ? Sharers{all / static_cast<double>(count.different),
                                             all / static_cast<double>(count.groups)}
                                   : Sharers());
  }
  return list;
}

} // namespace gluonc::model
