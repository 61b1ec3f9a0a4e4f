#include "sim/lower/AsmMemory.h"

#include "sim/machine/Races.h"
#include "sim/machine/SharedAccess.h"

namespace gluonc::sim {

bool AsmMemory::load(PtxSpace space, uint64_t address, uint32_t bytes, uint64_t &value) {
  value = 0;
  if (space == PtxSpace::Global)
    return loadGlobal(address, bytes, value);
  if (!checkShared(static_cast<uint32_t>(address), bytes, /*writes=*/false))
    return false;
  std::memcpy(&value, cta.shared.data() + address, bytes);
  return true;
}

bool AsmMemory::store(PtxSpace space, uint64_t address, uint32_t bytes, uint64_t value) {
  if (space == PtxSpace::Global)
    return storeGlobal(address, bytes, value);
  if (!checkShared(static_cast<uint32_t>(address), bytes, /*writes=*/true))
    return false;
  std::memcpy(cta.shared.data() + address, &value, bytes);
  cta.shared.set(static_cast<uint32_t>(address), bytes, SharedMemory::Written);
  return true;
}

bool AsmMemory::checkShared(uint32_t address, uint32_t bytes, bool writes) {
  if (address % bytes == 0)
    return checkElement(instruction, cta, address, bytes, /*element=*/0, !writes, writes);
  cta.fail(instruction, diag::Kind::AssemblyFault,
           {"inline assembly accesses " + std::to_string(bytes) + " bytes at the address " +
            std::to_string(address)});
  return false;
}

/// The instruction as one that does a single access.
static Instruction withAccess(const Instruction &instruction, const AccessData &access) {
  Instruction made = instruction;
  made.data = &access;
  return made;
}

bool AsmMemory::loadGlobal(uint64_t address, uint32_t bytes, uint64_t &value) {
  AccessData access = global;
  access.verb = "load";
  access.elementBytes = bytes;
  access.writes = false;
  const uint8_t *host =
      checkedAccess(withAccess(instruction, access), cta, address, /*count=*/1, element);
  if (host)
    std::memcpy(&value, host, bytes);
  return host;
}

bool AsmMemory::storeGlobal(uint64_t address, uint32_t bytes, uint64_t value) {
  AccessData access = global;
  access.verb = "store";
  access.elementBytes = bytes;
  access.reads = false;
  uint8_t *host =
      checkedAccess(withAccess(instruction, access), cta, address, /*count=*/1, element);
  if (!host)
    return false;
  auto *from = reinterpret_cast<const uint8_t *>(&value);
  if (cta.history)
    cta.races->store(*cta.history, address, from, bytes,
                     {cta.programIndex, instruction.place, bytes});
  else
    std::memcpy(host, from, bytes);
  cta.history = nullptr;
  return true;
}

std::optional<PtxProgram> parseAsm(llvm::StringRef text, const AsmConstraints &constraints,
                                   std::string &why, llvm::ArrayRef<PtxSpace> spaces) {
  size_t results = constraints.results.size(), operands = constraints.operands.size();
  std::optional<PtxProgram> program = constraints.isAmd()
                                          ? PtxProgram::parseAmd(text, results, operands, why)
                                          : PtxProgram::parse(text, results, operands, why, spaces);
  if (program)
    program->ties = constraints.ties;
  return program;
}

void describeAsmAccess(Lowering &lowering, AccessData &access, const PtxProgram &program,
                       mlir::Value operand) {
  using Access = PtxInstruction::Access;
  access.reads = program.accesses(PtxSpace::Global, Access::Load);
  access.writes = program.accesses(PtxSpace::Global, Access::Store);
  if (!access.reads && !access.writes)
    return;
  describeAccess(lowering, access, operand, /*elementBytes=*/1, "access");
  access.parameter = -1;
}

} // namespace gluonc::sim
