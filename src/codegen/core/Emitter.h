//===- Emitter.h - State of emitting one function ---------------------------===//
//
// Values.  A tensor is one LLVM value per register of its layout, redundant
// registers (zero bases) left out, so a tensor that wraps around many times
// costs what one copy costs. A scalar is one value. A buffer in shared memory
// is its base pointer, then its element offset along each dim.
//
// Emit functions.  One per operation, found by the operation's type in a table;
// each sees only its own operation and the registers of its operands. To add
// one: write `LogicalResult emitFoo(Emitter &, FooOp)` in the file of its
// family and name it in that file's `add…` function.
//
// Addresses.  Whatever depends on the thread is computed once per function, in
// a prologue block that dominates everything, and what differs between the
// registers of a thread is a constant; so the addresses of a thread are one
// base plus immediates. See Indices.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/core/Indices.h"
#include "codegen/core/Isa.h"
#include "layout/linear/LinearLayout.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Support/LLVM.h"
#include "mlir/Support/LogicalResult.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace gluonc {
class AxisInfos;
namespace tt {
class FuncOp;
}
} // namespace gluonc

namespace gluonc::codegen {

class DebugInfo;
class Emitter;

using EmitFunction = mlir::LogicalResult (*)(Emitter &, mlir::Operation *);

/// Emit functions by operation type.
class EmitTable {
public:
  template <auto function> void add() {
    addImpl(function, std::integral_constant<decltype(function), function>());
  }
  /// Null for an operation that has no machine code.
  EmitFunction find(mlir::OperationName name) const { return functions.lookup(name.getTypeID()); }

private:
  template <typename Op, typename Constant>
  void addImpl(mlir::LogicalResult (*)(Emitter &, Op), Constant) {
    functions[mlir::TypeID::get<Op>()] = [](Emitter &emitter, mlir::Operation *op) {
      return Constant::value(emitter, llvm::cast<Op>(op));
    };
  }
  llvm::DenseMap<mlir::TypeID, EmitFunction> functions;
};

void addArith(EmitTable &table);
void addMath(EmitTable &table);
void addCasts(EmitTable &table);
void addProgram(EmitTable &table);
void addReshape(EmitTable &table);
void addLoadStore(EmitTable &table);
void addConvertLayout(EmitTable &table);
void addShared(EmitTable &table);
void addDebug(EmitTable &table);
void addScan(EmitTable &table);
void addAtomics(EmitTable &table);
void addReduce(EmitTable &table);
void addAsyncCopy(EmitTable &table);
void addGather(EmitTable &table);
void addIndexed(EmitTable &table);
void addMap(EmitTable &table);
void addLibdevice(EmitTable &table);
void addControlFlow(EmitTable &table);
void addWarpSpecialize(EmitTable &table);
void addCluster(EmitTable &table);

/// The warps that run a piece of code together: all of the kernel, or those of a partition.
struct WarpGroup {
  unsigned first = 0, count = 0;
  /// Hardware barrier at which they synchronize, where others exist beside them.
  unsigned barrier = 0;
};

/// What the functions of one module share.
struct ModuleState {
  llvm::Module &module;
  const Isa &isa;
  const target::Target &target;
  const Options &options;
  const KernelInfo &kernel;
  /// Null unless line information was asked for.
  DebugInfo *debug;
  /// The CTA's dynamic shared memory.
  llvm::GlobalVariable *shared = nullptr;
  llvm::DenseMap<mlir::Operation *, llvm::Function *> functions =
      llvm::DenseMap<mlir::Operation *, llvm::Function *>();
  /// The first operation that could not be emitted.
  std::optional<UnsupportedError> failure = std::nullopt;
};

class Emitter {
public:
  Emitter(ModuleState &state, tt::FuncOp source, llvm::Function &function);
  ~Emitter();

  ModuleState &state;
  llvm::Function &function;
  Builder builder;
  const Isa &isa;

