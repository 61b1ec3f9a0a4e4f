#include "amdgcn/Handlers.h"

namespace gluonc::amdgcn {

Handler chooseTensor(Instruction &, const Chip &) { return nullptr; }

} // namespace gluonc::amdgcn
