//===- Draw.h - Pictures of layouts ------------------------------------------===//
//
// Every fact in a picture comes from the room layout: linear layouts, plans of
// conversions, phases of shared memory. What is drawn has passed validate() and
// layout::checkShape(); what else may be wrong is said by a `check…` function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/named/Layouts.h"
#include "picture/Picture.h"

#include <tuple>

namespace gluonc::picture {

/// A tensor in a layout.
struct Laid {
  layout::Layout layout;
  layout::Ints shape;
  unsigned elementBits = 32;
};

/// Every element with its place: thread and register, offset and bank of shared memory, row and
/// column of tensor memory. Along each axis the first elements only, as many as `corner` says.
Picture drawElements(const Laid &laid, llvm::ArrayRef<int64_t> corner = {});

/// Shared memory in lines of its 32 banks, tensor memory row by row: what lies where. Elements that
/// follow each other share a cell, of 16 bytes at most.
Picture drawMemory(const Laid &laid);

/// Which thread and register each element comes from, and who sends how much to whom. The problem:
/// layouts with other numbers of lanes, warps or CTAs.
layout::Problem checkConversion(const Laid &from, const layout::Layout &to);
Picture drawConversion(const Laid &from, const layout::Layout &to);

/// How many words of each bank the phases of warp 0's accesses want, when a tensor in a layout of
/// registers moves to or from shared memory.
layout::Problem checkBanks(const Laid &registers, const layout::Layout &shared);
Picture drawBanks(const Laid &registers, const layout::Layout &shared);

/// The result of a matrix product, and its operands at its sides: `depth` is K. Operands of wgmma
/// on the right, and of tcgen05, are in shared memory.
struct Product {
  Laid result;
  int64_t depth = 16;
  /// Neighbours along K in a thread; 0: as many as a register of 32 bits holds.
  int64_t kWidth = 0;
};
layout::Problem checkProduct(const Product &product);
Picture drawProduct(const Product &product);

/// A loop whose steps run in different iterations at a time.
struct Pipeline {
  struct Step {
    std::string name;
    /// How many iterations later than the first step's it runs.
    unsigned stage;
  };
  std::vector<Step> steps;
  unsigned iterations = 6;
  /// Of what the first stage loads; 0: as many as it takes to keep it until its last use.
  unsigned buffers = 0;
};
/// Steps against time; what is loaded stays in a buffer until its last use.
Picture drawPipeline(const Pipeline &pipeline);

/// What a kernel does beside its threads: which partitions it has, which steps these take, through
/// which buffers and barriers they meet.
struct KernelPipeline {
  struct Partition {
    std::string name;
    unsigned firstWarp = 0, warps = 0;
  };
  /// A buffer on the chip, or a barrier.
  struct Memory {
    std::string name;
    /// "4x128x64 f16"
    std::string what;
    unsigned slots = 1;
    uint64_t bytes = 0;
    uint32_t line = 0;
    bool isBarrier = false;
    /// Arrivals that complete a phase of a barrier; 0: not known.
    unsigned arrivals = 0;
  };
  struct Step {
    enum class Kind : uint8_t { Copy, CopyOut, Product, Read, Write, Wait, Arrive };
    Kind kind;
    unsigned partition = 0;
    uint32_t line = 0;
    /// The line of the innermost loop around it; 0: none.
    uint32_t loop = 0;
    /// Numbers of memories: read, written (by threads or beside them), barriers that it or what it
    /// starts arrives at, and those that it waits for.
    std::vector<unsigned> reads = {}, writes = {}, arrives = {}, waits = {};
    /// What it waits for that is no barrier: "copies but the last 2".
    std::string awaited = {};
    /// Parities of the barrier's phases that it waits for, in the first rounds of its loop; one
    /// where they are all the same, none where they are not known.
    std::vector<unsigned> parities = {};
    /// How often the code has it, with the same steps around it.
    unsigned times = 1;

    /// But for `times`.
    bool isLike(const Step &other) const {
      auto tied = [](const Step &step) {
        return std::tie(step.kind, step.partition, step.line, step.loop, step.reads, step.writes,
                        step.arrives, step.waits, step.awaited);
      };
      return tied(*this) == tied(other);
    }
  };
  /// A loop with copies that run ahead of what takes them.
  struct Loop {
    uint32_t line = 0;
    unsigned partition = 0;
    Pipeline pipeline;
  };
  std::string kernel;
  /// Who runs the kernel's own code is first.
  std::vector<Partition> partitions;
  std::vector<Memory> memories;
  /// Of each partition in the order of the code.
  std::vector<Step> steps;
  std::vector<Loop> loops;
};
Picture drawKernelPipeline(const KernelPipeline &kernel);

} // namespace gluonc::picture
