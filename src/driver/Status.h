//===- Status.h - What a diagnostic means for the outcome --------------------===//
#pragma once

#include "diag/Diagnostic.h"

namespace gluonc::driver {

/// Exit statuses of the program and statuses of the C API.
enum class Outcome : int { Fine = 0, InputError = 1, UsageError = 2, Fault = 3, Unavailable = 4 };

/// Of one error, by the ranges that the kinds' .def files document.
inline Outcome outcomeOf(diag::Kind kind) {
  unsigned number = diag::info(kind).number;
  if (number >= 6030 && number < 6040)
    return Outcome::Unavailable;
  if ((number >= 5100 && number < 6000) || (number >= 6020 && number < 6030))
    return Outcome::Fault;
  return Outcome::InputError;
}

/// After one more diagnostic. A wrong input outranks what follows from it.
inline Outcome combine(Outcome before, const diag::Diagnostic &diagnostic) {
  if (diagnostic.severity != diag::Severity::Error)
    return before;
  Outcome now = outcomeOf(diagnostic.kind);
  return before == Outcome::Fine || now == Outcome::InputError ? now : before;
}

} // namespace gluonc::driver
