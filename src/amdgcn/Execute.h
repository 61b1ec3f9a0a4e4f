//===- Execute.h - Runs a kernel's AMD machine code on the CPU ---------------===//
//
// Every wave with its registers, every workgroup with its LDS and barriers, one
// workgroup after the other. It reads a code object as the driver does and knows
// nothing of gluonc's IR, so it is a witness of what the code generator wrote: the
// same bytes run on the GPU.
//
// Global addresses are the host's. Loads take place at once, but their results may
// not be touched before the wait that the machine needs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gluonc::amdgcn {

/// Memory that a kernel may access.
struct Range {
  uint64_t begin = 0, end = 0;
};

class Observer;

struct Launch {
  /// In workgroups; a multiple of the cluster's size along x.
  std::array<uint32_t, 3> grid = {1, 1, 1};
  unsigned threads = 64;
  unsigned workgroupsPerCluster = 1;
  /// Dynamic LDS of a workgroup, behind what the code object asks for.
  unsigned sharedBytes = 0;
  /// One per argument that is not hidden: the low bytes of a value.
  llvm::ArrayRef<uint64_t> slots = {};
  llvm::ArrayRef<Range> memory = {};
  /// Receives what the kernel prints.
  llvm::raw_ostream *output = nullptr;
  /// Instructions of one wave before a cluster counts as endless.
  uint64_t stepLimit = uint64_t(1) << 32;
  Observer *observer = nullptr;
  /// For who wants to know what is executed, and not what comes of it: matrix products are not
  /// computed; waves end after so many instructions, 0 for no end, and those that wait for them
  /// with them; of the clusters only these, by number, if there are any here.
  bool skipsProducts = false;
  uint64_t stepsOfWave = 0;
  llvm::ArrayRef<uint64_t> clusters = {};
};

/// Why a kernel stopped, and where.
struct Fault {
  std::string message;
  /// Of the instruction, in bytes from the kernel's first one.
  uint64_t offset = 0;
  /// The instruction as the disassembler writes it.
  std::string instruction = {};
  std::array<uint32_t, 3> workgroup = {};
  unsigned wave = 0;
  unsigned lane = 0;
  /// What the registers that it names held in that lane.
  struct Register {
    std::string name;
    uint32_t value = 0;
  };
  std::vector<Register> registers = {};
};

class Module;

/// A code object that has been read; keeps no reference to `bytes`. Null and a message for what is
/// none, or is for a chip that the executor does not know.
std::shared_ptr<const Module> load(llvm::StringRef bytes, std::string &error);

/// Names of the kernels in it.
std::vector<std::string> kernelNames(const Module &module);

/// Nothing if the kernel ran to its end.
std::optional<Fault> execute(const Module &module, llvm::StringRef kernel, const Launch &launch);

} // namespace gluonc::amdgcn
