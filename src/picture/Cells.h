//===- Cells.h - Words and cells that pictures share -------------------------===//
//
// Internal to the room.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/named/Layouts.h"
#include "picture/Picture.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace gluonc::picture {

/// A place in registers, as pictures name it.
struct Owner {
  uint32_t reg = 0, lane = 0, warp = 0, block = 0;
  int64_t lanes, warps, blocks;

  Owner(const layout::LinearLayout &linear, uint64_t place);
  int64_t thread() const { return warp * lanes + lane; }
  /// "T5", or "B1 T5" in clusters.
  std::string threadText() const;
  /// "T5:2"
  std::string text() const { return threadText() + ":" + std::to_string(reg); }
  /// "warp 0, lane 5, register 2"
  std::string words() const;
  unsigned group() const { return static_cast<unsigned>(block * warps + warp); }
};
/// "warp 0", or "B1 warp 0" in clusters, for each group of owners.
std::vector<std::string> ownerGroups(const layout::LinearLayout &linear);

/// Calls `visit` with every packed input of a layout of registers, in the order of blocks, warps,
/// lanes, registers.
void forEachOwner(const layout::LinearLayout &linear, llvm::function_ref<void(uint64_t)> visit);

/// "3, 4"
std::string commas(llvm::ArrayRef<int64_t> numbers);
/// The coordinates of a tensor's element.
layout::Ints elementAt(const layout::LinearLayout &linear, uint64_t place);

/// A panel with an empty cell for each element: the last axis along a row, the others folded into
/// rows.
Panel emptyTensor(llvm::ArrayRef<int64_t> shape);
/// The cell of an element; null outside of the panel.
Cell *cellAt(Panel &panel, llvm::ArrayRef<int64_t> element, llvm::ArrayRef<int64_t> shape);

/// A column of tensor memory.
inline constexpr unsigned columnBits = 32;

/// Bank of a byte.
unsigned bankOf(int64_t byte);
/// The level of `count` between nothing and `most`, by its logarithm.
unsigned heatOf(int64_t count, int64_t most);

/// The panel of a tensor in any layout, the first elements of each axis only.
Panel elementsPanel(const layout::Layout &layout, llvm::ArrayRef<int64_t> shape, unsigned bits,
                    llvm::ArrayRef<int64_t> shown);

} // namespace gluonc::picture
