//===- NumberFormat.h - Element bytes to numbers and back -------------------===//
#pragma once

#include "sema/value/DType.h"

#include <cstdint>

namespace gluonc::host {

/// The number that an element's bytes stand for. 64-bit integers beyond 2^53 round.
double decodeElement(sema::DType dtype, const void *bytes);
/// Rounds to nearest even; integers truncate and wrap as a C cast of the low bits.
void encodeElement(sema::DType dtype, double value, void *bytes);

/// An integer element, exactly (two's complement; unsigned ones zero-extended).
int64_t decodeInteger(sema::DType dtype, const void *bytes);
void encodeInteger(sema::DType dtype, int64_t value, void *bytes);

} // namespace gluonc::host
