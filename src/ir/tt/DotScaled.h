//===- DotScaled.h - Products whose operands have scales -----------------------===//
//
// `tt.dot_scaled`. Not part of Dialects.h: few files need it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/Dialects.h"

#define GET_OP_CLASSES
#include "ir/TTDotScaled.h.inc"
