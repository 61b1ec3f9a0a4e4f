//===- Program.h - The flat form of a kernel -------------------------------===//
//
// prepare() turns a kernel into a vector of instructions. Each holds the address
// of the function that executes it and the frame offsets of its operands, all
// shapes resolved, so that a run is a loop over indirect calls.
//
// Values live in a frame, one per host thread and CTA of a cluster. A tile is its elements in
// row-major order; a tile known to hold one value everywhere (a splat) is stored
// as one element, and so is a scalar. Layouts play no part: logically every
// layout of a tile is the same tile.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/Sanitizer.h"
#include "sim/machine/Elements.h"
#include "sim/machine/Faults.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gluonc::sim {

class Cta;
struct AccessData;
struct AddressTable;
struct Instruction;
using Handler = void (*)(const Instruction &, Cta &);

/// A value in the frame. `elements` is the number of those stored: 1 for scalars
/// and uniform tiles.
struct Slot {
  uint32_t offset = 0;
  uint32_t elements = 0;
};

/// What an operation needs beyond slots: shapes, address tables, names.
struct OpData {
  virtual ~OpData() = default;
};

struct Instruction {
  Handler run = nullptr;
  /// Executed before `run` while poison is being tracked (Taint.h).
  Handler taint = nullptr;
  Slot result;
  Slot operands[4];
  uint8_t operandCount = 0;
  uint32_t place = 0;
  uint64_t immediate = 0;
  const OpData *data = nullptr;
};

struct Parameter {
  ElementKind kind;
  uint32_t offset;
};

/// Bytes that every frame starts with at an offset: constants and ranges.
struct Constant {
  uint32_t offset;
  std::string bytes;
};

/// A buffer in shared memory, or a ring of them.
struct Allocation {
  /// "" where the IR has none.
  std::string name;
  uint32_t base = 0, bytes = 0;
  const AddressTable *table = nullptr;
};

/// A loop, with what it counts that has a name.
struct Loop {
  struct Variable {
    std::string name;
    Slot slot;
    ElementKind kind;
    /// Where the source counts downwards, the two bounds: it counts their sum minus the value.
    std::optional<std::pair<Slot, Slot>> reversed;
  };
  /// The next one around it; negative if there is none.
  int32_t outer = -1;
  llvm::SmallVector<Variable, 1> variables;
};

/// The function of a partition, and how texts call it.
struct PartitionName {
  std::string name, text;
};

struct Program {
  std::string kernel;
  std::vector<Instruction> code;
  std::vector<Place> places;
  std::vector<std::unique_ptr<OpData>> data;
  std::vector<Parameter> parameters;
  std::vector<Constant> constants;
  /// Of a cluster; each has a frame of its own.
  uint32_t ctas = 1;
  uint64_t frameBytes = 0;
  uint32_t sharedBytes = 0;
  /// From one row of tensor memory to the next; 0 without any.
  uint32_t tensorRowBytes = 0;
  /// Frame offset of the three program ids, followed by the grid.
  uint32_t programIds = 0;
  /// Global accesses; each has a cache of the range it last met.
  uint32_t accessCount = 0;
  std::vector<const AccessData *> accesses;
  /// Something in it needs Ordering.h: partitions, or operations of the asynchronous proxy.
  bool ordersShared = false;
  /// Some loop is a pipeline whose halves of the warps are a stage apart.
  bool hasStages = false;
  /// Of `ttg.global_scratch_alloc`.
  uint64_t globalScratchBytes = 0;
  /// Programs must run one after the other for results to repeat.
  bool sequential = false;
  /// A program may take over the work of others that have not begun: they run one after the other,
  /// too.
  bool takesPrograms = false;
  std::vector<Allocation> allocations;
  std::vector<Loop> loops;
  Sanitizer sanitizer = Sanitizer::None;
  /// Something in it waits for others: what partitions do is remembered.
  bool waits = false;
};

} // namespace gluonc::sim
