//===- Disassembler.h - Machine code to text ----------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

namespace gluonc::amdgcn {

class Disassembler {
public:
  Disassembler();
  ~Disassembler();
  /// Wave size 32 or 64. False if LLVM does not know the chip.
  bool open(llvm::StringRef chip, unsigned waveSize);
  /// The first instruction of `bytes`, and how many bytes it takes: none if it is no instruction.
  std::string read(llvm::ArrayRef<uint8_t> bytes, uint64_t address, unsigned &size);

private:
  struct Parts;
  std::unique_ptr<Parts> parts;
};

} // namespace gluonc::amdgcn
