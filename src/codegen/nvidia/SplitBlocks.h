//===- SplitBlocks.h - Cuts huge blocks before instruction selection -----------===//
#pragma once

namespace llvm {
class FunctionPass;
} // namespace llvm

namespace gluonc::codegen::nvidia {

/// Cuts blocks of more than a few thousand instructions. Instructions are selected block by block,
/// in time that grows with the square of a block's accesses to memory. Kernels that a person wrote
/// have no such blocks, and stay as they are.
llvm::FunctionPass *createSplitBlocks();

} // namespace gluonc::codegen::nvidia
