//===- LowerAtomics.cpp - Atomic read-modify-write, compare-and-swap --------===//
//
// Elements act one after the other, in row-major order. Integer updates that commute
// and whose old value nobody asks for give the same memory in any order, so
// kernels with only such atomics keep running in parallel; all others run their
// programs in grid order, or results would differ from run to run.
//
//===----------------------------------------------------------------------===//
#include "sim/lower/AtomicUpdate.h"
#include "sim/lower/Elementwise.h"
#include "sim/machine/GlobalAccess.h"

namespace gluonc::sim {
namespace {

/// Operands: addresses, mask if `masked`, values.
template <class Update, class E> void runAtomic(const Instruction &instruction, Cta &cta) {
  using T = typename E::Storage;
  const AccessData &access = static_cast<const AccessData &>(*instruction.data);
  T *result = cta.at<T>(instruction.result);
  Slot valueSlot = instruction.operands[access.masked ? 2 : 1];
  const T *values = cta.at<T>(valueSlot);
  cta.synchronizeWithOthers();
  forEachRun(
      instruction, cta,
      [&](uint32_t first, uint32_t count, uint8_t *host) {
        for (uint32_t i = 0; i < count; ++i) {
          T *address = reinterpret_cast<T *>(host) + i;
          T operand = values[valueSlot.elements == 1 ? 0 : first + i];
          T old, updated;
          __atomic_load(address, &old, __ATOMIC_RELAXED);
          do
            updated = static_cast<T>(Update::template apply<E>(old, operand));
          while (!__atomic_compare_exchange(address, &old, &updated, /*weak=*/false,
                                            __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
          result[first + i] = old;
        }
      },
      [&](uint32_t first, uint32_t count) { std::fill_n(result + first, count, T(0)); });
}

/// Operands: addresses, compared values, new values.
template <class T> void runCompareAndSwap(const Instruction &instruction, Cta &cta) {
  T *result = cta.at<T>(instruction.result);
  Slot compared = instruction.operands[1], replacement = instruction.operands[2];
  cta.synchronizeWithOthers();
  forEachRun(
      instruction, cta,
      [&](uint32_t first, uint32_t count, uint8_t *host) {
        for (uint32_t i = 0; i < count; ++i) {
          T expected = cta.at<T>(compared)[compared.elements == 1 ? 0 : first + i];
          T updated = cta.at<T>(replacement)[replacement.elements == 1 ? 0 : first + i];
          __atomic_compare_exchange(reinterpret_cast<T *>(host) + i, &expected, &updated, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
          result[first + i] = expected;
        }
      },
      [](uint32_t, uint32_t) {});
}

/// Integer kinds by operation; null for what integers do not have.
template <class E> Handler integerHandler(tt::RMWOp update) {
  switch (update) {
  case tt::RMWOp::AND:
    return runAtomic<UpdateAnd, E>;
  case tt::RMWOp::OR:
    return runAtomic<UpdateOr, E>;
  case tt::RMWOp::XOR:
    return runAtomic<UpdateXor, E>;
  case tt::RMWOp::ADD:
    return runAtomic<UpdateAdd, E>;
  case tt::RMWOp::MAX:
    return runAtomic<UpdateMax, E>;
  case tt::RMWOp::MIN:
    return runAtomic<UpdateMin, E>;
  case tt::RMWOp::UMAX:
    return runAtomic<UpdateUnsignedMax, E>;
  case tt::RMWOp::UMIN:
    return runAtomic<UpdateUnsignedMin, E>;
  case tt::RMWOp::XCHG:
    return runAtomic<UpdateExchange, E>;
  case tt::RMWOp::FADD:
    return nullptr;
  }
  GL_UNREACHABLE("atomic update");
}

Handler exchangeHandler(uint32_t bytes) {
  return bytes == 1   ? runAtomic<UpdateExchange, I8>
         : bytes == 2 ? runAtomic<UpdateExchange, I16>
         : bytes == 4 ? runAtomic<UpdateExchange, I32>
                      : runAtomic<UpdateExchange, I64>;
}

} // namespace

Handler atomicHandler(tt::RMWOp update, ElementKind kind) {
  Handler handler = nullptr;
  if (update == tt::RMWOp::XCHG)
    return exchangeHandler(byteSize(kind));
  if (isFloat(kind) && (update == tt::RMWOp::MAX || update == tt::RMWOp::MIN))
    withArithmeticFloat(kind, [&](auto element) {
      using E = decltype(element);
      handler =
          update == tt::RMWOp::MAX ? runAtomic<UpdateFloatMax, E> : runAtomic<UpdateFloatMin, E>;
    });
  else if (update == tt::RMWOp::FADD)
    withArithmeticFloat(kind,
                        [&](auto element) { handler = runAtomic<UpdateAdd, decltype(element)>; });
  else
    withIntElement(kind,
                   [&](auto element) { handler = integerHandler<decltype(element)>(update); });
  return handler;
}

bool commutes(tt::RMWOp update, ElementKind kind) {
  return isInteger(kind) && update != tt::RMWOp::XCHG;
}

void setOrder(AccessData &access, tt::MemSemantic semantic, tt::MemSyncScope scope, bool isAsked) {
  using Semantic = tt::MemSemantic;
  const bool reachesPrograms = scope != tt::MemSyncScope::CTA;
  access.atomic = true;
  access.acquires = reachesPrograms && isAsked &&
                    (semantic == Semantic::ACQUIRE || semantic == Semantic::ACQUIRE_RELEASE);
  access.releases =
      reachesPrograms && (semantic == Semantic::RELEASE || semantic == Semantic::ACQUIRE_RELEASE);
}

namespace {

bool lowerAtomicRmw(Lowering &lowering, mlir::Operation *operation) {
  auto atomic = mlir::cast<tt::AtomicRMWOp>(operation);
  ElementKind kind = lowering.kindOf(atomic.getVal());
  Handler handler = atomicHandler(atomic.getAtomicRmwOp(), kind);
  if (!handler)
    return false;
  if (!commutes(atomic.getAtomicRmwOp(), kind) || !atomic.getResult().use_empty())
    lowering.program.sequential = true;
  llvm::SmallVector<Slot, 3> operands = {lowering.slotOf(atomic.getPtr())};
  AccessData *access = addAccess(lowering, atomic.getPtr(), byteSize(kind), "atomic");
  access->reads = access->writes = true;
  setOrder(*access, atomic.getSem(), atomic.getScope(), !atomic.getResult().use_empty());
  access->masked = static_cast<bool>(atomic.getMask());
  if (atomic.getMask())
    operands.push_back(lowering.slotOf(atomic.getMask()));
  operands.push_back(lowering.slotOf(atomic.getVal()));
  Slot result = lowering.define(atomic.getResult(), access->elements);
  lowering.emitOnce(atomic.getPtr().getType(),
                    [&] { lowering.emit(handler, taintStore, result, operands).data = access; });
  if (!atomic.getResult().use_empty())
    lowering.emitHandOut(atomic.getPtr().getType(), result, kind);
  return true;
}

bool lowerAtomicCas(Lowering &lowering, mlir::Operation *operation) {
  auto atomic = mlir::cast<tt::AtomicCASOp>(operation);
  uint32_t bytes = byteSize(lowering.kindOf(atomic.getVal()));
  lowering.program.sequential = true;
  AccessData *access = addAccess(lowering, atomic.getPtr(), bytes, "atomic");
  access->reads = access->writes = true;
  setOrder(*access, atomic.getSem(), atomic.getScope(), !atomic.getResult().use_empty());
  Handler handler = bytes == 1   ? runCompareAndSwap<uint8_t>
                    : bytes == 2 ? runCompareAndSwap<uint16_t>
                    : bytes == 4 ? runCompareAndSwap<uint32_t>
                                 : runCompareAndSwap<uint64_t>;
  Slot result = lowering.define(atomic.getResult(), access->elements);
  lowering.emitOnce(atomic.getPtr().getType(), [&] {
    lowering
        .emit(handler, taintStore, result,
              {lowering.slotOf(atomic.getPtr()), lowering.slotOf(atomic.getCmp()),
               lowering.slotOf(atomic.getVal())})
        .data = access;
  });
  if (!atomic.getResult().use_empty())
    lowering.emitHandOut(atomic.getPtr().getType(), result, lowering.kindOf(atomic.getVal()));
  return true;
}

/// Operands: addresses, mask if `masked`.
template <class T> void runLoad(const Instruction &instruction, Cta &cta) {
  T *result = cta.at<T>(instruction.result);
  cta.synchronizeWithOthers();
  forEachRun(
      instruction, cta,
      [&](uint32_t first, uint32_t count, const uint8_t *host) {
        for (uint32_t i = 0; i < count; ++i)
          __atomic_load(reinterpret_cast<const T *>(host) + i, &result[first + i],
                        __ATOMIC_ACQUIRE);
      },
      [&](uint32_t first, uint32_t count) { std::fill_n(result + first, count, T(0)); });
}

/// Operands: addresses, mask if `masked`, values.
template <class T> void runStore(const Instruction &instruction, Cta &cta) {
  const AccessData &access = static_cast<const AccessData &>(*instruction.data);
  Slot values = instruction.operands[access.masked ? 2 : 1];
  cta.synchronizeWithOthers();
  forEachRun(
      instruction, cta,
      [&](uint32_t first, uint32_t count, uint8_t *host) {
        for (uint32_t i = 0; i < count; ++i) {
          T value = cta.at<T>(values)[values.elements == 1 ? 0 : first + i];
          __atomic_store(reinterpret_cast<T *>(host) + i, &value, __ATOMIC_RELEASE);
        }
      },
      [](uint32_t, uint32_t) {});
}

/// What programs tell each other by such accesses depends on their order.
AccessData *addOrderedAccess(Lowering &lowering, mlir::Value pointer, mlir::Value mask,
                             uint32_t bytes, llvm::SmallVectorImpl<Slot> &operands) {
  lowering.program.sequential = true;
  AccessData *access = addAccess(lowering, pointer, bytes, "atomic");
  access->masked = static_cast<bool>(mask);
  operands.push_back(lowering.slotOf(pointer));
  if (mask)
    operands.push_back(lowering.slotOf(mask));
  return access;
}

bool lowerAtomicLoad(Lowering &lowering, mlir::Operation *operation) {
  auto load = mlir::cast<tt::AtomicLoadOp>(operation);
  ElementKind kind = lowering.kindOf(load.getResult());
  uint32_t bytes = byteSize(kind);
  llvm::SmallVector<Slot, 2> operands;
  AccessData *access = addOrderedAccess(lowering, load.getPtr(), load.getMask(), bytes, operands);
  access->reads = true;
  setOrder(*access, load.getSem(), load.getScope(), /*isAsked=*/true);
  Handler handler = bytes == 1   ? runLoad<uint8_t>
                    : bytes == 2 ? runLoad<uint16_t>
                    : bytes == 4 ? runLoad<uint32_t>
                                 : runLoad<uint64_t>;
  Slot result = lowering.define(load.getResult(), access->elements);
  lowering.emitOnce(load.getPtr().getType(),
                    [&] { lowering.emit(handler, taintLoad, result, operands).data = access; });
  if (!load.getResult().use_empty())
    lowering.emitHandOut(load.getPtr().getType(), result, kind);
  return true;
}

bool lowerAtomicStore(Lowering &lowering, mlir::Operation *operation) {
  auto store = mlir::cast<tt::AtomicStoreOp>(operation);
  uint32_t bytes = byteSize(lowering.kindOf(store.getValue()));
  llvm::SmallVector<Slot, 3> operands;
  AccessData *access = addOrderedAccess(lowering, store.getPtr(), store.getMask(), bytes, operands);
  access->writes = true;
  setOrder(*access, store.getSem(), store.getScope(), /*isAsked=*/false);
  operands.push_back(lowering.slotOf(store.getValue()));
  Handler handler = bytes == 1   ? runStore<uint8_t>
                    : bytes == 2 ? runStore<uint16_t>
                    : bytes == 4 ? runStore<uint32_t>
                                 : runStore<uint64_t>;
  lowering.emitOnce(store.getPtr().getType(),
                    [&] { lowering.emit(handler, taintStore, Slot(), operands).data = access; });
  return true;
}

/// Operands: address, expected value, timeout if there is one. Programs run one after the other, so
/// what no other fiber of this one brings never comes.
template <class T> void runPoll(const Instruction &instruction, Cta &cta) {
  uint8_t &found = *cta.at<uint8_t>(instruction.result);
  found = 0;
  uint64_t address = *cta.at<uint64_t>(instruction.operands[0]);
  uint8_t *host = checkedAccess(instruction, cta, address, 1, 0);
  if (!host)
    return;
  T value, expected = *cta.at<T>(instruction.operands[1]);
  __atomic_load(reinterpret_cast<T *>(host), &value, __ATOMIC_ACQUIRE);
  found = value == expected;
  if (!found && !cta.waitForMemory(instruction))
    return;
  cta.synchronizeWithOthers();
  if (!found && instruction.operandCount < 3)
    cta.fail(instruction, diag::Kind::PollNeverEnds,
             {std::to_string(expected), std::to_string(value)});
}

bool lowerAtomicPoll(Lowering &lowering, mlir::Operation *operation) {
  auto poll = mlir::cast<tt::AtomicPollOp>(operation);
  uint32_t bytes = byteSize(lowering.kindOf(poll.getExpected()));
  lowering.program.sequential = true;
  AccessData *access = addAccess(lowering, poll.getPtr(), bytes, "atomic");
  access->reads = true;
  setOrder(*access, poll.getSem(), poll.getScope(), /*isAsked=*/true);
  llvm::SmallVector<Slot, 3> operands = {lowering.slotOf(poll.getPtr()),
                                         lowering.slotOf(poll.getExpected())};
  if (poll.getTimeout())
    operands.push_back(lowering.slotOf(poll.getTimeout()));
  Slot result = lowering.define(poll.getResult(), 1);
  Handler handler = bytes == 2   ? runPoll<uint16_t>
                    : bytes == 4 ? runPoll<uint32_t>
                                 : runPoll<uint64_t>;
  lowering.emit(handler, taintObserve, result, operands).data = access;
  return true;
}

} // namespace

void addAtomics(OperationTable &table) {
  table["tt.atomic_rmw"] = lowerAtomicRmw;
  table["tt.atomic_cas"] = lowerAtomicCas;
  table["tt.atomic_load"] = lowerAtomicLoad;
  table["tt.atomic_store"] = lowerAtomicStore;
  table["tt.atomic_poll"] = lowerAtomicPoll;
}

} // namespace gluonc::sim
