//===- SharedOperand.h - Operands of products that lie in shared memory -----------===//
#pragma once

#include "codegen/core/Emitter.h"
#include "ir/Dialects.h"
#include "layout/plan/MatrixDescriptor.h"

namespace gluonc::codegen::nvidia {

/// Descriptors of what lies from the beginning of a view of shared memory on: `bits` and its
/// address. `inverse` is that of the buffer's layout, whose elements have `bytes`.
llvm::Value *describeView(Emitter &emitter, mlir::Value view, const layout::LinearLayout &inverse,
                          unsigned bytes, uint64_t bits, llvm::Value *offset = nullptr);

/// An operand that wgmma or tcgen05.mma finds by a matrix descriptor.
class SharedOperand {
public:
  /// `outerFromLast`: whether M or N is the last dim (0) or the one before (1). One instruction
  /// reads `outer` times `depth` elements. `countsPadding`: so many with what follows every 8 bytes
  /// (layout::countPadding), and steps count it, too.
  SharedOperand(Emitter &emitter, mlir::Value buffer, unsigned outerFromLast, unsigned outer,
                unsigned depth, bool countsPadding = false);

  bool isValid() const { return descriptor.has_value(); }
  bool contiguousK() const { return descriptor->contiguousK; }

  /// Computes the descriptor of element (0, 0). `groupSteps[bit]` is what bit of the number of the
  /// warp group adds to the outer coordinate, `version` the bits that tell the instruction's
  /// descriptors from others.
  void start(llvm::ArrayRef<uint32_t> groupSteps, uint64_t version = 0);
  llvm::Value *begin() const { return first; }
  /// What the descriptor of an element is more than that.
  uint64_t step(uint32_t outer, uint32_t k) const;
  llvm::Value *at(uint32_t outer, uint32_t k) const {
    return emitter.builder.CreateAdd(first, emitter.builder.getInt64(step(outer, k)));
  }

private:
  llvm::Value *groupOffset(llvm::ArrayRef<uint32_t> groupSteps);

  Emitter &emitter;
  mlir::Value buffer;
  /// Where elements of the buffer lie, and where those that instructions count.
  std::optional<layout::LinearLayout> inverse, counted;
  std::optional<layout::MatrixDescriptor> descriptor;
  unsigned outerAxis = 0, kAxis = 1, bytes = 1;
  llvm::Value *first = nullptr;
};

} // namespace gluonc::codegen::nvidia
