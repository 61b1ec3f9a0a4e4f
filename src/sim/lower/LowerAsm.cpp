//===- LowerAsm.cpp - Assembly that each thread runs once --------------------===//
//
// One thread after the other runs the whole text on its registers, copies among
// them. Results that several threads or registers hold are to agree.
//
//===----------------------------------------------------------------------===//
#include "sim/lower/AsmMemory.h"
#include "sim/lower/Lowering.h"
#include "sim/lower/Positions.h"
#include "sim/machine/SharedAccess.h"

#include "ir/AsmConstraints.h"
#include "ir/Encoding.h"

namespace gluonc::sim {
namespace {

struct ThreadAsmData : OpData {
  PtxProgram program;
  uint32_t threads = 1;
  struct Operand {
    Slot slot;
    uint32_t bytes = 4, registers = 1;
    /// The element in each register, thread by thread; empty for scalars.
    std::vector<uint32_t> elements;
    /// Of a buffer.
    const AddressTable *table = nullptr;

    uint32_t element(uint32_t thread, uint32_t reg) const {
      return elements.empty() || slot.elements == 1 ? 0 : elements[thread * registers + reg];
    }
  };
  llvm::SmallVector<Operand, 4> results, operands;
  AccessData global;
};

using Registers = std::vector<uint64_t>;

void readOperands(const ThreadAsmData &data, Cta &cta, uint32_t thread, Registers &registers) {
  uint32_t next = data.program.firstOperand;
  for (const ThreadAsmData::Operand &operand : data.operands)
    for (uint32_t reg = 0; reg < operand.registers; ++reg, ++next) {
      if (operand.table)
        registers[next] = regionOf(cta, operand.table, operand.slot, nullptr).offsetOf(0);
      else
        std::memcpy(&registers[next],
                    cta.at<uint8_t>(operand.slot) +
                        uint64_t(operand.element(thread, reg)) * operand.bytes,
                    operand.bytes);
    }
}

/// False where an element has got another value from an earlier thread or register.
bool writeResults(const ThreadAsmData &data, Cta &cta, uint32_t thread, const Registers &registers,
                  std::vector<std::vector<bool>> &written) {
  uint32_t next = 0;
  for (size_t i = 0; i < data.results.size(); ++i) {
    const ThreadAsmData::Operand &result = data.results[i];
    for (uint32_t reg = 0; reg < result.registers; ++reg, ++next) {
      uint32_t element = result.element(thread, reg);
      uint8_t *place = cta.at<uint8_t>(result.slot) + uint64_t(element) * result.bytes;
      if (written[i][element] && std::memcmp(place, &registers[next], result.bytes) != 0)
        return false;
      std::memcpy(place, &registers[next], result.bytes);
      written[i][element] = true;
    }
  }
  return true;
}

void runThreadAsm(const Instruction &instruction, Cta &cta) {
  const ThreadAsmData &data = static_cast<const ThreadAsmData &>(*instruction.data);
  AsmMemory memory(instruction, cta, data.global);
  std::vector<std::vector<bool>> written;
  for (const ThreadAsmData::Operand &result : data.results)
    written.emplace_back(result.slot.elements);
  Registers registers;
  for (uint32_t thread = 0; thread < data.threads && !cta.stopped; ++thread) {
    registers.assign(data.program.registerCount, 0);
    readOperands(data, cta, thread, registers);
    std::string why = data.program.run(registers, &memory);
    if (why.empty() && !cta.stopped && !writeResults(data, cta, thread, registers, written))
      why = "inline assembly gives one element different values in different threads or registers";
    if (!why.empty())
      return cta.fail(instruction, diag::Kind::AssemblyFault, {why});
  }
}

/// Any taint of an operand reaches every element of every result.
void taintThreadAsm(const Instruction &instruction, Cta &cta) {
  const ThreadAsmData &data = static_cast<const ThreadAsmData &>(*instruction.data);
  uint8_t code = 0;
  for (const ThreadAsmData::Operand &operand : data.operands)
    for (uint32_t i = 0; !operand.table && i < operand.slot.elements && !code; ++i)
      code = cta.taintAt(operand.slot)[i];
  for (const ThreadAsmData::Operand &result : data.results)
    std::memset(cta.taintAt(result.slot), code, result.slot.elements);
}

/// What the registers of the threads hold of a tensor or scalar; false where nobody knows.
bool placeElements(Lowering &lowering, mlir::Type type, uint32_t threads,
                   ThreadAsmData::Operand &operand) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor)
    return true;
  const layout::LinearLayout *layout = linearOrNull(tensor);
  if (!layout)
    return false;
  using layout::Dim;
  operand.registers = layout->inSize(Dim::Register);
  const Share *share = lowering.shareOf(type);
  // Registers are the lowest bits of a packed index, then come lanes and warps.
  for (uint64_t packed = 0; packed < uint64_t(threads) * operand.registers; ++packed) {
    uint32_t element = positionOf(*layout, tensor.getShape(), layout->applyPacked(packed));
    operand.elements.push_back(share ? share->toShare(element) : element);
  }
  return true;
}

bool lowerThreadAsm(Lowering &lowering, mlir::Operation *operation) {
  auto code = mlir::cast<ttg::InlineAsmOp>(operation);
  auto results = threadAsmTypes(code.getResultTypes());
  auto operands = threadAsmTypes(code.getArgs().getTypes());
  if (!results || !operands)
    return false;
  ThreadAsmData *data = lowering.addData<ThreadAsmData>();
  std::string why;
  llvm::SmallVector<PtxSpace, 2> spaces;
  if (!lowering.inCluster())
    spaces.push_back(PtxSpace::Shared);
  if (!operands->empty())
    spaces.push_back(PtxSpace::Global);
  std::optional<AsmConstraints> constraints = readAsmConstraints(
      code.getAsmString(), code.getConstraints(), *results, *operands, /*pack=*/1, why);
  if (!constraints)
    return lowering.unsupported(operation, why);
  std::optional<PtxProgram> program = parseAsm(code.getAsmString(), *constraints, why, spaces);
  if (!program)
    return lowering.unsupported(operation, "inline assembly: " + why);
  data->program = std::move(*program);
  if (!operands->empty())
    describeAsmAccess(lowering, data->global, data->program, code.getArgs().front());
  data->threads = uint32_t(ttg::numWarpsOf(operation) * ttg::threadsPerWarpOf(operation));
  for (mlir::Value value : code.getArgs()) {
    ThreadAsmData::Operand &operand = data->operands.emplace_back();
    operand.slot = lowering.slotOf(value);
    if (mlir::isa<ttg::MemDescType>(value.getType())) {
      if (lowering.inCluster())
        return lowering.unsupported(operation, "assembly on buffers of a cluster");
      if (!(operand.table = addressTable(lowering, operation, value)))
        return false;
      continue;
    }
    operand.bytes = byteSize(lowering.kindOf(value));
    if (!placeElements(lowering, value.getType(), data->threads, operand))
      return false;
  }
  for (mlir::Value value : code.getResult()) {
    ThreadAsmData::Operand &result = data->results.emplace_back();
    result.slot = lowering.define(value, lowering.elementCountOf(value.getType()));
    result.bytes = byteSize(lowering.kindOf(value));
    if (!placeElements(lowering, value.getType(), data->threads, result))
      return false;
  }
  lowering.emit(runThreadAsm, taintThreadAsm, Slot(), {}).data = data;
  return true;
}

} // namespace

void addThreadAsm(OperationTable &table) { table["ttg.inline_asm"] = lowerThreadAsm; }

} // namespace gluonc::sim
