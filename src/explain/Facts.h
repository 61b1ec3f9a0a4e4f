//===- Facts.h - What a kernel's IR says of its operations -----------------------===//
//
// Counts say what an access costs; why, and what would mend it, the IR knows. Plain
// data, which whoever has the IR fills in (driver/ExplainFacts.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gluonc::explain {

/// An operation of the kernel.
struct Fact {
  diag::Span span;
  /// The calls that led to it, which were inlined; innermost first.
  std::vector<diag::Span> calls = {};
};

/// An access to global memory.
struct GlobalFact : Fact {
  /// By one address for the whole program.
  bool isScalar = false;
  unsigned elementBytes = 0;
  /// As the language writes them; "" for a scalar, or where no other layout is better.
  std::string layout, suggestion;
  /// Along the dim of neighbours in memory: elements that a thread has side by side, and those that
  /// one access may move as far as addresses and masks are known.
  int64_t layoutRun = 1, addressRun = 1, maskRun = 1;
  /// Neighbours in memory that the lanes of a warp hold together.
  int64_t warpRun = 1;
  /// Elements that one access could move if layout, alignment and mask allowed it.
  int64_t possibleRun = 1;
  /// Parameters that the addresses or the mask depend on and that need not be multiples of 16.
  std::vector<std::string> unaligned;
};

/// An access to a buffer in shared memory.
struct SharedFact : Fact {
  std::string layout;
  /// A layout with fewer conflicts in all accesses of the buffer; "" where none is known.
  std::string suggestion;
};

/// What threads exchange through shared memory without a buffer of the kernel's own.
struct ExchangeFact : Fact {
  /// Indices: of a histogram or an atomic update, which decide who wants what.
  enum class Cause : uint8_t { Combine, Gather, Indices, Conversion, Other };
  Cause cause = Cause::Other;
  /// Of what comes in, and of what goes out of a conversion; of `shape`, "64,32".
  std::string layout, to, shape;
  /// A layout of what comes in with which nothing goes through shared memory; "" where none is
  /// known.
  std::string suggestion;
};

/// A change of layouts.
struct ConversionFact : Fact {
  enum class Cause : uint8_t {
    /// No reason to avoid it is known.
    None,
    /// The value is the same in each iteration.
    Invariant,
    /// The value has just come from the layout that it goes back to.
    RoundTrip,
    /// A loop carries the value in the layout that it is wanted in only at its end.
    Carried,
  };

  std::string from, to;
  /// "identity", "registers", "shuffle" or "shared".
  std::string how;
  uint64_t bytes = 0, scratchBytes = 0;
  bool isInLoop = false;
  Cause cause = Cause::None;
};

/// Memory on the chip that an operation takes for a time: a buffer, or room for what threads
/// exchange. Places and times are those that the compiler chose.
struct OnChipFact : Fact {
  bool isTensorMemory = false;
  /// As the source calls it; "" without a name.
  std::string name;
  /// "2x64x64 f16", "exchange of tt.reduce".
  std::string what;
  /// Of a CTA. Tensor memory is taken in columns, of 128 rows of 4 bytes or of every second 16.
  uint64_t bytes = 0, columns = 0;
  /// In bytes of shared memory, in columns of tensor memory.
  uint64_t offset = 0;
  /// Lines of the kernel's own function: the first and the last at which it is taken.
  uint32_t firstLine = 0, lastLine = 0;
  /// Taken where most bytes of its memory are.
  bool isAtPeak = false;
};

/// Where most of a memory on the chip is taken at one time.
struct OnChipPeak {
  uint64_t bytes = 0, columns = 0;
  uint32_t line = 0;
};

/// A value that threads hold in registers.
struct ValueFact : Fact {
  /// Variables that hold it, as the source calls them.
  std::vector<std::string> names;
  /// "32x128xf32", "i32"; its layout, "" for a scalar.
  std::string type, layout;
  /// Of a thread, 32 bits each.
  unsigned registers = 0;
};

/// A wait during which nothing else of the CTA is done or in flight.
struct WaitFact : Fact {
  /// Loads: into registers, for a product of the same iteration.
  enum class Awaited : uint8_t { Copies, Products, Stores, Loads };
  Awaited awaited = Awaited::Copies;
  /// What it waits for.
  diag::Span issue;
  bool isInLoop = false;
  /// What could be put between the two, if anything is known: the next copies.
  diag::Span movable;
  /// The copies are another partition's, and have but one place to go to: the name of that buffer,
  /// or "its buffer". Else "".
  std::string handedOver;
};

struct Facts {
  std::string kernel;
  /// Where the kernel is defined.
  diag::Span span;
  /// The compiler chose its layouts.
  bool hasChosenLayouts = false;
  /// Something works while the threads of the CTA go on: copies, products of warpgroups.
  bool hasAsynchronousWork = false;
  std::vector<GlobalFact> global;
  std::vector<SharedFact> shared;
  std::vector<ExchangeFact> exchanges;
  std::vector<ConversionFact> conversions;
  /// By memory, then by offset.
  std::vector<OnChipFact> onChip;
  OnChipPeak sharedPeak, tensorPeak;
  /// In the order of the kernel.
  std::vector<ValueFact> values;
  std::vector<WaitFact> waits;
};

/// What a list has of an operation's place; null for nothing.
template <typename T> const T *findAt(const std::vector<T> &list, diag::Span span) {
  for (const T &entry : list)
    if (entry.span.file == span.file && entry.span.begin == span.begin)
      return &entry;
  return nullptr;
}

} // namespace gluonc::explain