  /// Emits a region whose entry block continues at the current place.
  mlir::LogicalResult emitRegion(mlir::Region &region);
  mlir::LogicalResult emitBlock(mlir::Block &block);
  /// Remembers why emission stops. Always failure.
  mlir::LogicalResult unsupported(mlir::Operation *op, const llvm::Twine &what = "");
  /// Where AllocateShared put the buffer or scratch of the operation, in bytes and as an address;
  /// nothing, after a report, if nowhere.
  std::optional<int64_t> allocationOf(mlir::Operation *op);
  llvm::Value *sharedOf(mlir::Operation *op);

  // -- Values ------------------------------------------------------------------
  const Registers &get(mlir::Value value) const;
  llvm::Value *scalar(mlir::Value value) const { return get(value).front(); }
  void set(mlir::Value value, Registers registers);
  /// The registers of several values, one after another; what calls carry.
  Registers flatten(mlir::ValueRange values) const;
  /// The reverse: takes the registers of each value from the front of `flat`.
  void setFlat(mlir::ValueRange values, llvm::ArrayRef<llvm::Value *> flat);

  // -- Types -------------------------------------------------------------------
  /// LLVM type of one element: fp8 as i8, pointers in their address space.
  llvm::Type *elementType(mlir::Type type) const;
  /// One LLVM type per register.
  llvm::SmallVector<llvm::Type *> registerTypes(mlir::Type type);
  /// The layout of a tensor without its zero register bases.
  const layout::LinearLayout &layoutOf(mlir::Type type);
  unsigned registerCount(mlir::Type type);

  /// Contiguity, divisibility and constancy of the function's values.
  const AxisInfos &axes();
  /// Bits of the register number that do not matter to `value`, because the elements they tell
  /// apart are known to be equal: all of `xoffs < xnumel` inside 16 rows where 16 divides xnumel.
  uint32_t equalRegisterBits(mlir::Value value);

  // -- Threads -----------------------------------------------------------------
  llvm::Value *threadId();
  /// Number of the CTA in its cluster; only where the cluster has several.
  llvm::Value *clusterRank();
  unsigned clusterSize() const { return state.kernel.numCtas; }
  /// XOR over the set bits of the thread id of `images` (lane bits first, then
  /// warp bits, then bits of the CTA's number); computed once in the prologue.
  llvm::Value *threadPart(llvm::ArrayRef<uint32_t> images);
  /// The images of lane, warp and block bits under one output dim of `map`.
  llvm::SmallVector<uint32_t> threadImages(const layout::LinearLayout &map, layout::Dim out) const;
  /// Among whom one thread is to act for all with the same element.
  enum class Among { Cta, Cluster };
  /// True in the threads that own their elements; null when all do.
  llvm::Value *ownerMask(const layout::LinearLayout &layout, Among among);
  llvm::Value *isFirstThread(Among among);
  unsigned threads() const { return group.count * state.target.warpSize(); }
  /// Number of the warp within its group, the same value in all lanes.
  llvm::Value *warpId();
  /// All threads of the group arrive, and see each other's memory accesses.
  void barrier();
  /// The same for all CTAs of the cluster, on behalf of `op`. In a partition: of
  /// the same partition in all CTAs.
  mlir::LogicalResult clusterBarrier(mlir::Operation *op, bool relaxed = false);
  WarpGroup group;

  /// Emits for other warps for its own lifetime, beginning at the current place.
  class GroupScope {
  public:
    GroupScope(Emitter &emitter, WarpGroup group);
    ~GroupScope();

  private:
    Emitter &emitter;
    WarpGroup savedGroup;
    Builder::InsertPoint savedPrologue;
    llvm::Value *savedThread, *savedUnbounded, *savedWarp, *savedRank;
    ThreadParts savedParts;
  };

