//===- LowerExternal.cpp - Functions of users' libraries ---------------------===//
//
// Each element of a tile is one call, as each is one in machine code. What a function does to
// memory is checked like the kernel's own accesses.
//
//===----------------------------------------------------------------------===//
#include "sim/lower/AsmMemory.h"
#include "sim/lower/Elementwise.h"
#include "sim/lower/LibraryFunctions.h"
#include "sim/machine/Races.h"

#include "bitcode/Bitcode.h"

namespace gluonc::sim {
namespace {

struct Operand {
  Slot slot;
  uint32_t bytes = 4;
};

struct ExternalData : OpData {
  explicit ExternalData(bitcode::Function function) : function(std::move(function)) {}
  bitcode::Function function;
  llvm::SmallVector<Operand, 4> operands;
  uint32_t resultBytes = 4;
  /// What its accesses are.
  AccessData global;
};

class ExternalMemory : public bitcode::Memory {
public:
  ExternalMemory(const Instruction &instruction, Cta &cta, const AccessData &global)
      : memory(instruction, cta, global), instruction(instruction), cta(cta), global(global) {}

  bool load(uint64_t address, unsigned bytes, uint64_t &value) override {
    return memory.load(PtxSpace::Global, address, bytes, value);
  }
  bool store(uint64_t address, unsigned bytes, uint64_t value) override {
    return memory.store(PtxSpace::Global, address, bytes, value);
  }
  bool update(uint64_t address, unsigned bytes, llvm::function_ref<uint64_t(uint64_t)> change,
              uint64_t &old) override {
    AccessData access = global;
    access.verb = "atomic";
    access.elementBytes = bytes;
    access.atomic = access.reads = access.writes = true;
    Instruction made = instruction;
    made.data = &access;
    uint8_t *host = checkedAccess(made, cta, address, /*count=*/1, memory.element);
    if (!host)
      return false;
    old = 0;
    std::memcpy(&old, host, bytes);
    // Programs with such functions run one after the other.
    uint64_t updated = change(old);
    std::memcpy(host, &updated, bytes);
    return true;
  }

  void setElement(uint32_t element) { memory.element = element; }

private:
  AsmMemory memory;
  const Instruction &instruction;
  Cta &cta;
  const AccessData &global;
};

void runExternal(const Instruction &instruction, Cta &cta) {
  const ExternalData &data = static_cast<const ExternalData &>(*instruction.data);
  ExternalMemory memory(instruction, cta, data.global);
  llvm::SmallVector<uint64_t, 4> arguments(data.operands.size());
  uint8_t *result = cta.at<uint8_t>(instruction.result);
  for (uint32_t element = 0; element < instruction.result.elements && !cta.stopped; ++element) {
    for (auto [operand, argument] : llvm::zip_equal(data.operands, arguments)) {
      argument = 0;
      uint32_t own = operand.slot.elements == 1 ? 0 : element;
      std::memcpy(&argument, cta.at<uint8_t>(operand.slot) + uint64_t(own) * operand.bytes,
                  operand.bytes);
    }
    memory.setElement(element);
    bitcode::Outcome outcome = data.function.call(arguments, memory);
    if (!outcome.problem.empty())
      return cta.fail(instruction, diag::Kind::AssemblyFault, {outcome.problem});
    std::memcpy(result + uint64_t(element) * data.resultBytes, &outcome.value, data.resultBytes);
  }
}

void taintExternal(const Instruction &instruction, Cta &cta) {
  const ExternalData &data = static_cast<const ExternalData &>(*instruction.data);
  uint8_t *result = cta.taintAt(instruction.result);
  for (uint32_t element = 0; element < instruction.result.elements; ++element) {
    result[element] = 0;
    for (const Operand &operand : data.operands)
      if (uint8_t code = cta.taintAt(operand.slot)[operand.slot.elements == 1 ? 0 : element];
          code && !result[element])
        result[element] = code;
  }
}

/// As functions of libraries take it; nullopt for elements that they do not have.
std::optional<bitcode::Type> typeOf(ElementKind kind) {
  switch (kind) {
  case ElementKind::I1:
    return bitcode::Type::I1;
  case ElementKind::I8:
  case ElementKind::F8E4M3FN:
  case ElementKind::F8E5M2:
  case ElementKind::F8E4M3FNUZ:
  case ElementKind::F8E5M2FNUZ:
    return bitcode::Type::I8;
  case ElementKind::I16:
    return bitcode::Type::I16;
  case ElementKind::I32:
    return bitcode::Type::I32;
  case ElementKind::I64:
    return bitcode::Type::I64;
  case ElementKind::F16:
    return bitcode::Type::Half;
  case ElementKind::BF16:
    return bitcode::Type::BFloat;
  case ElementKind::F32:
    return bitcode::Type::Float;
  case ElementKind::F64:
    return bitcode::Type::Double;
  case ElementKind::Pointer:
    return bitcode::Type::Pointer;
  default:
    return std::nullopt;
  }
}

} // namespace

bool lowerExternal(Lowering &lowering, mlir::Operation *operation) {
  auto call = mlir::cast<tt::ExternElementwiseOp>(operation);
  bitcode::Signature signature;
  for (mlir::Value value : operation->getOperands()) {
    std::optional<bitcode::Type> type = typeOf(lowering.kindOf(value));
    if (!type)
      return lowering.unsupported(operation, "a function of such arguments");
    signature.arguments.push_back(*type);
  }
  std::optional<bitcode::Type> result = typeOf(lowering.kindOf(call.getResult()));
  if (!result)
    return lowering.unsupported(operation, "a function of such a result");
  signature.result = *result;
  std::string why;
  std::optional<bitcode::Function> function =
      lowering.userLibraries()->find(call.getSymbol(), signature, why);
  if (!function)
    return lowering.unsupported(operation, why);
  bool writes = function->stores() || function->updates();
  if (writes && lowering.inCluster())
    return lowering.unsupported(operation, "functions that write to memory, in clusters");
  if (function->updates())
    lowering.program.sequential = true;
  const bool touchesMemory = function->loads() || writes;
  auto made = std::make_unique<ExternalData>(std::move(*function));
  ExternalData *data = made.get();
  lowering.program.data.push_back(std::move(made));
  if (touchesMemory && operation->getNumOperands()) {
    data->global.reads = data->function.loads() || data->function.updates();
    data->global.writes = writes;
    describeAccess(lowering, data->global, operation->getOperand(0), /*elementBytes=*/1, "access");
    data->global.parameter = -1;
  }
  lowering.setShape(call.getResult().getType());
  // What does more than compute is called for each element.
  uint32_t elements = call.getPure() ? elementsOf(lowering, operation->getOperands())
                                     : lowering.elementCountOf(call.getResult().getType());
  for (mlir::Value value : operation->getOperands()) {
    data->operands.push_back({lowering.slotOf(value), byteSize(lowering.kindOf(value))});
    elements = std::max(elements, data->operands.back().slot.elements);
  }
  data->resultBytes = byteSize(lowering.kindOf(call.getResult()));
  Slot slot = lowering.define(call.getResult(), elements);
  lowering.emit(runExternal, taintExternal, slot, {}).data = data;
  return true;
}

} // namespace gluonc::sim
