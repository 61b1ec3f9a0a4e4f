//===- State.cpp - What all threads of a cluster have at a fault ---------------------===//
#include "ptx/Machine.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace gluonc::ptx {
namespace {

llvm::StringRef nameOf(LaneState state) {
  switch (state) {
  case LaneState::Runs:
    return "next";
  case LaneState::AtBarrier:
    return "waits at a barrier behind";
  case LaneState::AtClusterBarrier:
    return "waits for its cluster behind";
  case LaneState::AtPeer:
    return "waits for the other CTA of its pair behind";
  case LaneState::Ended:
    break;
  }
  return "has ended";
}

/// Words in lines of eight; lines that say `same` only are left out.
template <typename WordAt>
void printWords(llvm::raw_ostream &out, size_t count, uint32_t same, WordAt wordAt) {
  constexpr size_t perLine = 8;
  for (size_t line = 0; line < count; line += perLine) {
    size_t end = std::min(line + perLine, count);
    bool says = false;
    for (size_t i = line; i != end; ++i)
      says |= wordAt(i) != same;
    if (!says)
      continue;
    out << llvm::format("  0x%06zx:", line * sizeof(uint32_t));
    for (size_t i = line; i != end; ++i)
      out << llvm::format(" %08x", wordAt(i));
    out << '\n';
  }
}

void printTensorMemory(llvm::raw_ostream &out, const TensorMemory &tensor) {
  for (unsigned lane = 0; lane != TensorMemory::lanes; ++lane)
    for (unsigned column = 0; column != TensorMemory::columns;) {
      unsigned first = column;
      auto isThere = [&](unsigned at) { return tensor.isAllocated(at) && tensor.find(lane, at); };
      while (column != TensorMemory::columns && column != first + 8 && isThere(column))
        ++column;
      if (first == column) {
        ++column;
        continue;
      }
      out << llvm::format("  lane %3u column %3u:", lane, first);
      for (; first != column; ++first)
        out << llvm::format(" %08x", *tensor.find(lane, first));
      out << '\n';
    }
}

} // namespace

void printState(const Machine &machine, llvm::raw_ostream &out) {
  const Function &kernel = machine.kernel;
  for (const Cta &cta : machine.ctas) {
    out << "CTA (" << cta.coordinates[0] << ", " << cta.coordinates[1] << ", " << cta.coordinates[2]
        << ")\n";
    for (const Warp &warp : cta.warps)
      for (unsigned lane = 0; lane != warpLanes; ++lane) {
        LaneState state = warp.state[lane];
        out << "thread " << warp.number * warpLanes + lane << ": " << nameOf(state);
        if (state != LaneState::Ended)
          out << " PTX line " << kernel.code[warp.pc[lane] - (state != LaneState::Runs)].line;
        out << '\n';
        for (size_t reg = 0; reg != kernel.registerBits.size(); ++reg)
          if (uint64_t value = warp.registers[reg * warpLanes + lane])
            out << "  " << kernel.registerName(static_cast<int32_t>(reg)) << " = "
                << llvm::format_hex(value, 0) << '\n';
      }
    out << "shared memory, but words of 0xffffffff\n";
    printWords(out, cta.shared.size() / sizeof(uint32_t), 0xffffffff, [&](size_t i) {
      uint32_t word;
      std::copy_n(cta.shared.data() + i * sizeof(word), sizeof(word),
                  reinterpret_cast<uint8_t *>(&word));
      return word;
    });
    if (cta.tensor) {
      out << "tensor memory that was written\n";
      printTensorMemory(out, *cta.tensor);
    }
  }
}

} // namespace gluonc::ptx