  /// Whether workers can use it: a constant, an argument, or made at the function's entry.
  bool isKnownEverywhere(llvm::Value *value) const;
  /// Sends the workers of a kernel home; before every return.
  void releaseWorkers(mlir::Operation *op);
  /// Where workers find out what to do; null before the first partition.
  llvm::SwitchInst *workers = nullptr;
  /// Where they wait for it.
  llvm::BasicBlock *workersStart = nullptr;
  /// What sends them to synchronize with the cluster; 0 before that is asked for.
  unsigned workersSyncCluster = 0;
  /// Where the partition that is being emitted ends; the same of default regions, with their
  /// results.
  llvm::BasicBlock *partitionEnd = nullptr;
  llvm::SmallVector<std::pair<llvm::BasicBlock *, llvm::SmallVector<llvm::PHINode *>>> defaultEnds;
  /// The function's first block, which dominates all others.
  llvm::BasicBlock *entry = nullptr;

  // -- Blocks ------------------------------------------------------------------
  llvm::BasicBlock *newBlock(const llvm::Twine &name);
  llvm::SmallVector<llvm::PHINode *> newPhis(mlir::TypeRange types);
  void startBlock(llvm::BasicBlock *block) { builder.SetInsertPoint(block); }
  /// What phis carry of several values: their registers one after another, but operands of matrix
  /// products in the words that instructions take. Elements that travel alone would need a
  /// machine register each, and be put together again in every iteration.
  Registers carry(mlir::ValueRange values);
  /// The reverse, where `phis` have their block's top to themselves.
  void setCarried(mlir::ValueRange values, llvm::ArrayRef<llvm::PHINode *> phis);
  /// The block of a cf branch target; its arguments are phis.
  llvm::BasicBlock *blockOf(mlir::Block *block);
  void branchTo(mlir::Block *target, mlir::ValueRange operands);
  void addIncoming(mlir::Block *target, llvm::ArrayRef<llvm::Value *> carried,
                   llvm::BasicBlock *from);

private:
  /// How many elements of a value go into a word that phis carry.
  unsigned elementsPerPhi(mlir::Type type);

  mlir::Operation *source;
  std::unique_ptr<AxisInfos> axisInfos;
  llvm::DenseMap<mlir::Value, Registers> values;
  /// By pointer: references to layouts outlive the growth of the map.
  llvm::DenseMap<mlir::Type, std::unique_ptr<layout::LinearLayout>> layouts;
  llvm::DenseMap<mlir::Block *, llvm::BasicBlock *> blocks;
  llvm::DenseMap<mlir::Block *, llvm::SmallVector<llvm::PHINode *>> blockPhis;
  /// Inserts at the end of the prologue.
  Builder prologue;
  llvm::Value *threadOfGroup(unsigned limit);

  llvm::Value *thread = nullptr, *unboundedThread = nullptr, *warp = nullptr, *rank = nullptr;
  ThreadParts threadParts;
};

/// Emits an operation register by register: `make` gets one register of each operand. Masks are
/// computed once for elements that are known to agree: predicates are the scarcest registers.
template <typename Make> void emitElementwise(Emitter &emitter, mlir::Operation *op, Make make) {
  Registers results;
  unsigned count = emitter.get(op->getOperand(0)).size();
  mlir::Value result = op->getResult(0);
  bool mask = count > 1 && mlir::getElementTypeOrSelf(result.getType()).isInteger(1);
  uint32_t equal = mask ? emitter.equalRegisterBits(result) : 0;
  for (unsigned i = 0; i < count; ++i) {
    if (i & equal) {
      results.push_back(results[i & ~equal]);
      continue;
    }
    llvm::SmallVector<llvm::Value *, 4> operands;
    for (mlir::Value operand : op->getOperands())
      operands.push_back(emitter.get(operand)[i]);
    results.push_back(make(llvm::ArrayRef<llvm::Value *>(operands)));
  }
  emitter.set(result, std::move(results));
}

} // namespace gluonc::codegen
