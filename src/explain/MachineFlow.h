//===- MachineFlow.h - Which way warps go through machine code ------------------===//
//
// Follows each warp of a launch through the machine code (SASS) that nvdisasm prints, and counts
// how often each instruction is executed. Executed are integers, predicates, votes and shuffles,
// by which addresses and trip counts are made, and loads of constants and of global memory; floats,
// products, what atomic updates of global memory give back and most of shared memory are unknown.
// Warps of a CTA meet at its barriers, and tell each other by words of shared memory, which one
// lane updates or stores, what partitions are to run and are given. Waits of mbarriers end at once.
//
// NVIDIA does not publish what these instructions do; tests compare with counts by hand.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "explain/MachineCode.h"
#include "ptx/Module.h"

namespace gluonc::explain {

struct MachineLaunch {
  /// In CTAs; a multiple of the cluster's size along x.
  std::array<uint32_t, 3> grid = {1, 1, 1};
  unsigned ctasOfCluster = 1, threads = 128;
  /// The bytes of the first bank of constants, where parameters are; -1: unknown.
  std::vector<int16_t> constants;
  /// The bytes of the bank where a kernel has tables of places that it jumps to (tablesOf).
  std::vector<int16_t> tables = {};
  /// First and last address, the last one excluded, of memory that can be read now.
  std::vector<std::pair<uint64_t, uint64_t>> memory;
};

/// The bank of constants of a launch with these slots (ptx::Launch). What tensor maps hold stays
/// unknown.
std::vector<int16_t> constantsOf(const target::Target &target, const MachineLaunch &launch,
                                 const ptx::Function &kernel, llvm::ArrayRef<uint64_t> slots);

/// From the machine code's file; empty where there are none.
std::vector<int16_t> tablesOf(llvm::StringRef cubin, llvm::StringRef kernel);

/// Wavefronts of shared memory that an instruction took, and its executions of which nobody knows
/// that.
struct SharedFlow {
  double wavefronts = 0, unknown = 0;
};

struct MachineFlow {
  /// For each instruction that reads or writes shared memory by the lanes' addresses: what it did
  /// in that of its own CTA. What others do there is not among it, nor atomic updates.
  std::vector<SharedFlow> shared;
  /// For each instruction: executions by warps. Of large launches a part is followed, and the rest
  /// taken to be like it.
  std::vector<double> executions;
  /// Branches that depend on what is unknown, executed so often.
  uint64_t guessed = 0;
};

/// Where a branch depends on what is unknown, it goes as often to each side as `guesses`
/// (executions of each instruction) say. Nothing where code jumps to a place that is unknown, or
/// the first cluster does not end within `most` instructions; the rest of a launch may take four
/// times as many.
std::optional<MachineFlow> followMachineCode(llvm::ArrayRef<MachineInstruction> instructions,
                                             const MachineLaunch &launch,
                                             llvm::ArrayRef<double> guesses,
                                             uint64_t most = 10'000'000);

} // namespace gluonc::explain
