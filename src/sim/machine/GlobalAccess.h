//===- GlobalAccess.h - Checked access to global memory --------------------===//
#pragma once

#include "sim/lower/Lowering.h"
#include "sim/machine/Cta.h"

namespace gluonc::sim {

/// What a load, store or atomic operation is, apart from its slots. Operands of the
/// instruction: addresses, then the mask if there is one, then values.
struct AccessData : OpData {
  /// "load", "store", …, as diagnostics say it.
  const char *verb = "load";
  uint32_t elementBytes = 0;
  /// Of the tile; addresses, mask and values may be uniform.
  uint32_t elements = 0;
  /// Elements of the last dimension: rows are tried as one run each.
  uint32_t rowElements = 0;
  bool masked = false;
  bool hasOther = false;
  bool reads = false;
  bool writes = false;
  /// By an atomic operation, or volatile: no race with others of the kind.
  bool atomic = false;
  /// Orders behind what programs did before they released the same address; and releases it.
  bool acquires = false;
  bool releases = false;
  /// The kernel parameter that all addresses were computed from; negative if unknown.
  int parameter = -1;
  uint32_t cacheIndex = 0;
  /// Of plain accesses (WarpStores.h): for each element, or for all, the first warp that holds it,
  /// which stores it, and whether there are several, which all load it. Empty where the warps are
  /// not known, or only one.
  std::vector<uint8_t> warps = {};
  /// What tells the layout from others; null of a scalar.
  const void *layout = nullptr;
};

/// Describes an access through `pointers`; `elements` is the whole tile.
void describeAccess(Lowering &lowering, AccessData &access, mlir::Value pointers,
                    uint32_t elementBytes, const char *verb);
AccessData *addAccess(Lowering &lowering, mlir::Value pointers, uint32_t elementBytes,
                      const char *verb);

/// What executes accesses to elements of so many bytes. Operands: addresses, mask if `masked`, then
/// `other` of loads that have it, and values of stores.
Handler loadHandler(uint32_t elementBytes);
Handler storeHandler(uint32_t elementBytes);
/// The same for atomics on elements of a kind; null where there is no such update.
Handler atomicHandler(tt::RMWOp update, ElementKind kind);
/// Whether such updates, whose old values nobody asks for, may come in any order.
bool commutes(tt::RMWOp update, ElementKind kind);
/// `isAsked`: the program sees what was there, without which it learns nothing.
void setOrder(AccessData &access, tt::MemSemantic semantic, tt::MemSyncScope scope, bool isAsked);

/// Two elements of one store go to `address` with different values: a fault, where those of races
/// are looked for.
void failOverlap(const Instruction &instruction, Cta &cta, uint64_t address, uint32_t element,
                 uint32_t other);

/// Host memory of `count` elements at `address` after all checks; null after a fault.
/// `element` is the number of the first of them within the tile.
uint8_t *checkedAccess(const Instruction &instruction, Cta &cta, uint64_t address, uint32_t count,
                       uint32_t element);

/// Whether the addresses of `count` elements follow each other without a gap.
bool areConsecutive(const uint64_t *addresses, uint32_t count, uint32_t elementBytes);

enum class MaskState : uint8_t { AllTrue, AllFalse, Mixed };
MaskState maskState(const uint8_t *mask, uint32_t count);

/// Calls `visit(element, count, host)` for runs of active elements that lie in consecutive
/// memory: the whole tile, else rows, else single elements. Calls `skip(element, count)`
/// for elements that are masked off. Stops at the first fault.
template <class Visit, class Skip>
void forEachRun(const Instruction &instruction, Cta &cta, Visit &&visit, Skip &&skip) {
  const AccessData &access = static_cast<const AccessData &>(*instruction.data);
  Slot addressSlot = instruction.operands[0];
  const uint64_t *addresses = cta.at<uint64_t>(addressSlot);
  Slot maskSlot = access.masked ? instruction.operands[1] : Slot();
  const uint8_t *mask = access.masked ? cta.at<uint8_t>(maskSlot) : nullptr;

  auto visitElements = [&](uint32_t first, uint32_t count, bool splits) {
    MaskState state = MaskState::AllTrue;
    if (mask)
      state = maskSlot.elements == 1 ? (mask[0] ? MaskState::AllTrue : MaskState::AllFalse)
                                     : maskState(mask + first, count);
    if (state == MaskState::AllFalse) {
      skip(first, count);
      return true;
    }
    if (state == MaskState::AllTrue && addressSlot.elements != 1 &&
        areConsecutive(addresses + first, count, access.elementBytes)) {
      if (uint8_t *host = checkedAccess(instruction, cta, addresses[first], count, first))
        visit(first, count, host);
      return true;
    }
    if (splits)
      return false;
    for (uint32_t element = first; element < first + count && !cta.stopped; ++element) {
      if (mask && !mask[maskSlot.elements == 1 ? 0 : element])
        skip(element, 1);
      else if (uint8_t *host =
                   checkedAccess(instruction, cta,
                                 addresses[addressSlot.elements == 1 ? 0 : element], 1, element))
        visit(element, 1, host);
    }
    return true;
  };
  if (visitElements(0, access.elements, access.rowElements < access.elements))
    return;
  for (uint32_t row = 0; row < access.elements && !cta.stopped; row += access.rowElements)
    visitElements(row, access.rowElements, false);
}

} // namespace gluonc::sim
