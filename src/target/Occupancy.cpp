#include "target/Occupancy.h"

namespace gluonc::target {

std::string_view nameOf(OccupancyLimit limit) {
  switch (limit) {
  case OccupancyLimit::Warps:
    return "warps";
  case OccupancyLimit::Ctas:
    return "CTAs";
  case OccupancyLimit::Registers:
    return "registers";
  case OccupancyLimit::SharedMemory:
    return "shared memory";
  }
  return "";
}

} // namespace gluonc::target
