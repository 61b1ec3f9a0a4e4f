#include "runtime/LaunchShape.h"

#include "llvm/Support/raw_ostream.h"

namespace gluonc::runtime {

std::string whyTooLarge(Grid grid, Grid most) {
  if (fits(grid, most))
    return "";
  std::string text;
  llvm::raw_string_ostream(text) << "launching the kernel on a grid of " << grid.x << " x "
                                 << grid.y << " x " << grid.z << " programs; at most " << most.x
                                 << " x " << most.y << " x " << most.z << " are possible";
  return text;
}

} // namespace gluonc::runtime
