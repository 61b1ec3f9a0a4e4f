//===- PayloadTable.h - Operations that the sanitizer of floating point replaces ---===//
#pragma once

#include "sim/lower/Lowering.h"

namespace gluonc::sim {

/// Those that compute on payloads in place of floats.
const OperationTable &payloadTable();

} // namespace gluonc::sim
