//===- Emitter.h - State of emitting one function ---------------------------===//
//
// An emitter walks the operations of a function and holds what emit functions
// write with, each part in a class of its own:
//
//     types     LLVM types of values, register by register     RegisterTypes.h
//     values    the registers of values                        Values.h
//     blocks    basic blocks, phis and what they carry         Blocks.h
//     threads   who runs the code: ids, thread parts, owners   Threads.h
//     workers   where warps of partitions wait and end         Workers.h
//
// Emit functions.  One per operation, found by the operation's type in a table;
// each sees only its own operation and the registers of its operands. To add
// one: write `LogicalResult emitFoo(Emitter &, FooOp)` in the file of its
// family and name it in that file's `add…` function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/core/Blocks.h"
#include "codegen/core/EmitTable.h"
#include "codegen/core/Threads.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace gluonc {
namespace tt {
class FuncOp;
}
} // namespace gluonc

namespace gluonc::codegen {

/// Where the warps beyond a kernel's own wait, and where partitions end.
struct Workers {
  /// Where workers find out what to do; null before the first partition.
  llvm::SwitchInst *dispatch = nullptr;
  /// Where they wait for it.
  llvm::BasicBlock *start = nullptr;
  /// What sends them to synchronize with the cluster; 0 before that is asked for.
  unsigned syncCluster = 0;
  /// Where the partition that is being emitted ends; the same of default regions, with their
  /// results.
  llvm::BasicBlock *partitionEnd = nullptr;
  llvm::SmallVector<std::pair<llvm::BasicBlock *, llvm::SmallVector<llvm::PHINode *>>> defaultEnds;
};

class Emitter {
public:
  Emitter(ModuleState &state, tt::FuncOp source, llvm::Function &function);

  ModuleState &state;
  const Isa &isa;
  /// The function that is emitted, and what it becomes.
  mlir::Operation *const source;
  llvm::Function &function;
  Builder builder;
  RegisterTypes types;
  Values values;
  Blocks blocks;
  Threads threads;
  Workers workers;
  /// The address of the kernel's tensor memory, an i32; null where it has none.
  llvm::Value *tensorMemory = nullptr;

  /// At the start of the kernel and before each of its ends.
  void beginTensorMemory();
  void endTensorMemory();

  /// Emits a region whose entry block continues at the current place.
  mlir::LogicalResult emitRegion(mlir::Region &region);
  mlir::LogicalResult emitBlock(mlir::Block &block);
  /// Remembers why emission stops. Always failure.
  mlir::LogicalResult unsupported(mlir::Operation *op, const llvm::Twine &what = "");

  /// The registers of operands and results: short for those of `values`.
  const Registers &get(mlir::Value value) const { return values.get(value); }
  llvm::Value *scalar(mlir::Value value) const { return values.get(value).front(); }
  void set(mlir::Value value, Registers registers) { values.set(value, std::move(registers)); }

  /// Where AllocateShared put the buffer or scratch of the operation, in bytes and as an address;
  /// nothing, after a report, if nowhere.
  std::optional<int64_t> allocationOf(mlir::Operation *op);
  llvm::Value *sharedOf(mlir::Operation *op);
};

/// Emits an operation register by register: `make` gets one register of each operand. Masks are
/// computed once for elements that are known to agree: predicates are the scarcest registers.
template <typename Make> void emitElementwise(Emitter &emitter, mlir::Operation *op, Make make) {
  Registers results;
  unsigned count = emitter.get(op->getOperand(0)).size();
  mlir::Value result = op->getResult(0);
  bool mask = count > 1 && mlir::getElementTypeOrSelf(result.getType()).isInteger(1);
  uint32_t equal = mask ? emitter.values.equalRegisterBits(result) : 0;
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
