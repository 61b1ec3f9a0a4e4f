#include "sim/machine/StageOrder.h"

namespace gluonc::sim {

std::optional<StageOrder::Conflict>
StageOrder::access(uint64_t offset, uint32_t bytes, uint8_t halves, bool writes, uint32_t place) {
  for (uint64_t at = offset; at < offset + bytes && at < cells.size(); ++at) {
    Cell &cell = cells[at];
    if (halves & Early) {
      if (cell.write.isIn(stage - 1))
        return Conflict{at, cell.write.place, true};
      if (writes && cell.read.isIn(stage - 1))
        return Conflict{at, cell.read.place, false};
    }
    if (halves & Late)
      (writes ? cell.write : cell.read).note(stage, place);
  }
  return std::nullopt;
}

} // namespace gluonc::sim
