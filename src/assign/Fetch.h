//===- Fetch.h - The part of a loop that can run ahead of the rest ---------------===//
#pragma once

#include "assign/LateProducts.h"
#include "assign/Writes.h"
#include "ir/OpenLayouts.h"
#include "ir/tt/AxisInfo.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace gluonc::assign {

/// A load that becomes an asynchronous copy to shared memory.
struct Copy {
  mlir::Operation *load;
  /// Layout of the buffer.
  mlir::Attribute shared;
  /// A product reads the buffer itself, and may still do so in the next iteration.
  bool isOfDot = false;
  /// What its mask leaves out is no zero: it is put in place behind the copy.
  bool hasOther = false;
  /// Of loads through descriptors, which the copy engine carries out: those whose first uses are
  /// the same have one number, from 0 on.
  std::optional<unsigned> box = std::nullopt;

  /// Whether `user` of what is loaded takes it from the buffer.
  bool isReadBy(mlir::Operation *user) const;
};

/// What has to run for the copies of an iteration.
struct Fetch {
  mlir::scf::ForOp loop;
  /// In the order of the body.
  llvm::SmallVector<Copy, 4> copies;
  /// Those of the body that compute addresses and masks, and the loads; in order.
  llvm::SmallVector<mlir::Operation *> operations;
  /// Numbers of the loop's arguments that they need.
  llvm::SmallVector<unsigned> arguments;
  /// Products whose sums only the same products of the next iteration take, and branches.
  llvm::SmallVector<mlir::Operation *> asyncDots;
  /// Products whose sums the next iteration takes behind another product, `meeting`, that it waits
  /// for anyway.
  llvm::SmallVector<mlir::Operation *> carriedDots;
  mlir::Operation *meeting = nullptr;
  /// Products of tensor memory that may still run when their iteration is over.
  LateProducts late;
  /// Bytes of all blocks of a box number.
  llvm::SmallVector<int64_t, 2> boxBytes;

  /// What becomes of the load that makes `value`; null where it stays, or `value` is no load's.
  const Copy *copyOf(mlir::Value value) const;
  /// Whether it may still run when its iteration is over.
  bool outlives(mlir::Operation *dot) const {
    return llvm::is_contained(asyncDots, dot) || llvm::is_contained(carriedDots, dot);
  }
  /// Whether an iteration waits for products of the one before.
  bool meets() const { return meeting && !carriedDots.empty(); }
  /// The loop's argument that the sum of one of these is in the next iteration.
  mlir::Value argumentOf(mlir::Operation *dot) const;
};

/// Loads of a loop that stay where they are, and why.
using Staying = llvm::MapVector<mlir::Operation *, llvm::StringRef>;

/// Adds all loads of a loop, but not of loops in it, for one reason.
void addStaying(mlir::scf::ForOp loop, llvm::StringRef why, Staying &staying);

/// How many stages a loop has: its own number, else that of the kernel.
int64_t stagesOf(mlir::scf::ForOp loop);

/// Whether a product of the loop's body takes what the load gives, or what is computed from it in
/// the body, as an operand.
bool feedsProductIn(mlir::scf::ForOp loop, mlir::Operation *load);

/// Whether copies of an element a thread can be ahead of the loop that computes operands of its
/// products from what `access` loads.
bool canRunAhead(mlir::Operation *access);

/// A buffer of which matrix instructions read `operand` without conflicts of banks, whose
/// neighbours along `order[0]` are neighbours.
layout::Layout bufferFor(mlir::RankedTensorType type, const layout::DotOperandLayout &operand,
                         const layout::Ints &order);

/// The loads of a loop's body that can be started iterations ahead, and what they need; nullopt
/// where there are none. `staying` gets the others.
std::optional<Fetch> findFetch(mlir::scf::ForOp loop, const AxisInfos &facts,
                               Staying *staying = nullptr);

} // namespace gluonc::assign
