//===- Lowering.h - From ttg to the flat program ---------------------------===//
//
// One Lowering serves one prepare(). It walks the kernel once, in order, and asks
// the table below for the function that lowers each operation; the functions live
// by family in Lower*.cpp, next to the code that executes what they emit.
//
// Slots are handed out while walking and taken back after a value's last use, so
// a frame stays about as large as the kernel's registers and tiles stay in cache.
// Views of the same elements (reshape, expand_dims, convert_layout) share a slot.
//
// Calls are lowered in place; a frame needs no stack.
//
// Each CTA of a cluster runs the program on its share of every tile. An operation
// that mixes elements of several shares is lowered for the whole tile (LowerShares.cpp).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/Dialects.h"
#include "sim/machine/Share.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace gluonc::bitcode {
class Libraries;
} // namespace gluonc::bitcode

namespace gluonc::sim {

class Lowering;

/// Lowers one operation; false if it cannot, after or without a report.
using LowerFunction = bool (*)(Lowering &, mlir::Operation *);
using OperationTable = llvm::StringMap<LowerFunction>;

/// Every operation the simulator knows.
const OperationTable &operationTable();

void addArithmetic(OperationTable &table);
void addFloatArithmetic(OperationTable &table);
void addCasts(OperationTable &table);
void addMath(OperationTable &table);
void addShape(OperationTable &table);
void addGlobal(OperationTable &table);
void addAtomics(OperationTable &table);
void addBuffers(OperationTable &table);
void addScales(OperationTable &table);
void addLdsBarriers(OperationTable &table);
void addTensorMover(OperationTable &table);
void addPackedLoads(OperationTable &table);
void addShared(OperationTable &table);
void addAsync(OperationTable &table);
void addCombine(OperationTable &table);
void addDot(OperationTable &table);
void addWarpGroupDot(OperationTable &table);
void addTensorProducts(OperationTable &table);
void addTensorMemory(OperationTable &table);
void addBarriers(OperationTable &table);
void addTma(OperationTable &table);
void addDescriptors(OperationTable &table);
void addControl(OperationTable &table);
void addDebug(OperationTable &table);
void addIndexed(OperationTable &table);
void addMap(OperationTable &table);
void addThreadAsm(OperationTable &table);
void addPackedArith(OperationTable &table);
void addLaunchControl(OperationTable &table);

/// Kind of the elements of a scalar, tensor, pointer or memdesc type.
std::optional<ElementKind> elementKindOf(mlir::Type type);

/// Whether a CTA's share of the results needs elements of tensors that other CTAs of the cluster
/// hold. Of what passes through memory the operation knows.
bool mixesShares(Lowering &lowering, mlir::Operation *operation);

class Lowering {
public:
  Lowering(Program &program, diag::Sink &sink, const diag::SourceManager &sources)
      : program(program), sink(sink), sources(sources) {}

  /// Lowers a kernel to its return. False after a report.
  bool lowerKernel(tt::FuncOp kernel);

  // -- Shapes ----------------------------------------------------------------

  /// Shape of a tensor as the operation in hand sees it, which is that of a share or the whole one;
  /// empty for everything else.
  llvm::ArrayRef<int64_t> shapeOf(mlir::Type type);
  /// Elements of a tensor, likewise; 1 for everything else.
  uint32_t elementCountOf(mlir::Type type);
  /// What each CTA of the cluster holds of a tensor, a scalar or the buffer of a view; null for
  /// programs of one CTA, and after a report.
  const Share *shareOf(mlir::Type type);
  /// Null, after a report, where a view lies in some of the CTAs only.
  const Share *shareOf(mlir::Operation *operation, ttg::MemDescType view);
  /// What each pair of CTAs, with neighbouring numbers, holds of a view together; likewise.
  const Share *pairShareOf(mlir::Operation *operation, ttg::MemDescType view);
  bool inCluster() const { return program.ctas > 1; }

  // -- Values ----------------------------------------------------------------

  Slot slotOf(mlir::Value value) const { return slots.lookup(value); }
  /// Element kind of a value; every type was checked when its operation was met.
  ElementKind kindOf(mlir::Value value) const { return *elementKindOf(value.getType()); }
  /// A slot for a value that the operation in hand produces.
  Slot define(mlir::Value value, uint32_t elements);
  /// Makes `value` share the slot of elements that already exist.
  void bind(mlir::Value value, Slot slot);
  /// Makes `value` its share of a slot that holds a whole tile, or the same everywhere.
  void bindWhole(mlir::Value value, Slot whole);
  /// Gives back the hold that `value` has on its slot.
  void release(mlir::Value value);
  /// A slot that is free again after the current operation.
  Slot temporary(ElementKind kind, uint32_t elements);
  /// A slot that no value owns; `free` gives it back.
  Slot allocate(ElementKind kind, uint32_t elements);
  void free(Slot slot);
  /// Slots that were given back, by size in bytes. Code that runs at the same time as
  /// other code must not take what that has given back.
  using FreeSlots = llvm::DenseMap<uint32_t, llvm::SmallVector<uint32_t, 4>>;
  FreeSlots exchangeFreeSlots(FreeSlots slots) {
    return std::exchange(freeSlots, std::move(slots));
  }
  void addFreeSlots(FreeSlots slots);
  /// A slot with these bytes in every frame.
  Slot constant(std::string bytes, uint32_t elements);
  /// `slot` with all `elements` elements spelled out.
  Slot materialize(Slot slot, uint32_t elements, ElementKind kind);

  /// The parameter that a pointer was computed from; -1 if unknown.
  int parameterOf(mlir::Value pointer) const;
  void setParameter(mlir::Value pointer, int parameter);
  /// `to` points into the buffer that `from` points into.
  void passParameter(mlir::Value from, mlir::Value to);

