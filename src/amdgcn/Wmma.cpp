#include "amdgcn/Handlers.h"

namespace gluonc::amdgcn {

Handler chooseWmma(Instruction &, const Chip &) { return nullptr; }

} // namespace gluonc::amdgcn
