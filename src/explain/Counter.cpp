#include "explain/Counter.h"

#include "explain/Memory.h"

#include "llvm/ADT/StringExtras.h"

#include <bit>

namespace gluonc::explain {

using ptx::Instruction;

GlobalCount &GlobalCount::operator+=(const GlobalCount &other) {
  requests += other.requests;
  sectors += other.sectors;
  idealSectors += other.idealSectors;
  usedBytes += other.usedBytes;
  repeats += other.repeats;
  if (!earlier)
    earlier = other.earlier;
  pieces += other.pieces;
  misaligned += other.misaligned;
  bytesOfLane = std::max(bytesOfLane, other.bytesOfLane);
  if (!stride)
    stride = other.stride;
  return *this;
}

SharedCount &SharedCount::operator+=(const SharedCount &other) {
  requests += other.requests;
  wavefronts += other.wavefronts;
  ideal += other.ideal;
  bytesOfLane = std::max(bytesOfLane, other.bytesOfLane);
  return *this;
}

/// Another thread may have written what such a load asks for again.
static bool isPlainLoad(const Instruction &instruction) {
  auto isStrong = [](llvm::StringRef word) {
    return llvm::is_contained({"volatile", "acquire", "relaxed", "mmio"}, word);
  };
  return instruction.name == "ld" && llvm::none_of(instruction.modifiers, isStrong);
}

/// The copy engine reads a descriptor itself; no thread asks for it.
static bool isByCopyEngine(const Instruction &instruction) {
  return llvm::is_contained(instruction.modifiers, "bulk");
}

static InstructionCount describe(const Instruction &instruction) {
  InstructionCount count;
  count.text = instruction.name.str();
  for (llvm::StringRef word : instruction.modifiers)
    count.text += "." + word.str();
  count.source = instruction.source;
  count.call = instruction.call;
  count.pipe = pipeOf(instruction);
  llvm::StringRef name = instruction.name;
  count.loads = llvm::is_contained({"ld", "ldmatrix", "atom", "red", "cp"}, name);
  count.stores = llvm::is_contained({"st", "stmatrix", "atom", "red"}, name);
  return count;
}

void Counter::begin(const ptx::Function &kernel, const ptx::Module &module) {
  counts.files = module.files;
  counts.calls = module.calls;
  counts.mostLive = mostLive(kernel);
  std::vector<unsigned> live = liveRegisters(kernel);
  for (auto [i, instruction] : llvm::enumerate(kernel.code)) {
    counts.instructions.push_back(describe(instruction));
    counts.instructions.back().liveRegisters = live[i];
    flops.push_back(productFlops(instruction));
    mayRepeat.push_back(isPlainLoad(instruction));
    byCopyEngine.push_back(isByCopyEngine(instruction));
  }
}

GlobalCount::GlobalCount(const SectorCount &counted, unsigned bytesOfLane, unsigned unit)
    : requests(1), sectors(counted.sectors), idealSectors(counted.idealSectors),
      usedBytes(counted.usedBytes), pieces(counted.pieces), bytesOfLane(bytesOfLane),
      stride(counted.stride) {
  const bool isLong = usedBytes >= pieces * unit;
  misaligned = isLong && 2 * counted.misalignedPieces >= pieces && sectors > idealSectors;
}

void Counter::countGlobal(const ptx::Observed &what, InstructionCount &count) {
  const auto &touches = what.touched.global;
  GlobalCount one(countSectors(touches), touches.front().bytes);
  if (count.stores) {
    recent.store(what.cta, touches);
  } else if (mayRepeat[what.instruction]) {
    auto before = recent.load(what.cta, what.warp, what.instruction, touches);
    one.repeats = before.has_value();
    if (before && *before != what.instruction)
      one.earlier = counts.instructions[*before].source;
  }
  count.global += one;
}

void Counter::executed(const ptx::Observed &what) {
  InstructionCount &count = counts.instructions[what.instruction];
  ++count.warps;
  count.threads += std::popcount(what.active);
  if (!what.active)
    return;
  const ptx::TensorProduct &product = what.touched.product;
  count.flops +=
      flops[what.instruction] + 2 * uint64_t(product.rows) * product.columns * product.depth;
  count.boxBytes += what.touched.boxBytes;
  if (count.pipe != Pipe::Memory)
    return;
  if (!what.touched.global.empty() && !byCopyEngine[what.instruction])
    countGlobal(what, count);
  if (!what.touched.shared.empty()) {
    WavefrontCount wavefronts = countWavefronts(what.touched.shared, !count.stores);
    count.shared += {1, wavefronts.wavefronts, wavefronts.ideal, what.touched.shared.front().bytes};
  }
}

Counts Counter::take() {
  llvm::erase_if(counts.instructions, [](const InstructionCount &count) { return !count.warps; });
  return std::move(counts);
}

} // namespace gluonc::explain
