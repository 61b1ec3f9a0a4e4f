//===- Module.h - A code object as a driver loads it --------------------------===//
#pragma once

#include "amdgcn/Execute.h"
#include "amdgcn/Printing.h"

#include "llvm/ADT/StringMap.h"

namespace gluonc::amdgcn {

/// What differs between the chips, for those who execute.
struct Chip {
  std::string name;
  /// 9, 11, 12: of the encodings and of the counters.
  unsigned generation = 0;
  /// gfx942, 950 or 1250, with what only they have.
  bool is942 = false, is950 = false, is1250 = false;

  bool hasSplitCounters() const { return generation >= 12; }
  bool hasStoreCounter() const { return generation >= 10; }
};

/// The 64 bytes of NAME.kd.
struct KernelDescriptor {
  uint32_t sharedBytes = 0, privateBytes = 0, kernargBytes = 0;
  int64_t entry = 0;
  uint32_t rsrc3 = 0, rsrc1 = 0, rsrc2 = 0;
  uint16_t properties = 0, preload = 0;
};

struct Argument {
  unsigned offset = 0, size = 0;
  /// "by_value", "hidden_block_count_x"
  std::string kind;
};

struct Kernel {
  KernelDescriptor descriptor;
  /// Of the first instruction, in the image.
  uint64_t entry = 0;
  std::vector<Argument> arguments;
  unsigned waveSize = 64;
  /// In workgroups; zeros where the code object does not say.
  std::array<unsigned, 3> clusterSize = {};
  bool hasDynamicStack = false;
};

class Module {
public:
  Chip chip;
  /// What the file says of its memory, as it lies in the host's.
  std::vector<uint8_t> storage;
  /// Where it begins in `storage`.
  uint8_t *image = nullptr;
  uint64_t imageBytes = 0;
  llvm::StringMap<Kernel> kernels;
  PrintFormats printFormats;
};

} // namespace gluonc::amdgcn
