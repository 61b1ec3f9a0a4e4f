//===- WaveCounter.h - Counts of a launch of AMD's machine code ---------------------===//
//
// An observer of the executor of machine code: what each instruction cost, with the place in
// the source that it comes from. Sectors are cache lines here, wavefronts are cycles of LDS.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "amdgcn/Lines.h"
#include "amdgcn/Observer.h"
#include "explain/Counter.h"
#include "explain/WaveLiveness.h"

#include <map>

namespace gluonc::explain {

/// Bytes of a line of the vector caches: CDNA 3's and 4's; LLVM takes as many for others.
inline constexpr unsigned cacheLineBytes = 128;

/// What executes an instruction, by its mnemonic.
Pipe wavePipeOf(llvm::StringRef mnemonic);

/// Multiplications and additions of a matrix product: "v_mfma_f32_32x32x8_f16".
uint64_t waveFlopsOf(const amdgcn::Instruction &instruction);

class WaveCounter : public amdgcn::Observer {
public:
  /// `codeObject` has the lines. `ldsBanks`: for the widest accesses.
  WaveCounter(llvm::StringRef codeObject, unsigned ldsBanks);
  void executed(const amdgcn::Observed &what) override;

  Counts take();

private:
  InstructionCount describe(const amdgcn::Observed &what);
  void countGlobal(const amdgcn::Observed &what, InstructionCount &count);
  ptx::SourcePlace placeOf(uint64_t address);
  unsigned numberOf(const std::string &file);
  /// The innermost call that it was inlined by: a number in `calls`.
  unsigned callOf(uint64_t address);

  std::vector<amdgcn::LineRow> lines;
  amdgcn::InlinedFrames frames;
  std::vector<ptx::InlinedCall> calls = std::vector<ptx::InlinedCall>(1);
  unsigned ldsBanks;
  std::vector<std::string> files;
  /// By address, which is the order of the code.
  std::map<uint64_t, InstructionCount> entries;
  RecentLoads recent;
  WaveLiveness liveness;
  /// Numbers of those of global memory that were accessed.
  llvm::DenseSet<uint64_t> memoryLines;
  /// The instruction that each wave executed last.
  using Wave = std::pair<std::array<uint32_t, 3>, unsigned>;
  std::map<Wave, uint64_t> latest;
  std::pair<const Wave, uint64_t> *current = nullptr;
};

} // namespace gluonc::explain
