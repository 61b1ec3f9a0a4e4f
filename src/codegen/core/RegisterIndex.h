//===- RegisterIndex.h - Registers by the coordinates that they hold --------------===//
#pragma once

#include "codegen/core/Emitter.h"

namespace gluonc::codegen {

using Coords = llvm::SmallVector<int64_t, 4>;

/// Registers of a tensor by the coordinates that they hold in thread 0.
class RegisterIndex {
public:
  RegisterIndex(Emitter &emitter, mlir::RankedTensorType type)
      : layout(emitter.types.layoutOf(type)), rank(type.getRank()) {
    for (unsigned i = 0; i < layout.inSize(layout::Dim::Register); ++i)
      registers.try_emplace(layout.applyPacked(layout.packIn({{layout::Dim::Register, i}})), i);
  }
  std::optional<unsigned> find(llvm::ArrayRef<int64_t> coords) const {
    llvm::SmallVector<layout::Coord> index;
    for (auto [axis, value] : llvm::enumerate(coords))
      index.push_back({layout::Dim::axis(axis), static_cast<uint32_t>(value)});
    auto found = registers.find(layout.packOut(index));
    return found == registers.end() ? std::nullopt : std::optional<unsigned>(found->second);
  }
  Coords coordsOf(unsigned reg) const {
    Coords coords(rank);
    for (layout::Coord coord : layout.apply({{layout::Dim::Register, reg}}))
      if (coord.dim.isAxis())
        coords[coord.dim.axisIndex()] = coord.value;
    return coords;
  }

private:
  const layout::LinearLayout &layout;
  unsigned rank;
  llvm::DenseMap<uint64_t, unsigned> registers;
};

} // namespace gluonc::codegen
