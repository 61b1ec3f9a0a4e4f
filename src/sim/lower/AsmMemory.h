//===- AsmMemory.h - Memory as inline assembly accesses it ------------------===//
#pragma once

#include "sim/machine/GlobalAccess.h"
#include "sim/ptx/InlinePtx.h"

#include "ir/AsmConstraints.h"

namespace gluonc::sim {

/// The accesses of one instruction, checked like those of others.
class AsmMemory : public PtxMemory {
public:
  /// `global` describes what it does to global memory; see describeAsmAccess.
  AsmMemory(const Instruction &instruction, Cta &cta, const AccessData &global)
      : instruction(instruction), cta(cta), global(global) {}

  uint32_t ctaRank() const override { return cta.rank(); }
  bool load(PtxSpace space, uint64_t address, uint32_t bytes, uint64_t &value) override;
  bool store(PtxSpace space, uint64_t address, uint32_t bytes, uint64_t value) override;

  /// Of the tile, for faults.
  uint32_t element = 0;

private:
  bool checkShared(uint32_t address, uint32_t bytes, bool writes);
  bool loadGlobal(uint64_t address, uint32_t bytes, uint64_t &value);
  bool storeGlobal(uint64_t address, uint32_t bytes, uint64_t value);

  const Instruction &instruction;
  Cta &cta;
  const AccessData &global;
};

/// Reads the text as what its registers say it is, PTX or AMD's. Nullopt, with the reason in `why`,
/// where the simulator does not know an instruction.
std::optional<PtxProgram> parseAsm(llvm::StringRef text, const AsmConstraints &constraints,
                                   std::string &why, llvm::ArrayRef<PtxSpace> spaces);

/// Describes what a program does to global memory, through addresses that it computes from its
/// operands, of which `operand` is one.
void describeAsmAccess(Lowering &lowering, AccessData &access, const PtxProgram &program,
                       mlir::Value operand);

} // namespace gluonc::sim
