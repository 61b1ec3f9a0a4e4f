//===- Observer.h - Who watches a specialization ------------------------------===//
#pragma once

#include "diag/Source.h"
#include "sema/value/Value.h"

#include <functional>

namespace gluonc::sema {

/// Called for each expression that a specialization evaluates and for each name that it binds, with
/// the place in the source, as often as that happens. IR that the value names may be gone after the
/// call; types stay.
using ValueObserver = std::function<void(diag::Span place, const Value &value)>;

} // namespace gluonc::sema
