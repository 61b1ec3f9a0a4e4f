//===- Faults.h - What goes wrong while programs run -----------------------===//
//
// Host threads record faults without seeing each other; the logs are merged and
// reported after the run. The report is a function of the set of faults alone:
// one diagnostic for each kind and source line, worded by the lowest program
// that met it, in the order of these programs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Diagnostic.h"

#include "llvm/ADT/SmallVector.h"

#include <array>
#include <map>
#include <optional>

namespace gluonc::sim {

struct Share;

/// Where an operation stands in the kernel source, and the tile it works on.
struct Place {
  diag::Span span;
  /// Where the function that holds the operation was called, innermost first.
  llvm::SmallVector<diag::Span, 2> callers;
  std::string operation;
  llvm::SmallVector<int64_t, 4> shape;
  /// Whose elements it counts, if not the whole tile's.
  const Share *share = nullptr;
  /// The innermost loop around it (Program::loops); negative outside of all.
  int32_t loop = -1;
  /// Of the unrolled loops around it, outermost first.
  std::vector<std::pair<std::string, int64_t>> unrolled;
};

/// The coordinates of element `element` of a tile of this shape.
llvm::SmallVector<int64_t, 4> elementNumbers(int64_t element, llvm::ArrayRef<int64_t> shape);
/// "3, 17".
std::string listText(llvm::ArrayRef<int64_t> numbers);
/// "(3, 17)" for element `element` of a tile of this shape.
std::string elementText(int64_t element, llvm::ArrayRef<int64_t> shape);
/// "(3, 0, 0)".
std::string programText(uint64_t program, std::array<uint32_t, 3> grid);

/// What loops count, with the names of the source, outermost first.
using Counts = std::vector<std::pair<std::string, int64_t>>;
/// ", i = 5, k = 0".
std::string countsText(const Counts &counts);

/// What of the program was at work.
struct Actor {
  /// The name of the partition's function, where it has one, and how texts call the partition;
  /// empty where there is but one.
  std::string partition, text;
  /// Of the partitions but the default one, from 0 on.
  int worker = -1;
  /// Of clusters.
  int cta = -1;
  Counts counts;
};

/// A part of memory, as the program calls it.
struct MemoryName {
  std::string buffer;
  /// Which buffer of a ring, and which element of that.
  llvm::SmallVector<int64_t, 2> index;
  llvm::SmallVector<int64_t, 4> element;
  /// From the start of the buffer on, or else of shared memory.
  int64_t byte = -1;
  /// Of a barrier.
  int phase = -1;
  int cta = -1;

  /// "`ring[2]`"; "" where it has no name.
  std::string text() const;
};

/// Something that a partition did.
struct Step {
  uint32_t place = 0;
  std::string does;
  MemoryName memory;
  Counts counts;
};

/// A partition that cannot go on, with what it did last, latest first.
struct Stuck {
  uint32_t place = 0;
  std::string text;
  Actor actor;
  MemoryName memory;
  std::vector<Step> last;
};

/// Something else that had a part in a fault, with its place.
using FaultNote = std::pair<uint32_t, std::string>;

struct Fault {
  diag::Kind kind = {};
  uint32_t place = 0;
  llvm::SmallVector<std::string, 4> arguments;
  /// Row-major index of the first element at fault; negative if there is none.
  int64_t element = -1;
  /// Where a wrong value was used, if the fault lies where it was made.
  int64_t usePlace = -1;
  llvm::SmallVector<FaultNote, 1> notes;
  uint64_t program = 0;
  /// Programs that met this fault; 0 where that is not known.
  uint64_t count = 1;
  /// Where it is not that of the kind.
  std::optional<diag::Severity> severity = std::nullopt;
  Actor actor = {};
  MemoryName memory = {};
  /// Of a race between programs.
  std::optional<uint64_t> otherProgram = std::nullopt;
  /// Of a deadlock: all that wait, the one that is reported first.
  std::vector<Stuck> stuck = {};

  bool isError() const {
    return severity.value_or(diag::info(kind).severity) == diag::Severity::Error;
  }
};

/// The same for programs that read diagnostics.
std::shared_ptr<const diag::Facts> factsOf(const Fault &fault, llvm::ArrayRef<Place> places,
                                           std::array<uint32_t, 3> grid);

struct Program;

class FaultLog {
public:
  void add(Fault fault);
  /// Takes in the faults of another thread.
  void merge(const FaultLog &other);
  /// The programs behind one were not all run: forgets what those that were met.
  void endBehind(uint64_t program);
  bool hasErrors() const { return firstError(); }
  /// Null if there is none.
  const Fault *firstError() const;
  void report(diag::Sink &sink, const Program &program, std::array<uint32_t, 3> grid,
              unsigned limit) const;

private:
  /// By kind and place.
  std::map<std::pair<int, uint32_t>, Fault> faults;
  bool allWereRun = true;
};

} // namespace gluonc::sim
