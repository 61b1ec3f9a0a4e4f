//===- LowerGlobal.cpp - Pointers, loads, stores ----------------------------===//
#include "ir/Encoding.h"
#include "sim/lower/Elementwise.h"
#include "sim/lower/Positions.h"
#include "sim/machine/GlobalAccess.h"
#include "sim/machine/Races.h"

namespace gluonc::sim {
namespace {

//===----------------------------------------------------------------------===//
// addptr
//===----------------------------------------------------------------------===//

/// `immediate` is the size of what the pointers point to.
template <class E, bool PointerUniform, bool OffsetUniform>
void runAddPointer(const Instruction &instruction, Cta &cta) {
  uint64_t *__restrict result = cta.at<uint64_t>(instruction.result);
  const uint64_t *pointers = cta.at<uint64_t>(instruction.operands[0]);
  const auto *offsets = cta.at<typename E::Storage>(instruction.operands[1]);
  const uint64_t firstPointer = pointers[0];
  const auto firstOffset = offsets[0];
  // Sizes are powers of two; a shift is what vector units without 64-bit products have.
  const int shift = __builtin_ctzll(instruction.immediate);
  for (uint32_t element = 0, count = instruction.result.elements; element < count; ++element) {
    int64_t offset = E::toSigned(OffsetUniform ? firstOffset : offsets[element]);
    result[element] =
        (PointerUniform ? firstPointer : pointers[element]) + (uint64_t(offset) << shift);
  }
}

template <class E> Handler addPointerHandler(Slot pointer, Slot offset) {
  if (pointer.elements == offset.elements)
    return runAddPointer<E, false, false>;
  return pointer.elements == 1 ? Handler(runAddPointer<E, true, false>)
                               : Handler(runAddPointer<E, false, true>);
}

bool lowerAddPointer(Lowering &lowering, mlir::Operation *operation) {
  auto add = mlir::cast<tt::AddPtrOp>(operation);
  std::optional<ElementKind> pointee = elementKindOf(tt::pointeeTypeOf(add.getPtr().getType()));
  if (!pointee)
    return false;
  Slot pointer = lowering.slotOf(add.getPtr()), offset = lowering.slotOf(add.getOffset());
  Slot result = lowering.define(add.getResult(), std::max(pointer.elements, offset.elements));
  lowering.passParameter(add.getPtr(), add.getResult());
  return withIntElement(lowering.kindOf(add.getOffset()), [&](auto element) {
    lowering
        .emit(addPointerHandler<decltype(element)>(pointer, offset), taintElementwise, result,
              {pointer, offset})
        .immediate = byteSize(*pointee);
  });
}

//===----------------------------------------------------------------------===//
// load and store
//===----------------------------------------------------------------------===//

/// Elements that the mask leaves out, and nothing stands for.
void taintSkipped(const Instruction &instruction, Cta &cta, uint32_t element, uint32_t count) {
  if (cta.maskedOff == Verdict::Ignore)
    return;
  const uint8_t code = cta.taintCode(instruction, element, diag::Kind::MaskedOffUse, {});
  const uint32_t stored = instruction.result.elements;
  std::memset(cta.taintAt(instruction.result) + element, code, std::min(count, stored - element));
}

/// Operands: addresses, mask if `masked`, other if `hasOther`.
template <class T> void runLoad(const Instruction &instruction, Cta &cta) {
  const AccessData &access = static_cast<const AccessData &>(*instruction.data);
  T *result = cta.at<T>(instruction.result);
  Slot otherSlot = access.hasOther ? instruction.operands[2] : Slot();
  const T *other = access.hasOther ? cta.at<T>(otherSlot) : nullptr;
  forEachRun(
      instruction, cta,
      [&](uint32_t element, uint32_t count, const uint8_t *host) {
        std::memcpy(result + element, host, count * sizeof(T));
      },
      [&](uint32_t element, uint32_t count) {
        // Without `other` NVIDIA GPUs leave zero in elements that are masked off.
        if (!other) {
          std::memset(result + element, 0, count * sizeof(T));
          taintSkipped(instruction, cta, element, count);
        } else if (otherSlot.elements == 1) {
          std::fill_n(result + element, count, *other);
        } else {
          std::memcpy(result + element, other + element, count * sizeof(T));
        }
      });
}

/// i1 in memory is a byte; anything but zero is true.
void runNormalizeBool(const Instruction &instruction, Cta &cta) {
  uint8_t *values = cta.at<uint8_t>(instruction.result);
  for (uint32_t element = 0; element < instruction.result.elements; ++element)
    values[element] = values[element] != 0;
}

/// The first element of a store that is not in memory behind it, because another one went to the
/// same place with another value.
template <class T> void findOverlap(const Instruction &instruction, Cta &cta, const T *values) {
  const AccessData &access = static_cast<const AccessData &>(*instruction.data);
  const Slot addressSlot = instruction.operands[0], maskSlot = instruction.operands[1];
  const uint64_t *addresses = cta.at<uint64_t>(addressSlot);
  auto addressOf = [&](uint32_t element) {
    return addresses[addressSlot.elements == 1 ? 0 : element];
  };
  auto isActive = [&](uint32_t element) {
    return !access.masked || cta.at<uint8_t>(maskSlot)[maskSlot.elements == 1 ? 0 : element];
  };
  for (uint32_t element = 0; element < access.elements; ++element) {
    if (!isActive(element) || std::memcmp(reinterpret_cast<const void *>(addressOf(element)),
                                          values + element, sizeof(T)) == 0)
      continue;
    uint32_t other = access.elements - 1;
    while (other > element && !(isActive(other) && addressOf(other) == addressOf(element)))
      --other;
    // Else another program was here meanwhile.
    if (other > element && std::memcmp(values + element, values + other, sizeof(T)) != 0)
      return failOverlap(instruction, cta, addressOf(element), element, other);
  }
}

/// Operands: addresses, mask if `masked`, values.
template <class T> void runStore(const Instruction &instruction, Cta &cta) {
  const AccessData &access = static_cast<const AccessData &>(*instruction.data);
  Slot valueSlot = instruction.operands[access.masked ? 2 : 1];
  const T *values = cta.at<T>(valueSlot);
  const uint8_t *end = nullptr;
  bool ascends = true;
  forEachRun(
      instruction, cta,
      [&](uint32_t element, uint32_t count, uint8_t *host) {
        const uint64_t bytes = count * sizeof(T);
        ascends &= host >= end;
        end = host + bytes;
        if (cta.history) {
          const uint64_t address = reinterpret_cast<uint64_t>(host);
          const Races::Access access = {cta.programIndex, instruction.place, sizeof(T)};
          auto *first = reinterpret_cast<const uint8_t *>(values);
          if (valueSlot.elements == 1)
            cta.races->fill(*cta.history, address, first, bytes, access);
          else
            cta.races->store(*cta.history, address, first + element * sizeof(T), bytes, access);
        } else if (valueSlot.elements == 1) {
          std::fill_n(reinterpret_cast<T *>(host), count, *values);
        } else {
          std::memcpy(host, values + element, bytes);
        }
      },
      [](uint32_t, uint32_t) {});
  if (!ascends && cta.races && valueSlot.elements != 1 && !cta.stopped)
    findOverlap(instruction, cta, values);
}

} // namespace

Handler loadHandler(uint32_t bytes) {
  return bytes == 1   ? runLoad<uint8_t>
         : bytes == 2 ? runLoad<uint16_t>
         : bytes == 4 ? runLoad<uint32_t>
                      : runLoad<uint64_t>;
}
Handler storeHandler(uint32_t bytes) {
  return bytes == 1   ? runStore<uint8_t>
         : bytes == 2 ? runStore<uint16_t>
         : bytes == 4 ? runStore<uint32_t>
                      : runStore<uint64_t>;
}

namespace {

/// See AccessData::warps.
std::vector<uint8_t> warpsOf(const layout::LinearLayout &layout, mlir::RankedTensorType tile) {
  std::vector<uint8_t> owners(size_t(tile.getNumElements()));
  std::vector<bool> isOwned(owners.size());
  // Warps come in order: they are the highest bits of an index.
  for (uint64_t index = 0; index >> layout.totalInLog2() == 0; ++index) {
    const uint32_t element = positionOf(layout, tile.getShape(), layout.applyPacked(index));
    const auto warp = uint8_t(layout.inComponent(index, layout::Dim::Warp));
    if (!isOwned[element])
      owners[element] = warp;
    else if (owners[element] != warp)
      owners[element] |= WarpStores::several;
    isOwned[element] = true;
  }
  return owners;
}

/// Which warps make an access.
void noteWarps(Lowering &lowering, AccessData &access, mlir::Operation *operation,
               mlir::Type pointers) {
  const int64_t warps = ttg::numWarpsOf(operation);
  if (lowering.inCluster() || warps < 2 || warps >= WarpStores::several)
    return;
  auto tile = mlir::dyn_cast<mlir::RankedTensorType>(pointers);
  if (!tile) {
    access.warps = {WarpStores::several};
  } else if (const layout::LinearLayout *linear = linearOrNull(tile)) {
    access.warps = warpsOf(*linear, tile);
    access.layout = tile.getEncoding().getAsOpaquePointer();
  }
}

bool lowerLoad(Lowering &lowering, mlir::Operation *operation) {
  auto load = mlir::cast<tt::LoadOp>(operation);
  mlir::Value result = load.getResult();
  llvm::SmallVector<Slot, 3> operands = {lowering.slotOf(load.getPtr())};
  AccessData *access =
      addAccess(lowering, load.getPtr(), byteSize(lowering.kindOf(result)), "load");
  access->reads = true;
  if (!load.getIsVolatile())
    noteWarps(lowering, *access, operation, load.getPtr().getType());
  // As PTX has it, volatile accesses are relaxed atomic ones.
  access->atomic = load.getIsVolatile();
  access->masked = static_cast<bool>(load.getMask());
  access->hasOther = static_cast<bool>(load.getOther());
  if (load.getMask())
    operands.push_back(lowering.slotOf(load.getMask()));
  if (load.getOther())
    operands.push_back(lowering.slotOf(load.getOther()));
  // One address, one mask and one default make one value for all elements.
  if (llvm::all_of(operands, [](Slot slot) { return slot.elements == 1; }))
    access->elements = access->rowElements = 1;
  Slot target = lowering.define(result, access->elements);
  lowering.emit(loadHandler(access->elementBytes), taintLoad, target, operands).data = access;
  if (lowering.kindOf(result) == ElementKind::I1)
    lowering.emit(runNormalizeBool, taintElementwise, target, {target});
  return true;
}

bool lowerStore(Lowering &lowering, mlir::Operation *operation) {
  auto store = mlir::cast<tt::StoreOp>(operation);
  llvm::SmallVector<Slot, 3> operands = {lowering.slotOf(store.getPtr())};
  AccessData *access =
      addAccess(lowering, store.getPtr(), byteSize(lowering.kindOf(store.getValue())), "store");
  access->writes = true;
  noteWarps(lowering, *access, operation, store.getPtr().getType());
  access->masked = static_cast<bool>(store.getMask());
  if (store.getMask())
    operands.push_back(lowering.slotOf(store.getMask()));
  operands.push_back(lowering.slotOf(store.getValue()));
  if (llvm::all_of(operands, [](Slot slot) { return slot.elements == 1; }))
    access->elements = access->rowElements = 1;
  lowering.emitOnce(store.getPtr().getType(), [&] {
    lowering.emit(storeHandler(access->elementBytes), taintStore, Slot(), operands).data = access;
  });
  return true;
}

} // namespace

void describeAccess(Lowering &lowering, AccessData &access, mlir::Value pointers,
                    uint32_t elementBytes, const char *verb) {
  lowering.setShape(pointers.getType());
  access.verb = verb;
  access.elementBytes = elementBytes;
  access.elements = lowering.elementCountOf(pointers.getType());
  llvm::ArrayRef<int64_t> shape = lowering.shapeOf(pointers.getType());
  access.rowElements = shape.empty() ? 1 : static_cast<uint32_t>(shape.back());
  access.parameter = lowering.parameterOf(pointers);
  access.cacheIndex = lowering.program.accessCount++;
  lowering.program.accesses.push_back(&access);
}

AccessData *addAccess(Lowering &lowering, mlir::Value pointers, uint32_t elementBytes,
                      const char *verb) {
  AccessData *access = lowering.addData<AccessData>();
  describeAccess(lowering, *access, pointers, elementBytes, verb);
  return access;
}

void addGlobal(OperationTable &table) {
  table["tt.addptr"] = lowerAddPointer;
  table["tt.load"] = lowerLoad;
  table["tt.store"] = lowerStore;
}

} // namespace gluonc::sim
