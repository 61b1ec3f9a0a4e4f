//===- Execute.h - Runs a kernel's PTX on the CPU ----------------------------===//
//
// Every thread with its registers, every warp with the lanes that are at one
// instruction, every CTA with its shared memory and barriers, clusters one after
// the other. It knows PTX and nothing of gluonc's IR, so it is a witness of what the
// code generator wrote: the same text runs on the GPU.
//
// Global addresses are the host's, or lie at a distance from them. Asynchronous copies take
// place at once.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ptx/Module.h"
#include "ptx/Observer.h"

#include <array>
#include <optional>

namespace llvm {
class raw_ostream;
}

namespace gluonc::ptx {

/// Memory that a kernel may access.
struct Range {
  uint64_t begin = 0, end = 0;
  /// What is added to an address to have the host's.
  uint64_t toHost = 0;
};

struct Launch {
  /// In CTAs; a multiple of the cluster's size along x.
  std::array<uint32_t, 3> grid = {1, 1, 1};
  unsigned threads = 128;
  unsigned ctasPerCluster = 1;
  /// Dynamic shared memory of a CTA.
  unsigned sharedBytes = 0;
  /// One per parameter: the low bytes of a value.
  llvm::ArrayRef<uint64_t> slots = {};
  /// Ranges do not overlap.
  llvm::ArrayRef<Range> memory = {};
  /// Receives what the kernel prints; null to drop it.
  llvm::raw_ostream *output = nullptr;
  /// At a fault it receives what all threads of the cluster have; null to drop that.
  llvm::raw_ostream *state = nullptr;
  /// Is told what is executed; null if nobody asks.
  Observer *observer = nullptr;
  /// Numbers of the clusters that run, x fastest; empty for all of them.
  llvm::ArrayRef<uint64_t> clusters = {};
  /// Products leave their results as they are, for those who ask what is executed and not what
  /// comes out.
  bool skipsProducts = false;
  /// A warp stops behind so many instructions, for those who want the beginning only, and a cluster
  /// ends where no warp goes on; 0: it runs to its end.
  uint64_t stepsOfWarp = 0;
  /// Instructions of one warp before a cluster counts as endless.
  uint64_t stepLimit = uint64_t(1) << 32;
  /// Clusters that are on the GPU at the same time. One that gets no further lets others go on, and
  /// further ones begin as long as there are fewer, for those that wait for one another.
  uint64_t residentClusters = 1;
  /// Threads of the host that execute clusters, as soon as a launch takes long. One thread does
  /// where there are an observer or numbers of clusters.
  unsigned hostThreads = 1;
};

/// How many clusters the grid has.
uint64_t clustersOf(const Launch &launch);

enum class FaultKind : uint8_t {
  /// Memory that is not the kernel's.
  Address,
  /// An address that is no multiple of what is accessed.
  Alignment,
  Assertion,
  /// Threads that wait for ever, or a kernel that does not end.
  Endless,
  Other
};

/// Why a kernel stopped, and where.
struct Fault {
  std::string message;
  unsigned line = 0;
  std::array<uint32_t, 3> cta = {};
  /// In its CTA.
  unsigned thread = 0;
  /// The instruction as the text has it.
  std::string instruction;
  /// What its registers held in that thread.
  struct Register {
    std::string name;
    uint64_t value = 0;
  };
  std::vector<Register> registers = {};
  FaultKind kind = FaultKind::Other;
  /// Where the kernel's source has the instruction; file "" where the text does not say.
  std::string sourceFile = {};
  unsigned sourceLine = 0, sourceColumn = 0;
  /// Of FaultKind::Address in global memory.
  uint64_t address = 0;
  unsigned bytes = 0;
};

/// Nothing if the kernel ran to its end.
std::optional<Fault> execute(const Function &kernel, const Module &module, const Launch &launch);

} // namespace gluonc::ptx
