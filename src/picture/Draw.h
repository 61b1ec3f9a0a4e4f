//===- Draw.h - Pictures of layouts ------------------------------------------===//
//
// Every fact in a picture comes from the room layout: linear layouts, plans of
// conversions, phases of shared memory. What is drawn has passed validate() and
// layout::checkShape(); what else may be wrong is said by a `check…` function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/named/Layouts.h"
#include "picture/Picture.h"

namespace gluonc::picture {

/// A tensor in a layout.
struct Laid {
  layout::Layout layout;
  layout::Ints shape;
  unsigned elementBits = 32;
};

/// Every element with its place: thread and register, offset and bank of shared memory, row and
/// column of tensor memory. Along each axis the first elements only, as many as `corner` says.
Picture drawElements(const Laid &laid, llvm::ArrayRef<int64_t> corner = {});

/// Shared memory in lines of its 32 banks, tensor memory row by row: what lies where. Elements that
/// follow each other share a cell, of 16 bytes at most.
Picture drawMemory(const Laid &laid);

/// Which thread and register each element comes from, and who sends how much to whom. The problem:
/// layouts with other numbers of lanes, warps or CTAs.
layout::Problem checkConversion(const Laid &from, const layout::Layout &to);
Picture drawConversion(const Laid &from, const layout::Layout &to);

/// How many words of each bank the phases of warp 0's accesses want, when a tensor in a layout of
/// registers moves to or from shared memory.
layout::Problem checkBanks(const Laid &registers, const layout::Layout &shared);
Picture drawBanks(const Laid &registers, const layout::Layout &shared);

/// The result of a matrix product, and its operands at its sides: `depth` is K. Operands of wgmma
/// on the right, and of tcgen05, are in shared memory.
struct Product {
  Laid result;
  int64_t depth = 16;
  /// Neighbours along K in a thread; 0: as many as a register of 32 bits holds.
  int64_t kWidth = 0;
};
layout::Problem checkProduct(const Product &product);
Picture drawProduct(const Product &product);

/// A loop whose steps run in different iterations at a time.
struct Pipeline {
  struct Step {
    std::string name;
    /// How many iterations later than the first step's it runs.
    unsigned stage;
  };
  std::vector<Step> steps;
  unsigned iterations = 6;
};
/// Steps against time; what is loaded stays in a buffer until its last use.
Picture drawPipeline(const Pipeline &pipeline);

} // namespace gluonc::picture
