//===- Profile.h - A launch by source places and lines ---------------------------===//
#pragma once

#include "explain/Counter.h"
#include "explain/Facts.h"
#include "explain/Timing.h"
#include "target/Occupancy.h"
#include "target/Target.h"

#include <map>

namespace gluonc::explain {

/// What instructions cost together.
struct Cost {
  /// Executions by warps: of all instructions, and by pipe.
  uint64_t instructions = 0;
  std::array<uint64_t, pipeCount> pipes = {};
  /// Instructions of machine code, as they stand there (MachineCode.h).
  std::array<uint64_t, pipeCount> machine = {};
  uint64_t flops = 0, boxBytes = 0;
  /// The most registers that are live before one of them (Liveness.h).
  unsigned liveRegisters = 0;
  GlobalCount loads, stores;
  SharedCount shared;
  /// What copies past the registers (cp.async) write there; `shared` has it, too.
  SharedCount sharedCopies;
  /// Instructions that access memory, as PTX names them, each once.
  std::vector<std::string> accesses;

  void add(const InstructionCount &count);
  GlobalCount global() const;
  uint64_t machineInstructions() const;
  bool accessesMemory() const {
    return loads.requests || stores.requests || shared.requests || boxBytes;
  }
};

/// An operation's place: what the instructions with that place cost.
struct Site {
  diag::Span span;
  Cost cost;
  /// Where what it loads has been loaded before by another instruction; {} if it has not.
  diag::Span earlier = {};
};

struct Line {
  const diag::SourceFile *file = nullptr;
  uint32_t number = 0;
  Cost cost;
};

/// A call that was inlined: what the instructions cost that came of it, those of calls further in
/// among them.
struct Call {
  /// "" where nobody says.
  std::string function;
  /// Where it is called, then the calls by which that place was inlined; the innermost first.
  std::vector<diag::Span> chain;
  Cost cost;
  /// By file and line.
  std::vector<Line> lines;
};

/// What a thread and a CTA take.
struct Resources {
  /// By the assembler; nothing without one.
  struct Registers {
    unsigned count = 0, spillStoreBytes = 0, spillLoadBytes = 0;
    /// AMD: how many of them are for accumulation, and scalar ones of a wave.
    unsigned accumulators = 0, scalars = 0;
  };
  std::optional<Registers> registers;
  uint32_t sharedBytes = 0;
  unsigned warps = 4, ctasOfCluster = 1;
};

/// Where most registers of PTX are live, and what is in them.
struct Pressure {
  struct Value {
    /// Where it is computed; what the IR says of it is among the facts.
    diag::Span span;
    unsigned registers = 0;
    const ValueFact *fact(const Facts &facts) const;
  };
  diag::Span span;
  unsigned registers = 0;
  /// The one that takes most first.
  std::vector<Value> values;
};

struct Profile {
  target::Target target;
  /// In programs.
  std::array<uint32_t, 3> grid = {1, 1, 1};
  Facts facts;
  Resources resources;
  std::optional<target::Occupancy> occupancy;
  std::optional<Timing> timing;
  /// Why there is none: the model does not know the chip, or not so long a launch.
  std::string whyNoTiming;

  /// Whether the counts of machine code were taken.
  bool hasMachineCode = false;
  /// Of machine code, by the whole name ("LDG.E.128"): how many there are, and how often warps
  /// execute them.
  struct Opcode {
    unsigned instructions = 0;
    double executed = 0;
    /// Of shared memory, where the CTA's own threads read and write it, and executions of which
    /// that is not known.
    double wavefronts = 0, unknownWavefronts = 0;
  };
  std::map<std::string, Opcode> opcodes;
  double executedMachineInstructions() const;
  /// How often branches of machine code were followed that depend on what nobody knew; nothing
  /// where executions are estimated from those of PTX.
  std::optional<uint64_t> guessedBranches;
  Cost total;
  /// By file, line and column; lines and sites of instructions without a place are left out.
  std::vector<Site> sites;
  std::vector<Line> lines;
  /// By place, the outermost call first; a call's own calls behind it.
  std::vector<Call> calls;
  Pressure pressure;

  /// AMD's machine code was executed, and counted: sectors are cache lines, wavefronts cycles of
  /// LDS.
  bool isAmd() const { return !target.isNvidia(); }
  unsigned sectorBytes() const;
  uint64_t ctas() const { return uint64_t(grid[0]) * grid[1] * grid[2] * resources.ctasOfCluster; }
};

/// The place of one that was counted; none where its file is not known.
diag::Span spanOf(const ptx::SourcePlace &place, const Counts &counts,
                  const diag::SourceManager &sources);

/// What each call that was inlined costs.
std::vector<Call> callsOf(const Counts &counts, const diag::SourceManager &sources);

/// Puts the counts to the places of the source that instructions come from.
void addCounts(Profile &profile, const Counts &counts, const diag::SourceManager &sources);

} // namespace gluonc::explain
