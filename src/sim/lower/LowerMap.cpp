//===- LowerMap.cpp - Scalar code and assembly -------------------------------===//
//
// map_elementwise becomes a loop over groups of `pack` elements (GroupLoop.h). Which
// elements share a group follows from the layout: registers of one thread.
//
//===----------------------------------------------------------------------===//
#include "sim/lower/AsmMemory.h"
#include "sim/lower/Elementwise.h"
#include "sim/lower/GroupLoop.h"
#include "sim/lower/LibraryFunctions.h"
#include "sim/lower/Positions.h"
#include "sim/machine/Payload.h"

#include "ir/AsmConstraints.h"
#include "ir/Encoding.h"

#include <cmath>

namespace gluonc::sim {
namespace {

/// Groups of a tensor type, each element in at least one. Null where the layout says too little.
GroupData *groupsOf(Lowering &lowering, mlir::Type type, uint32_t pack) {
  GroupData *data = lowering.addData<GroupData>();
  data->pack = pack;
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor) {
    data->elements.assign(pack, 0);
    return data;
  }
  uint32_t elements = lowering.elementCountOf(type);
  data->count = elements / pack;
  if (pack == 1)
    return data;
  const layout::LinearLayout *layout = linearOrNull(tensor);
  if (!layout)
    return nullptr;
  using layout::Dim;
  uint64_t registers = layout->inSize(Dim::Register);
  // In every CTA of a cluster groups are the same elements of its share.
  const Share *share = lowering.shareOf(type);
  uint64_t threads =
      (uint64_t{1} << layout->totalInLog2()) / registers / (share ? layout->inSize(Dim::Block) : 1);
  std::vector<bool> covered(elements);
  llvm::SmallVector<uint32_t> group;
  // Registers are the lowest bits of a packed index.
  for (uint64_t thread = 0; thread < threads; ++thread)
    for (uint64_t first = 0; first < registers; first += pack) {
      group.clear();
      bool isNew = false;
      for (uint64_t reg = first; reg < first + pack; ++reg) {
        uint32_t whole =
            positionOf(*layout, tensor.getShape(), layout->applyPacked(thread * registers + reg));
        group.push_back(share ? share->toShare(whole) : whole);
        isNew |= !covered[group.back()];
      }
      if (!isNew)
        continue;
      for (uint32_t element : group)
        covered[element] = true;
      data->elements.insert(data->elements.end(), group.begin(), group.end());
    }
  data->count = uint32_t(data->elements.size() / pack);
  return data;
}

//===----------------------------------------------------------------------===//
// map_elementwise
//===----------------------------------------------------------------------===//

bool lowerMapElementwise(Lowering &lowering, mlir::Operation *operation) {
  auto map = mlir::cast<tt::MapElementwiseOp>(operation);
  if (!map.getScalarOp().hasOneBlock())
    return false;
  GroupData *groups = groupsOf(lowering, map.getSrcs()[0].getType(), map.getPack());
  if (!groups)
    return false;
  llvm::SmallVector<Slot, 4> tiles, results;
  for (mlir::Value source : map.getSrcs())
    tiles.push_back(lowering.slotOf(source));
  // A debugger steps through one element after the other.
  if (map.getPack() == 1 && !lowering.forDebugger) {
    if (!lowerEachElement(lowering, map.getScalarOp().front(), tiles, groups->count, results))
      return false;
    for (auto [result, slot] : llvm::zip_equal(map.getResults(), results)) {
      lowering.bind(result, slot);
      lowering.free(slot);
    }
    return true;
  }
  for (mlir::Value result : map.getResults())
    results.push_back(lowering.define(result, lowering.elementCountOf(result.getType())));
  return lowerGroups(lowering, map.getScalarOp().front(), groups, tiles, results);
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

struct AsmData : OpData {
  PtxProgram program;
  const GroupData *groups = nullptr;
  struct Tile {
    Slot slot;
    uint32_t bytes, together;
  };
  /// Results first, as the registers of the program are.
  llvm::SmallVector<Tile, 4> tiles;
  size_t resultCount = 0;
  AccessData global;
};

/// Elements of group `group` to or from the registers of a tile; gives the next register.
template <bool toRegisters>
uint32_t moveRegisters(const AsmData &data, const AsmData::Tile &tile, Cta &cta, uint32_t group,
                       std::vector<uint64_t> &registers, uint32_t next) {
  uint32_t pack = data.groups->pack;
  for (uint32_t first = 0; first < pack; first += tile.together, ++next) {
    if (toRegisters)
      registers[next] = 0;
    for (uint32_t i = 0; i < tile.together; ++i) {
      uint32_t element = tile.slot.elements == 1 ? 0 : data.groups->element(group, first + i);
      uint8_t *inTile = cta.at<uint8_t>(tile.slot) + uint64_t(element) * tile.bytes;
      uint8_t *inRegister = reinterpret_cast<uint8_t *>(&registers[next]) + i * tile.bytes;
      if (toRegisters)
        std::memcpy(inRegister, inTile, tile.bytes);
      else
        std::memcpy(inTile, inRegister, tile.bytes);
    }
  }
  return next;
}

void runAsm(const Instruction &instruction, Cta &cta) {
  const AsmData &data = static_cast<const AsmData &>(*instruction.data);
  static thread_local std::vector<uint64_t> registers;
  registers.assign(data.program.registerCount, 0);
  AsmMemory memory(instruction, cta, data.global);
  for (uint32_t group = 0; group < data.groups->count && !cta.stopped; ++group) {
    memory.element = data.groups->element(group, 0);
    uint32_t next = data.program.firstOperand;
    for (const AsmData::Tile &tile : llvm::ArrayRef(data.tiles).drop_front(data.resultCount))
      next = moveRegisters<true>(data, tile, cta, group, registers, next);
    std::string why = data.program.run(registers, &memory);
    if (!why.empty())
      return cta.fail(instruction, diag::Kind::AssemblyFault, {why});
    next = 0;
    for (const AsmData::Tile &tile : llvm::ArrayRef(data.tiles).take_front(data.resultCount))
      next = moveRegisters<false>(data, tile, cta, group, registers, next);
  }
}

/// Any taint of an operand reaches every element of every result.
void taintAsm(const Instruction &instruction, Cta &cta) {
  const AsmData &data = static_cast<const AsmData &>(*instruction.data);
  uint8_t code = 0;
  for (const AsmData::Tile &tile : llvm::ArrayRef(data.tiles).drop_front(data.resultCount))
    for (uint32_t element = 0; element < tile.slot.elements && !code; ++element)
      code = cta.taintAt(tile.slot)[element];
  for (const AsmData::Tile &tile : llvm::ArrayRef(data.tiles).take_front(data.resultCount))
    std::memset(cta.taintAt(tile.slot), code, tile.slot.elements);
}

bool lowerInlineAsm(Lowering &lowering, mlir::Operation *operation) {
  auto code = mlir::cast<tt::ElementwiseInlineAsmOp>(operation);
  uint32_t pack = code.getPackedElement();
  std::string why;
  std::optional<AsmConstraints> constraints =
      readAsmConstraints(code.getAsmString(), code.getConstraints(), code.getResultTypes(),
                         code.getOperandTypes(), pack, why);
  if (!constraints)
    return lowering.unsupported(operation, why);
  AsmData *data = lowering.addData<AsmData>();
  llvm::SmallVector<PtxSpace, 1> spaces;
  if (code.getNumOperands())
    spaces.push_back(PtxSpace::Global);
  std::optional<PtxProgram> program = parseAsm(code.getAsmString(), *constraints, why, spaces);
  if (!program)
    return lowering.unsupported(operation, "inline assembly: " + why);
  data->program = std::move(*program);
  if (code.getNumOperands())
    describeAsmAccess(lowering, data->global, data->program, code.getOperand(0));
  mlir::Type type =
      code.getNumOperands() ? code.getOperand(0).getType() : operation->getResult(0).getType();
  GroupData *groups = groupsOf(lowering, type, pack);
  if (!groups)
    return false;
  data->groups = groups;
  lowering.setShape(type);
  // A scalar of a combining region stands for as many as are combined at once (LowerCombine.cpp).
  uint32_t scalars = 1;
  if (!mlir::isa<mlir::RankedTensorType>(type) && pack == 1)
    scalars = elementsOf(lowering, code.getArgs());
  if (scalars > 1) {
    groups->elements.clear();
    groups->count = scalars;
  }
  for (mlir::Value result : code.getResults())
    data->tiles.push_back(
        {lowering.define(result, std::max(scalars, lowering.elementCountOf(result.getType()))),
         byteSize(lowering.kindOf(result)), elementsPerAsmOperand(result.getType(), pack)});
  data->resultCount = data->tiles.size();
  for (mlir::Value operand : code.getArgs())
    data->tiles.push_back({lowering.slotOf(operand), byteSize(lowering.kindOf(operand)),
                           elementsPerAsmOperand(operand.getType(), pack)});
  lowering.emit(runAsm, taintAsm, Slot(), {}).data = data;
  return true;
}

//===----------------------------------------------------------------------===//
// fp4
//===----------------------------------------------------------------------===//

struct Fp4Data : OpData {
  uint32_t inner = 1, elements = 0;
  /// Of each code, in 16 bits.
  std::array<uint16_t, 16> values;
};

/// Each byte becomes two numbers along the axis, the low half first.
void runFp4(const Instruction &instruction, Cta &cta) {
  const Fp4Data &data = static_cast<const Fp4Data &>(*instruction.data);
  Slot source = instruction.operands[0];
  const uint8_t *bytes = cta.at<uint8_t>(source);
  auto *result = cta.at<uint16_t>(instruction.result);
  for (uint32_t element = 0; element < data.elements; ++element) {
    uint32_t outer = element / data.inner, inner = element % data.inner;
    uint8_t byte = bytes[source.elements == 1 ? 0 : element];
    for (uint32_t half = 0; half < 2; ++half) {
      uint8_t code = half ? byte >> 4 : byte & 15;
      result[(outer * 2 + half) * data.inner + inner] = data.values[code];
    }
  }
}

bool lowerFp4ToFp(Lowering &lowering, mlir::Operation *operation) {
  auto unpack = mlir::cast<ttg::Fp4ToFpOp>(operation);
  Fp4Data *data = lowering.addData<Fp4Data>();
  data->elements = lowering.elementCountOf(unpack.getSrc().getType());
  for (int64_t size : lowering.shapeOf(unpack.getSrc().getType()).drop_front(unpack.getAxis() + 1))
    data->inner *= uint32_t(size);
  Slot result = lowering.define(unpack.getResult(), 2 * data->elements);
  const ElementKind kind = lowering.kindOf(unpack.getResult());
  for (auto [code, value] : llvm::enumerate(data->values)) {
    const float number = decodeByte<kF4E2M1>(uint8_t(code));
    value = kind == ElementKind::F16 ? F16::store(number) : BF16::store(number);
    if (lowering.program.sanitizer == Sanitizer::Fpsan)
      value = uint16_t(payloadOf(kind).unembed(code));
  }
  lowering.emit(runFp4, taintAll, result, {lowering.slotOf(unpack.getSrc())}).data = data;
  return true;
}

} // namespace

void addMap(OperationTable &table) {
  table["tt.map_elementwise"] = lowerMapElementwise;
  table["tt.elementwise_inline_asm"] = lowerInlineAsm;
  table["tt.extern_elementwise"] = lowerLibraryFunction;
  table["ttg.fp4_to_fp"] = lowerFp4ToFp;
}

} // namespace gluonc::sim
