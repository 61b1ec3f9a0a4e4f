//===- Assign.h - Layouts for kernels that state none --------------------------===//
//
// Kernels of the Triton language leave layouts to the compiler. These passes choose
// them; behind them a module is plain ttg, which `transform` cannot tell from that of
// a kernel whose author chose. They work on modules with the attribute
// `gluon.chooses_layouts` (ir/OpenLayouts.h) and leave others alone.
//
// Between the passes a tensor is open (no layout yet) or stated. An operation that
// must have a certain layout is stated, between conversions from and to open ones:
//
//   %a = ttg.convert_layout %p : tensor<128x!tt.ptr<f32>> -> tensor<128x!tt.ptr<f32>, #l>
//   %b = tt.load %a : tensor<128x!tt.ptr<f32>, #l>
//   %x = ttg.convert_layout %b : tensor<128xf32, #l> -> tensor<128xf32>
//
//===----------------------------------------------------------------------===//
#pragma once

#include "target/Target.h"

#include "mlir/Pass/PassManager.h"

namespace gluonc {

struct AssignOptions {
  /// Every operation in the default layout of its shape, with conversions wherever two meet: slow,
  /// and what other choices are compared with.
  bool allDefault = false;
  /// Say what becomes of loads in loops, of products, and of loops that ask for a warp of their
  /// own, and why (GL9001 to GL9004).
  bool remarks = false;
};

/// All passes below, in order; see Assign.cpp for the reasons. Needs inlined calls. Leaves no open
/// tensor, and no attribute that asks for layouts.
void addAssign(mlir::OpPassManager &passes, const target::Target &target,
               AssignOptions options = {});

/// Makes them known to command-line tools: `-gluonc-assign=<target>`,
/// `-gluonc-assign-default=<target>`, and passes that need no target as `-gluonc-<pass>`.
void registerAssignPasses();

/// Makes one loop of two nested ones, where the author asks for it (`tt.flatten`).
std::unique_ptr<mlir::Pass> createFlattenLoopsPass();

/// Makes several iterations of a loop one, where the author asks for it (`tt.loop_unroll_factor`).
std::unique_ptr<mlir::Pass> createUnrollLoopsPass();

/// Loads blocks of descriptors without the leading dims of one that are reshaped away.
std::unique_ptr<mlir::Pass> createDropUnitDimsPass();

/// Loads operands of products transposed where they are transposed.
std::unique_ptr<mlir::Pass> createTransposeLoadsPass();

/// Gives products the sums that they are added to.
std::unique_ptr<mlir::Pass> createCombinePass();

/// What a chip does with the blocks that its threads load.
struct CoalesceOptions {
  /// A thread loads neighbours along the depth of a product, also where they are none in memory:
  /// the chip cannot read columns of shared memory.
  bool transposesInRegisters = false;
  /// Copies to shared memory bring ahead what loops compute operands of products from.
  bool copiesAhead = false;
};

/// States layouts of accesses to global memory, such that neighbouring threads access neighbouring
/// addresses. Loads of fewer elements than there are threads stay open, unless they are brought
/// ahead.
std::unique_ptr<mlir::Pass> createCoalescePass(CoalesceOptions options = {});

/// States layouts of matrix products that tensor cores and matrix cores compute. On NVIDIA,
/// products of groups of four warps become `ttng.warp_group_dot` or `ttng.tc_gen5_mma`, with
/// operands in shared memory.
std::unique_ptr<mlir::Pass> createMatrixInstructionsPass(const target::Target &target);

/// Makes products with scales those of tensor memory.
std::unique_ptr<mlir::Pass> createScaledProductsPass(const target::Target &target);

/// States layouts of matrix products that no pass before has stated: each thread computes a block
/// of the result by scalar multiplications.
std::unique_ptr<mlir::Pass> createStateProductsPass();

/// Gives every open tensor a layout. Those that are stated spread along operations, forward from
/// what is computed, then backward from what is needed; where two meet there is a conversion.
std::unique_ptr<mlir::Pass> createPropagateLayoutsPass(bool allDefault = false);

/// Stores in the layout of the values what `target` has too little shared memory to convert.
std::unique_ptr<mlir::Pass> createFitStoresPass(const target::Target &target);

/// Keeps in shared memory what loops gather from, where a gather goes through it anyway.
std::unique_ptr<mlir::Pass> createStoreGatheredPass(const target::Target &target);

/// Drops conversions where computing the value again in the other layout costs less, and moves
/// them before operations that widen what they convert.
std::unique_ptr<mlir::Pass> createRemoveConversionsPass();

/// Lets threads meet behind a loop, in place of in it, for sums and maxima that it carries.
std::unique_ptr<mlir::Pass> createReduceBehindLoopsPass();

/// Lets loops compute operands of products, from blocks that they copy ahead, in the operands'
/// layouts.
std::unique_ptr<mlir::Pass> createHoistConversionsPass(const target::Target &target);

/// Lets a warp of its own start the copies of loops that load through descriptors, where the author
/// asks for it (`tt.warp_specialize`), on Hopper.
std::unique_ptr<mlir::Pass> createWarpSpecializePass(const target::Target &target,
                                                     bool remarks = false);

/// Loops with stages (`tt.num_stages`) copy blocks to shared memory ahead of their use.
std::unique_ptr<mlir::Pass> createPipelinePass(const target::Target &target, bool remarks = false);

/// Makes copies by the copy engine of accesses through descriptors.
std::unique_ptr<mlir::Pass> createDescriptorCopiesPass(const target::Target &target);

/// Lets products read blocks where loops have copied them, transposed, too.
std::unique_ptr<mlir::Pass> createReadBuffersPass();

/// Converts blocks for buffers that CTAs of a cluster share otherwise than these.
std::unique_ptr<mlir::Pass> createMeetSharesPass();

/// Keeps operands of products in shared memory, where several come from one block or a loop has too
/// few registers for them.
std::unique_ptr<mlir::Pass> createStoreOperandsPass(const target::Target &target);

/// Stores loaded operands of products to shared memory before other products, where two programs
/// still fit a multiprocessor.
std::unique_ptr<mlir::Pass> createStoreEarlyPass(const target::Target &target);

/// Drops what loops carry and nothing needs.
std::unique_ptr<mlir::Pass> createDropArgumentsPass();

/// Starts loads before threads exchange what the loads do not need.
std::unique_ptr<mlir::Pass> createLoadEarlyPass();

/// Says by which instructions products are computed.
std::unique_ptr<mlir::Pass> createSayProductsPass(const target::Target &target);

/// Keeps sums of products in tensor memory over the loops that add them up.
std::unique_ptr<mlir::Pass> createKeepSumsPass();

/// Lets products of tensor memory tell when they are over, and waits for them.
std::unique_ptr<mlir::Pass> createAwaitProductsPass();

/// Reports tensors that are still open; drops the attribute that asked for layouts.
std::unique_ptr<mlir::Pass> createFinishLayoutsPass();

} // namespace gluonc
