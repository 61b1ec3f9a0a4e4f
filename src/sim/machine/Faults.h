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
};

/// "(3, 17)" for element `element` of a tile of this shape.
std::string elementText(int64_t element, llvm::ArrayRef<int64_t> shape);
/// "(3, 0, 0)".
std::string programText(uint64_t program, std::array<uint32_t, 3> grid);

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

  bool isError() const {
    return severity.value_or(diag::info(kind).severity) == diag::Severity::Error;
  }
};

class FaultLog {
public:
  void add(Fault fault);
  /// Takes in the faults of another thread.
  void merge(const FaultLog &other);
  /// The programs behind one were not all run: forgets what those that were met.
  void endBehind(uint64_t program);
  bool hasErrors() const;
  void report(diag::Sink &sink, llvm::ArrayRef<Place> places, std::array<uint32_t, 3> grid,
              unsigned limit) const;

private:
  /// By kind and place.
  std::map<std::pair<int, uint32_t>, Fault> faults;
  bool allWereRun = true;
};

} // namespace gluonc::sim
