//===- EmitBuffers.h - Buffer accesses of AMD GPUs ----------------------------------===//
#pragma once

#include "codegen/core/EmitTable.h"

namespace gluonc::codegen::amd {

void addBuffers(EmitTable &table);

} // namespace gluonc::codegen::amd