  // -- Instructions ----------------------------------------------------------

  Instruction &emit(Handler run, Handler taint, Slot result, llvm::ArrayRef<Slot> operands);
  /// Copies all elements of `from` to `to`, which may have more elements than a uniform `from`.
  void emitCopy(Slot from, Slot to, ElementKind kind);
  /// The position of the next instruction, for branches.
  uint32_t here() const { return static_cast<uint32_t>(program.code.size()); }
  Instruction &instructionAt(uint32_t position) { return program.code[position]; }
  template <class Data> Data *addData() {
    program.data.push_back(std::make_unique<Data>());
    return static_cast<Data *>(program.data.back().get());
  }

  // -- Clusters (LowerShares.cpp) ----------------------------------------------

  /// Of CTAs with copies of the elements of `type`, only the first executes what `emit` emits.
  void emitOnce(mlir::Type type, llvm::function_ref<void()> emit);
  /// Gives the other CTAs what the first one got that has their bits of `among`.
  void emitHandOut(mlir::Type type, Slot slot, ElementKind kind, uint32_t among = 0);

  // -- Structure -------------------------------------------------------------

  /// Lowers the operations of `block` but its terminator.
  bool lowerBody(mlir::Block &block);
  /// Lowers a region of several blocks; the arguments of the first are bound already.
  bool lowerRegion(mlir::Region &region);
  /// Moves values to slots as if all at once.
  void emitParallelCopy(mlir::ValueRange from, llvm::ArrayRef<Slot> to);
  /// Drops the holds of the values that `operation` uses last. lowerBody does it for all
  /// but terminators, whose operands outlive them.
  void releaseAfter(mlir::Operation *operation);
  /// The tile shape that faults of the current operation are described by.
  void setShape(mlir::Type type);
  /// Whose elements its faults count, where the type does not say.
  void setShare(const Share *share) { program.places[currentPlace].share = share; }

  /// What follows is in a loop with these variables, until leaveLoop().
  void enterLoop(llvm::SmallVector<Loop::Variable, 1> variables) {
    program.loops.push_back({currentLoop, std::move(variables)});
    currentLoop = int32_t(program.loops.size()) - 1;
  }
  void leaveLoop() { currentLoop = program.loops[currentLoop].outer; }

  /// Reports an operation or type that cannot be simulated; always false.
  bool unsupported(mlir::Operation *operation, const llvm::Twine &what);

  /// Blocks that branches of the region being lowered refer to.
  struct Branch {
    uint32_t position;
    mlir::Block *target;
    bool second;
  };
  std::vector<Branch> branches;
  /// Where tt.return of the function being lowered puts its values; and the jumps
  /// to its end. Null in the kernel itself, which simply ends.
  struct Frame {
    llvm::SmallVector<Slot, 2> results;
    llvm::SmallVector<uint32_t, 2> returns;
  };
  Frame *frame = nullptr;
  /// Functions being lowered in place, to refuse recursion; with their call locations.
  llvm::SmallVector<std::pair<mlir::Operation *, mlir::Location>, 4> callStack;

  /// Functions of users' libraries come before those of the same names here; null: none.
  void setLibraries(const bitcode::Libraries *all) { libraries = all; }
  const bitcode::Libraries *userLibraries() const { return libraries; }

  Program &program;
  /// Under the sanitizer of floating point: narrower payloads are the low bits of wider ones.
  bool truncatesPayloads = false;
  /// Values keep their slots to the end, and the program says which variables have them.
  bool forDebugger = false;
  /// How many elements the scalar code in hand runs on at once (GroupLoop.h).
  uint32_t copies = 1;
  /// Of local_alloc without `allocation.offset`.
  uint32_t nextSharedOffset = 0;
  /// Address tables of memdesc types met so far (LowerShared.cpp).
  llvm::DenseMap<mlir::Type, const OpData *> sharedTables;

private:
  bool lowerOperation(mlir::Operation *operation);
  bool lowerWhole(mlir::Operation *operation, LowerFunction function);
  void checkDots(mlir::Operation *operation);
  void overwriteScratch(mlir::Operation *operation);
  bool checkTypes(mlir::Operation *operation);
  void findDeaths(mlir::Block &block);
  void beginPlace(mlir::Operation *operation);
  llvm::SmallVector<diag::Span, 2> callersOf(mlir::Location location) const;
  /// What variables hold of what an operation, or its block, defines (LowerVariables.cpp).
  void noteVariables(mlir::Operation *operation, mlir::ValueRange values);
  uint32_t allocateBytes(uint64_t bytes);

  diag::Sink &sink;
  const diag::SourceManager &sources;
  llvm::DenseMap<mlir::Value, Slot> slots;
  llvm::DenseMap<mlir::Value, int> parameters;
  /// Holds on slots that can be reused, by frame offset; constants and parameters have no entry.
  struct Hold {
    uint32_t count;
    uint32_t bytes;
  };
  llvm::DenseMap<uint32_t, Hold> holds;
  FreeSlots freeSlots;
  llvm::SmallVector<Slot, 8> temporaries;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 2>> deaths;
  llvm::DenseMap<mlir::Block *, bool> deathsFound;
  uint32_t currentPlace = 0;
  int32_t currentLoop = -1;
  /// The operation in hand sees whole tiles.
  bool wholeTiles = false;
  llvm::DenseMap<mlir::Type, const Share *> shares;
  llvm::DenseMap<mlir::Type, const Share *> pairShares;
  bool frameOverflow = false;
  /// Types of the results of asynchronous dots.
  llvm::DenseSet<mlir::Type> dotTypes;
  const bitcode::Libraries *libraries = nullptr;
};

} // namespace gluonc::sim
