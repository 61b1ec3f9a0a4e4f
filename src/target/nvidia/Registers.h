//===- Registers.h - Registers of NVIDIA GPUs --------------------------------===//
//
// 32-bit registers, the same on all chips (PTX ISA, `.maxnreg`, `setmaxnreg`).
//
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>

namespace gluonc::target::nvidia {

/// Registers of a multiprocessor, which the threads of a CTA share.
inline constexpr unsigned registerFile = 65536;
/// What an instruction can name: number 255 reads as zero.
inline constexpr unsigned maxRegistersPerThread = 255;
/// Limits that one may ask for (`maxnreg`).
inline constexpr unsigned minRegisterLimit = 8, maxRegisterLimit = maxRegistersPerThread;
constexpr bool isRegisterLimit(uint64_t count) {
  return count >= minRegisterLimit && count <= maxRegisterLimit;
}
/// Threads get registers in units of so many.
inline constexpr unsigned registerUnit = 8;
/// The most that each of so many threads of a multiprocessor can have and name.
constexpr unsigned mostRegistersOf(unsigned threads) {
  return std::min(maxRegistersPerThread,
                  registerFile / std::max(threads, 1u) / registerUnit * registerUnit);
}
/// Parts of a multiprocessor, each with an equal share of the registers.
inline constexpr unsigned registerFileParts = 4;
/// The most that a thread gets in such units and can name: 248.
inline constexpr unsigned maxUsefulRegisters = maxRegistersPerThread / registerUnit * registerUnit;

/// What setmaxnreg takes, in units: groups of four warps give registers away, or take them.
inline constexpr unsigned minReallocatedRegisters = 24, maxReallocatedRegisters = 256;
inline constexpr unsigned warpsPerReallocation = 4;

} // namespace gluonc::target::nvidia
