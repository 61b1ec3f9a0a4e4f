//===- EmitDot.h - Matrix products of AMD GPUs -----------------------------------===//
#pragma once

#include "codegen/core/EmitTable.h"

namespace gluonc::codegen::amd {

void addDot(EmitTable &table);

} // namespace gluonc::codegen::amd
