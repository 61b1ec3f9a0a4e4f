//===- Observer.h - Who is told what a kernel executes ------------------------===//
//
// A launch may have an observer, which is told of each instruction of a wave, with the
// addresses of its lanes, after it was executed. Without one nothing is collected.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "amdgcn/Instruction.h"

#include "llvm/ADT/SmallVector.h"

#include <array>

namespace gluonc::amdgcn {

/// Bytes that a lane accesses.
struct Touch {
  uint64_t address = 0;
  uint32_t bytes = 0;
  uint8_t lane = 0;
};

/// What one instruction of a wave accessed, lane by lane.
struct Touched {
  /// Host addresses; of scalar loads nothing.
  llvm::SmallVector<Touch, 64> global;
  /// Places in LDS. An instruction with two addresses has two for each lane.
  llvm::SmallVector<Touch, 64> shared;

  void clear() {
    global.clear();
    shared.clear();
  }
  /// Parts that lie side by side are one access.
  void addGlobal(unsigned lane, uint64_t address, unsigned bytes) {
    if (!global.empty() && global.back().lane == lane &&
        global.back().address + global.back().bytes == address)
      global.back().bytes += bytes;
    else
      global.push_back({address, bytes, static_cast<uint8_t>(lane)});
  }
};

struct Observed {
  const Instruction &instruction;
  /// In bytes, in the image of the code object: what its line table has.
  uint64_t address = 0;
  std::array<uint32_t, 3> workgroup = {};
  unsigned wave = 0;
  /// The lanes that took part.
  uint64_t active = 0;
  const Touched &touched;
};

class Observer {
public:
  virtual ~Observer() = default;
  virtual void executed(const Observed &what) = 0;
};

} // namespace gluonc::amdgcn
